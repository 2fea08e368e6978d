import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isTaskfoldError } from "../../src/errors.ts";
import { firstCodePoints, listed, oneLine, sentence } from "../../src/rules/phrase.ts";
import { checkJson, checkText, checkTitle, cleanList } from "../../src/rules/text.ts";
import { countCodePoints } from "../../src/state/code_points.ts";
import type { Json } from "../../src/state/schema.ts";

function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (e) {
    if (isTaskfoldError(e)) return `${e.code} ${e.message}`;
    throw e;
  }
  return "accepted";
}

describe("titles", () => {
  it("[TOOL-10] are kept as they were given, blanks around them included", () => {
    for (const title of ["x", " x ", "1".repeat(200), "🚀".repeat(200), "naïve — ça va", "\u200bzero"]) {
      expect(checkTitle(title)).toBe(title);
    }
  });

  it("[TOOL-10] are refused blank, longer than 200 code points, and with control characters", () => {
    expect(codeOf(() => checkTitle(""))).toContain("INVALID_INPUT");
    expect(codeOf(() => checkTitle(" \u00a0"))).toContain("INVALID_INPUT");
    expect(codeOf(() => checkTitle("🚀".repeat(201)))).toMatch(/INVALID_INPUT .*found 201/);
    for (const c of ["\n", "\r", "\t", "\0", "\u001f"]) {
      expect(
        codeOf(() => checkTitle(`a${c}b`)),
        JSON.stringify(c),
      ).toContain("INVALID_INPUT");
    }
  });
});

describe("texts", () => {
  it("[TOOL-10] hold 256 KiB of UTF-8 and no more, counted in bytes", () => {
    const most = "é".repeat(128 * 1024);
    expect(checkText(most, "note")).toBe(most);
    expect(codeOf(() => checkText(`${most}x`, "note"))).toMatch(/CONTENT_TOO_LARGE .*262144 bytes, found 262145/);
  });

  it("[TOOL-10] have no lone surrogate", () => {
    expect(codeOf(() => checkText("a\ud800b", "note"))).toContain("INVALID_INPUT");
    expect(codeOf(() => checkTitle("\udc00"))).toContain("INVALID_INPUT");
    expect(codeOf(() => cleanList(["\ud83d"], "tags"))).toContain("INVALID_INPUT");
    expect(checkText("a😀b", "note")).toBe("a😀b");
  });
});

describe("lists", () => {
  it("[TOOL-10] are trimmed, without empty entries and words for nothing, each entry once, in order", () => {
    const given = [" b ", "", "  ", "None", "NULL", "n-a", "Na", "n/A", "a", "b", "nah", "none of it", "a"];
    expect(cleanList(given, "tests")).toEqual(["b", "a", "nah", "none of it"]);
  });

  it("[TOOL-10] cleaned twice are as cleaned once", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme" })), (list) => {
        const once = cleanList(list, "tags");
        expect(cleanList(once, "tags")).toEqual(once);
        expect(new Set(once).size).toBe(once.length);
      }),
      { numRuns: 200 },
    );
  });
});

describe("structured data", () => {
  const nested = (levels: number): Json => (levels === 0 ? 1 : { a: nested(levels - 1) });

  it("[TOOL-10] nests 60 levels and no more", () => {
    expect(codeOf(() => checkJson(nested(60), "contract_data"))).toBe("accepted");
    expect(codeOf(() => checkJson(nested(61), "contract_data"))).toContain("INVALID_INPUT");
    expect(codeOf(() => checkJson([nested(60)], "contract_data"))).toContain("INVALID_INPUT");
  });

  it("[TOOL-10] has safe integers and well-formed text, keys included", () => {
    for (const bad of [0.5, 2 ** 53, -0, "\ud800", { "\udc00": 1 }, [[{ a: "\ud800" }]]] as Json[]) {
      expect(
        codeOf(() => checkJson(bad, "meta")),
        JSON.stringify(bad),
      ).toContain("INVALID_INPUT");
    }
    for (const good of [null, true, 0, -7, "text", [], {}, { a: [1, { b: null }] }] as Json[]) {
      expect(checkJson(good, "meta")).toEqual(good);
    }
  });
});

describe("phrases", () => {
  it("[regression STEP-26] fold any text to one line of bounded length, no pair split", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 400 }), fc.integer({ min: 1, max: 90 }), (text, count) => {
        const line = oneLine(text, count);
        expect(countCodePoints(line)).toBeLessThanOrEqual(count);
        expect(line).not.toMatch(/[\n\r\t]/);
        expect(line.isWellFormed()).toBe(true);
        expect(firstCodePoints(text, count).isWellFormed()).toBe(true);
        expect(firstCodePoints(text, count)).toBe(Array.from(text).slice(0, count).join(""));
      }),
      { numRuns: 300 },
    );
  });

  it("[regression STEP-26] end as a sentence does", () => {
    expect(sentence("Closed s:0", "at last!")).toBe("Closed s:0: at last!");
    expect(sentence("Closed s:0")).toBe("Closed s:0.");
    expect(oneLine("a\n  b")).toBe("a b");
    expect(oneLine("x".repeat(81))).toBe(`${"x".repeat(79)}…`);
    expect(listed(["a", "b", "c"], 2)).toBe("a, b and 1 more");
  });
});
