/** What undo and redo do to what others did: nothing. On one branch and after a merge. */
import fc from "fast-check";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Fold } from "../../src/events/fold.ts";
import { changesOf, isReversal, touchedBy } from "../../src/events/history.ts";
import type { PastOp } from "../../src/events/history.ts";
import type { Entity } from "../../src/state/entity.ts";
import { fieldAt } from "../../src/state/fields.ts";
import type { Node } from "../../src/state/node.ts";
import { openChildren, pathOf, preOrder } from "../../src/state/tree.ts";
import { mergeFolders } from "../support/branched_work.ts";
import { inTempFolder } from "../support/temp.ts";
import { runsOf, sized, SWEEP } from "../support/sweep.ts";
import { TaskWork } from "../support/task_work.ts";
import type { Made } from "../support/task_work.ts";

/** Many of them: undo has something to get wrong only where something was built upon something. */
const calls = (most: number): fc.Arbitrary<number[]> => fc.array(fc.nat(), { maxLength: most, size: "max" });

describe("laws of undo", () => {
  it(
    "[UNDO-30] undo and redo change only what their op wrote and nobody wrote since, also after a merge",
    SWEEP,
    async () => {
      const turns = { straight: 0, merged: 0 };
      await fc.assert(
        fc.asyncProperty(calls(20), calls(6), calls(10), (common, theirs, last) =>
          inTempFolder(async (folder) => {
            const [a, b, ab] = ["a", "b", "ab"].map((name) => join(folder, name)) as [string, string, string];
            const sound = (made: Made, how: keyof typeof turns): void => {
              if (made.tool === "tasks_undo" || made.tool === "tasks_redo") turns[how]++;
              expect({ ...called(made), faults: faults(made) }).toEqual({ ...called(made), faults: [] });
            };
            const straight = (made: Made): void => {
              sound(made, "straight");
              expect({ ...called(made), lost: lost(made.after) }).toEqual({ ...called(made), lost: [] });
            };
            const half = Math.ceil(common.length / 2);
            const begun = new TaskWork(a, "base");
            await begun.begin();
            await begun.do(common.slice(0, half), straight);
            await begun.ws.close();
            cpSync(a, b, { recursive: true });
            for (const [root, seed, numbers, minutes] of [
              [a, "a", common.slice(half), 10],
              [b, "b", theirs, 11],
            ] as const) {
              const work = new TaskWork(root, seed, minutes);
              await work.do(numbers, straight);
              await work.ws.close();
            }
            mergeFolders(ab, a, b);
            const merged = new TaskWork(ab, "merged", 30);
            const begin = merged.fold();
            expect([unsound(begin.entity!), lost(begin, ONLY_SAID)]).toEqual([[], []]);
            await merged.do(last, (made) => {
              sound(made, "merged");
              expect({ ...called(made), lost: lost(made.after, ONLY_SAID) }).toEqual({ ...called(made), lost: [] });
            });
            // The same without the past in memory: the log is read again for what an undo in it names.
            expect(merged.fold(2).entity).toEqual(merged.fold().entity);
            await merged.ws.close();
          }),
        ),
        runsOf(30),
      );
      expect(turns.straight).toBeGreaterThanOrEqual(sized(0, 11));
      expect(turns.merged).toBeGreaterThanOrEqual(sized(0, 11));
    },
  );
});

const called = ({ tool, input }: Made) => ({ tool, input });

