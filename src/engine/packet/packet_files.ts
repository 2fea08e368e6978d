/** Files of a packet that its events name by size and digest: what the archive drops of them, and what verify finds (PACKET-180, PACKET-215). */
import { join } from "node:path";
import { removeQuietly, TEMP_PREFIX } from "../../files/atomic.ts";
import { listFolder } from "../../files/folders.ts";
import { inspectFile, inspectText } from "../../files/inspect.ts";
import { packetFiles } from "../../projections/packet/index.ts";
import { promptOf } from "../../rules/packet/prompt_of.ts";
import { attachmentsFor } from "../../rules/packet/review_files.ts";
import type { Packet } from "../../state/packet.ts";
import { namesOfOpen, PARTIAL, partsOfStage, STAGE_FILES } from "../../state/packet.ts";
import type { Warning } from "../../errors.ts";
import { inputFault } from "../../rules/packet/packet_path.ts";
import { listed } from "../../rules/phrase.ts";
import type { Finding } from "../core/finding.ts";
import { digestsOfPacket, filesOfPacket, namedFiles, promptsOf } from "./named_by_events.ts";
import type { NamedPrompt } from "./named_by_events.ts";
import { note, remoteFinding, wholeFile } from "../core/finding.ts";
import { remoteWarning } from "../core/remote_warning.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import type { PacketAccess } from "./packet_access.ts";
import type { EntityFiles } from "../entity/entity_files.ts";
import type { EngineContext } from "../core/context.ts";
import { counted } from "../../state/counted.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

/** Removes the outputs that the archive leaves out. One that is not what its event names is another file, and stays. */
export function dropOutputs({ disk }: EngineContext, { entity, folder }: LoadedEntity): void {
  const { packet } = entity ?? {};
  if (!packet?.archived) return;
  for (const { path, sha256, dropped } of namedFiles(packet)) {
    if (dropped !== true) continue;
    const found = inspectFile(disk, folder, path);
    if (found.state === "present" && found.sha256 === sha256) removeQuietly(disk, join(folder, path));
  }
}

/** Outputs, logs and prompts that are missing or are other bytes; markers and inputs that no event tells of; and orphans, as notes. */
export function packetFindings(where: EntityFiles, packet: Packet, remote: ReadonlySet<string>): Finding[] {
  return [
    ...contentFindings(where, packet, remote),
    ...markerFindings(where, packet),
    ...inputFindings(where, packet),
    ...orphanFindings(where, packet),
  ];
}

function contentFindings(where: EntityFiles, packet: Packet, remote: ReadonlySet<string>): Finding[] {
  const named = { remote, own: digestsOfPacket(packet) };
  const files = namedFiles(packet).filter(({ dropped }) => dropped !== true);
  const prompts = promptsOf(packet).flatMap((file) => {
    const findings = contentFinding(where, file, named);
    return findings.length > 0 && isComposedAnew(where, packet, file) ? [] : findings;
  });
  return [...files.flatMap((file) => contentFinding(where, file, named)), ...prompts];
}

/** A prompt may be composed before its stage starts again: then it is what the next attempt would start with. */
function isComposedAnew({ disk, folder }: EntityFiles, packet: Packet, { path, stage }: NamedPrompt): boolean {
  const text = inspectText(disk, folder, path, MAX_PROMPT);
  if (text === undefined) return false;
  const more = attachmentsFor(partsOfStage(stage).role, (output) => inspectText(disk, folder, output, MAX_PROMPT));
  return text === promptOf(packet, stage, more).text;
}

const MAX_PROMPT = 4 * 1024 * 1024;

function contentFinding(
  { disk, folder, relative }: EntityFiles,
  { path, sha256, size }: { path: string; sha256: string; size?: number },
  { remote, own }: { remote: ReadonlySet<string>; own: ReadonlySet<string> },
): Finding[] {
  const file = `${relative}/${path}`;
  const found = inspectFile(disk, folder, path);
  // Another attempt's file may still lie at this name.
  const isHere = found.state === "unsafe" || (found.state === "present" && !own.has(found.sha256));
  const isNamed = found.state === "present" && found.sha256 === sha256;
  if (!isHere && !isNamed && remote.has(sha256)) return [remoteFinding(file)];
  if (found.state === "missing")
    return [wholeFile("PACKET_FILE_MISSING", file, "Expected a file that an event of the packet names, found none.")];
  if (found.state === "unsafe")
    return [wholeFile("PATH_UNSAFE", file, `Expected a file that an event of the packet names: ${found.why}.`)];
  if (found.sha256 === sha256 && (size === undefined || found.size === size)) return [];
  const expected = `${size === undefined ? "" : `${counted(size, "byte")} with `}SHA-256 ${sha256}`;
  return [
    wholeFile(
      "PACKET_FILE_DIFFERS",
      file,
      `Expected ${expected}, found ${counted(found.size, "byte")} with ${found.sha256}.`,
    ),
  ];
}

