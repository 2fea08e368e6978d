/** Every limit in one place. Sizes are bytes of UTF-8 unless a name says otherwise. */
export const LIMITS = {
  titleCodePoints: 200,
  idCharacters: 64,
  /** Of an output that a gate judges; the rest is not read. */
  judgedBytes: 4 * 1024 * 1024,
  textBytes: 256 * 1024,
  lineBytes: 2 * 1024 * 1024,
  opBytes: 4 * 1024 * 1024,
  /** Nesting of JSON in one event; other readers of these folders die at 127. */
  jsonDepth: 64,
  stepDepth: 256,
  keyCharacters: 200,
  /** Members and items in one input, in all its objects and lists, and UTF-16 units in all its texts. */
  inputValues: 250_000,
  inputText: 64 * 1024 * 1024,
  /** Operations of one batch. */
  operations: 200,
  evidenceItems: 20,
  evidenceItemBytes: 256_000,
  /** How much of a captured output stands in the event; the whole is a blob. */
  excerptCodePoints: 2_000,
  listPage: 200,
  messageCodePoints: 240,
  radarBlockers: 10,
  recentOps: 10,
  recentActors: 64,
  recentNotes: 10,
  recentTrace: 20,
  /** How many cards one card may support, and entries of each list of a report. */
  supports: 20,
  reportItems: 50,
} as const;
