/** A day of two agents: a plan, six tasks with a step each, a run as proof, and the end of five of them. */
import type { Workspace } from "../../src/engine/workspace.ts";
import { ok } from "./workspace.ts";

const TASKS = ["Grammar", "Lexer", "Parser", "Printer", "Errors", "Docs"];

/** Ada makes the plan, both work in turn, and the last task is left for the next day. */
export async function workDay(ada: Workspace, bob: Workspace): Promise<void> {
  await ok(ada, "tasks_create", { title: "Version 2", id: "PLAN-001" });
  for (const [i, title] of TASKS.entries()) {
    const steps = [{ title, success_criteria: ["every sample parses"], tests: ["npm test"] }];
    await ok(ada, "tasks_create", { parent: "PLAN-001", id: `TASK-00${i + 1}`, title, steps });
  }
  for (const i of TASKS.keys()) {
    const [ws, task] = [i % 2 === 0 ? ada : bob, `TASK-00${i + 1}`];
    await ok(ws, "tasks_claim", { task, path: "s:0", ttl_s: 3600 });
    await ok(ws, "tasks_note", { task, path: "s:0", note: "Begun." });
    if (i === TASKS.length - 1) return;
    const run = { kind: "run", command: "npm test", exit_code: 0, stdout: `${i + 10} passed\n` } as const;
    await ok(ws, "tasks_evidence_capture", { task, path: "s:0", checkpoint: "tests", items: [run] });
    await ok(ws, "tasks_close_step", {
      task,
      path: "s:0",
      checkpoints: { criteria: { confirmed: true }, tests: { confirmed: true } },
    });
    await ok(ws, "tasks_complete", { task });
  }
}
