import { describe, expect, it } from "vitest";
import { checkShape, fittingPart } from "../../../src/rules/packet/check_shape.ts";
import type { TSchema } from "../../../src/state/schema.ts";

const schemaOf = (shape: object): TSchema => shape as TSchema;
const messages = (value: unknown, shape: object): string[] =>
  checkShape(value, schemaOf(shape)).map(({ field, reason, message }) => `${field} ${reason} ${message}`);
const member = (shape: object) => ({ type: "object", properties: { a: shape } });
const fault = (value: unknown, shape: object): string | undefined => messages({ a: value }, member(shape))[0];

const text = { type: "string" };
const flag = { type: "boolean" };
const number = { type: "integer", minimum: -1, maximum: 9 };
const digest = { type: "string", enum: ["auto", "off"] };
const list = { type: "array", items: text, minItems: 1, maxItems: 2, uniqueItems: true };

describe("the faults of a document", () => {
  it.each([
    [flag, "yes", 'true or false, found "yes". yes is text in YAML 1.2: write true.'],
    [flag, "On", 'true or false, found "On". On is text in YAML 1.2: write true.'],
    [flag, "n", 'true or false, found "n". n is text in YAML 1.2: write false.'],
    [flag, "OFF", 'true or false, found "OFF". OFF is text in YAML 1.2: write false.'],
    [flag, "yesterday", 'true or false, found "yesterday".'],
    [flag, "anno", 'true or false, found "anno".'],
    [flag, 1, "true or false, found 1."],
    [number, "007", 'a whole number from -1 to 9, found "007". Write the number 7, without quotes and leading zeros.'],
    [number, "-3", 'a whole number from -1 to 9, found "-3". Write the number -3, without quotes and leading zeros.'],
    [number, "x3", 'a whole number from -1 to 9, found "x3".'],
    [number, "3x", 'a whole number from -1 to 9, found "3x".'],
    [number, 1.5, "a whole number from -1 to 9, found 1.5."],
    [text, 5, 'text, found 5. Write it in quotes: "5".'],
    [text, false, 'text, found false. Write it in quotes: "false".'],
    [text, { a: 1 }, "text, found a map. A text with a colon and a blank in it stands in quotes."],
    [text, ["a"], "text, found a list."],
    [digest, false, 'one of auto, off, found false. Write "off" in quotes.'],
    [digest, true, 'one of auto, off, found true. Write it in quotes: "true".'],
    [list, "a", 'a list, found "a". Write a list, also of one item: [...].'],
    [list, 5, "a list, found 5."],
    [list, null, "a list, found nothing. Write a value after it, or leave it out."],
    [{ type: "object" }, "a", 'a map, found "a".'],
    [{ type: "object", title: "a map of names" }, 1, "a map of names, found 1."],
  ])(
    "[PACKET-2] [PACKET-8] of type name what was expected, what was found and what to write: %j %j",
    (shape, value, rest) => {
      expect(fault(value, shape)).toBe(`a type Expected a to be ${rest}`);
    },
  );

  it.each([
    [number, 10, "a range Expected a to be a whole number from -1 to 9, found 10."],
    [number, -2, "a range Expected a to be a whole number from -1 to 9, found -2."],
    [digest, "of", 'a enum Expected a to be one of auto, off, found "of".'],
    [{ ...text, minLength: 1 }, " ", 'a empty Expected a to be text, found "".'],
    [
      { ...text, maxLength: 2 },
      "ä€😀",
      "a too_large Expected a to be text of at most 2 characters, found 3 characters.",
    ],
    [
      { ...text, pattern: "^.$", title: "one character" },
      "ab",
      'a pattern Expected a to be one character, found "ab".',
    ],
    [text, "a\0", 'a type Expected a to be text, found "a\\u0000".'],
    [list, [], "a empty Expected a to be a list of at least 1, found an empty list."],
    [list, ["a", "b", "c"], "a too_large Expected a to be a list of at most 2, found one of 3."],
    [list, ["a", "a"], 'a[1] duplicate Expected a[1] to be in the list once, found "a" again.'],
    [list, ["a", 1], 'a[1] type Expected a[1] to be text, found 1. Write it in quotes: "1".'],
  ])("[PACKET-2] [PACKET-3] of a value say the same: %j %j", (shape, value, message) => {
    expect(messages({ a: value }, member(shape))).toEqual([message]);
  });

  it.each([
    [number, -1],
    [number, 9],
    [digest, "off"],
    [text, ""],
    [text, "😀"],
    [{ ...text, minLength: 1, maxLength: 1, pattern: "^.$" }, "😀"],
    [list, ["a", "b"]],
    [{ type: "array", items: text }, ["a", "a"]],
    [text, undefined],
  ])("[PACKET-2] there is none in what fits: %j %j", (shape, value) => {
    expect(messages({ a: value }, member(shape))).toEqual([]);
  });

  it("[PACKET-2] a required block that is absent or empty lacks each of its required fields", () => {
    const block = { type: "object", properties: { b: number, c: text }, required: ["b"] };
    const shape = { ...member(block), required: ["a"] };
    const missing = "a.b missing Expected a.b to be a whole number from -1 to 9, found nothing.";
    expect([messages({}, shape), messages({ a: null }, shape), messages({ a: {} }, shape)]).toEqual([
      [missing],
      [missing],
      [missing],
    ]);
  });

  it("[PACKET-2] an unknown key has its fault, and of very many the first hundred", () => {
    const closed = { ...member(text), additionalProperties: false };
    expect(messages({ "<<": 1, b: 1 }, closed)).toEqual([
      '["<<"] unknown_key Expected ["<<"] to be one of a, found an unknown key. Merge keys are not read: write the members out.',
      "b unknown_key Expected b to be one of a, found an unknown key.",
    ]);
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1]));
    expect([messages(many(100), closed).length, messages(many(103), closed).slice(100)]).toEqual([
      100,
      [" unknown_key Expected the document to be one of a, found 3 more unknown keys."],
    ]);
    expect(messages({ b: 1 }, member(text))).toEqual([]);
  });

  it("[PACKET-2] a key that the writer chose fits its pattern or stands among the names", () => {
    const named = (propertyNames: object) => ({ type: "object", propertyNames, additionalProperties: flag });
    const free = named({ title: "a flag such as enable_x", pattern: "^enable_.$" });
    expect(messages({ enable_x: true, "enable_😀": false, x: true, enable_y: 1 }, free)).toEqual([
      "x unknown_key Expected x to be a flag such as enable_x, found another key.",
      "enable_y type Expected enable_y to be true or false, found 1.",
    ]);
    expect(messages({ a: true, c: true }, named({ enum: ["a", "b"] }))).toEqual([
      "c unknown_key Expected c to be one of a, b, found another key.",
    ]);
  });
});

