import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SavedReplay } from "../../src/log/replay.ts";
import { bytesSource } from "../../src/log/source.ts";
import { buildLog, makeOp, randomHistory, upon } from "../support/logs.ts";
import { randomFrom } from "../support/random.ts";
import { told, Told } from "../support/told.ts";
import { runsOf, sized, SWEEP } from "../support/sweep.ts";

const seeds = fc.integer({ min: 0, max: 1_000_000 });
const FOREIGN = Buffer.from('{"ts":"2026-01-01T00:00:00Z","type":"agent.started"}\n');

/** As a file gives it back. */
function saveAt(bytes: Buffer): SavedReplay | null {
  const log = new Told();
  log.replay.load(bytesSource(bytes));
  return JSON.parse(JSON.stringify(log.replay.save())) as SavedReplay | null;
}

describe("a saved reading", () => {
  it("[SNAP-2] gone on from is a reading of the whole, for any log cut anywhere", SWEEP, () => {
    let resumed = 0;
    fc.assert(
      fc.property(seeds, fc.integer({ min: 0, max: 2 }), (seed, branches) => {
        const random = randomFrom(seed);
        const history = randomHistory(seed, { ops: 16, writers: 1 + branches, merge: 0.8, events: 2 });
        const noise = [FOREIGN, Buffer.from("bad\n"), Buffer.from("\r\n"), history.lines[3]!];
        const parts = history.lines.flatMap((line) =>
          random.chance(0.05) ? [line, noise[random.below(noise.length)]!] : [line],
        );
        const bytes = Buffer.concat(random.chance(0.2) ? parts.filter(() => random.chance(0.95)) : parts);
        const before = bytes.subarray(0, random.below(bytes.length + 1));
        const at = random.chance(0.1) ? before.length : before.lastIndexOf(0x0a) + 1;
        const saved = saveAt(bytes.subarray(0, at));
        if (!saved) return;
        const log = new Told();
        log.replay.resume(saved);
        if (!log.replay.follow(bytesSource(bytes))) return;
        resumed++;
        const whole = told(bytes);
        expect([...told(bytes.subarray(0, at)).order, ...log.ops.map((op) => op.hash)]).toEqual(whole.order);
        expect(log.ops).toEqual(whole.ops.slice(saved.tip.ops));
        expect(log.report).toEqual({ ...whole.report, linear: log.report.linear });
        // Linear is said of less than it could be, never of more.
        expect(log.report.linear && !whole.report.linear).toBe(false);
      }),
      runsOf(600),
    );
    expect(resumed).toBeGreaterThan(sized(5, 60));
  });

  it("[SNAP-2] cannot be had while something may still come into what was read", () => {
    const root = makeOp(0);
    const next = makeOp(1, upon(root));
    const two = makeOp(2, { ...upon(root), events: 2 });
    const whole = Buffer.concat([root.bytes, next.bytes]);
    expect(saveAt(whole)).not.toBeNull();
    expect(saveAt(Buffer.alloc(0))).toBeNull();
    expect(saveAt(whole.subarray(0, -1))).toBeNull();
    expect(saveAt(Buffer.concat([root.bytes, two.bytes.subarray(0, -9)]))).toBeNull();
    expect(saveAt(Buffer.concat([root.bytes, two.bytes.subarray(0, two.bytes.indexOf(0x0a) + 1)]))).toBeNull();
    expect(saveAt(next.bytes)).toBeNull();
    expect(saveAt(Buffer.concat([whole, Buffer.from("=======\n")]))).toBeNull();
    expect(saveAt(Buffer.concat([whole, makeOp(9, { opId: "another root" }).bytes]))).toBeNull();
  });

  it("[SNAP-2] is written on like one that was read whole", () => {
    const { ops, bytes } = buildLog(4);
    const log = new Told();
    log.replay.resume(saveAt(bytes)!);
    const op = makeOp(9, upon(ops.at(-1)!));
    expect(log.replay.accept(op.events, op.bytes.length)).toMatchObject({ index: 4, offset: bytes.length });
    const whole = told(Buffer.concat([bytes, op.bytes])).report;
    expect(log.replay.report).toEqual(whole);
  });
});
