import { cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nodeRuntime } from "../../src/node_runtime.ts";
import { nodeDisk } from "../../src/disk.ts";
import { LoadedEntity } from "../../src/engine/entity/loaded_entity.ts";
import { pastOf } from "../../src/engine/entity/past.ts";
import { Snapshots } from "../../src/engine/entity/snapshot.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { Layout } from "../../src/files/layout.ts";
import { openGit } from "../../src/hosts/git/git_port.ts";
import type { ChangeTool } from "../../src/tools/change_tool.ts";
import { TOOLS } from "../../src/tools/index.ts";
import type { JsonObject } from "../../src/state/schema.ts";
import { anyWork, RandomWork } from "../support/random_work.ts";
import { ROTATING, SWEEP, runsOf } from "../support/sweep.ts";
import { repository } from "../support/git.ts";
import { ROOT } from "../support/source.ts";
import { inTempFolder, tempFolder } from "../support/temp.ts";
import { call, newTask, ok, openTemp, ticking, tree, WORKSPACE } from "../support/workspace.ts";

const COCO = join(ROOT, "test/data/coco");
const FAMILY = ["tasks_resume", "tasks_resume_pack", "tasks_resume_super", "tasks_snapshot"] as const;

interface Timeline {
  events: { event_id: string; type: string }[];
  earlier: number;
  cursor: string;
}

async function timeline(ws: Workspace, events_limit: number, target = "TASK-001"): Promise<Timeline> {
  const { timeline } = await ok(ws, "tasks_resume_pack", { target, events_limit, max_chars: 2_000_000 });
  return timeline as unknown as Timeline;
}

const ids = (events: readonly { event_id: string }[]): string[] => events.map((e) => e.event_id);

/** Two people with a clone each of one task, and a workspace upon each. */
async function twoClones() {
  const { ada, cloneOf } = repository();
  const a = openTemp({ root: ada.root, now: ticking(Date.UTC(2026, 1, 1)) });
  await newTask(a);
  ada.commit("begin");
  const bob = cloneOf(ada, "bob");
  return { ada, bob, a, b: openTemp({ root: bob.root, now: ticking(Date.UTC(2026, 2, 1)) }) };
}

describe("focus", () => {
  it.each(FAMILY)("[RESUME-2] %s moves it to its target with read_only false, and says so", async (tool) => {
    const ws = openTemp();
    await newTask(ws, "TASK-001");
    await newTask(ws, "TASK-002");
    const focus = async (): Promise<unknown> => (await ok(ws, "tasks_focus_get", {}))["focus"];
    expect(await ok(ws, tool, { task: "TASK-001" })).not.toHaveProperty("focus_restored");
    expect(await focus()).toBeNull();
    const first = await ok(ws, tool, { task: "TASK-001", read_only: false });
    expect(first).toMatchObject({ focus_restored: true, focus_previous: null, focus: "TASK-001" });
    const again = await ok(ws, tool, { task: "TASK-001", read_only: false });
    expect(again).not.toHaveProperty("focus_restored");
    const other = await ok(ws, tool, { target: "TASK-002", read_only: false });
    expect(other).toMatchObject({ focus_restored: true, focus_previous: "TASK-001", focus: "TASK-002" });
    const byFocus = await ok(ws, tool, { read_only: false });
    expect(byFocus).toMatchObject({ target: { id: "TASK-002" }, target_from: "focus" });
    expect(byFocus).not.toHaveProperty("focus_restored");
    expect(await focus()).toBe("TASK-002");
  });

  it("[RESUME-2] a call that is refused moves nothing, nor does the context pack", async () => {
    const ws = openTemp();
    await newTask(ws);
    const refused = await call(ws, "tasks_snapshot", { task: "TASK-001", read_only: false, notes_cursor: "gone" });
    expect(refused.error?.code).toBe("CURSOR_EXPIRED");
    const pack = await ok(ws, "tasks_context_pack", { task: "TASK-001", read_only: false });
    expect(pack).not.toHaveProperty("focus_restored");
    expect(await ok(ws, "tasks_focus_get", {})).toMatchObject({ focus: null });
  });

  it("[RESUME-2] read_only leaves the folder as it is", async () => {
    const ws = openTemp();
    await newTask(ws);
    const before = tree(ws.root);
    for (const tool of [...FAMILY, "tasks_context_pack"] as const) await ok(ws, tool, { task: "TASK-001" });
    expect(tree(ws.root)).toEqual(before);
  });
});

