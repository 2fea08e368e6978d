import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_LINE } from "../../src/log/envelope.ts";
import { scan } from "../../src/log/scan.ts";
import { bytesSource, type ByteSource } from "../../src/log/source.ts";
import { ROTATING } from "../support/sweep.ts";

interface Seen {
  text: string;
  offset: number;
  line: number;
  ended: boolean;
  crlf: boolean;
  bom: boolean;
}

function lines(source: ByteSource, from = { offset: 0, line: 1 }): { seen: Seen[]; end: object } {
  const seen: Seen[] = [];
  const end = scan(source, from, ({ bytes, start, end: stop, offset, line, ended, crlf, bom, text }) => {
    const decoded = bytes.toString("utf8", start, stop);
    expect(text?.slice(start, stop) ?? decoded).toBe(decoded);
    seen.push({ text: decoded, offset, line, ended, crlf, bom });
    return true;
  });
  return { seen, end };
}

const of = (text: string): ByteSource => bytesSource(Buffer.from(text));

/** Gives at most `step` bytes per read, as a slow disk or a pipe may. */
function slow(bytes: Buffer, step: number): ByteSource {
  const source = bytesSource(bytes);
  return { size: () => bytes.length, read: (into, position) => source.read(into.subarray(0, step), position) };
}

describe("scan", () => {
  it("[LOG-1] strips marks and CR, and says where each line stands", () => {
    const { seen, end } = lines(of("\uFEFFa\r\n\nbé\n\uFEFF\r\n\r"));
    expect(seen).toEqual([
      { text: "a", offset: 0, line: 1, ended: true, crlf: true, bom: true },
      { text: "", offset: 6, line: 2, ended: true, crlf: false, bom: false },
      { text: "bé", offset: 7, line: 3, ended: true, crlf: false, bom: false },
      { text: "", offset: 11, line: 4, ended: true, crlf: true, bom: true },
      { text: "\r", offset: 16, line: 5, ended: false, crlf: false, bom: false },
    ]);
    expect(end).toEqual({ offset: 16, line: 5, rest: 1 });
  });

  it("[LOG-80] an empty source has no line, and one that ends in LF has no rest", () => {
    expect(lines(of(""))).toEqual({ seen: [], end: { offset: 0, line: 1, rest: 0 } });
    expect(lines(of("a\n")).end).toEqual({ offset: 2, line: 2, rest: 0 });
    expect(lines(of("a")).end).toEqual({ offset: 0, line: 1, rest: 1 });
  });

  it("[LOG-23] goes on where it was told to", () => {
    const { seen, end } = lines(of("a\nb\nc\n"), { offset: 2, line: 2 });
    expect(seen.map((s) => [s.text, s.offset, s.line])).toEqual([
      ["b", 2, 2],
      ["c", 4, 3],
    ]);
    expect(end).toEqual({ offset: 6, line: 4, rest: 0 });
  });

  it("[LOG-23] sees the same lines however the bytes come", () => {
    const text = fc.array(fc.constantFrom("", "a", "é\u{1F600}", "x".repeat(70), "\r"), { maxLength: 40 });
    fc.assert(
      fc.property(text, fc.boolean(), fc.integer({ min: 1, max: 97 }), (parts, ended, step) => {
        const bytes = Buffer.from(parts.join("\n") + (ended ? "\n" : ""));
        expect(lines(slow(bytes, step))).toEqual(lines(bytesSource(bytes)));
        expect(
          lines(bytesSource(bytes))
            .seen.map((s) => s.text + (s.crlf ? "\r" : ""))
            .join("\n"),
        ).toBe(ended ? parts.join("\n") : parts.join("\n").replace(/\n$/, ""));
      }),
    );
  });

  it("[LOG-1] lines longer than the read buffer come whole, and decoding changes with what a buffer holds", () => {
    const texts = ["a".repeat(300_000), "é".repeat(400_000), "b".repeat(10), "c".repeat(700_000)];
    expect(lines(of(texts.join("\n"))).seen.map((s) => s.text)).toEqual(texts);
  });

  it("[LOG-22] a line beyond all measure is passed over, and the next one is read", ROTATING, () => {
    const long = Buffer.concat([Buffer.from("a\n"), Buffer.alloc(5 * MAX_LINE, 0x78), Buffer.from("\nb\n")]);
    const seen: [boolean, number, number][] = [];
    let last = "";
    scan(bytesSource(long), { offset: 0, line: 1 }, (view) => {
      seen.push([view.tooLong, view.offset, view.line]);
      last = view.bytes.toString("utf8", view.start, view.end);
      // The buffer grows to what it must hold to know that the line is too long, and no further.
      expect(view.bytes.length).toBeLessThanOrEqual(4 * MAX_LINE);
      return true;
    });
    expect(seen).toEqual([
      [false, 0, 1],
      [true, 2, 2],
      [false, 5 * MAX_LINE + 3, 3],
    ]);
    expect(last).toBe("b");
  });

  it("[LOG-23] does not read past the size the source had at first", () => {
    const bytes = Buffer.from("a\nb\nc\n");
    const source = bytesSource(bytes);
    expect(
      lines({ size: () => 3, read: (into, position) => source.read(into, position) }).seen.map((s) => s.text),
    ).toEqual(["a", "b"]);
  });
});
