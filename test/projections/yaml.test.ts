import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseDocument } from "yaml";
import { quoted, yaml } from "../../src/projections/yaml.ts";
import { ANY_CHARACTER } from "../support/any_character.ts";
import { anyText } from "../support/random_story.ts";
import { runsOf, SWEEP } from "../support/sweep.ts";

const HORRORS = [
  "",
  " ",
  "  lead",
  "trail  ",
  "\t",
  "a\tb",
  "a\nb",
  "a\r\nb",
  "\r",
  "a\n\n\nb\n",
  "null",
  "~",
  "true",
  "yes",
  "off",
  "n",
  "0o17",
  "017",
  "1_000",
  "0x1F",
  "1e3",
  ".inf",
  ".nan",
  "12:30:45",
  "2026-01-01",
  "2026-01-01T00:00:00Z",
  "=",
  "<<",
  "-",
  "- a",
  "? a",
  ": a",
  "a: b",
  "a #b",
  "#a",
  "&a",
  "*a",
  "!a",
  "!!str a",
  "|",
  ">",
  "%YAML",
  "@a",
  "`a",
  "'",
  "''",
  '"',
  '\\"',
  "\\",
  "\\n",
  "\\u0041",
  "{a: b}",
  "[a]",
  "---",
  "...",
  "--- a",
  "\u0000",
  "\u0007",
  "\u001B[31m",
  "\u007F",
  "\u0080",
  "\u0085",
  "\u009F",
  "\u00A0",
  "\u00AD",
  "\u200B",
  "\u2028",
  "\u2029",
  "\uFEFF",
  "\uFEFFa",
  "\uFFFD",
  "\uFFFE",
  "\uFFFF",
  "🚀",
  "a🚀b",
  "\u{10FFFF}",
  "\u{1F468}\u200D\u{1F469}",
  "é",
  "e\u0301",
  "日本語",
  "\u202Eabc",
  "x".repeat(5000),
  "word ".repeat(400),
  "line\n".repeat(100),
  "${a}",
  "</script>",
];

function read(text: string, version: "1.1" | "1.2"): unknown {
  const doc = parseDocument(text, { version });
  expect([...doc.errors, ...doc.warnings]).toEqual([]);
  return doc.toJS();
}

describe("the YAML emitter", () => {
  for (const version of ["1.1", "1.2"] as const) {
    it(`[PROJ-1] awkward strings come back as they were, read as YAML ${version}`, SWEEP, () => {
      for (const text of HORRORS) {
        const document = { a: text, b: [text, text], c: { d: text }, e: [{ f: text, g: [text] }] };
        expect(read(yaml(document), version), JSON.stringify(text)).toEqual(document);
      }
    });

    it(`[PROJ-1] any string comes back as it was, read as YAML ${version}`, SWEEP, () => {
      fc.assert(
        fc.property(anyText, fc.string({ unit: ANY_CHARACTER }), (a, b) => {
          expect(read(yaml({ a, b, c: [{ a, b }] }), version)).toEqual({ a, b, c: [{ a, b }] });
        }),
        runsOf(500),
      );
    });
  }

  it("[PROJ-1] every character of the basic plane is one line and comes back", () => {
    for (let start = 0; start < 0x10000; start += 0x800) {
      if (start === 0xd800) continue;
      const text = String.fromCharCode(...Array.from({ length: 0x800 }, (_, i) => start + i));
      const out = yaml({ text });
      expect(out.split(/[\n\r\u0085\u2028\u2029]/)).toHaveLength(2);
      expect(read(out, "1.2")).toEqual({ text });
    }
  });

  it("[PROJ-1] what is not printable is escaped, all else is raw", () => {
    expect(quoted('a"b\\c\nd\te\u0000\u0085\u2028\uFEFF\uFFFF')).toBe(
      '"a\\"b\\\\c\\nd\\te\\u0000\\u0085\\u2028\\uFEFF\\uFFFF"',
    );
    expect(quoted("é 日本 🚀")).toBe('"é 日本 🚀"');
    expect(quoted("a\uD83Db\uDE80")).toBe('"a\uFFFDb\uFFFD"');
  });

  it("[PROJ-3] numbers, booleans, null and empty lists are plain", () => {
    expect(yaml({ n: 3, yes: true, none: null, list: [], map: { a: 1, b: null }, maps: [{ a: [], b: "x" }] })).toBe(
      'n: 3\nyes: true\nnone: null\nlist: []\nmap:\n  a: 1\n  b: null\nmaps:\n  - a: []\n    b: "x"\n',
    );
  });
});
