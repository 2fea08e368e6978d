import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesSource } from "../../src/log/source.ts";
import { buildLog, makeOp, randomHistory, splitLines, upon, type History } from "../support/logs.ts";
import { randomFrom } from "../support/random.ts";
import { told, Told } from "../support/told.ts";
import { runsOf, sized, SWEEP } from "../support/sweep.ts";

const seeds = fc.integer({ min: 0, max: 1_000_000 });
const FOREIGN = Buffer.from('{"ts":"2026-01-01T00:00:00Z","type":"agent.started"}\n');

/** The order rule in its own words, without chains, counters or stacks of what is ready. */
function orderByRule({ ops, parents }: History): string[] {
  const key = (i: number): string => `${ops[i]!.events[0]!.ts} ${ops[i]!.events[0]!.hash}`;
  const emitted: number[] = [];
  const emit = (op: number): void => {
    emitted.push(op);
    const ready = parents.flatMap((list, child) =>
      list.includes(op) && list.every((p) => emitted.includes(p)) ? [child] : [],
    );
    for (const child of ready.toSorted((a, b) => (key(a) < key(b) ? -1 : 1))) emit(child);
  };
  emit(0);
  return emitted.map((i) => ops[i]!.events[0]!.hash);
}

function ancestors({ parents }: History): Set<number>[] {
  const all: Set<number>[] = [];
  for (const list of parents) all.push(new Set(list.flatMap((p) => [p, ...all[p]!])));
  return all;
}

