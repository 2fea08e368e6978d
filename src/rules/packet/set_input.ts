/** Setting a text below `inputs/`, masked before it reaches the log (PACKET-121). */
import { createHash } from "node:crypto";
import { TaskfoldError } from "../../errors.ts";
import type { Draft } from "../../events/define.ts";
import { packetInputSet } from "../../events/packet.input_set.ts";
import type { Packet, PacketInput } from "../../state/packet.ts";
import { sentence } from "../phrase.ts";
import { checkText } from "../text.ts";
import { inputFault } from "./packet_path.ts";
import { redactorOf } from "./redact.ts";

const ATTACHMENT = "attachments/";
/** How many attachments a packet takes. */
const MAX_ATTACHMENTS = 50;

/** Several inputs at once; the limit of attachments counts those of this very call. */
export function setInputs(
  { manifest, inputs }: Pick<Packet, "manifest" | "inputs">,
  given: readonly { path: string; text: string }[],
  source: PacketInput["source"] = "user",
): Draft[] {
  const names = new Set([...inputs, ...given].map(({ path }) => path).filter((path) => path.startsWith(ATTACHMENT)));
  checkCount(given.some(({ path }) => path.startsWith(ATTACHMENT)) ? names.size : 0);
  return given.flatMap(({ path, text }) => setInput({ manifest, inputs: [] }, path, text, source));
}

/** PATH_UNSAFE for a name that is no input, CONTENT_TOO_LARGE above 256 KiB. `text` null takes the input away. */
export function setInput(
  { manifest, inputs }: Pick<Packet, "manifest" | "inputs">,
  path: string,
  text: string | null,
  source: PacketInput["source"] = "user",
): Draft[] {
  checkInputPath(path);
  if (text === null) {
    const message = sentence(`Took inputs/${path} away`);
    return [packetInputSet.draft({ path, text: null, sha256: null, source, redactions: {}, message })];
  }
  const others = inputs.filter((input) => input.path !== path && input.path.startsWith(ATTACHMENT));
  if (path.startsWith(ATTACHMENT)) checkCount(others.length + 1);
  const { text: masked, redactions, forbidden } = redactorOf(manifest.security).redact(checkText(text, path));
  const sha256 = createHash("sha256").update(masked).digest("hex");
  const message = sentence(`Set inputs/${path}`);
  return [
    packetInputSet.draft({ path, text: masked, sha256, source, redactions: { ...redactions, ...forbidden }, message }),
  ];
}

function checkCount(count: number): void {
  if (count <= MAX_ATTACHMENTS) return;
  throw new TaskfoldError("CONTENT_TOO_LARGE", `Expected at most ${MAX_ATTACHMENTS} attachments, found ${count}.`, {
    recovery: "Take some away, or put several of them together.",
  });
}

function checkInputPath(path: string): void {
  const fault = inputFault(path);
  if (fault === null) return;
  throw new TaskfoldError("PATH_UNSAFE", fault, {
    recovery: "Name user_request.md, context_pack.md or attachments/<name>.",
  });
}