/** Nothing is believed of them until they are taken in. */
function markerFindings({ disk, folder, relative }: EntityFiles, { done, plan }: Packet): Finding[] {
  const planned = plan.stages.map((one) => one.stage);
  return namesIn(disk, folder, "done").flatMap((name) => {
    const stage = /^(.+)\.done$/.exec(name)?.[1];
    if (stage !== undefined && Object.hasOwn(done, stage)) return [];
    const wayOut =
      stage !== undefined && planned.includes(stage)
        ? remedy`${TASKFOLD} packet import ${relative} takes it in.`
        : { recovery: "The plan has no such stage, so no import takes it in: delete it." };
    return [
      wholeFile(
        "PACKET_MARKER_FOREIGN",
        `${relative}/done/${name}`,
        `Expected markers of stages that the log says are done; it says nothing of ${JSON.stringify(name)}.`,
        wayOut,
      ),
    ];
  });
}

/** No prompt has them until they are taken in. */
function inputFindings(where: EntityFiles, packet: Packet): Finding[] {
  const { relative } = where;
  return foreignInputs(where, packet).map((path) => {
    const fault = inputFault(path);
    const wayOut =
      fault === null
        ? remedy`${TASKFOLD} packet import ${relative} takes it in.`
        : { recovery: `No import takes it in (${fault}): rename or delete it.` };
    const file = `${relative}/inputs/${path}`;
    return wholeFile("PACKET_INPUT_FOREIGN", file, `Expected inputs that the log has; it has no such input.`, wayOut);
  });
}

/** Files among the inputs that the engine folds or writes. */
const WRITTEN = new Set(["context_pack.digest.md", "prompt", "attachments"]);

/** Files below `inputs/` that the packet does not have, from that folder on. Names that begin with a dot are none. */
function foreignInputs({ disk, folder }: Pick<EntityFiles, "disk" | "folder">, packet: Packet): string[] {
  const attachments = namesIn(disk, folder, "inputs/attachments").map((name) => `attachments/${name}`);
  // A file of an input that was taken away is a projection that should be gone, and told as one.
  const known = new Set([...packet.inputs.map(({ path }) => path), ...packet.removed_inputs]);
  return [...namesIn(disk, folder, "inputs").filter((name) => !WRITTEN.has(name)), ...attachments].filter(
    (path) => !known.has(path) && !/(?:^|\/)\.[^/]*$/.test(path),
  );
}

/** For a caller that is about to prompt with what the log has. */
export function inputWarnings({ disk, folder, id, packet }: PacketAccess): Warning[] {
  const names = foreignInputs({ disk, folder }, packet()).map((path) => `inputs/${path}`);
  if (names.length === 0) return [];
  return [
    {
      code: "INPUT_FOREIGN",
      message: `No prompt has ${listed(names)}: the log has no such input.`,
      ...remedy`${TASKFOLD} packet import .coco/tasks/${id} takes them in.`,
    },
  ];
}

/** For a caller that reads files of the packet without a wait for the shared log. */
export function remoteFileWarnings({ disk, folder, id, packet, isRemote }: PacketAccess): Warning[] {
  const missing = filesOfPacket(packet()).filter(
    ({ path, sha256 }) => isRemote(sha256) && inspectFile(disk, folder, path).state === "missing",
  );
  return missing.length === 0 ? [] : [remoteWarning(id, missing.length)];
}

function orphanFindings({ disk, folder, relative }: EntityFiles, packet: Packet): Finding[] {
  const known = new Set([...packetFiles(packet).keys(), ...namedFiles(packet).map(({ path }) => path)]);
  for (const attempt of packet.attempts) {
    const { ended, stage } = attempt;
    // An attempt under way is named when it ends.
    if (ended) continue;
    for (const file of STAGE_FILES)
      for (const name of namesOfOpen(packet, attempt, file)) known.add(name).add(`${name}${PARTIAL}`);
    known.add(`outputs/${stage}.${partsOfStage(stage).tool}.meta.json`);
  }
  return namesIn(disk, folder, "outputs")
    .filter((name) => !known.has(`outputs/${name}`))
    .map((name) =>
      note(wholeFile("PACKET_FILE_ORPHAN", `${relative}/outputs/${name}`, "No event of the packet names this file.")),
    );
}

function namesIn(disk: EntityFiles["disk"], folder: string, name: string): string[] {
  const path = join(folder, name);
  if (disk.lstat(path)?.kind !== "folder") return [];
  // A write that a crash cut off leaves a temporary name; it is no file of the packet.
  return listFolder(disk, path)
    .filter((one) => !one.startsWith(TEMP_PREFIX))
    .toSorted();
}
