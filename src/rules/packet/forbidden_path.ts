/** Finds a path that no input may name, where it stands as a path: `.env` is not in `my.environment`. */

/** Characters that a path ends at when it stands in prose, code or a shell. */
const PATH_END = "\\s\"'`<>|;:,()\\[\\]{}";

/**
 * The expression for one entry of `forbidden_paths`: a file, or a folder with all that is named below it. Backslashes count
 * as slashes. It is literal text with one repetition, so it takes time that grows with the text.
 */
export function forbiddenPath(entry: string): RegExp {
  const path = plainOf(entry);
  const plain = path.replace(/\/+$/, "");
  const literal = plain.split("/").map(escaped).join("[/\\\\]");
  const below = `[/\\\\][^${PATH_END}]*`;
  // A folder is named with its slash; a file, or one of no known kind, also without.
  const rest = plain === path ? `(?:${below}|(?![\\p{L}\\p{N}_-]))` : below;
  // The letter of an escaped line feed is none of a longer name.
  // The look behind comes after the literal text: what begins with a text is searched for much faster.
  return new RegExp(`${literal}(?<=(?:(?<![\\p{L}\\p{N}_.-])|(?<=\\\\[nrt]))${literal})${rest}`, "gu");
}

/** Why an entry names no path that could be found in a text, or null. */
export function forbiddenFault(entry: string): string | null {
  if (/^[./]*$/.test(plainOf(entry))) return "it names no file or folder";
  return /[*?]/.test(entry) ? "patterns are not expanded; name the file or folder, such as secrets/" : null;
}

function plainOf(entry: string): string {
  return entry
    .trim()
    .replaceAll("\\", "/")
    .replace(/^(?:\.\/+)+/, "");
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
