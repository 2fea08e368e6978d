/** A reader that imports nothing of the engine, held to it: every golden log, and random histories with merges. */
import fc from "fast-check";
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readLog } from "../examples/independent_reader.mjs";
import type { Fold } from "../src/events/fold.ts";
import { entityToJson } from "../src/state/entity_json.ts";
import { branchedWork, logFiles, mergeFolders } from "./support/branched_work.ts";
import { Branches } from "./support/branches.ts";
import { anyWork } from "./support/random_work.ts";
import { inTempFolder } from "./support/temp.ts";
import { runsOf, sized, SWEEP } from "./support/sweep.ts";
import { foldWhole, TaskWork } from "./support/task_work.ts";
import { logPath } from "./support/workspace.ts";

/** What the reader leaves out, as its head says. */
const LEFT_OUT =
  "facts acted gone recent cards card_counts card_order decisions trace trace_count report taskdoc people gates agents config taken_until lost_ends manifest packet archived archived_tasks";

/** Our entity in the reader's words. */
function told({ entity, history }: Fold): unknown {
  const { own, maps, steps, children } = entityToJson(entity!);
  const lists = Object.entries(maps).map(([key, entries]) => [key, entries.map(([, value]) => value)]);
  const conflicts = [...entity!.conflicts]
    .filter(([field]) => !/^(?:taskdoc\.|people\.|manifest$)/.test(field))
    .map(([field, { values }]) => [field, values]);
  const whole = {
    ...own,
    ...Object.fromEntries(lists),
    conflicts: Object.fromEntries(conflicts),
    moved: Object.fromEntries(entity!.moved),
    steps,
    children,
    evidence: entity!.evidence.map(({ id, kind, title, summary, createdAt }) => ({
      id,
      kind,
      title,
      summary,
      createdAt,
    })),
    redo: history.redo,
    order: history.ops.map((op) => op.op),
  };
  for (const key of LEFT_OUT.split(" ")) delete (whole as Record<string, unknown>)[key];
  for (const step of steps) delete (step as Partial<typeof step>).accepted;
  return bare(JSON.parse(JSON.stringify(whole)));
}

/** Without what is the engine's own: no closing in a log is judged by `ran_at` (PROOF-33). */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([key]) => key !== "$" && key !== "ran_at");
  return Object.fromEntries(members.map(([key, member]) => [key, bare(member)]));
}

/** What both say of a log. */
function both(bytes: Buffer): { read: unknown; told: unknown } {
  const { heads: _heads, ...read } = readLog(bytes) as Record<string, unknown>;
  return { read, told: told(foldWhole(bytes)) };
}

describe("a reader that imports nothing of the engine", () => {
  const golden = readdirSync(join(import.meta.dirname, "golden"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith("events.jsonl") && !path.includes("runtime"))
    .toSorted();

  it.each(golden)(
    "[EVENT-44] [EVENT-46] [EVENT-47] [EVENT-48] [EVENT-49] [EVENT-50] [EVENT-53] reads the golden log %s as the engine does",
    (path) => {
      const { read, told: ours } = both(readFileSync(join(import.meta.dirname, "golden", path)));
      expect(read).toEqual(ours);
    },
  );

  it("[EVENT-57] reads what was adopted, with milestones in work, as the engine does", () => {
    const log = new Branches();
    const milestone = (n: number, state: string) => ({
      id: `STEP-0000000${n}`,
      milestone: `m${n}`,
      title: `t${n}`,
      state,
      depends_on: n === 2 ? ["STEP-00000001"] : [],
    });
    const states = ["pending", "working", "blocked", "done"];
    const entry = (id: string) => ({
      id,
      kind: "runtime-event-range",
      title: id,
      summary: "",
      createdAt: "2026-01-01T00:00:00Z",
      sources: [{ type: "runtimeEventRange", eventsRef: "./events.jsonl" }],
    });
    const taken = { roster: [], gates: [], files: [], message: "Taken." };
    const body = {
      ...taken,
      title: "Adopted",
      description: "",
      topology: "swarm",
      status: "ACTIVE",
      created_at: "2026-01-01T00:00:00.120000000Z",
      updated_at: "2026-01-01T00:00:00.000000000Z",
      steps: [...states.map((state, i) => milestone(i, state)), milestone(0, "done")],
      config: { maxConcurrentAgents: 1, timeoutSeconds: 1, autoApprove: true },
      evidence: [entry("a"), entry("a"), entry("b")],
      people: [],
    };
    const root = log.op([], "system", { type: "task.adopted", payload: body });
    const at = { step_id: "STEP-00000001", message: "m" };
    const closed = log.op(
      [root],
      "agent:a",
      { type: "step.verified", payload: { ...at, checkpoints: { criteria: true, tests: true } } },
      { type: "step.done", payload: at },
    );
    const again = { ...taken, title: "Anew", updated_at: body.updated_at, evidence: [entry("b"), entry("c")] };
    log.op([closed], "system", { type: "task.readopted", payload: again });
    const { read, told: ours } = both(Buffer.concat(log.ops.map(({ bytes }) => bytes)));
    expect(read).toEqual(ours);
    expect(read).toMatchObject({
      title: "Anew",
      created_at: "2026-01-01T00:00:00.120Z",
      steps: [{ done: false }, { done: true, started: true }, { blocked: true }, { done: true }],
      evidence: [{ id: "a" }, { id: "b" }, { id: "c" }],
    });
  });

  it(
    "[EVENT-43] [EVENT-54] [EVENT-4] [UNDO-30] [UNDO-33] reads any history, with branches and undo, as the engine does",
    SWEEP,
    async () => {
      let left = 0;
      await fc.assert(
        fc.asyncProperty(anyWork(20), anyWork(10), anyWork(10), (common, ours, theirs) =>
          inTempFolder(async (folder) => {
            const { a, b } = await branchedWork(folder, common, ours, theirs);
            mergeFolders(join(folder, "ab"), a, b);
            const logs = [a, join(folder, "ab")].flatMap(logFiles).map(({ bytes }) => bytes);

            const [one, other, merge] = ["one", "other", "merge"].map((name) => join(folder, name)) as [
              string,
              string,
              string,
            ];
            const begun = new TaskWork(one, "base");
            await begun.begin();
            await begun.do(common);
            await begun.ws.close();
            cpSync(one, other, { recursive: true });
            for (const [root, numbers] of [
              [one, ours],
              [other, theirs],
            ] as const) {
              const work = new TaskWork(root, root.slice(-3), root === one ? 10 : 11);
              await work.do(numbers);
              await work.ws.close();
            }
            mergeFolders(merge, one, other);
            const merged = new TaskWork(merge, "merged", 30);
            await merged.do(ours);
            await merged.ws.close();
            logs.push(readFileSync(logPath(merge)));
            for (const bytes of logs) {
              const { read, told: ours } = both(bytes);
              expect(read).toEqual(ours);
              const { conflicts } = ours as { conflicts: object };
              left += Object.keys(conflicts).filter((field) => field.endsWith(".deleted")).length;
            }
          }),
        ),
        runsOf(20),
      );
      expect(left, "additions that an undo left").toBeGreaterThanOrEqual(sized(0, 1));
    },
  );
});
