/** The file that the engine found at a path that a caller named, without following a link. */
export type FileFact =
  | { state: "present"; size: number; sha256: string; lines: number }
  | { state: "missing" }
  | { state: "unsafe"; why: string };
