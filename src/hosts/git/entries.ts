/** Parts of what git says, or of its files, with a NUL behind each. */

/** Texts of which each character is one byte: names need not be UTF-8. */
export function entriesOf(output: Buffer): string[] {
  const entries = output.toString("latin1").split("\0");
  entries.pop();
  return entries;
}
