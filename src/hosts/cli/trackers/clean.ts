/** Texts of another program in the forms that tools take. */

const TITLE = 200;
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

/** Well-formed, without what a terminal would obey, and of at most so many bytes of UTF-8, by default as long as a field may be. */
export function wholeText(text: string, most = TEXT_BYTES): { text: string; isCut: boolean } {
  const clean = text.toWellFormed().replace(UNPRINTED, "\ufffd");
  const bytes = Buffer.from(clean);
  if (bytes.length <= most) return { text: clean, isCut: false };
  const kept = bytes
    .subarray(0, Math.max(0, most))
    .toString("utf8")
    .replace(/\ufffd{1,3}$/, "");
  return { text: `${kept}\n[cut: ${bytes.length - Math.max(0, most)} bytes more there]`, isCut: true };
}
