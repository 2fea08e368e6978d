/** Texts of another program in the forms that tools take. */

const TITLE = 200;
/** Of a description or a note, as UTF-8. */
export const TEXT_BYTES = 200 * 1024;
// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\s]+/g;
// oxlint-disable-next-line no-control-regex
const UNPRINTED = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/** One line, and whether it says less than the text: it is cut, or its lines are joined. */
export function oneLine(text: string, most = TITLE): { line: string; isWhole: boolean } {
  // A code point is at most two units: a long text is not walked to its end.
  const flat = text
    .slice(0, 8 * most)
    .toWellFormed()
    .replace(CONTROLS, " ")
    .trim();
  const points = Array.from(flat);
  const isCut = points.length > most || text.length > 8 * most;
  const isWhole = !isCut && !text.trim().includes("\n");
  return { line: isCut ? `${points.slice(0, most - 1).join("")}…` : flat, isWhole };
}

/** Well-formed, without what a terminal would obey. */
export function cleanText(text: string): string {
  return text.toWellFormed().replace(UNPRINTED, "\ufffd");
}

/** The text in pieces that a note holds each, and that are the text when one stands behind the other. They end with a line or a word. */
export function pieces(text: string, most = TEXT_BYTES): string[] {
  const found: string[] = [];
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length;) {
    const end = start + most >= bytes.length ? bytes.length : endOf(bytes, start, start + most);
    found.push(bytes.toString("utf8", start, end));
    start = end;
  }
  return found;
}

/** Behind the last line end in the second half; without one behind the last blank there; else between two characters. */
function endOf(bytes: Buffer, start: number, most: number): number {
  const half = start + Math.floor((most - start) / 2);
  for (const sign of ["\n", " "]) {
    const at = bytes.lastIndexOf(sign, most - 1);
    if (at >= half) return at + 1;
  }
  let end = most;
  while ((bytes[end]! & 0xc0) === 0x80) end--;
  return end;
}
