/** Runs on a plan or task as a whole: what failed keeps it from being completed, and every page says so. */
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import type { JsonObject } from "../../src/state/json.ts";
import { run } from "../hosts/cli_support.ts";
import { call, newTask, ok, openTemp } from "../support/workspace.ts";

const TASK = "TASK-001";
const item = (exit_code: number, command = "npm test") => ({ kind: "run", command, exit_code, stdout: "not ok 3\n" });
const capture = (ws: Workspace, exit_code: number, more: JsonObject = {}): Promise<JsonObject> =>
  ok(ws, "tasks_evidence_capture", { task: TASK, items: [item(exit_code)], checkpoint: "tests", ...more });

/** A task whose steps are closed. */
async function closed(): Promise<Workspace> {
  const ws = openTemp();
  await newTask(ws, TASK, ["First"]);
  await ok(ws, "tasks_close_step", { task: TASK, path: "s:0", checkpoints: "gate" });
  return ws;
}

describe("a run on the whole", () => {
  it("[PROOF-90] that failed keeps a task from being completed, and the refusal offers two ways out", async () => {
    for (const way of [0, 1]) {
      const ws = await closed();
      const { evidence } = await capture(ws, 1);
      const [{ id }] = evidence as [{ id: string }];
      const refused = await call(ws, "tasks_complete", { task: TASK });
      expect(refused.error).toMatchObject({
        code: "PROOF_FAILED",
        message: expect.stringContaining(`found evidence:${id} "npm test", which ended with exit code 1 (not ok 3;`),
      });
      const { tool, args } = refused.suggestions[way]!;
      expect(tool).toBe("tasks_evidence_capture");
      const filled = JSON.parse(JSON.stringify(args).replace(/<fill: [^>]*>/g, "12 passed")) as { workspace: string };
      expect((await ws.call(tool as "tasks_evidence_capture", filled as never)).error).toBeNull();
      await ok(ws, "tasks_complete", { task: TASK });
    }
  });

  it("[PROOF-90] counts by the newest of its command, and without a checkpoint holds nothing", async () => {
    const ws = await closed();
    await ok(ws, "tasks_evidence_capture", { task: TASK, items: [item(1)] });
    await capture(ws, 0);
    await ok(ws, "tasks_evidence_capture", { task: TASK, items: [item(1, "npm run lint")], checkpoint: "docs" });
    expect((await call(ws, "tasks_complete", { task: TASK })).error?.message).toContain("proof of docs attached");
    await ok(ws, "tasks_evidence_capture", { task: TASK, items: [item(0, "npm run lint")], checkpoint: "docs" });
    await ok(ws, "tasks_complete", { task: TASK });
    await ok(ws, "tasks_undo", { task: TASK });
    await capture(ws, 2);
    expect((await call(ws, "tasks_redo", { task: TASK })).error?.code).toBe("PROOF_FAILED");
    expect((await call(ws, "tasks_macro_finish", { task: TASK })).error?.code).toBe("PROOF_FAILED");
  });

  it("[PROOF-90] keeps a plan from being completed, too", async () => {
    const ws = openTemp();
    const { id } = await ok(ws, "tasks_create", { kind: "plan", title: "Version 2" });
    await ok(ws, "tasks_evidence_capture", { plan: id, items: [item(1)], checkpoint: "tests" } as never);
    expect((await call(ws, "tasks_complete", { plan: id } as never)).error?.code).toBe("PROOF_FAILED");
  });

  it("[PROOF-90] or on a closed step: no page says that the task can be completed, and each names what holds it", async () => {
    const ws = await closed();
    const status = async (): Promise<string> =>
      (await run({ cwd: ws.root }, "status")).out.replaceAll(/\s+(?:- )?/g, " ");
    const next = async (): Promise<string[]> =>
      ((await ok(ws, "tasks_radar", { task: TASK }))["radar"] as unknown as { next: string[] }).next;
    expect(await status()).toContain(`To complete taskfold complete ${TASK}`);
    expect(await next()).toEqual(["Finish task"]);
    await capture(ws, 1);
    expect(await status()).not.toContain("To complete");
    expect(await status()).toContain(`Proof ${TASK}: The task: a run for tests failed: `);
    expect(await next()).toEqual(["Run again what failed for tests for the task: npm test"]);
    await capture(ws, 0);
    await ok(ws, "tasks_evidence_capture", { task: TASK, path: "s:0", items: [item(1)], checkpoint: "tests" });
    expect(await next()).toEqual(["Run again what failed for tests for s:0 First"]);
    expect(await status()).toContain(`Proof ${TASK}: s:0 First: the newest run of the test npm test failed: `);
    expect(await status()).toContain(`; taskfold run ${TASK} s:0 --for tests -- npm test`);
    expect((await call(ws, "tasks_complete", { task: TASK })).error?.code).toBe("PROOF_FAILED");
    await ok(ws, "tasks_evidence_capture", { task: TASK, path: "s:0", items: [item(0)], checkpoint: "security" });
    await ok(ws, "tasks_evidence_capture", { task: TASK, path: "s:0", items: [item(0)], checkpoint: "tests" });
    expect(await next()).toEqual(["Confirm security for s:0 First"]);
    expect(await status()).toContain(`; taskfold call tasks_verify '{"task":"${TASK}"`);
  });
});

describe("a run of one declared test", () => {
  it("[PROOF-52] hides no other that was never run", async () => {
    const ws = openTemp();
    const steps = [{ title: "First", success_criteria: ["it works"], tests: ["npm test", "npm run lint"] }];
    await ok(ws, "tasks_create", { kind: "task", title: "Two tests", steps });
    const at = { task: TASK, path: "s:0" };
    const verify = async (): Promise<string[]> =>
      ((await ok(ws, "tasks_radar", { task: TASK }))["radar"] as unknown as { verify: string[] }).verify;
    const line = "s:0 First: no run of the declared test: npm run lint";
    expect(await verify()).not.toContain(line);
    await ok(ws, "tasks_evidence_capture", { ...at, items: [item(0)], checkpoint: "tests" });
    expect(await verify()).toContain(line);
    await ok(ws, "tasks_close_step", { ...at, checkpoints: "gate" });
    expect(await verify()).toEqual([line]);
    expect(JSON.stringify(await ok(ws, "tasks_handoff", { task: TASK }))).toContain(line);
    expect((await run({ cwd: ws.root }, "status")).out).toContain(line);
    await ok(ws, "tasks_evidence_capture", { ...at, items: [item(0, "npm run lint")], checkpoint: "tests" });
    expect(await verify()).toEqual([]);
  });
});
