import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DeferredActivity, enter, keepActivity, messageOf } from "../../src/events/activity_log.ts";
import type { Op } from "../../src/log/types.ts";
import { LIMITS } from "../../src/state/limits.ts";
import { Branches } from "../support/branches.ts";
import { creation } from "../support/logs.ts";

const log = new Branches();
log.op([], "agent:a", creation("A sentence."));

function newEntity() {
  const entity = log.entity();
  return { ...entity, recent: [...entity.recent], acted: new Map(entity.acted) };
}

const opBy = (by: string, n: number): Op =>
  ({ events: [{ ts: `t${n}`, by, op: { tool: "tool" }, payload: { message: `said ${n}` } }] }) as unknown as Op;
const traces = ({ revision, recent, acted }: ReturnType<typeof newEntity>) => ({ revision, recent, acted: [...acted] });

/** Actors one after the other, some again and again; sometimes more than are remembered. */
const actors = fc
  .array(fc.tuple(fc.nat(12), fc.nat(40)), { maxLength: 24 })
  .map((runs) => runs.flatMap(([actor, times]) => Array<string>(times).fill(`agent:${actor}`)));

describe("the traces of every op", () => {
  it("[LOG-23] are the last ops and who acted when, whether they are entered at once or at the end", () => {
    fc.assert(
      fc.property(actors, fc.integer({ min: 1, max: 200 }), (all, every) => {
        const [one, other] = [newEntity(), newEntity()];
        const late = new DeferredActivity();
        const last = new Map(one.acted);
        for (const [n, by] of all.entries()) {
          const op = opBy(by, n);
          enter(one, op.events[0]!, messageOf(op));
          late.take(other, op);
          last.delete(by);
          last.set(by, one.revision);
          if (n % every === 0) late.flush(other);
        }
        late.flush(other);
        expect(traces(other)).toEqual(traces(one));
        expect(one.revision).toBe(1 + all.length);
        expect([...one.acted]).toEqual([...last].slice(-LIMITS.recentActors));
        const said = ["A sentence.", ...all.map((_, n) => `said ${n}`)].slice(-LIMITS.recentOps);
        expect(one.recent.map(({ message }) => message)).toEqual(said);
      }),
      { numRuns: 30 },
    );
  });

  it("[LOG-23] are taken back with an op that was not written", () => {
    const most = Math.max(LIMITS.recentOps, LIMITS.recentActors) + 2;
    const entity = newEntity();
    for (let n = 0; n < most; n++) {
      for (const by of [`agent:${n}`, `agent:${n}`, "agent:0"]) {
        const before = structuredClone(traces(entity));
        const back = keepActivity(entity, by);
        enter(entity, opBy(by, n).events[0]!, "tried");
        entity.updated_at = "later";
        back();
        expect([structuredClone(traces(entity)), entity.updated_at]).toEqual([before, log.entity().updated_at]);
        enter(entity, opBy(by, n).events[0]!, "said");
      }
    }
  });

  it("[LOG-23] hold what an op said, in one line", () => {
    const op = (...messages: unknown[]) =>
      messageOf({ events: messages.map((message) => ({ payload: { message } })) } as unknown as Op);
    expect([op("One."), op(1), op("One.", 2, "Three."), op(1, 2)]).toEqual(["One.", "", "One. Three.", ""]);
    expect(Array.from(op("x".repeat(LIMITS.messageCodePoints), "y"))).toHaveLength(LIMITS.messageCodePoints);
  });
});
