/** The files of a task folder that belong to people, and what of them the log has read in. */
import type { Node } from "./node.ts";

export const HUMAN_FILES = ["shared/human-notes.md", "shared/context-manifest.yaml"] as const;
export type HumanFile = (typeof HUMAN_FILES)[number];

/** One file as it was last read in. All null: the text from the start has not been changed. */
export interface HumanText extends Node {
  /** Hex digest of `content`: the field that two branches can disagree about. */
  sha256: string | null;
  /** With LF; at most 256 KiB of UTF-8. */
  content: string | null;
  ts: string | null;
  /** Revision of the op that read it in; 0 when it came with the folder. */
  revision: number;
}

export function newHumanTexts(): Record<HumanFile, HumanText> {
  const texts = HUMAN_FILES.map((file): [HumanFile, HumanText] => [
    file,
    { $: `people.${file}.`, sha256: null, content: null, ts: null, revision: 0 },
  ]);
  return Object.fromEntries(texts) as Record<HumanFile, HumanText>;
}

/** The person's file that a field belongs to, or undefined. */
export function humanFileOf(field: string): HumanFile | undefined {
  return HUMAN_FILES.find((file) => field === `people.${file}.sha256`);
}
