/**
 * The part of TOML that says whether a table can be added at the end of a file. It reads statements and the names that
 * they define.
 */

/** Thrown for a text that is no TOML, with the number of its line. */
export class TomlTextError extends Error {
  readonly line: number;

  constructor(expected: string, text: string, at: number) {
    super(`expected ${expected}`);
    this.line = text.slice(0, at).split("\n").length;
  }
}

const KEY = /[ \t]*(?:([A-Za-z0-9_-]+)|("(?:[^"\\\n]|\\.)*")|'([^'\n]*)')[ \t]*/y;
const BARE = /[^\s,\]}#"'[{=]+(?: \d{2}:[^\s,\]}#]*)?/y;
const STRINGS = [/"""(?:[^\\]|\\[^])*?"{3,5}(?!")/y, /'''[^]*?'{3,5}(?!')/y, /"(?:[^"\\\n]|\\.)*"/y, /'[^'\n]*'/y];
/** Deeper than any configuration. */
const DEEPEST = 100;

/** Each name that a header or a key defines, in full: `["mcp_servers", "taskfold", "command"]`. */
export function definedNames(text: string): string[][] {
  return definitionsIn(text).map(({ names }) => names);
}

interface Definition {
  names: string[];
  /** Whether a header defines it, so that tables may stand below it. */
  isTable: boolean;
}

export function definitionsIn(text: string): Definition[] {
  const found: Definition[] = [];
  let table: string[] = [];
  let at = text.startsWith("\uFEFF") ? 1 : 0;
  for (at = blank(text, at, true); at < text.length; at = blank(text, at, true)) {
    if (text[at] === "[") {
      const width = text.startsWith("[[", at) ? 2 : 1;
      const header = keyAt(text, at + width);
      if (!text.startsWith("]".repeat(width), header.end)) throw new TomlTextError('"]"', text, header.end);
      table = header.names;
      found.push({ names: table, isTable: true });
      at = header.end + width;
    } else {
      const key = keyAt(text, at);
      if (text[key.end] !== "=") throw new TomlTextError('"="', text, key.end);
      found.push({ names: [...table, ...key.names], isTable: false });
      at = value(text, blank(text, key.end + 1, false), 0);
    }
    at = blank(text, at, false);
    if (at < text.length && !/^\r?\n/.test(text.slice(at, at + 2)))
      throw new TomlTextError("the end of the line", text, at);
  }
  return found;
}

/** The place after spaces and a comment, and with `lines` after line breaks too. */
function blank(text: string, from: number, lines: boolean): number {
  let at = from;
  for (;;) {
    if (" \t".includes(text[at] ?? "x")) at++;
    else if (lines && "\r\n".includes(text[at] ?? "x")) at++;
    else if (text[at] === "#") while (at < text.length && !/^\r?\n/.test(text.slice(at, at + 2))) at++;
    else return at;
  }
}

function keyAt(text: string, from: number): { names: string[]; end: number } {
  const names: string[] = [];
  for (let at = from; ; at++) {
    KEY.lastIndex = at;
    const found = KEY.exec(text);
    if (!found) throw new TomlTextError("a name", text, at);
    const [source, bare, quoted, literal] = found;
    names.push(bare ?? literal ?? unquoted(quoted!));
    at += source.length;
    if (text[at] !== ".") return { names, end: at };
  }
}

/** Escapes that JSON does not have stay as they are: such a name is none that is asked for. */
function unquoted(source: string): string {
  try {
    return JSON.parse(source) as string;
  } catch {
    return source;
  }
}

function value(text: string, at: number, depth: number): number {
  if (depth > DEEPEST) throw new TomlTextError(`at most ${DEEPEST} levels`, text, at);
  if (text[at] === "[") return list(text, at + 1, "]", depth);
  if (text[at] === "{") return list(text, at + 1, "}", depth);
  for (const form of STRINGS) {
    form.lastIndex = at;
    const [source] = form.exec(text) ?? [];
    if (source !== undefined) return at + source.length;
  }
  BARE.lastIndex = at;
  const [source] = BARE.exec(text) ?? [];
  if (source === undefined) throw new TomlTextError("a value", text, at);
  return at + source.length;
}

function list(text: string, from: number, close: "]" | "}", depth: number): number {
  let at = blank(text, from, true);
  while (text[at] !== close) {
    if (close === "}") {
      const key = keyAt(text, at);
      if (text[key.end] !== "=") throw new TomlTextError('"="', text, key.end);
      at = blank(text, key.end + 1, false);
    }
    at = blank(text, value(text, at, depth + 1), true);
    if (text[at] === ",") at = blank(text, at + 1, true);
    else if (text[at] !== close) throw new TomlTextError(`"," or "${close}"`, text, at);
  }
  return at + 1;
}
