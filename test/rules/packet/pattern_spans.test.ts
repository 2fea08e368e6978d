import { RE2JS } from "re2js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { programOf } from "../../../src/rules/packet/pattern_program.ts";
import { patternSpans, STEPS_OF_BLOCK } from "../../../src/rules/packet/pattern_spans.ts";
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

/** The matches, with the steps of all slices and of the longest. */
function found(source: string, text: string): { spans: Span[]; steps: number; longest: number; size: number } {
  const program = programOf(RE2JS.compile(source));
  const slices = patternSpans(program, text);
  let [steps, longest] = [0, 0];
  for (;;) {
    const next = slices.next();
    if (next.done) return { spans: next.value, steps, longest, size: program.size };
    steps += next.value;
    longest = Math.max(longest, next.value);
  }
}

const PIECES = ["a", "b", "ab", "q", "1", "\n", " ", "😀", "é", "K", "k", "\u212a", "ſ", "_", "\ud800", "-"];
const ATOMS = [
  "a",
  "b",
  "q",
  ".",
  "[ab]",
  "[^a\\n]",
  "\\w",
  "\\s",
  "\\b",
  "\\B",
  "^",
  "$",
  "\\A",
  "\\z",
  "k",
  "😀",
  "\\pL",
  "",
  "(?i:k|s)",
];

/** Expressions of every kind of instruction, nested. */
const SOURCES = fc.letrec<{ one: string }>((tie) => ({
  one: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(...ATOMS),
    fc.tuple(tie("one"), tie("one")).map(([a, b]) => `${a}${b}`),
    fc.tuple(tie("one"), tie("one")).map(([a, b]) => `(?:${a}|${b})`),
    fc
      .tuple(tie("one"), fc.constantFrom("*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}", "{2,}?"))
      .map(([a, times]) => `(${a})${times}`),
  ),
})).one;

describe("where a pattern matches", () => {
  it("[PACKET-25] is what one search after another finds, of random patterns in random texts", SWEEP, () => {
    fc.assert(
      fc.property(
        fc.constantFrom("", "(?m)", "(?s)", "(?i)", "(?U)", "(?ms)"),
        SOURCES,
        fc.array(fc.constantFrom(...PIECES), { maxLength: 24 }),
        (flags, source, pieces) => {
          const text = pieces.join("");
          expect(found(flags + source, text).spans).toEqual(plainSpans(RE2JS.compile(flags + source), text));
        },
      ),
      runsOf(4000, 200),
    );
  });

  it("[PACKET-25] is the same wherever the blocks of a long text end", SWEEP, () => {
    const sources = [
      "hunter[0-9]+",
      "\\bkey=\\S+",
      "(?i)END\\B",
      "(?m)^secret$",
      "x*",
      "😀+|é",
      "(?s)BEGIN.*?END",
      "\\Aone|two\\z",
    ];
    const pieces = ["hunter22", "key=abc", " ", "ENDx", "\nsecret\n", "xx", "😀😀", "é", "BEGIN", "END", "two"];
    fc.assert(
      fc.property(
        fc.constantFrom(...sources),
        fc.array(fc.constantFrom(...pieces), { maxLength: 20 }),
        fc.constantFrom("plain words of a log. ", "😀", "key", "one"),
        fc.integer({ min: -40, max: 40 }),
        fc.integer({ min: 1, max: 2 }),
        (source, some, fill, shift, blocks) => {
          const before = fill.repeat(Math.ceil((blocks * 4096) / fill.length)).slice(0, blocks * 4096 + shift);
          const text = before.toWellFormed() + some.join("") + "plain words. ".repeat(400) + some.join(" ");
          expect(found(source, text).spans).toEqual(plainSpans(RE2JS.compile(source), text));
        },
      ),
      runsOf(80),
    );
  });

  it("[PACKET-25] has every match of thousands, and one of a megabyte", () => {
    const many = found("n[0-9]", "n1 ".repeat(30_000)).spans;
    expect([many.length, many.at(-1)]).toEqual([30_000, { start: 89_997, end: 89_999 }]);
    const long = `key=${"a".repeat(1024 * 1024)}`;
    expect(found("key=[a-z]+", `- ${long} -`).spans).toEqual([{ start: 2, end: 2 + long.length }]);
  });

  // Searched one after another, most of these read half of the text for every character of it.
  it.each([
    "a(.*)q|a",
    "(a.*q)?",
    "a[^z]*$|a",
    "(?s)a(.*)q|(?:a{1,20}b|a)",
    "(?:a.*){9}q0|a",
    "(a|aa)+$|a",
    "((a*)*b|a)",
  ])("[regression PACKET-231] is found in work that grows with the text: %s", (source) => {
    const short = found(source, `${"a".repeat(5_000)}z`);
    const long = found(source, `${"a".repeat(50_000)}z`);
    expect(short.steps).toBeLessThan(5_001 * 4 * short.size);
    expect(long.steps / short.steps).toBeLessThan(11);
  });

  it("[regression PACKET-231] reads a text without a match once", () => {
    const text = "2026-01-01 12:00:00 info compiled src/engine/world.ts in 12 ms\n".repeat(4000);
    const none = found("corp-[0-9]{6}", text);
    expect(none.spans).toEqual([]);
    expect(none.steps).toBeLessThan(text.length * 1.01);
  });

  it("[regression PACKET-421] comes in slices that no other call waits for long, whatever the pattern", () => {
    const text = Array.from({ length: 40_000 }, (_, i) => "abcd q\n"[(Math.imul(i, 2654435761) >>> 9) % 7]).join("");
    for (const source of ["(?:a|b).{0,900}c|d.{900}q", "(?:a.*){9}q0|a"])
      expect(found(source, text).longest, source).toBeLessThan(4 * STEPS_OF_BLOCK);
  });
});