/** What a call may not have led to. */
function faults({ tool, reply, before, after }: Made): string[] {
  const found = unsound(after.entity!);
  if (tool !== "tasks_undo" && tool !== "tasks_redo") return found;
  const { ops } = before.history;
  const hash = reply.result!["op"];
  const index = ops.findIndex((past) => past.op === hash || past.last === hash);
  const op = ops[index];
  if (!op) return [`no op ${JSON.stringify(hash)}`];
  const wrote = new Set(changesOf(before.entity!, op).map((c) => c.field));
  const later = ops.slice(index + 1).filter(inEffect);
  const [was, is] = [fieldsOf(before.entity!), fieldsOf(after.entity!)];
  for (const field of new Set([...was.keys(), ...is.keys()])) {
    if (was.get(field) === is.get(field)) continue;
    const change = `${field}: ${was.get(field)} -> ${is.get(field)}`;
    if (!wrote.has(field)) found.push(`${change}, which ${op.tool} did not write`);
    for (const one of later)
      if (changesOf(before.entity!, one).some((c) => c.field === field))
        found.push(`${change}, which ${one.tool} wrote`);
    const removed = /^(?:step|node)\.(.*)\.deleted$/.exec(field)?.[1];
    if (removed === undefined || is.get(field) !== "true") continue;
    for (const one of later) if (touchedBy(one).has(removed)) found.push(`${change}, which ${one.tool} worked on`);
  }
  return found;
}

/** No open step below a closed one that was not forced, none in a task that is DONE. */
function unsound(entity: Entity): string[] {
  const live = [...preOrder(entity.children)];
  const found = live
    .filter((s) => s.done && s.forced === null && openChildren(s).length > 0)
    .map((s) => `${pathOf(s)} is closed with open steps below it`);
  if (entity.status === "DONE" && live.some((s) => !s.done)) found.push("DONE with open steps");
  return found;
}

const inEffect = (op: PastOp): boolean => !op.undone && !isReversal(op);

/** Fields that nothing but ops and their undo writes: a merge opens no step and no task by them. */
const ONLY_SAID = /^(?!status)(?!step\.[^.]+\.(?:done|forced|reopened))/;

/** Each field is as the last op in effect that wrote it left it, or as it was before the first. */
function lost({ entity, history }: Fold, of = /^/): string[] {
  const expected = new Map<string, { value: string; by: string }>();
  for (const op of history.ops) {
    for (const { field, before, after } of isReversal(op) ? [] : changesOf(entity!, op)) {
      if (inEffect(op)) expected.set(field, { value: shown(field, after), by: op.tool });
      else if (!expected.has(field)) expected.set(field, { value: shown(field, before), by: "nobody" });
    }
  }
  const fields = fieldsOf(entity!);
  // An addition that was undone stays where another branch worked on it (UNDO-38), on a step below it, or on its nodes.
  const worked = history.ops.filter(inEffect).flatMap((op) => [...touchedBy(op)]);
  const isLeft = (field: string): boolean =>
    of === ONLY_SAID && field.endsWith(".deleted") && fields.get(field) === "false" && worked.length > 0;
  return [...expected]
    .filter(
      ([field, { value }]) =>
        of.test(field) && !field.startsWith("note.") && !isLeft(field) && (fields.get(field) ?? "null") !== value,
    )
    .map(([field, { value, by }]) => `${field} is ${fields.get(field)}, ${by} left it at ${value}`);
}

/** Everything that undo may set, by name, as JSON. */
function fieldsOf(entity: Entity): Map<string, string> {
  const found = new Map<string, string>();
  const nodes: Node[] = [
    entity,
    entity.checklist,
    ...entity.nodes.values(),
    ...[...entity.steps.values()].flatMap((s) => [s, s.confirmed, s.proof]),
  ];
  for (const node of nodes) {
    for (const [key, value] of Object.entries(node))
      if (fieldAt(entity, node.$ + key)) found.set(node.$ + key, JSON.stringify(value));
  }
  for (const [id, gate] of entity.gates) found.set(`gate.${id}`, shown(`gate.${id}`, gate));
  return found;
}

/** A gate that is not blocked is as good as none. */
function shown(field: string, value: unknown): string {
  const gate = field.startsWith("gate.") ? (value as { state: string; reason: string } | null) : undefined;
  if (gate === undefined) return JSON.stringify(value);
  return gate?.state === "blocked" ? JSON.stringify(gate.reason) : "null";
}
