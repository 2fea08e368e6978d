import type { CommandWords } from "../command/call_words.ts";
import type { Colors } from "../session.ts";

/** How to look, and what to put before a suggested command. */
export interface Look {
  program: string;
  /** The same for a program that starts in a folder of the root. */
  programIn?: (folder: string) => string;
  /** All that a suggestion may name. */
  commands: () => readonly CommandWords[];
  colors: Colors;
  /** Only ids, errors and warnings of lost work. */
  quiet?: boolean;
  /** Suggestions stay calls of tools: the caller speaks in calls. */
  calls?: boolean;
  /** How wide a terminal is that people look at. */
  columns?: number | undefined;
  /** How wide the terminal is that errors and warnings go to. */
  errColumns?: number | undefined;
}
