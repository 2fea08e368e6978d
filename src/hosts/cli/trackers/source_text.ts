/** Files of another program as text and JSON. Refuses in one line a file that cannot be read, and guesses nothing. */
import { TaskfoldError } from "../../../errors.ts";
import { isObject } from "./fields.ts";
import type { SourceFile } from "./item.ts";
import type { LeftOut } from "./left_out.ts";
import { attempt } from "./records.ts";
import type { TrackerRecord } from "./records.ts";

/** Deeper JSON is no list of tasks. */
const JSON_DEPTH = 64;
const RECOVERY = "Nothing was changed. Export it again from its own program, as UTF-8.";

export function unreadable(path: string, expected: string, found: string, cause?: unknown): TaskfoldError {
  const message = `Expected ${path} to hold ${expected}, found ${found.slice(0, 200).replace(/\s+/g, " ")}.`;
  return new TaskfoldError("INVALID_INPUT", message, {
    recovery: RECOVERY,
    ...(cause === undefined ? {} : { cause }),
  });
}

/** UTF-8 without a byte order mark and blanks before it, with `\n` as line ends. */
export function textOf({ path, bytes }: SourceFile): string {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw unreadable(path, "UTF-8", bytes.includes(0) ? "binary data" : "other bytes", cause);
  }
  if (text.includes("\0")) throw unreadable(path, "text", "a NUL character");
  return text.replaceAll("\r\n", "\n").trimStart();
}

export function jsonOf(text: string, path: string): unknown {
  refuseDeep(text, path);
  try {
    return parsed(withWholeNumbers(text));
  } catch (cause) {
    throw unreadable(path, "JSON", cause instanceof Error ? cause.message : "something else", cause);
  }
}

/**
 * The values of one document or of several, one a line: a list counts as its members. Where the whole is no document, a line
 * that cannot be read is left out by name. A file without a record in any line is refused.
 */
export function jsonRecords(file: SourceFile, leftOut: LeftOut[]): TrackerRecord[] {
  const { path, bytes } = file;
  return attempt(path, leftOut, () => {
    try {
      const text = textOf(file);
      return text === "" ? [] : membersOf(jsonOf(text, path), path);
    } catch (fault) {
      const odd: LeftOut[] = [];
      const records = eachLine(bytes, path).flatMap((line) =>
        attempt(line.path, odd, () => membersOf(jsonOf(textOf(line).replace(/,\s*$/, ""), line.path), line.path)),
      );
      if (!records.some(({ value }) => isObject(value) && Object.keys(value).length > 0)) throw fault;
      leftOut.push(...odd);
      return records;
    }
  });
}

/** A page of the REST API is a list, and so are several pages. */
function membersOf(value: unknown, where: string): TrackerRecord[] {
  if (!Array.isArray(value)) return [{ value, where }];
  return value.flat().map((one: unknown, at) => ({ value: one, where: `item ${at + 1} of ${where}` }));
}

/** Its lines that say something, but for the brackets of a list around them. */
function eachLine(bytes: Buffer, path: string): SourceFile[] {
  const lines: SourceFile[] = [];
  let number = 0;
  // Not split: a file may be all line ends.
  for (let start = 0; start < bytes.length;) {
    const next = bytes.indexOf(LINE_FEED, start);
    const end = next < 0 ? bytes.length : next;
    const line = bytes.subarray(start, end);
    number++;
    if (!/^[\s[\]]*$/.test(line.toString("latin1", 0, SHORT)) || line.length > SHORT)
      lines.push({ path: `line ${number} of ${path}`, bytes: line });
    start = end + 1;
  }
  return lines;
}

const LINE_FEED = 0x0a;
/** Longer than a line of brackets. */
const SHORT = 20;

/** Texts that may have a number which JavaScript would write in another way. */
const ODD_NUMBER = /[\d.]{16}|\d[eE]|\.\d*0|-0/;

/** The JSON with each number as a text that JavaScript would write in another way, so that ids such as 12345678901234567890 and 7.50 are whole. */
function withWholeNumbers(text: string): string {
  if (!ODD_NUMBER.test(text)) return text;
  const pieces: string[] = [];
  const number = /-?\d[\d.eE+-]*/y;
  let end = 0;
  outsideStrings(text, (c, at) => {
    if (c !== 0x2d && (c < 0x30 || c > 0x39)) return at;
    number.lastIndex = at;
    const written = number.exec(text)?.[0] ?? "-";
    const next = at + written.length;
    if (changesIn(written)) {
      pieces.push(text.slice(end, at), JSON.stringify(written));
      end = next;
    }
    return next - 1;
  });
  return pieces.join("") + text.slice(end);
}

/** Calls for each character of a JSON text that stands in no string. `look` gives the place of the last one that it has read. */
function outsideStrings(text: string, look: (code: number, at: number) => number): void {
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (quoted) {
      if (c === 0x5c) i++;
      else if (c === 0x22) quoted = false;
    } else if (c === 0x22) quoted = true;
    else i = look(c, i);
  }
}

/** Whether a number would come out as another text. The parser refuses other texts. */
function changesIn(written: string): boolean {
  return JSON_NUMBER.test(written) && String(Number(written)) !== written;
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Taskwarrior 2.6 writes control characters of a text as they are, which JSON does not allow. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    const escaped = text.replaceAll(STRING, (string) => string.replaceAll(CONTROL, escape));
    if (escaped === text) throw cause;
    return JSON.parse(escaped) as unknown;
  }
}

const STRING = /"(?:[^"\\]|\\.)*"/gs;
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0001-\u001f]/g;

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function refuseDeep(text: string, path: string): void {
  let depth = 0;
  outsideStrings(text, (c, at) => {
    if (c === 0x5b || c === 0x7b) depth++;
    else if (c === 0x5d || c === 0x7d) depth--;
    if (depth > JSON_DEPTH) throw unreadable(path, `at most ${JSON_DEPTH} levels of JSON`, "more");
    return at;
  });
}
