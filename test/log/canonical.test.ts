import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  assertHashable,
  canonicalJson,
  hashableCopy,
  headDigest,
  isSurelyCanonical,
  sha256,
  sortedJson,
} from "../../src/log/canonical.ts";
import { ANY_CHARACTER } from "../support/any_character.ts";
import { runsOf, SWEEP } from "../support/sweep.ts";

/** An array in an array, and so on, `levels` deep. */
function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = [value];
  return value;
}

describe("canonical text", () => {
  it("[LOG-5] keys are sorted by UTF-16 unit and there are no blanks", () => {
    const value = { b: [1, { z: null, a: true }], a: "é", "\u{1F600}": 1, "\uFFFD": 2, A: "" };
    expect(canonicalJson(value)).toBe('{"A":"","a":"é","b":[1,{"a":true,"z":null}],"\u{1F600}":1,"\uFFFD":2}');
  });

  it("[LOG-5] escapes are those of JSON.stringify", () => {
    const text = 'a"\\\u0000\u001f\n\u2028/é';
    expect(canonicalJson({ text })).toBe(`{"text":${JSON.stringify(text)}}`);
  });

  it("[LOG-5] the text of a value does not depend on the order of its keys", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const turned = Object.fromEntries(Object.entries(value).toReversed());
        expect(canonicalJson(turned)).toBe(canonicalJson(value));
      }),
    );
  });

  it("[LOG-4] hashes are SHA-256 in base64url, over UTF-8", () => {
    expect(sha256("")).toBe("47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU");
    expect(sha256("é")).toBe(sha256(Buffer.from([0xc3, 0xa9])));
  });

  it("[LOG-21] the head does not depend on the order in which heads are given", () => {
    expect(headDigest(["b", "a"])).toBe(headDigest(["a", "b"]));
    expect(headDigest(["a", "b"])).toBe(sha256('["a","b"]'));
    expect(headDigest(["a"])).not.toBe(headDigest(["a", "b"]));
  });
});

describe("hashableCopy", () => {
  const keys = fc.oneof(fc.string(), fc.constantFrom("10", "9", "__proto__", "a", "constructor"), fc.nat().map(String));
  const values = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.string({ unit: ANY_CHARACTER }),
      fc.constantFrom<unknown>("\uD800", -0, 1.5, 2 ** 53, Number.NaN, null, true, new Map(), 7),
      fc.integer(),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(keys, tie("value"), { maxKeys: 5 }),
    ),
  })).value;

  it("[LOG-5] takes what is hashable and nothing else, and its text is the canonical one", SWEEP, () => {
    fc.assert(
      fc.property(values, (value) => {
        const copy = hashableCopy(value, true);
        expect(copy !== undefined).toBe(assertHashable(value) === null);
        if (copy === undefined) return;
        expect(sortedJson(copy)).toBe(canonicalJson(value));
        expect(JSON.stringify(hashableCopy(value, false))).toBe(JSON.stringify(value));
      }),
      runsOf(500),
    );
  });

  it("[LOG-5] a text is canonical if it is what its value is written as, and no other text is", SWEEP, () => {
    fc.assert(
      fc.property(values, (given) => {
        const value = hashableCopy(given, false);
        if (value === undefined) return;
        for (const text of [canonicalJson(value), JSON.stringify(value), JSON.stringify(value, null, 1)]) {
          const parsed: unknown = JSON.parse(text);
          const isCanonical = canonicalJson(parsed) === text;
          const isSure = isSurelyCanonical(parsed, text);
          const mayDoubt = /"\d+":/.test(text);
          expect(isSure || (mayDoubt && isCanonical)).toBe(isCanonical);
        }
      }),
      runsOf(500),
    );
    expect(isSurelyCanonical(JSON.parse('{"a":1,"a":2}'), '{"a":1,"a":2}')).toBe(false);
    expect(isSurelyCanonical({ a: 1, b: 2 }, '{"a":1,"b":2}')).toBe(true);
    expect(isSurelyCanonical({ b: 2, a: 1 }, '{"b":2,"a":1}')).toBe(false);
  });

  it("[LOG-5] sorts keys that look like places in a list as text, also inside of other members", () => {
    const value = { b: [{ "9": 1, "10": 2 }], a: '{"1":' };
    expect(sortedJson(hashableCopy(value, true))).toBe('{"a":"{\\"1\\":","b":[{"10":2,"9":1}]}');
  });

  it("[LOG-5] shares nothing with the value, and leaves out what is undefined", () => {
    const value = { list: [{ a: 1, no: undefined }] };
    const copy = hashableCopy(value, false)!;
    value.list[0]!.a = 2;
    expect(JSON.stringify(copy)).toBe('{"list":[{"a":1}]}');
    expect(Object.keys(copy.list[0]!)).toEqual(["a"]);
  });

  it("[LOG-5] asks a getter once", () => {
    let asked = 0;
    const value = Object.defineProperty({}, "n", { enumerable: true, get: () => (asked++ === 0 ? 1 : Number.NaN) });
    expect(hashableCopy(value, false)).toEqual({ n: 1 });
  });
});

describe("assertHashable", () => {
  it.each<[string, unknown]>([
    ["plain values", { a: [0, -1, "é\u{1F600}", true, null, {}] }],
    ["the largest safe integer", Number.MAX_SAFE_INTEGER],
    ["64 levels", nested(64)],
  ])("[LOG-5] takes %s", (_, value) => {
    expect(assertHashable(value)).toBeNull();
  });

  it.each<[string, unknown, string]>([
    ["65 levels", nested(65), "at most 64 levels"],
    ["a fraction", { a: [1, { b: 1.5 }] }, "value.a[1].b: expected a safe integer, found 1.5"],
    ["an unsafe integer", 2 ** 53, "expected a safe integer"],
    ["NaN", NaN, "found NaN"],
    ["Infinity", Infinity, "found Infinity"],
    ["minus zero", -0, "found -0"],
    ["a lone surrogate", "a\uD800", "lone surrogate"],
    ["a lone surrogate in a key", { "\uDC00": 1 }, "lone surrogate"],
    ["nothing", { a: undefined }, "value.a: expected JSON, found undefined"],
    ["a function", { toJSON: () => 1 }, "found function"],
    ["an instance of a class", new Map(), "plain object"],
  ])("[LOG-5] refuses %s", (_, value, expected) => {
    expect(assertHashable(value)).toContain(expected);
  });

  it("[LOG-5] what it lets pass comes back from its text as it was", () => {
    const passing = fc.jsonValue().filter((value) => assertHashable(value) === null);
    fc.assert(
      fc.property(passing, (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(value);
      }),
    );
    expect(assertHashable(fc.sample(passing, 10))).toBeNull();
  });
});
