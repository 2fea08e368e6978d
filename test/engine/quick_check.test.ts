import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quickCheck } from "../../src/engine/core/input/quick_check.ts";
import { integer, json, list, object, optional, text } from "../../src/state/schema.ts";
import type { TSchema } from "../../src/state/schema.ts";
import { TOOLS } from "../../src/tools/index.ts";
import { validates } from "../support/given.ts";
import { mutationsOf, samplesOf } from "../support/schema_samples.ts";
import { runsOf, sized, SWEEP } from "../support/sweep.ts";

const schemaOf = (schema: object): TSchema => schema as unknown as TSchema;

describe("the quick check of inputs", () => {
  it.each(Object.keys(TOOLS))("[ENG-16] takes nothing that ajv refuses: %s", SWEEP, (name) => {
    const { input } = TOOLS[name]!;
    const fits = quickCheck(input);
    const told = { taken: 0, refused: 0 };
    const sound = (value: unknown): void => {
      const verdict = validates(input, value);
      if (!verdict) told.refused++;
      if (!fits(value)) return;
      told.taken++;
      expect(verdict, JSON.stringify(value)).toBe(true);
    };
    fc.assert(
      fc.property(
        samplesOf(input).chain((value) => fc.tuple(fc.constant(value), mutationsOf(value))),
        ([sample, mutant]) => {
          sound(sample);
          sound(mutant);
        },
      ),
      runsOf(100),
    );
    // Of a check that takes nothing, or of values that all fit, this would say nothing.
    expect(told.taken).toBeGreaterThan(sized(0, 20));
    expect(told.refused).toBeGreaterThanOrEqual(sized(0, 1));
  });

  it.each(Object.keys(TOOLS))("[ENG-16] takes the examples, so that ajv is for the rest: %s", (name) => {
    const { input, examples } = TOOLS[name]!;
    const fits = quickCheck(input);
    expect(examples.filter((example) => !fits(example))).toEqual([]);
  });

  it("[ENG-16] counts the length of a text as ajv does, or more strictly", () => {
    const schema = text({ minLength: 2, maxLength: 4 });
    const fits = quickCheck(schema);
    for (const letter of ["a", "\u{1F680}"]) {
      for (let count = 0; count <= 6; count++) {
        const value = letter.repeat(count);
        expect(fits(value) && !validates(schema, value), `${letter} x ${count}`).toBe(false);
      }
    }
    expect(fits("abcd")).toBe(true);
    expect(fits("\u{1F680}")).toBe(false);
  });

  it("[ENG-16] refuses what objects inherit where ajv does", () => {
    const schema = object({ a: text(), b: optional(list(integer({ maximum: 3 }), { minItems: 1 })) });
    const fits = quickCheck(schema);
    expect(fits({ a: "x", b: [1, 3] })).toBe(true);
    expect(fits({ a: "x", b: undefined })).toBe(true);
    const bad = [{ a: "x", b: [] }, { a: "x", b: [4] }, { a: undefined }, { a: "x", c: undefined }, ["x"], null];
    for (const value of [...bad, Object.assign(Object.create({ c: 1 }), { a: "x" })]) {
      expect(fits(value)).toBe(false);
      expect(validates(schema, value)).toBe(false);
    }
  });

  it.each<[object, unknown[]]>([
    [{ minLength: 2, maxLength: 0, pattern: "^b" }, [null, true, 1, ["x"], { a: 1 }]],
    [{ minItems: 2, maxItems: 0, items: { type: "null" } }, [null, true, 1, "x", { a: 1 }]],
    [
      { required: ["b"], properties: { a: { type: "null" } }, additionalProperties: false },
      [null, true, 1, "x", ["x"]],
    ],
    [{ minimum: 2, maximum: 0 }, [null, true, "x", ["x"], { a: 1 }]],
  ])("[ENG-16] says nothing by a keyword for one type of a value of another: %j", (schema, values) => {
    const fits = quickCheck(schemaOf(schema));
    expect(values.filter((value) => !fits(value))).toEqual([]);
    expect(["x", ["x"], { a: 1 }, 1].filter((value) => fits(value))).toHaveLength(3);
  });

  it("[ENG-16] takes nothing by a schema with a keyword that it does not know", () => {
    expect(quickCheck(json())(1)).toBe(true);
    const unknown = [{ not: {} }, { type: ["string", "null"] }, { type: "number" }, { additionalProperties: true }];
    for (const schema of unknown) {
      for (const value of [null, "x", 1, {}, []]) expect(quickCheck(schemaOf(schema))(value)).toBe(false);
    }
    expect(quickCheck(schemaOf({ anyOf: [{ const: "x" }, { type: "string" }] }))("x")).toBe(true);
    expect(quickCheck(schemaOf({ type: "array", items: { format: "uri" } }))(["x"])).toBe(false);
  });
});
