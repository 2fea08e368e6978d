/** Files of an attempt that is about to end (PACKET-125). */
import type { Subject } from "../../state/entity.ts";
import type { FileFact } from "../../state/file_fact.ts";
import type { Attempt, Packet, StageFile } from "../../state/packet.ts";
import { attemptFile, isOfOther, namesOfOpen, runningAttempt, STAGE_FILES } from "../../state/packet.ts";

export interface OpenFile {
  /** Its name as one of this attempt. */
  path: string;
  /** Where it lies. */
  from: string;
  fact: Extract<FileFact, { state: "present" }>;
}

/** Names that the files of the attempt under way may have; none where no attempt is. `endings`: behind each name. */
export function openNames(
  subject: Subject | undefined,
  stage: string,
  {
    files = STAGE_FILES,
    endings = [""],
    run,
  }: { files?: readonly StageFile[]; endings?: readonly string[]; run?: string | undefined } = {},
): string[] {
  const packet = subject?.entity.packet;
  const attempt = packet ? runningAttempt(packet, stage, run) : undefined;
  if (!packet || !attempt) return [];
  return files.flatMap((file) =>
    namesOfOpen(packet, attempt, file).flatMap((name) => endings.map((ending) => `${name}${ending}`)),
  );
}

/** The file that is this attempt's. At the name of the latest attempt, bytes that another one left are none. */
export function openFile(
  packet: Packet,
  attempt: Attempt,
  file: StageFile,
  { look, endings = [""] }: { look: (path: string) => FileFact | undefined; endings?: readonly string[] },
): OpenFile | undefined {
  const path = attemptFile(packet, attempt, file);
  for (const name of namesOfOpen(packet, attempt, file))
    for (const ending of endings) {
      const fact = look(`${name}${ending}`);
      if (fact?.state !== "present" || (name !== path && isOfOther(packet, attempt, fact.sha256))) continue;
      return { path, from: `${name}${ending}`, fact };
    }
  return undefined;
}
