import { describe, expect, it } from "vitest";
import { ConcurrentWrites } from "../../src/events/conflicts.ts";
import { ConcurrentWork } from "../../src/events/concurrent_work.ts";
import { listName } from "../../src/state/tree.ts";
import type { Change } from "../../src/events/writer.ts";
import { Ancestry } from "../../src/log/ancestry.ts";
import type { Op } from "../../src/log/types.ts";
import type { Entity } from "../../src/state/entity.ts";
import { closures } from "../support/ancestry_oracle.ts";
import type { Touch, Write } from "../support/conflicts_oracle.ts";
import { ConflictsOracle } from "../support/conflicts_oracle.ts";
import { makeOp } from "../support/logs.ts";
import { randomParents } from "../support/random_graph.ts";
import { randomFrom } from "../support/random.ts";
import { sampleOf, sized, SWEEP } from "../support/sweep.ts";

const FIELDS = 4;
const STEP = { id: "STEP-00000000", $: "step.STEP-00000000.", parent: null };

/** An entity with one step: what conflicts are told of, and nothing else. */
function entityWithStep(): Entity {
  const steps = new Map([[STEP.id, STEP]]);
  const checklist = { $: "checklist." };
  return { $: "", checklist, steps, nodes: new Map(), conflicts: new Map(), moved: new Map() } as never;
}

function opAt(index: number): Op {
  const { events } = makeOp(index, { by: `agent:a${index % 5}` });
  return { hash: events[0]!.hash, last: events[0]!.hash, events, index, offset: 0 };
}

/** Seeds of random logs. */
const LOGS = sampleOf(
  Array.from({ length: 300 }, (_, seed) => seed),
  40,
);

describe("conflicts of a log with branches", () => {
  it(
    "[EVENT-5] [EVENT-61] [EVENT-7] [LOG-61] are those that comparing every writer with every other gives, in the same order",
    SWEEP,
    () => {
      let open = 0;
      for (const seed of LOGS) {
        const random = randomFrom(seed);
        const parents = randomParents(seed, 60);
        const oracle = new ConflictsOracle(closures(parents));
        const ancestry = new Ancestry();
        const concurrent = new ConcurrentWrites(new ConcurrentWork());
        const entity = entityWithStep();
        for (const [index, list] of parents.entries()) {
          ancestry.add(list);
          const op = opAt(index);
          const { by, ts } = op.events[0]!;
          const record: Change[] = [];
          const writes: Write[] = [];
          const touches: Touch[] = [];
          for (let field = 0; field < FIELDS; field++) {
            if (!random.chance(0.3)) continue;
            const value = `value ${random.below(3)}`;
            record.push({ how: "write", node: entity, key: `f${field}`, old: null, value });
            writes.push({ field: `f${field}`, value, by, ts, op: op.hash });
          }
          // An op adds a step to the list, or works on the step that stands there.
          if (random.chance(0.4)) {
            const ids = random.chance(0.7) ? [`new ${index}`] : [];
            for (const id of ids) record.push({ how: "push", node: entity, key: "children", list: [], value: { id } });
            if (ids.length === 0) record.push({ how: "untracked", node: STEP, key: "noted", old: 0, value: 1 });
            touches.push({ list: listName(null), ids });
          }
          concurrent.take(entity, op, { record, worked: [] }, ancestry);
          oracle.take(index, writes, touches);
          // Sometimes read on the way, as a look at an earlier moment does.
          if (index < parents.length - 1 && !random.chance(0.1)) continue;
          concurrent.fillIn(entity);
          expect([...entity.conflicts], `seed ${seed}, op ${index}`).toEqual([...oracle.conflicts]);
          expect([...entity.moved], `seed ${seed}, op ${index}`).toEqual([...oracle.moved]);
          open += entity.conflicts.size * entity.moved.size;
        }
      }
      expect(open).toBeGreaterThanOrEqual(sized(0, 101));
    },
  );
});
