/** Setting a text below `inputs/`, masked before it reaches the log (PACKET-121). */
import { createHash } from "node:crypto";
import { TaskfoldError } from "../../errors.ts";
import type { Draft } from "../../events/define.ts";
import { packetInputSet } from "../../events/packet.input_set.ts";
import type { Subject } from "../../state/entity.ts";
import type { PacketInput } from "../../state/packet.ts";
import { sentence } from "../phrase.ts";
import { checkText } from "../text.ts";
import { packetOf } from "./packet_of.ts";
import { redactorOf } from "./redact.ts";

const NAMES = new Set(["user_request.md", "context_pack.md"]);
const ATTACHMENT = /^attachments\/([^/]+)$/;
/** What cannot be the name of a file everywhere. */
// oxlint-disable-next-line no-control-regex
const UNSAFE = /[<>:"|?*\\\u0000-\u001f]|^\.|[. ]$|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;
/** An attachment's name, in bytes. */
const LONGEST_NAME = 120;
/** How many attachments a packet takes. */
const MOST_ATTACHMENTS = 50;

/** PATH_UNSAFE for a name that is no input, CONTENT_TOO_LARGE above 256 KiB. `text` null takes the input away. */
export function setInput(
  subject: Subject,
  path: string,
  text: string | null,
  source: PacketInput["source"] = "user",
): Draft[] {
  const packet = packetOf(subject);
  checkInputPath(path);
  if (text === null) {
    const message = sentence(`Took inputs/${path} away`);
    return [packetInputSet.draft({ path, text: null, sha256: null, source, redactions: {}, message })];
  }
  const others = packet.inputs.filter((input) => input.path !== path && ATTACHMENT.test(input.path));
  if (ATTACHMENT.test(path) && others.length >= MOST_ATTACHMENTS) {
    throw new TaskfoldError("CONTENT_TOO_LARGE", `Expected at most ${MOST_ATTACHMENTS} attachments, found one more.`, {
      recovery: "Take one away, or put two of them together.",
    });
  }
  const { text: masked, redactions, forbidden } = redactorOf(packet.manifest.security).redact(checkText(text, path));
  const sha256 = createHash("sha256").update(masked).digest("hex");
  const message = sentence(`Set inputs/${path}`);
  return [
    packetInputSet.draft({ path, text: masked, sha256, source, redactions: { ...redactions, ...forbidden }, message }),
  ];
}

function checkInputPath(path: string): void {
  const name = ATTACHMENT.exec(path)?.[1];
  if (NAMES.has(path)) return;
  if (name !== undefined && !UNSAFE.test(name) && name !== ".." && Buffer.byteLength(name) <= LONGEST_NAME && name.isWellFormed())
    return;
  throw new TaskfoldError(
    "PATH_UNSAFE",
    `Expected user_request.md, context_pack.md or attachments/<name>, found ${JSON.stringify(path.slice(0, 160))}.`,
    {
      recovery: "A name has no slash, colon or other character that some file system refuses, and does not begin with a dot.",
    },
  );
}
