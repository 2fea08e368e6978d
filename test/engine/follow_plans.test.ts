/** Plans that end with their last task. */
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Reply } from "../../src/engine/entity/reply.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { openGit } from "../../src/hosts/git/git_port.ts";
import { repository } from "../support/git.ts";
import { tempFolder } from "../support/temp.ts";
import { call, counting, logLines, logPath, ok, openTemp, ticking } from "../support/workspace.ts";
import { ROTATING } from "../support/sweep.ts";

const PLAN = "PLAN-001";
const steps = [{ title: "a", success_criteria: [] }];
const codes = ({ warnings }: Reply): string[] => warnings.map(({ code }) => code);
const close = (ws: Workspace, task: string, more: object = {}): Promise<Reply> =>
  call(ws, "tasks_close_step", { task, path: "s:0", checkpoints: "gate", ...more });

async function status(ws: Workspace, target = PLAN): Promise<unknown> {
  return ((await ok(ws, "tasks_radar", { target }))["target"] as { status?: string }).status;
}

/** PLAN-001, which ends with its last task, and so many tasks of one step. */
async function planOf(count: number, ws = openTemp({ now: ticking(Date.UTC(2026, 0, 1)) })): Promise<Workspace> {
  await ok(ws, "tasks_create", { title: "P", complete_when_done: true });
  for (let n = 0; n < count; n++) await ok(ws, "tasks_create", { parent: PLAN, title: `T${n}`, steps });
  return ws;
}