describe("timeline", () => {
  it("[RESUME-3] is the end of the log, by any writer, and its cursor goes on from there", async () => {
    const ws = openTemp();
    await newTask(ws);
    for (let i = 0; i < 30; i++)
      await ok(ws, "tasks_note", { target: "TASK-001", note: `note ${i} ${"x".repeat(i * 900)}` });
    const other = openTemp({ root: ws.root, now: ticking(Date.UTC(2026, 5, 1)) });
    await ok(other, "tasks_close_step", { task: "TASK-001", path: "s:0", checkpoints: "gate" });
    const all = ws.log("TASK-001", { limit: 200 });
    for (const limit of [1, 2, 5, 20, 200]) {
      const { events, earlier } = await timeline(ws, limit);
      expect(ids(events)).toEqual(ids(all.events).slice(-limit));
      expect(earlier).toBe(all.total - events.length);
    }
    const { cursor } = await timeline(ws, 3);
    const since = async (): Promise<unknown> =>
      (await ok(ws, "tasks_delta", { task: "TASK-001", since: cursor }))["events"];
    expect(await since()).toEqual([]);
    await ok(other, "tasks_note", { target: "TASK-001", note: "later" });
    expect(await since()).toMatchObject([{ type: "step_noted", note: "later" }]);
  });

  it("[RESUME-3] is the same from a snapshot, which keeps where the last ops stand", async () => {
    const ws = openTemp({ durability: "os" });
    await newTask(ws);
    for (let i = 0; i < 20; i++) await ok(ws, "tasks_note", { target: "TASK-001", note: `note ${i}` });
    const context = { disk: nodeDisk, layout: new Layout(ws.root), runtime: nodeRuntime };
    const snapshots = new Snapshots(context, 1, 0);
    const folder = context.layout.folder("TASK-001");
    const first = new LoadedEntity(context, "TASK-001", folder, snapshots);
    first.catchUp();
    snapshots.saveIfDue(first);
    const second = new LoadedEntity(context, "TASK-001", folder, snapshots);
    second.catchUp();
    expect(second.eventsInSnapshot).toBeGreaterThan(0);
    const shown = (loaded: LoadedEntity): unknown => pastOf(loaded, loaded.entity!)(false).timeline(7);
    expect(shown(second)).toEqual(shown(first));
    expect((shown(first) as Timeline).events).toHaveLength(7);
  });

  it("[RESUME-3] follows the order of the log and not of its lines, after a merge too", ROTATING, async () => {
    const { ada, bob, a, b } = await twoClones();
    for (let i = 0; i < 4; i++) {
      if (i === 1) await ok(a, "tasks_close_step", { task: "TASK-001", path: "s:0", checkpoints: "gate" });
      await ok(a, "tasks_note", { target: "TASK-001", note: `ada ${i}` });
      await ok(b, "tasks_note", { target: "TASK-001", note: `bob ${i}` });
      if (i === 0) await ok(b, "tasks_close_step", { task: "TASK-001", path: "s:1", checkpoints: "gate" });
    }
    ada.commit("ada");
    bob.commit("bob");
    ada.merge(bob);
    expect((await a.repair.resolve(undefined, { git: openGit(ada.root)!, stage: true })).findings).toEqual([]);
    ada.conclude("merge");
    await ok(a, "tasks_note", { target: "TASK-001", note: "after" });
    const all = ids(a.log("TASK-001", { limit: 200 }).events);
    for (const limit of [1, 4, 200]) expect(ids((await timeline(a, limit)).events)).toEqual(all.slice(-limit));
    const { cursor } = await timeline(a, 1);
    await ok(a, "tasks_note", { target: "TASK-001", note: "at last" });
    const { events } = await ok(a, "tasks_delta", { task: "TASK-001", since: cursor });
    expect(events).toMatchObject([{ note: "at last" }]);
  });

  it("[RESUME-3] [REASON-8] is what the log says, for whatever was done", SWEEP, async () => {
    await fc.assert(
      fc.asyncProperty(anyWork(25), fc.integer({ min: 1, max: 12 }), (numbers, limit) =>
        inTempFolder(async (root) => {
          const work = new RandomWork(root, "a");
          await work.do(numbers);
          const cold = new RandomWork(root, "b");
          for (const target of work.calls.entities.keys()) {
            const { events } = work.ws.log(target, { limit: 200 });
            expect(ids((await timeline(work.ws, limit, target)).events)).toEqual(ids(events).slice(-limit));
            const one = await ok(work.ws, "tasks_resume_super", { target, trace_limit: limit, notes_limit: limit });
            expect(await ok(cold.ws, "tasks_resume_super", { target, trace_limit: limit, notes_limit: limit })).toEqual(
              one,
            );
            await everyPage(work.ws, target, limit, one);
          }
          await work.ws.close();
          await cold.ws.close();
        }),
      ),
      runsOf(8),
    );
  });
});

