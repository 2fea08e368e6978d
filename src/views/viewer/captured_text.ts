/** Captured output as text that a page may show: of what a terminal obeys, colours alone are left. */

/** Sequences of a terminal: colours, others of the form CSI, strings (titles, links, pictures) that end on their line, and the short ones. */
const SEQUENCE =
  // oxlint-disable-next-line no-control-regex -- these are the characters that it is about
  /\u001b(?:(\[[0-9;:]{0,64}m)|\[[0-?]{0,64}[ -/]{0,8}[@-~]|[\]PX^_][^\u0007\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c)|[ -/]{0,8}[0-~])?/g;
// oxlint-disable-next-line no-control-regex -- these are the characters that it is about
const CONTROL = /[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f]/g;

/**
 * The text without what moves a cursor, rings, names a window or hides. Evidence hides nothing: a text that a terminal would write
 * over stays, on a line of its own.
 */
export function capturedText(text: string): string {
  return text
    .replace(/\r+\n?/g, (ends, at: number) =>
      // Before a line feed, and at the end of all, nothing is written over.
      ends.endsWith("\n") || at + ends.length < text.length ? "\n" : "",
    )
    .replace(SEQUENCE, (_whole, colour: string | undefined) => (colour === undefined ? "" : `\u001b${colour}`))
    .replace(CONTROL, "");
}
