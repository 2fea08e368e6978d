/**
 * Names of files as the system has them: bytes, which need not be UTF-8. In a text, a byte that is part of no character stands as
 * U+DC00 and its value, which no UTF-8 gives. So each name has a text of its own, and the text has the name's bytes.
 */
import { isUtf8 } from "node:buffer";

const FIRST = 0xdc00;

/** The text of a name, or of a path. */
export function textOfName(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString("utf8");
  let text = "";
  for (let at = 0; at < bytes.length;) {
    const end = at + lengthAt(bytes, at);
    const part = bytes.subarray(at, end);
    const isCharacter = end <= bytes.length && isUtf8(part);
    text += isCharacter ? part.toString("utf8") : String.fromCharCode(FIRST + bytes[at]!);
    at = isCharacter ? end : at + 1;
  }
  return text;
}

/** How many bytes a character has that begins with this one. */
function lengthAt(bytes: Buffer, at: number): number {
  const first = bytes[at]!;
  if (first < 0xc0) return 1;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}

const ALONE = /[\udc80-\udcff]/gu;

/** The bytes of a name, for a call of the system. A text that is UTF-8 stays one: the system takes it as it is. */
export function nameOf(text: string): string | Buffer {
  return text.isWellFormed() ? text : bytesOfName(text);
}

export function bytesOfName(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text);
  let end = 0;
  const parts = Array.from(text.matchAll(ALONE), ({ index, 0: byte }) => {
    const before = Buffer.from(text.slice(end, index));
    end = index + 1;
    return Buffer.concat([before, Buffer.of(byte.charCodeAt(0) - FIRST)]);
  });
  return Buffer.concat([...parts, Buffer.from(text.slice(end))]);
}

/** The name as people read it: git, too, writes a byte that is part of no character as a backslash and three octal digits. */
export function shownName(text: string): string {
  return text.replace(ALONE, (byte) => `\\${(byte.charCodeAt(0) - FIRST).toString(8)}`);
}