describe("a plan that is complete when it is done", () => {
  it("[STEP-82] is completed by the call that ends its last task, whichever call that is", async () => {
    const endings: ((ws: Workspace) => Promise<Reply>)[] = [
      (ws) => close(ws, "TASK-002"),
      (ws) => call(ws, "tasks_complete", { task: "TASK-002", status: "CANCELED" }),
      (ws) => call(ws, "tasks_delete", { task: "TASK-002" }),
      (ws) => call(ws, "tasks_macro_close_step", { task: "TASK-002" }),
      (ws) => call(ws, "tasks_macro_finish", { task: "TASK-002", status: "CANCELED" }),
      (ws) =>
        call(ws, "tasks_batch", {
          operations: [
            { tool: "tasks_verify", args: { task: "TASK-002", path: "s:0", checkpoints: "gate" } },
            { tool: "tasks_progress", args: { task: "TASK-002", path: "s:0" } },
          ],
        }),
    ];
    for (const [n, end] of endings.entries()) {
      const ws = await planOf(2);
      expect(codes(await close(ws, "TASK-001")), `${n}`).toEqual([]);
      expect(await status(ws), `${n}`).toBe("ACTIVE");
      const told = await end(ws);
      expect(JSON.stringify(told), `${n}`).toContain("PLAN_FOLLOWED");
      expect(await status(ws), `${n}`).toBe("DONE");
      const last = JSON.parse(logLines(ws.root, PLAN).at(-1)!) as { type: string; op: { tool: string } };
      expect([last.type, last.op.tool]).toEqual(["task.completed", "tasks_complete"]);
      expect(ws.verify().findings).toEqual([]);
    }
  });

  it("[STEP-82] stays open where a task failed, where none is DONE, and where it does not ask for that", async () => {
    const ws = await planOf(2);
    await ok(ws, "tasks_complete", { task: "TASK-001", status: "CANCELED" });
    await ok(ws, "tasks_complete", { task: "TASK-002", status: "CANCELED" });
    expect(await status(ws)).toBe("TODO");
    await ok(ws, "tasks_complete", { task: "TASK-002", status: "FAILED" });
    await ok(ws, "tasks_complete", { task: "TASK-001", status: "ACTIVE" });
    await close(ws, "TASK-001");
    expect(await status(ws)).toBe("ACTIVE");
    await ok(ws, "tasks_edit", { plan: PLAN, complete_when_done: false });
    await ok(ws, "tasks_complete", { task: "TASK-002", status: "CANCELED" });
    expect(await status(ws)).toBe("ACTIVE");
  });

  it("[STEP-82] counts tasks in the archive", async () => {
    const ws = await planOf(2);
    await close(ws, "TASK-001");
    await ok(ws, "tasks_archive", { task: "TASK-001" });
    await ok(ws, "tasks_complete", { task: "TASK-002", status: "CANCELED" });
    expect(await status(ws)).toBe("DONE");
  });

  it("[STEP-82] [UNDO-1] follows undo and redo, a step that opens, and a task that is added", async () => {
    const ws = await planOf(1);
    await close(ws, "TASK-001");
    expect(codes(await call(ws, "tasks_undo", { task: "TASK-001" }))).toContain("PLAN_FOLLOWED");
    expect(await status(ws)).toBe("ACTIVE");
    await ok(ws, "tasks_redo", { task: "TASK-001" });
    expect(await status(ws)).toBe("DONE");
    await ok(ws, "tasks_progress", { task: "TASK-001", path: "s:0", completed: false });
    expect(await status(ws)).toBe("ACTIVE");
    await close(ws, "TASK-001");
    expect(await status(ws)).toBe("DONE");
    await ok(ws, "tasks_create", { parent: PLAN, title: "more", steps });
    expect(await status(ws)).toBe("ACTIVE");
    await close(ws, "TASK-002");
    expect(await status(ws)).toBe("DONE");
  });

  it("[STEP-82] is left as a person ended it, and as it was set since", async () => {
    const ws = await planOf(1);
    await ok(ws, "tasks_complete", { plan: PLAN, status: "CANCELED" });
    await close(ws, "TASK-001");
    expect(await status(ws)).toBe("CANCELED");
    await ok(ws, "tasks_complete", { plan: PLAN, status: "ACTIVE" });
    await ok(ws, "tasks_note", { task: "TASK-001", note: "seen" });
    expect(await status(ws)).toBe("ACTIVE");
  });

  it("[STEP-82] tells why it stays open, and the task has ended all the same", async () => {
    const ws = await planOf(1);
    await ws.callTool("tasks_claim", { workspace: "acme/repo", plan: PLAN }, { by: "agent:other" });
    const told = await close(ws, "TASK-001");
    expect([told.success, codes(told)]).toEqual([true, ["NOT_COMPLETED"]]);
    expect(told.warnings[0]!.message).toMatch(/PLAN-001 stays open. LEASE_HELD: /);
    expect([await status(ws, "TASK-001"), await status(ws)]).toEqual(["DONE", "ACTIVE"]);
  });

  it("[STEP-82] is completed by the repeated call where the first one ended before that", async () => {
    const ws = await planOf(1);
    const last = { idempotency_key: "k" };
    const before = readFileSync(logPath(ws.root, PLAN));
    await close(ws, "TASK-001", last);
    await ws.close();
    // The log as a process leaves it that dies between the two ops.
    const root = join(tempFolder(), "copy");
    cpSync(join(ws.root, ".coco/tasks"), join(root, ".coco/tasks"), { recursive: true });
    writeFileSync(logPath(root, PLAN), before);
    const other = openTemp({ root, newId: counting("other"), now: ticking(Date.UTC(2026, 1, 1)) });
    expect(await status(other)).toBe("ACTIVE");
    expect(codes(await close(other, "TASK-001", last))).toEqual(expect.arrayContaining(["REPLAYED", "PLAN_FOLLOWED"]));
    expect(await status(other)).toBe("DONE");
    await ok(other, "tasks_complete", { plan: PLAN, status: "ACTIVE" });
    await close(other, "TASK-001", last);
    expect(await status(other)).toBe("ACTIVE");
  });

  it("[STEP-82] is completed by one of two agents that end the last two tasks at once", ROTATING, async () => {
    for (let n = 0; n < 10; n++) {
      const ws = await planOf(2);
      const other = openTemp({ root: ws.root, newId: counting("other") });
      await Promise.all([close(ws, "TASK-001"), close(other, "TASK-002")]);
      expect(await status(ws)).toBe("DONE");
      await other.close();
    }
  });

  it(
    "[STEP-82] is open after a merge of two branches that each end one of the last two tasks, and its radar says what is due",
    ROTATING,
    async () => {
      const { ada, cloneOf } = repository();
      const begin = await planOf(2, openTemp({ root: ada.root }));
      await begin.close();
      ada.commit("begin");
      const bob = cloneOf(ada, "bob");
      for (const [n, clone] of [ada, bob].entries()) {
        const side = openTemp({ root: clone.root, newId: counting(`side ${n}`), git: () => openGit(clone.root) });
        await close(side, `TASK-00${n + 1}`);
        expect(await status(side)).toBe("ACTIVE");
        await side.close();
        clone.commit(`side ${n}`);
      }
      ada.git("pull", "--no-rebase", "--no-edit", bob.root, "HEAD");
      const ws = openTemp({ root: ada.root, git: () => openGit(ada.root) });
      const radar = await ok(ws, "tasks_radar", { target: PLAN });
      expect(radar).toMatchObject({
        target: { status: "ACTIVE" },
        radar: { next: ["Finish plan: every task is DONE"] },
      });
      expect(radar["tasks"]).toMatchObject({ next: { tool: "tasks_complete" } });
    },
  );
});
