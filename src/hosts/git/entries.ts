/** Parts of what git says, or of its files, with a NUL behind each. */

/** Texts of which each character is one byte: names need not be UTF-8. */
export function entriesOf(said: Buffer): string[] {
  const entries = said.toString("latin1").split("\0");
  entries.pop();
  return entries;
}