type Pages = Record<
  "notes" | "trace" | "cards",
  { entries: unknown[]; pagination: { next_cursor: string | null; total: number } }
>;

/** Following the cursors gives as many entries as there are. */
async function everyPage(ws: Workspace, target: string, limit: number, first: JsonObject): Promise<void> {
  for (const name of ["notes", "trace", "cards"] as const) {
    const { pagination } = (first["memory"] as unknown as Pages)[name];
    let count = 0;
    for (let cursor: string | null | undefined; cursor !== null;) {
      const input = {
        target,
        [`${name}_limit`]: limit,
        ...(cursor === undefined ? {} : { [`${name}_cursor`]: cursor }),
      };
      const page = ((await ok(ws, "tasks_resume_super", input))["memory"] as unknown as Pages)[name];
      count += page.entries.length;
      cursor = page.pagination.next_cursor;
    }
    expect(count, name).toBe(pagination.total);
  }
}

describe("folders of other programs", () => {
  it("[RESUME-1] are resumed from what their task file says", async () => {
    const ws = openTemp();
    await newTask(ws);
    const [name] = readdirSync(COCO);
    cpSync(join(COCO, name!), join(ws.root, ".coco/tasks", name!), { recursive: true });
    for (const tool of [...FAMILY, "tasks_context_pack"] as const) {
      const { result, warnings } = await call(ws, tool, { target: name! });
      expect(result).toMatchObject({ target: { id: name } });
      expect(warnings.map((w) => w.code)).toEqual(["NO_OWN_LOG"]);
      const { events } = (result!["timeline"] ?? result!["delta"]) as { events: unknown[] };
      expect(events).toEqual([]);
    }
  });
});

describe("answers of changes", () => {
  it("[RESUME-3] hold the change's own events, in a batch too, and a repeated call has the first one's", async () => {
    // No tool of the engine's own replies a resume yet: the reply of tasks_think is asked for the past it would show.
    const ws = openTemp();
    await newTask(ws);
    const tool = TOOLS["tasks_think"] as ChangeTool;
    const { reply } = tool;
    const seen: { events: string[]; earlier: number; total: number }[] = [];
    tool.reply = (input, ctx) => {
      const past = ctx.past(false);
      const { events, earlier } = past.timeline(2);
      seen.push({
        events: events.map((e) => (typeof e["text"] === "string" ? e["text"] : "")),
        earlier,
        total: past.everything().trace.length,
      });
      return reply(input, ctx);
    };
    try {
      const think = (trace: string): Promise<unknown> =>
        ws.call("tasks_think", { workspace: WORKSPACE, task: "TASK-001", trace, idempotency_key: trace });
      await Promise.all([think("one"), think("two"), think("three")]);
      await ok(ws, "tasks_note", { target: "TASK-001", note: "more" });
      await think("two");
    } finally {
      tool.reply = reply;
    }
    expect(seen.map((s) => s.events.at(-1))).toEqual(["one", "two", "three", "two"]);
    expect(seen[2]).toEqual({ events: ["two", "three"], earlier: 3, total: 3 });
    expect(seen[3]).toEqual(seen[1]);
  });
});

describe("reasoning on disk", () => {
  it("[regression REASON-9] pages of a merged log give every entry once", ROTATING, async () => {
    const { ada, bob, a, b } = await twoClones();
    for (let i = 0; i < 15; i++) {
      await ok(a, "tasks_think", { target: "TASK-001", trace: `ada ${i}`, frame: `ada ${i}` });
      await ok(b, "tasks_think", { target: "TASK-001", trace: `bob ${i}`, decision: `bob ${i}` });
    }
    ada.commit("ada");
    bob.commit("bob");
    ada.merge(bob);
    expect((await a.repair.resolve(undefined, { git: openGit(ada.root)!, stage: true })).findings).toEqual([]);
    ada.conclude("merge");
    const whole = await ok(a, "tasks_resume_super", {
      task: "TASK-001",
      trace_limit: 200,
      notes_limit: 200,
      cards_limit: 200,
    });
    expect((whole["memory"] as { stats: unknown }).stats).toMatchObject({ notes: 15, trace: 60, cards: 30 });
    await everyPage(a, "TASK-001", 7, whole);
    const copy = tempFolder();
    cpSync(ada.root, copy, { recursive: true });
    const c = openTemp({ root: copy });
    const there = await ok(c, "tasks_resume_super", {
      task: "TASK-001",
      trace_limit: 200,
      notes_limit: 200,
      cards_limit: 200,
    });
    expect(there["memory"]).toEqual(whole["memory"]);
  });
});
