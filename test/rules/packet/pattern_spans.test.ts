import { RE2JS } from "re2js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FAR_SEARCHES, MATCHES, patternSpans, REACH, SHORT } from "../../../src/rules/packet/pattern_spans.ts";
import type { SearchedPattern } from "../../../src/rules/packet/pattern_spans.ts";
import type { Span } from "../../../src/rules/packet/secrets.ts";
import { runsOf, SWEEP } from "../../support/sweep.ts";

/** Every match as the engine itself gives them, each search on the whole text. */
function plainSpans(pattern: RE2JS, text: string): Span[] {
  const matcher = pattern.matcher(text);
  const spans: Span[] = [];
  while (matcher.find())
    if (matcher.end() > matcher.start()) spans.push({ start: matcher.start(), end: matcher.end() });
  return spans;
}

/** The same pattern, which counts the characters that each call may read. */
function counted(pattern: RE2JS): SearchedPattern & { read: () => number } {
  let read = 0;
  return {
    read: () => read,
    test: (text) => {
      read += text.length;
      return pattern.test(text);
    },
    matcher: (text) => {
      const matcher = pattern.matcher(text);
      return {
        find: (from) => {
          read += text.length - from;
          return matcher.find(from);
        },
        start: () => matcher.start(),
        end: () => matcher.end(),
      };
    },
  };
}

describe("where a pattern matches", () => {
  it("[PACKET-230] is what one search after another finds, wherever the windows of a text end", SWEEP, () => {
    const patterns = [
      "hunter[0-9]+",
      "\\bkey=\\S+",
      "(?i)END\\B",
      "(?m)^secret$",
      "x*",
      "😀+|é",
      "(?s)BEGIN.*?END",
      "\\Aone|two\\z",
    ];
    const piece = fc.constantFrom(
      "hunter22",
      "key=abc",
      " ",
      "ENDx",
      "\nsecret\n",
      "xx",
      "😀😀",
      "é",
      "BEGIN",
      "END",
      "two",
    );
    const filler = fc.constantFrom("plain words of a log. ", "😀", "key", "one");
    fc.assert(
      fc.property(
        fc.constantFrom(...patterns),
        fc.array(piece, { maxLength: 20 }),
        filler,
        fc.integer({ min: -40, max: 40 }),
        fc.integer({ min: 1, max: 3 }),
        (source, pieces, fill, shift, windows) => {
          const pattern = RE2JS.compile(source);
          const before = fill.repeat(Math.ceil((windows * REACH) / fill.length)).slice(0, windows * REACH + shift);
          const text = before.toWellFormed() + pieces.join("") + "plain words. ".repeat(3000) + pieces.join(" ");
          const spans = plainSpans(pattern, text);
          fc.pre(spans.length < FAR_SEARCHES && spans.every(({ start, end }) => end - start <= REACH));
          expect(patternSpans(pattern, text)).toEqual(spans);
        },
      ),
      runsOf(60),
    );
  });

  it("[PACKET-230] has a match of 16,384 characters at any place, and a longer one that goes on", () => {
    const key = `key=${"a".repeat(REACH - 4)}`;
    for (const at of [0, 1, REACH - 1, REACH, REACH + 1, 5 * REACH - 7]) {
      const text = `${"-".repeat(at)}${key} ${"-".repeat(40_000)}`;
      expect(patternSpans(RE2JS.compile("key=[a-z]+"), text)).toEqual([{ start: at, end: at + key.length }]);
    }
    const long = `key=${"a".repeat(150_000)}`;
    expect(patternSpans(RE2JS.compile("key=[a-z]+"), `- ${long} -`)).toEqual([{ start: 2, end: 2 + long.length }]);
  });

  it("[PACKET-230] has short matches and those that go on, however many stand beside them", () => {
    const among = `${"n1 ".repeat(400)}n${"9".repeat(SHORT - 1)};${"n1 ".repeat(400)}n${"9".repeat(9000)} n1`;
    for (const source of ["[0-9]+", "n[0-9]+", "n[0-9]*[;\\s]"]) {
      const pattern = RE2JS.compile(source);
      const spans = plainSpans(pattern, among);
      // Of more than 128 characters, and it is none before its end is read.
      const missed = source.endsWith("]") ? spans.pop() : undefined;
      expect(missed === undefined || missed.end - missed.start > SHORT).toBe(true);
      expect(patternSpans(pattern, among)).toEqual(spans);
    }
  });

  it("[PACKET-230] covers every match of a window with very many, and takes the rest of the window along", () => {
    const text = `${"n1 ".repeat(MATCHES + 500)}${"-".repeat(REACH)} n2`;
    const pattern = RE2JS.compile("n[0-9]");
    const spans = patternSpans(pattern, text);
    expect(
      plainSpans(pattern, text).every((one) => spans.some((span) => span.start <= one.start && one.end <= span.end)),
    ).toBe(true);
    expect(spans.length).toBeLessThan(MATCHES + 10);
    expect(spans.at(-1)).toEqual({ start: text.length - 2, end: text.length });
  });

  // Searched one after another in the whole text, each of these reads half of the text for every character of it.
  it.each(["a(.*)q|a", "(a.*q)?", "a[^z]*$|a", "(?s)a(.*)q|(?:a{1,20}b|a)"])(
    "[PACKET-231] is found in work that grows with the text: %s",
    (source) => {
      const pattern = counted(RE2JS.compile(source));
      const text = `${"a".repeat(6000)}z`;
      patternSpans(pattern, text);
      expect(pattern.read() / text.length).toBeLessThan(source === "(a.*q)?" ? 400 : 100);
    },
  );

  it("[PACKET-231] reads a text without a match once, and little more of one with few", () => {
    const line = "2026-01-01 12:00:00 info compiled src/engine/world.ts in 12 ms\n";
    const text = line.repeat(4000);
    const none = counted(RE2JS.compile("corp-[0-9]{6}"));
    expect([patternSpans(none, text), none.read()]).toEqual([[], text.length]);
    const few = counted(RE2JS.compile("corp-[0-9]{6}"));
    expect(patternSpans(few, `${text}corp-123456\n${text}`)).toHaveLength(1);
    expect(few.read() / text.length).toBeLessThan(8);
  });
});
