/** The problems of a log, each with one sentence. A log with problems is read all the same. */
export const PROBLEM_CODES = {
  LINE_TOO_LONG: "a line is longer than any this format writes",
  LINE_NOT_JSON: "a line is no JSON",
  LINE_INVALID: "a line is JSON, but neither an event nor a line of another program",
  LINE_BAD_HASH: "a line was changed after it was written",
  LINE_NOT_CANONICAL: "a valid event was written out anew by another program",
  LINE_DUPLICATE: "a line stands there more than once",
  LINE_MARKER: "a conflict marker of git",
  LINE_LFS_POINTER: "a pointer of Git LFS stands in the place of lines",
  LINE_TORN: "the log ends inside a line",
  OP_INCOMPLETE: "an op lacks some of its events and has no effect",
  OP_STRAY: "an event repeats a place in an op that another event has",
  OP_HELD: "an op waits for lines that are missing",
  PREV_MIDDLE: "an op names an event inside another op",
  SEQ_WRONG: "an op's depth does not follow from the ops it names",
  ROOT_SECOND: "a second entity stands in the log",
  ROOT_MIXED: "an op descends from two entities",
  TYPE_UNKNOWN: "this release does not know a type of event",
  VERSION_NEWER: "a line was written by a newer format",
} as const;

export type ProblemCode = keyof typeof PROBLEM_CODES;

/** One finding and where it is: line number from 1, byte offset of the line from 0. */
export interface Problem {
  code: ProblemCode;
  line: number;
  byte: number;
  message: string;
}
