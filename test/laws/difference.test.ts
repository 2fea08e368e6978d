/** What the difference of two revisions of a plan or task tells, and what it never claims. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EntityAnswer, HistoryAnswer, ItemDifference } from "../../src/views/viewer/api.ts";
import { differenceOf } from "../../src/views/viewer/difference.ts";
import { read, viewerOf } from "../hosts/view_support.ts";
import { RandomWork } from "../support/random_work.ts";
import { runsOf, sized, SWEEP } from "../support/sweep.ts";
import { inTempFolder } from "../support/temp.ts";
import { ok, openTemp } from "../support/workspace.ts";

const MIRRORED = { added: "removed", removed: "added", changed: "changed" } as const;

describe("laws of differences", () => {
  it(
    "[VIEWER-8] a change that wrote a field is never without a difference, and from the later revision back it is the same one turned",
    SWEEP,
    async () => {
      let compared = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat(), { minLength: 40, maxLength: 80 }), (numbers) =>
          inTempFolder(async (root) => {
            const work = new RandomWork(root, "a");
            await work.do(numbers);
            await work.ws.close();
            const viewer = viewerOf(root);
            for (const id of work.calls.entities.keys()) {
              const { ops } = await read<HistoryAnswer>(viewer, `entities/${id}/history/0.json`);
              const states: EntityAnswer[] = [];
              for (const { revision } of ops)
                states.push(await read<EntityAnswer>(viewer, `entities/${id}/revisions/${revision}.json`));
              for (const [i, op] of ops.slice(1).entries()) {
                const [before, after] = [states[i]!, states[i + 1]!];
                const there = differenceOf(before, after);
                const wrote = op.changes.filter(
                  ({ field, before: was, after: is }) =>
                    JSON.stringify(was) !== JSON.stringify(is) && isThere(field, before, after),
                );
                expect([op.tool, wrote.length > 0 && isEmpty(there), wrote]).toEqual([op.tool, false, wrote]);
                expect(mirrored(differenceOf(after, before))).toEqual(sorted(there));
                // The other way round, with the numbers of the two exchanged: what came is what went.
                const back = differenceOf(
                  { ...after, revision: before.revision },
                  { ...before, revision: after.revision },
                );
                expect(mirrored(back)).toEqual(sorted(there));
                expect(isEmpty(differenceOf(after, after))).toBe(true);
                compared++;
              }
            }
            viewer.close();
          }),
        ),
        runsOf(12),
      );
      expect(compared).toBeGreaterThanOrEqual(sized(0, 150));
    },
  );

  it("[VIEWER-8] of lists that are cut, no entry is said to have come or gone that did not, and the counts are true", async () => {
    const ws = openTemp();
    await ok(ws, "tasks_create", { title: "A plan" });
    const page = await read<EntityAnswer>(viewerOf(ws.root), "entities/PLAN-001.json");
    const few = fc.nat({ max: 12 });
    const AFTER = { ...page, revision: page.revision + 1 };
    fc.assert(
      fc.property(few, few, fc.array(few), fc.integer({ min: 1, max: 6 }), (first, came, gone, most) => {
        const before = Array.from({ length: first }, (_, i) => i);
        const after = [
          ...before.filter((i) => !gone.includes(i)),
          ...Array.from({ length: came }, (_, i) => first + i),
        ];
        const { parts } = differenceOf(withNotes(page, before, most), withNotes(AFTER, after, most));
        const { items, added, removed } = parts[0] ?? { items: [], added: 0, removed: 0 };
        const named = (how: ItemDifference["how"]): number[] =>
          items.filter((item) => item.how === how).map(({ id }) => Number(id));
        expect(named("added").every((i) => after.includes(i) && !before.includes(i))).toBe(true);
        expect(named("removed").every((i) => before.includes(i) && !after.includes(i))).toBe(true);
        expect(added - removed).toBe(after.length - before.length);
        expect(added).toBeGreaterThanOrEqual(named("added").length);
        expect(removed).toBeGreaterThanOrEqual(named("removed").length);
        if (before.length > most || after.length > most) return;
        expect([added, removed]).toEqual([came, before.filter((i) => gone.includes(i)).length]);
      }),
      { numRuns: 500 },
    );
  });
});

function isEmpty({ fields, parts }: ReturnType<typeof differenceOf>): boolean {
  return fields.length === 0 && parts.length === 0;
}

/** Whether the pages show the step or task node of the field. An undo may turn a confirmation or a gate of a step that was deleted since (UNDO-3). */
function isThere(field: string, ...pages: EntityAnswer[]): boolean {
  const [id] = /(?:STEP|NODE)-[0-9A-F]+/.exec(field) ?? [];
  return id === undefined || JSON.stringify(pages.map(({ steps }) => steps)).includes(`"${id}"`);
}

/** The same told from the other side. */
function mirrored({ fields, parts, cut }: ReturnType<typeof differenceOf>): unknown {
  const turned = (list: typeof fields): typeof fields =>
    list.map(({ field, before, after }) => ({ field, before: after, after: before }));
  return sorted({
    fields: turned(fields),
    parts: parts.map((part) => ({
      ...part,
      added: part.removed,
      removed: part.added,
      items: part.items.map((item) => ({ ...item, how: MIRRORED[item.how], fields: turned(item.fields) })),
    })),
    cut,
  });
}

/** Without the names, which are those of the later state, and in one order. */
function sorted({ fields, parts, cut }: Omit<ReturnType<typeof differenceOf>, "from" | "to">): unknown {
  const byField = (list: typeof fields): typeof fields => list.toSorted((a, b) => (a.field < b.field ? -1 : 1));
  return {
    fields: byField(fields),
    parts: parts.map(({ items, ...part }) => ({
      ...part,
      items: items
        .map(({ id, how, fields: told }) => ({ id, how, fields: byField(told) }))
        .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    })),
    cut,
  };
}

/** A page whose task has these notes, of which it holds the newest. */
function withNotes(page: EntityAnswer, notes: readonly number[], most: number): EntityAnswer {
  const all = notes.map((i) => ({
    id: String(i),
    ts: page.created_at,
    by: "agent:ada",
    step: null,
    text: `note ${i}`,
  }));
  return { ...page, notes: all.slice(-most).toReversed(), notes_total: all.length };
}
