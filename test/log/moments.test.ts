import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { headsAt } from "../../src/log/moments.ts";
import type { Event, Op } from "../../src/log/types.ts";
import { runsOf } from "../support/sweep.ts";

/** An op of a log: its parents by their places, and its minute. */
interface Drawn {
  parents: number[];
  minute: number;
}

function logOf(drawn: readonly Drawn[]): Op[] {
  return drawn.map(({ parents, minute }, index) => {
    const prev = parents.map((parent) => `h${parent}`);
    const event = { ts: new Date(minute * 60_000).toISOString(), prev } as Event;
    return { hash: `h${index}`, last: `h${index}`, events: [event], index, offset: index };
  });
}

/** Up to four writers, each of which has seen some of the others' ops. */
const anyLog = fc
  .array(fc.record({ writer: fc.nat(3), sees: fc.array(fc.nat(3), { maxLength: 2 }) }), { minLength: 2, maxLength: 40 })
  .map((acts) => {
    const heads = new Map<number, number[]>();
    const drawn: Drawn[] = [{ parents: [], minute: 0 }];
    const before = [new Set<number>([0])];
    for (const { writer, sees } of acts) {
      const known = new Set([writer, ...sees].flatMap((one) => heads.get(one) ?? [0]));
      const parents = [...known].filter((op) => ![...known].some((other) => other !== op && before[other]!.has(op)));
      const at = drawn.push({ parents, minute: drawn.length }) - 1;
      before.push(new Set([at, ...parents.flatMap((parent) => [...before[parent]!])]));
      heads.set(writer, [at]);
    }
    return { drawn, before };
  });

/** Heads of these ops and all their ancestors, and how many ops those are. */
function momentOf(ops: readonly number[], before: readonly ReadonlySet<number>[]) {
  const known = new Set(ops.flatMap((op) => [...before[op]!]));
  const heads = [...known].filter((op) => ![...known].some((other) => other !== op && before[other]!.has(op)));
  return { heads: heads.map((op) => `h${op}`).toSorted(), size: known.size };
}

describe("moments of a log with branches", () => {
  it("[PROJ-13] are found, whichever ops were there: their heads among those of as many ops", () => {
    fc.assert(
      fc.property(anyLog, fc.array(fc.nat(), { minLength: 1, maxLength: 4 }), ({ drawn, before }, some) => {
        const { heads, size } = momentOf(
          some.map((one) => one % drawn.length),
          before,
        );
        const isStraight = drawn.every(({ parents }, i) => i === 0 || parents.join() === String(i - 1));
        fc.pre(!isStraight && size < drawn.length && heads.length <= 4);
        const found = [...headsAt(logOf(drawn), size)].map((one) => one.toSorted());
        expect(found).toContainEqual(heads);
        // Each is one, and of that size.
        for (const one of found)
          expect(
            momentOf(
              one.map((hash) => Number(hash.slice(1))),
              before,
            ),
          ).toEqual({ heads: one, size });
        expect(new Set(found.map(String)).size).toBe(found.length);
      }),
      runsOf(300),
    );
  });

  it("[PROJ-13] are none of a log without branches, and none that more ops had than there are", () => {
    const straight = Array.from({ length: 3000 }, (_, i) => ({ parents: i === 0 ? [] : [i - 1], minute: i }));
    expect([...headsAt(logOf(straight), 2990)]).toEqual([]);
    const forked = logOf([
      { parents: [], minute: 0 },
      { parents: [0], minute: 1 },
      { parents: [0], minute: 2 },
    ]);
    expect([...headsAt(forked, 3)]).toEqual([]);
    expect([...headsAt(forked, 2)]).toEqual([["h2"], ["h1"]]);
  });

  it("[PROJ-13] of two branches of five hundred ops are found, and so is one far behind them", () => {
    const drawn: Drawn[] = [{ parents: [], minute: 0 }];
    for (const branch of [0, 1])
      for (let i = 0; i < 500; i++)
        drawn.push({ parents: [i === 0 ? 0 : drawn.length - 1], minute: 2 * i + branch + 1 });
    const ops = logOf(drawn);
    const found = (size: number): string[][] => [...headsAt(ops, size)].map((one) => one.toSorted());
    expect(found(991)).toContainEqual(["h498", "h992"]);
    expect(found(301)).toContainEqual(["h150", "h650"]);
  });
});
