/** Where two texts part: for findings that name a place. */

const LF = 0x0a;

export interface Difference {
  /** From 1. */
  line: number;
  /** From 0. */
  byte: number;
}

/** The first byte in which `found` is not `expected`, one of them ending counted as a difference; null when equal. */
export function firstDifference(expected: Buffer, found: Buffer): Difference | null {
  if (expected.equals(found)) return null;
  const shorter = Math.min(expected.length, found.length);
  let byte = 0;
  while (byte < shorter && expected[byte] === found[byte]) byte++;
  return { line: lineOfByte(found, byte), byte };
}

/** Number, from 1, of the line that a byte stands in. */
export function lineOfByte(bytes: Buffer, byte: number): number {
  let line = 1;
  for (let at = bytes.indexOf(LF); at >= 0 && at < byte; at = bytes.indexOf(LF, at + 1)) line++;
  return line;
}
