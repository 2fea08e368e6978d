/** Captured output as text that a page may show: of what a terminal obeys, colours alone are left. */

const COLOURS = "\\[[0-9;:]{0,64}m";
/** Sequences of a terminal: those of the form CSI, strings (titles, links, pictures), and the short ones. */
const SEQUENCE = new RegExp(
  // oxlint-disable-next-line no-control-regex -- these are the characters that it is about
  `\\u001b(?:(${COLOURS})|\\[[0-?]{0,64}[ -/]{0,8}[@-~]|[\\]PX^_][^\\u0007\\u001b\\u009c]*(?:\\u0007|\\u001b\\\\|\\u009c)?|[ -/]{0,8}[0-~])`,
  "g",
);
// oxlint-disable-next-line no-control-regex -- these are the characters that it is about
const CONTROL = /[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f]/g;

/** The text without what moves a cursor, rings, names a window or hides; CR LF is LF, and a line written over is its last text. */
export function capturedText(text: string): string {
  return text
    .replace(/\r+\n/g, "\n")
    .replace(/[^\n]*\r(?=[^\n])/g, "")
    .replace(SEQUENCE, (_whole, colour: string | undefined) => (colour === undefined ? "" : `\u001b${colour}`))
    .replace(/\u001b(?!\[[0-9;:]{0,64}m)/g, "")
    .replace(CONTROL, "");
}
