import { isAscii } from "node:buffer";
import { MAX_LINE } from "./envelope.ts";
import type { ByteSource } from "./source.ts";

/** Four times as much, and the text of a chunk would no longer be a young object: making it would cost six times as much. */
const CHUNK = 64 * 1024;
const LF = 0x0a;
const CR = 0x0d;

/**
 * One line as it lies in the read buffer. The scanner reuses one such object and the buffer for all lines: what a
 * visitor wants to keep it must copy.
 */
export interface LineView {
  bytes: Buffer;
  /** The line without its mark, CR and LF is `bytes[start, end)`. */
  start: number;
  end: number;
  /** Byte offset in the source of the line as it stands there, from 0. */
  offset: number;
  /** Line number, from 1. */
  line: number;
  crlf: boolean;
  bom: boolean;
  /**
   * The whole buffer as text when it is ASCII, so that places in both are the same; else null. A line cut from it costs
   * nothing, where decoding each by itself costs a sixth of parsing it. Kept pieces of the cut keep the whole text in
   * memory.
   */
  text: string | null;
  /** False for last bytes without LF. */
  ended: boolean;
  /** True for a line above twice `MAX_LINE`: its bytes are not here. */
  tooLong: boolean;
}

/** A place in a log: a byte offset from 0, and the number of the line that begins there, from 1. */
export interface LinePlace {
  offset: number;
  line: number;
}

/** Where a scan ended: the place after the last LF, and how many bytes there are behind it. */
export interface ScanEnd extends LinePlace {
  rest: number;
}

/**
 * Visits every line from `from` to the end that the source had when the scan began, blank ones included. It visits the
 * bytes after the last LF as a line that is not `ended` (LOG-1, LOG-80). A visitor that returns false stops the scan.
 *
 * Reads 64 KiB at a time, so that memory does not grow with the log. The buffer grows for a long line, up to twice the
 * longest that a writer may write. A longer line is passed over and visited without its bytes.
 */
export function scan(source: ByteSource, from: LinePlace, visit: (line: LineView) => boolean): ScanEnd {
  const size = source.size();
  let buffer = Buffer.allocUnsafe(Math.max(1, Math.min(CHUNK, size - from.offset)));
  const view: LineView = {
    bytes: buffer,
    start: 0,
    end: 0,
    offset: from.offset,
    line: from.line,
    crlf: false,
    bom: false,
    text: null,
    ended: true,
    tooLong: false,
  };
  let filled = 0;
  let base = from.offset; // offset in the source of buffer[0]
  let searched = 0; // buffer[0, searched) holds no LF of the line that begins at `start`
  let start = 0;

  // The text is searched five times as fast. Past `filled` the buffer may hold an LF too, met once per chunk.
  const nextLf = (from: number): number => view.text?.indexOf("\n", from) ?? buffer.indexOf(LF, from);

  const tell = (end: number, ended: boolean): boolean => {
    view.bytes = buffer;
    view.end = end;
    view.start = start;
    view.ended = ended;
    view.crlf = ended && end > start && buffer[end - 1] === CR;
    if (view.crlf) view.end--;
    // Not only in the first line: a merge may bring the marked and the unmarked first line, in either order.
    view.bom = end - start >= 3 && buffer[start] === 0xef && buffer[start + 1] === 0xbb && buffer[start + 2] === 0xbf;
    if (view.bom) view.start += 3;
    return visit(view);
  };

  for (;;) {
    let lf = nextLf(searched);
    while (lf >= 0 && lf < filled) {
      if (!tell(lf, true)) return { offset: view.offset, line: view.line, rest: base + filled - view.offset };
      start = lf + 1;
      view.offset = base + start;
      view.line++;
      view.tooLong = false;
      lf = nextLf(start);
    }
    if (start > 0) {
      buffer.copyWithin(0, start, filled);
      base += start;
      filled -= start;
      start = 0;
      view.text = null;
    }
    if (filled >= 2 * MAX_LINE) {
      view.tooLong = true;
      base += filled;
      filled = 0;
    }
    const left = size - base - filled;
    if (left > 0 && filled === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2);
    searched = filled;
    const room = Math.min(buffer.length - filled, left);
    const got = room > 0 ? source.read(buffer.subarray(filled, filled + room), base + filled) : 0;
    if (got === 0) break;
    filled += got;
    const read = buffer.subarray(0, filled);
    view.text = isAscii(read) ? read.toString("latin1") : null;
  }
  if (filled > 0 || view.tooLong) tell(filled, false);
  return { offset: view.offset, line: view.line, rest: base + filled - view.offset };
}
