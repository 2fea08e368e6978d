/** Captured output as text that a page may show: of what a terminal obeys, colours alone are left. */

/** Sequences of a terminal: colours, others of the form CSI, strings (titles, links, pictures), and the short ones. */
const SEQUENCE =
  // oxlint-disable-next-line no-control-regex -- these are the characters that it is about
  /\u001b(?:(\[[0-9;:]{0,64}m)|\[[0-?]{0,64}[ -/]{0,8}[@-~]|[\]PX^_][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|[ -/]{0,8}[0-~])?/g;
// oxlint-disable-next-line no-control-regex -- these are the characters that it is about
const CONTROL = /[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f]/g;

/** The text without what moves a cursor, rings, names a window or hides. A line that was written over shows its last text. */
export function capturedText(text: string): string {
  const lines = text.split("\n").map(lastWritten);
  return lines
    .join("\n")
    .replace(SEQUENCE, (_whole, colour: string | undefined) => (colour === undefined ? "" : `\u001b${colour}`))
    .replace(CONTROL, "");
}

/** Returns the text behind the last CR before the end of the line: progress bars write one line again and again. */
function lastWritten(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === "\r") end--;
  return line.slice(line.lastIndexOf("\r", end - 1) + 1, end);
}