describe("laws of the log", () => {
  it("[LOG-11] the order is the rule's, for any history", SWEEP, () => {
    fc.assert(
      fc.property(seeds, fc.double({ min: 0, max: 1, noNaN: true }), (seed, merge) => {
        const history = randomHistory(seed, { merge });
        expect(told(history.bytes).order).toEqual(orderByRule(history));
      }),
      runsOf(60),
    );
  });

  it("[LOG-20] any order of the lines, and any copies of them, give the same ops and heads", SWEEP, () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const { bytes, lines, random } = randomHistory(seed);
        const expected = told(bytes);
        const copies = lines.filter(() => random.chance(0.2));
        const { ops, report } = told(Buffer.concat(random.shuffle([...lines, ...copies])));
        expect(ops.map((op) => ({ ...op, offset: 0 }))).toEqual(expected.ops.map((op) => ({ ...op, offset: 0 })));
        expect(report).toMatchObject({
          heads: expected.report.heads,
          seq: expected.report.seq,
          bytes: expected.report.bytes,
          duplicates: copies.length,
        });
        expect(report).toMatchObject({ held: 0, missing: [], incomplete: 0, ops: expected.report.ops });
      }),
      runsOf(60),
    );
  });

  it("[LOG-12] any order of what is left of a log holds and shows the same", SWEEP, () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const { lines, random } = randomHistory(seed);
        const left = lines.filter(() => random.chance(0.9));
        const one = told(Buffer.concat(left));
        const two = told(Buffer.concat(random.shuffle(left)));
        const { heads, held, missing, incomplete, events, bytes, roots } = one.report;
        expect(two.order).toEqual(one.order);
        expect(two.report).toMatchObject({ heads, held, missing, incomplete, events, bytes, roots });
      }),
      runsOf(60),
    );
  });

  it("[LOG-11] a merge never changes the relative order of the ops there were", SWEEP, () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const { ops } = randomHistory(seed);
        const cut = 1 + randomFrom(seed).below(ops.length - 1);
        const before = told(Buffer.concat(ops.slice(0, cut).map((op) => op.bytes))).order;
        const old = new Set(before);
        const after = told(Buffer.concat(ops.map((op) => op.bytes))).order;
        expect(after.filter((hash) => old.has(hash))).toEqual(before);
      }),
      runsOf(60),
    );
  });

  it("[LOG-11] who is whose ancestor is what the history says", SWEEP, () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const history = randomHistory(seed);
        const truth = ancestors(history);
        const log = told(history.bytes);
        const place = new Map(history.ops.map((op, i) => [op.events[0]!.hash, i]));
        const inHistory = log.order.map((hash) => place.get(hash)!);
        for (const [b, opB] of inHistory.entries()) {
          expect(log.joined[b]).toBe(truth[opB]!.size === b);
          for (const [a, opA] of inHistory.entries()) expect(log.isAncestor(a, b)).toBe(truth[opB]!.has(opA));
        }
      }),
      runsOf(60),
    );
  });

  it("[LOG-23] read straight or as a graph, a straight log is the same", SWEEP, () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const random = randomFrom(seed);
        const { ops, bytes } = buildLog(Array.from({ length: 12 }, () => ({ events: 1 + random.below(3) })));
        // The same file, begun with a copy of the last line: only the graph can place it.
        const last = splitLines(bytes).at(-1)!;
        const graph = told(Buffer.concat([last, bytes]));
        const straight = told(bytes);
        expect([straight.report.linear, graph.report.linear]).toEqual([true, false]);
        const shifted = graph.ops.map((op) => ({ ...op, offset: op.offset - last.length }));
        expect(shifted.slice(0, -1)).toEqual(straight.ops.slice(0, -1));
        expect(shifted.at(-1)!.events).toEqual(straight.ops.at(-1)!.events);
        expect(graph.joined).toEqual(ops.map(() => true));
        expect(graph.report).toMatchObject({ heads: straight.report.heads, seq: straight.report.seq, ops: 12 });
      }),
      runsOf(30),
    );
  });

  it("[LOG-23] carried forward in any pieces, a log is the same as read in one go", SWEEP, () => {
    let carried = 0;
    fc.assert(
      fc.property(seeds, fc.integer({ min: 0, max: 2 }), (seed, branches) => {
        const random = randomFrom(seed);
        const history = randomHistory(seed, { ops: 12, writers: 1 + branches, merge: 0.6 });
        const noise = [FOREIGN, Buffer.from("bad\n"), Buffer.from("=======\n"), Buffer.from("\r\n"), history.lines[3]!];
        const parts = history.lines.flatMap((line) =>
          random.chance(0.1) ? [line, noise[random.below(noise.length)]!] : [line],
        );
        const bytes = Buffer.concat(parts.filter(() => random.chance(0.98)));
        const log = new Told();
        let size = 0;
        while (size < bytes.length) {
          size = Math.min(bytes.length, size + 1 + random.below(900));
          const part = bytes.subarray(0, size);
          if (log.follow(part)) carried++;
          else log.replay.load(bytesSource(part));
          const whole = told(part);
          expect(log.ops).toEqual(whole.ops);
          expect(log.joined).toEqual(whole.joined);
          expect(log.report).toEqual({ ...whole.report, linear: log.report.linear });
        }
      }),
      runsOf(60),
    );
    expect(carried).toBeGreaterThanOrEqual(sized(0, 61));
  });

  it("[LOG-80] every prefix of a log shows the complete ops before the cut", () => {
    const { ops, bytes } = buildLog([{ events: 2 }, {}, { events: 3 }, {}]);
    const ends: number[] = [];
    for (const op of ops) ends.push((ends.at(-1) ?? 0) + op.bytes.length);
    for (let cut = 0; cut <= bytes.length; cut++) {
      const { order, report } = told(bytes.subarray(0, cut));
      // The LF itself may be missing: the line is complete without it.
      const complete = ends.filter((end) => end - 1 <= cut).length;
      expect(order, `cut at ${cut}`).toEqual(ops.slice(0, complete).map((op) => op.events[0]!.hash));
      expect(report.held, `cut at ${cut}`).toBe(0);
    }
  });

  it("[LOG-7] a log whose writer died at any byte is written on, and the dead op has no effect", () => {
    const root = makeOp(0);
    const dead = makeOp(1, { ...upon(root), events: 2 });
    const next = makeOp(2, upon(root));
    for (let cut = 0; cut < dead.bytes.length - 1; cut++) {
      const torn = dead.bytes.subarray(0, cut);
      const lf = cut > 0 && torn.at(-1) !== 0x0a ? "\n" : "";
      const { order, report } = told(Buffer.concat([root.bytes, torn, Buffer.from(lf), next.bytes]));
      expect(order, `cut at ${cut}`).toEqual([root, next].map((op) => op.events[0]!.hash));
      expect(report).toMatchObject({ held: 0, torn: null, linear: true });
    }
  });

  it("[LOG-4] one byte flipped anywhere in a line is noticed", () => {
    const root = makeOp(0);
    const control = [{ type: "note.added", payload: { message: "tab \u001f é \u2028 日本" } }];
    const op = makeOp(1, { ...upon(root), agentInstance: "worker", turnId: "t", key: "k", events: control });
    const bytes = Buffer.concat([root.bytes, op.bytes]);
    const sound = told(bytes);
    expect(sound.report.problems).toEqual([]);
    for (let at = root.bytes.length; at < bytes.length; at++) {
      for (let bit = 0; bit < 8; bit++) {
        const flipped = Buffer.from(bytes);
        flipped[at]! ^= 1 << bit;
        const { ops, report } = told(flipped);
        const noticed = report.problems.length > 0 || report.foreign.length > 0 || report.torn !== null;
        expect(
          noticed,
          `bit ${bit} of byte ${at - root.bytes.length}: ${flipped.subarray(root.bytes.length).toString()}`,
        ).toBe(true);
        // Whatever is still in effect is what was written.
        expect(ops.map((o) => o.events)).toEqual(sound.ops.slice(0, ops.length).map((o) => o.events));
      }
    }
  });
});
