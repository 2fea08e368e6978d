import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Fold } from "../../src/events/fold.ts";
import { stepNoted } from "../../src/events/step.noted.ts";
import type { Event, Op } from "../../src/log/types.ts";
import { LIMITS } from "../../src/state/limits.ts";
import { creation, makeOp, minute } from "../support/logs.ts";
import { runsOf, SWEEP } from "../support/sweep.ts";

const IN_LINE = { joined: true, ancestry: null };

const created = creation("m0");

/** The n-th op of a log, by an actor; what it names does not matter to a fold. */
function op(n: number, by: string): Op {
  const draft = n === 0 ? created : stepNoted.draft({ step_id: null, note: "n", message: `m${n}` });
  const { events } = makeOp(n, { by, ts: minute(n), events: [draft as never] });
  const [first] = events as [Event];
  return { hash: first.hash, last: first.hash, events, index: n, offset: 0 };
}

/** The book in its own words: who acted when, the latest at the end, and the last few sentences. */
function byRule(actors: readonly string[]): object {
  const order = [...new Set(actors.toReversed())].slice(0, LIMITS.recentActors).toReversed();
  const recent = actors.map((by, n) => ({ ts: minute(n), by, tool: "tasks_note", message: `m${n}` }));
  return {
    revision: actors.length,
    updated_at: minute(actors.length - 1),
    acted: order.map((by) => [by, actors.lastIndexOf(by) + 1]),
    recent: recent.slice(-LIMITS.recentOps),
  };
}

function bookOf({ entity }: Fold): object {
  const { revision, updated_at, acted, recent } = entity!;
  return { revision, updated_at, acted: [...acted], recent };
}

const actors = fc.array(
  fc.integer({ min: 0, max: LIMITS.recentActors + 10 }).map((n) => `agent:a${n}`),
  { minLength: 2, maxLength: 150, size: "max" },
);

describe("what every op leaves behind", () => {
  it("[LOG-23] is the rule's, however the ops came, and an attempt that is taken back leaves none of it", SWEEP, () => {
    fc.assert(
      fc.property(actors, fc.infiniteStream(fc.constantFrom("read", "live", "attempt", "undo")), (list, ways) => {
        const fold = new Fold();
        for (const [n, by] of list.entries()) {
          const way = ways.next().value;
          const next = op(n, by);
          if (way === "undo") fold.attempt(op(n, "human:somebody"))();
          if (way === "live") fold.live();
          if (way === "attempt") fold.attempt(next);
          else fold.op(next, IN_LINE);
          expect(bookOf(fold)).toEqual(byRule(list.slice(0, n + 1)));
        }
      }),
      runsOf(30),
    );
  });
});
