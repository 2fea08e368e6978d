/** The files of a task folder that belong to people, and what of them the log has read in. */
import type { Node } from "./node.ts";

export const PEOPLES_FILES = ["shared/human-notes.md", "shared/context-manifest.yaml"] as const;
export type PeoplesFile = (typeof PEOPLES_FILES)[number];

/** One file as it was last read in. All null: the text from the start has not been changed. */
export interface PeoplesText extends Node {
  /** Hex digest of `content`: the field that two branches can disagree about. */
  sha256: string | null;
  /** With LF; at most 256 KiB of UTF-8. */
  content: string | null;
  ts: string | null;
  /** Revision of the op that read it in; 0 when it came with the folder. */
  revision: number;
}

export function newPeoplesTexts(): Record<PeoplesFile, PeoplesText> {
  const texts = PEOPLES_FILES.map((file): [PeoplesFile, PeoplesText] => [
    file,
    { $: `people.${file}.`, sha256: null, content: null, ts: null, revision: 0 },
  ]);
  return Object.fromEntries(texts) as Record<PeoplesFile, PeoplesText>;
}

/** The person's file that a field belongs to, or undefined. */
export function peoplesFileOf(field: string): PeoplesFile | undefined {
  return PEOPLES_FILES.find((file) => field === `people.${file}.sha256`);
}