describe("the part of a document that fits", () => {
  it("[PACKET-2] leaves out members and items that do not fit, and nothing else", () => {
    const shape = schemaOf({
      type: "object",
      properties: {
        list,
        number,
        flag,
        text: { ...text, maxLength: 3 },
        open: { type: "object", additionalProperties: number },
      },
      additionalProperties: false,
    });
    const fits = { list: ["a", "b"], number: 1, flag: false, text: "abc", open: { x: 1 } };
    expect(fittingPart({ ...fits, more: 1 }, shape)).toEqual(fits);
    const bad = { list: ["a", "b", "c"], number: 10, flag: "no", text: "abcd", open: { x: "1", y: 2 } };
    expect(fittingPart(bad, shape)).toEqual({ open: { y: 2 } });
    expect(fittingPart({ list: ["a", 1] }, shape)).toEqual({ list: ["a", undefined] });
    expect(fittingPart("text", shape)).toBeUndefined();
    const free = schemaOf({ type: "object", propertyNames: { pattern: "^a" }, additionalProperties: text });
    expect(fittingPart({ ab: "x", b: "x" }, free)).toEqual({ ab: "x" });
    expect(fittingPart({ ab: "x" }, schemaOf({ type: "object" }))).toEqual({});
    expect(fittingPart(["a", "b", "c"], schemaOf({ type: "array", items: text }))).toEqual(["a", "b", "c"]);
  });
});
