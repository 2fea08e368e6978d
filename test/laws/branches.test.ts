/** What branches disagree about: by the rules alone, and the same whichever of them was earlier. */
import fc from "fast-check";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readLog } from "../../examples/independent_reader.mjs";
import type { Fold } from "../../src/events/fold.ts";
import { liveConflicts, liveMoved } from "../../src/state/live.ts";
import { mergeFolders } from "../support/branched_work.ts";
import { randomBranches } from "../support/random_branches.ts";
import { inTempFolder } from "../support/temp.ts";
import { runsOf, sized, SWEEP } from "../support/sweep.ts";
import { foldWhole, TaskWork } from "../support/task_work.ts";
import { logPath } from "../support/workspace.ts";

/** What is open between branches, and why steps are open, in the words of the reader that knows the rules alone. */
interface Told {
  conflicts: unknown;
  moved: unknown;
  status_reason: unknown;
  lease: unknown;
  steps: { id: unknown; done: unknown; deleted: unknown; reopened: unknown; lease: unknown }[];
}

function picked({ conflicts, moved, status_reason, lease, steps }: Told): Told {
  const own = steps.map((step) => {
    const { id, done, deleted, reopened, lease: claim } = step;
    return { id, done, deleted, reopened, lease: claim };
  });
  return { conflicts, moved, status_reason, lease, steps: own };
}

function told({ entity }: Fold): Told {
  const { conflicts, moved, status_reason, steps, lease } = entity!;
  const byField = Object.fromEntries([...conflicts].map(([field, { values }]) => [field, values]));
  return picked({
    conflicts: byField,
    moved: Object.fromEntries(moved),
    status_reason,
    lease,
    steps: [...steps.values()],
  });
}

const anyCalls = (most: number): fc.Arbitrary<number[]> => fc.array(fc.nat(), { maxLength: most, size: "max" });

/** One history on two branches, and their merge. Returns the folder of the merge. */
async function twoBranches(
  folder: string,
  common: number[],
  ours: number[],
  theirs: number[],
  oursFirst: boolean,
): Promise<string> {
  const [a, b, ab] = ["a", "b", "ab"].map((name) => join(folder, name)) as [string, string, string];
  const begun = new TaskWork(a, "base");
  await begun.begin();
  await begun.do(common);
  await begun.ws.close();
  cpSync(a, b, { recursive: true });
  for (const [root, numbers, minutes] of [
    [a, ours, oursFirst ? 20 : 40],
    [b, theirs, oursFirst ? 40 : 20],
  ] as const) {
    const work = new TaskWork(root, root.slice(-1), minutes);
    await work.do(numbers);
    await work.ws.close();
  }
  mergeFolders(ab, a, b);
  return ab;
}

/** Fields that other changes open and close: which of two branches was earlier decides what opened there (EVENT-8, EVENT-41). */
const JUDGED = /(?:^|\.)(?:done|status|lease)$/;

/** What is open of what callers decide, with all values that stand against each other. */
function openIn({ entity }: Fold): string[] {
  const conflicts = liveConflicts(entity!).filter(({ field }) => !JUDGED.test(field));
  return [
    ...conflicts.map(
      ({ field, values }) =>
        `${field}: ${values
          .map(({ value }) => JSON.stringify(value))
          .toSorted()
          .join()}`,
    ),
    ...liveMoved(entity!).map(
      (moved) =>
        `moved: ${moved
          .map(({ id }) => id)
          .toSorted()
          .join()}`,
    ),
  ].toSorted();
}

describe("laws of branches", () => {
  it(
    "[EVENT-5] [EVENT-61] [EVENT-7] [UNDO-31] [UNDO-38] [UNDO-39] conflicts, moved paths and reasons are as the rules say, in any log",
    SWEEP,
    () => {
      const found = { conflicts: 0, moved: 0 };
      fc.assert(
        fc.property(fc.nat(), fc.integer({ min: 4, max: 30 }), (seed, size) => {
          const bytes = Buffer.concat(randomBranches(seed, size).ops.map((op) => op.bytes));
          const fold = foldWhole(bytes);
          expect(told(fold)).toEqual(picked(readLog(bytes) as unknown as Told));
          found.conflicts += fold.entity!.conflicts.size;
          found.moved += fold.entity!.moved.size;
        }),
        runsOf(200),
      );
      for (const count of Object.values(found)) expect(count).toBeGreaterThanOrEqual(sized(0, 1));
    },
  );

  it(
    "[EVENT-61] [EVENT-7] [UNDO-31] real calls on two branches, undo and redo among them, leave the same open whichever branch was earlier",
    SWEEP,
    async () => {
      let open = 0;
      await fc.assert(
        fc.asyncProperty(anyCalls(12), anyCalls(10), anyCalls(10), anyCalls(8), (common, ours, theirs, last) =>
          inTempFolder(async (folder) => {
            const merged = await Promise.all(
              [true, false].map((oursFirst) =>
                twoBranches(join(folder, `${oursFirst}`), common, ours, theirs, oursFirst),
              ),
            );
            const [one, other] = merged.map((root) => foldWhole(readFileSync(logPath(root))));
            expect(openIn(other!)).toEqual(openIn(one!));
            open += openIn(one!).length;
            // A caller has seen both: what is written, said or worked on is open no more, and nothing else comes up.
            const work = new TaskWork(merged[0]!, "merged", 60);
            await work.do(last, ({ before, after }) => {
              const [was, is] = [openIn(before), openIn(after)];
              expect(is.filter((one_) => !was.includes(one_))).toEqual([]);
              const { op, record } = after.history.ops.at(-1)!;
              const said = record.flatMap((change) =>
                change.how === "say" ? change.field : change.how === "write" ? change.node.$ + change.key : [],
              );
              for (const field of said)
                expect([op, field, after.entity!.conflicts.has(field)]).toEqual([op, field, false]);
            });
            await work.ws.close();
          }),
        ),
        runsOf(20),
      );
      expect(open).toBeGreaterThanOrEqual(sized(0, 1));
    },
  );
});
