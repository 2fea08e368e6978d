/** Texts of another program in the forms that tools take. */

const TITLE = 200;
const TEXT_BYTES = 200 * 1024;
// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\s]+/g;
// oxlint-disable-next-line no-control-regex
const UNPRINTED = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/** One line, and whether something of it is missing. */
export function oneLine(text: string, most = TITLE): { line: string; isCut: boolean } {
  // A code point is at most two units: a long text is not walked to its end.
  const flat = text
    .slice(0, 8 * most)
    .toWellFormed()
    .replace(CONTROLS, " ")
    .trim();
  const points = Array.from(flat);
  const isCut = points.length > most || text.length > 8 * most;
  return { line: isCut ? `${points.slice(0, most - 1).join("")}…` : flat, isCut };
}

/** Well-formed, without what a terminal would obey, and as long as a field may be. */
export function wholeText(text: string): { text: string; isCut: boolean } {
  const clean = text.toWellFormed().replace(UNPRINTED, "\ufffd");
  const bytes = Buffer.from(clean);
  if (bytes.length <= TEXT_BYTES) return { text: clean, isCut: false };
  const kept = bytes
    .subarray(0, TEXT_BYTES)
    .toString("utf8")
    .replace(/\ufffd{1,3}$/, "");
  return { text: `${kept}\n[cut: ${bytes.length - TEXT_BYTES} bytes more there]`, isCut: true };
}
