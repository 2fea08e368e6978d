/** Events of every type with whatever a payload may hold, half of it about things that are there. */
import fc from "fast-check";
import type { Draft } from "../../src/events/define.ts";
import { EVENTS } from "../../src/events/index.ts";
import { assertHashable } from "../../src/log/canonical.ts";
import { mutationsOf, samplesOf } from "./schema_samples.ts";

/** What a log speaks of: ids, hashes of ops and names of fields that are known. */
export interface Named {
  steps: readonly string[];
  nodes: readonly string[];
  cards: readonly string[];
  ops: readonly string[];
  fields: readonly string[];
}

const ODD = [
  "",
  " ",
  "\n",
  "a\nb",
  "../x",
  "/",
  ".",
  "..",
  "STEP-0000000g",
  "2026-01-01T00:00:00.000Z",
  "9999-99-99",
  "x".repeat(300),
  "<!-- -->",
  "__proto__",
  "constructor",
  "\u0000",
  "é",
];

/** Texts that stand for nothing in particular, and values that fit no field. */
const VALUES = [
  null,
  true,
  false,
  -1,
  0,
  2 ** 53 - 1,
  "HACK",
  "BOGUS",
  "DONE",
  "TODO",
  "require",
  [],
  [null],
  ["a"],
  [["a"]],
  {},
  { gone: true },
  { gone: false },
  { step: "STEP-0000000F", gone: true },
  { id: "x", root: "y" },
  [{ id: "x", root: "y" }],
  { id: "gate-x", state: "blocked" },
  { ts: "x", by: "y", text: "z" },
  { ts: "x", by: "y", text: "z", step: 7 },
];

/** `of`: the types to choose from. */
export function anyEvent(named: Named, of = Object.keys(EVENTS)): fc.Arbitrary<Draft> {
  return fc.constantFrom(...of).chain((type) => {
    const { payload } = EVENTS[type]!;
    const turn = type === "undo.applied" || type === "redo.applied";
    const whole: fc.Arbitrary<unknown> = turn
      ? anyTurn(named)
      : samplesOf(payload).chain((value) => known(value, named));
    return fc
      .oneof({ weight: 4, arbitrary: whole }, { weight: 1, arbitrary: whole.chain(mutationsOf) })
      .filter((value) => typeof value === "object" && value !== null && !Array.isArray(value))
      .filter((value) => assertHashable(value) === null)
      .map((value) => ({ type, payload: value as Draft["payload"] }));
  });
}

function anyTurn({ ops, fields }: Named): fc.Arbitrary<unknown> {
  const field = fc.oneof(
    fc.constantFrom(...fields),
    fc.constantFrom(
      "lease",
      "revision",
      "steps",
      "kind",
      "step.STEP-0000000F.title",
      "checklist.",
      "checklist.$",
      "note.x",
      "gate.",
      "card.CARD-00000001",
      "trace.y",
      "__proto__",
    ),
  );
  const value = fc.oneof(fc.constantFrom(...VALUES), fc.jsonValue({ maxDepth: 1 }));
  return fc.record({
    op: fc.oneof(fc.constantFrom(...ops), fc.constantFrom("zzz", "")),
    fields: fc.array(fc.record({ field, value }), { maxLength: 6 }),
    message: fc.constant("Turned."),
  });
}

/** The value with some of its texts put out for names that are known or odd. */
function known(value: unknown, named: Named): fc.Arbitrary<unknown> {
  return fc.array(fc.nat(), { minLength: 8, maxLength: 8 }).map((numbers) => {
    let next = 0;
    const pick = <T>(from: readonly T[], otherwise: T): T => {
      const n = numbers[next++ % numbers.length]!;
      return from.length === 0 || n % 4 === 0 ? otherwise : from[n % from.length]!;
    };
    const walk = (one: unknown): unknown => {
      if (typeof one === "string") {
        if (one.startsWith("STEP-")) return pick(named.steps, one);
        if (one.startsWith("NODE-")) return pick(named.nodes, one);
        if (one.startsWith("CARD-")) return pick(named.cards, one);
        return numbers[next++ % numbers.length]! % 2 === 0 ? one : pick(ODD, one);
      }
      if (Array.isArray(one)) return one.map(walk);
      if (typeof one !== "object" || one === null) return one;
      return Object.fromEntries(
        Object.entries(one).map(([key, member]) => [key, isClosed(member) ? member : walk(member)]),
      );
    };
    return walk(value);
  });
}

/** One of a few words that a schema lists: another one would make the whole payload of the wrong shape. */
function isClosed(member: unknown): boolean {
  return typeof member === "string" && WORDS.has(member);
}

const WORDS = new Set<string>();
collect(Object.values(EVENTS).map(({ payload }) => payload));

function collect(schema: unknown): void {
  if (typeof schema !== "object" || schema === null) return;
  for (const [key, member] of Object.entries(schema)) {
    if (key === "enum") for (const word of member as string[]) WORDS.add(word);
    else collect(member);
  }
}
