/** A step that names the packet of its task: the packet proves its tests, and nothing less (PACKET-218). */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { internalsOf } from "../../src/engine/groups/internals.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import type { JsonObject } from "../../src/state/json.ts";
import { acceptedDegree } from "../../src/state/packet_proof.ts";
import { mergedWith, twin } from "../support/packet_branches.ts";
import { call, code, logLines, newTask, ok, openTemp, START, ticking } from "../support/workspace.ts";
import { BRIEF, finish, MANIFEST, passStage, start, TASK } from "./packet_support.ts";

const STEP = { task: TASK, path: "s:0" };
const PASSED = { out: "ran", acceptance: [{ command: "npm test", exit_code: 0, stdout: "12 passed\n" }] };
const FAILED = { out: "ran", acceptance: [{ command: "npm test", exit_code: 1, stdout: "1 failed\n" }] };
const verifyPasses = (ws: Workspace): Promise<void> => passStage(ws, "codex_verify", PASSED);
const reopen = (ws: Workspace, stage = "codex_verify"): Promise<JsonObject> =>
  ok(ws, "packet_stage_reopen", { task: TASK, stage, reason: "look again" });
const read = (ws: Workspace, name: string): string => readFileSync(join(ws.root, ".coco/tasks", TASK, name), "utf8");

type Row = { done: boolean; packet?: boolean; missing_checkpoints: string[]; missing_proofs: string[] };
async function rows(ws: Workspace): Promise<Row[]> {
  return (await ok(ws, "tasks_resume", { task: TASK }))["step_list"] as unknown as Row[];
}
async function isProved(ws: Workspace, n = 0): Promise<boolean> {
  return !(await rows(ws))[n]!.missing_proofs.includes("tests");
}

/** A task whose first step names the packet, and the packet, unless told otherwise. */
async function named({ packet = true, manifest = {} as JsonObject } = {}): Promise<Workspace> {
  const ws = openTemp();
  await newTask(ws);
  await ok(ws, "tasks_define", { ...STEP, packet: true });
  if (packet) await ok(ws, "packet_define", { task: TASK, manifest: { ...MANIFEST, ...manifest } });
  return ws;
}

async function closed(): Promise<Workspace> {
  const ws = await named();
  await verifyPasses(ws);
  await ok(ws, "tasks_close_step", { ...STEP, checkpoints: { criteria: true } });
  return ws;
}

describe("a step that names the packet", () => {
  it.each<["tasks_define" | "tasks_patch" | "tasks_delete" | "tasks_undo" | "tasks_batch", JsonObject]>([
    ["tasks_define", { ...STEP, packet: false }],
    ["tasks_patch", { ...STEP, ops: [{ op: "unset", field: "packet" }] }],
    ["tasks_delete", STEP],
    ["tasks_undo", { task: TASK }],
    ["tasks_batch", { operations: [{ tool: "tasks_define", args: { ...STEP, packet: false } }] }],
  ])("[PACKET-408] stays one while an attempt is under way: %s %j", async (tool, input) => {
    const ws = await named();
    if (tool === "tasks_undo") {
      await ok(ws, "tasks_define", { ...STEP, packet: false });
      await ok(ws, "tasks_define", { ...STEP, packet: true });
    }
    await start(ws, "codex_verify");
    const lines = logLines(ws.root, TASK).length;
    const refused = await call(ws, tool, input);
    expect(refused).toMatchObject({
      error: { code: tool === "tasks_batch" ? "BATCH_FAILED" : "STAGE_RUNNING" },
      suggestions: [{ tool: "packet_stage_interrupt", args: { stage: "codex_verify" } }],
    });
    expect([logLines(ws.root, TASK).length, (await rows(ws))[0]!.packet]).toEqual([lines, true]);
    await ok(ws, "tasks_define", { ...STEP, title: "Another title" });
    await ok(ws, "packet_stage_interrupt", { task: TASK, stage: "codex_verify", reason: "another way" });
    const again = tool === "tasks_undo" ? { ...STEP, packet: false } : input;
    await ok(ws, tool === "tasks_undo" ? "tasks_define" : tool, again);
  });

  it("[PACKET-218] is made so by every call that adds or changes steps, and undone", async () => {
    const ws = openTemp();
    const body = { title: "One", success_criteria: ["it works"], tests: ["npm test"], packet: true };
    await ok(ws, "tasks_create", { kind: "task", title: "A task", steps: [body, { ...body, packet: false }] });
    expect((await rows(ws)).map(({ packet }) => packet)).toEqual([true, undefined]);
    await ok(ws, "tasks_decompose", { task: TASK, steps: [body] });
    await ok(ws, "tasks_patch", { ...STEP, ops: [{ op: "unset", field: "packet" }] });
    await ok(ws, "tasks_patch", { task: TASK, path: "s:1", ops: [{ op: "set", field: "packet", value: true }] });
    expect((await rows(ws)).map(({ packet }) => packet)).toEqual([undefined, true, true]);
    const wrong = { op: "set" as const, field: "packet", value: "yes" };
    expect((await call(ws, "tasks_patch", { ...STEP, ops: [wrong] })).error?.message).toContain("true or false");
    await ok(ws, "tasks_undo", { task: TASK });
    expect((await rows(ws)).map(({ packet }) => packet)).toEqual([undefined, undefined, true]);
    await ok(ws, "tasks_redo", { task: TASK });
    expect((await rows(ws))[1]!.packet).toBe(true);
    const made = await ok(ws, "tasks_bootstrap", { plan_title: "Plan", task_title: "Another", steps: [body] });
    const task = (made["task"] as { id: string }).id;
    expect((await ok(ws, "tasks_resume", { task }))["step_list"]).toMatchObject([{ packet: true }]);
    expect(logLines(ws.root).filter((line) => line.includes('"packet":false'))).toHaveLength(1);
  });

  it("[PACKET-218] [PACKET-220] may name it before the task has one, and is unproved until then", async () => {
    const ws = await named({ packet: false });
    await ok(ws, "tasks_verify", { ...STEP, checkpoints: "all" });
    const { error, suggestions } = await call(ws, "tasks_done", STEP);
    expect([error?.code, suggestions[0]?.tool]).toEqual(["PROOF_REQUIRED", "packet_define"]);
    expect(error?.message).toContain("carries no packet");
    await ok(ws, "packet_define", { task: TASK, manifest: MANIFEST });
    expect(await code(ws, "tasks_done", STEP)).toBe("PROOF_REQUIRED");
    await verifyPasses(ws);
    await ok(ws, "tasks_done", STEP);
  });

  it("[PACKET-219] [PACKET-220] is proved by the stage that ran the commands, and needs no word for tests beside that", async () => {
    const ws = await named();
    expect((await rows(ws))[0]).toMatchObject({ missing_checkpoints: ["criteria"], missing_proofs: ["tests"] });
    await verifyPasses(ws);
    expect((await rows(ws))[0]).toMatchObject({ missing_checkpoints: ["criteria"], missing_proofs: [] });
    await ok(ws, "tasks_close_step", { ...STEP, checkpoints: { criteria: true } });
    expect(ws.verify().findings).toEqual([]);
    expect((await ws.repair.rebuild()).rebuilt.flatMap(({ files }) => files)).toEqual([]);
  });

  it("[PACKET-220] is proved by nothing else: no confirmation, evidence, mode or force", async () => {
    const ws = await named();
    await ok(ws, "tasks_verify", { ...STEP, checkpoints: { criteria: true, tests: true } });
    await ok(ws, "tasks_evidence_capture", {
      ...STEP,
      checkpoint: "tests",
      items: [{ kind: "acceptance", command: "npm test", exit_code: 0, stdout: "12 passed\n" }],
    });
    await ok(ws, "tasks_define", { ...STEP, proof: { tests: "off" } });
    const ways: [Parameters<typeof call>[1], object][] = [
      ["tasks_done", STEP],
      ["tasks_close_step", { ...STEP, checkpoints: "all" }],
      ["tasks_progress", { ...STEP, completed: true, force: true, reason: "it is late" }],
      ["tasks_macro_close_step", { ...STEP, checkpoints: "gate", proof: ["npm test", "https://ci.example/1"] }],
    ];
    for (const [tool, input] of ways) {
      const { error, suggestions } = await call(ws, tool, input as never);
      expect([tool, error?.code]).toEqual([tool, "PROOF_REQUIRED"]);
      expect(error?.recovery).toContain(`taskfold packet run ${TASK} --allow-commands`);
      expect(error?.recovery).toContain("packet_stage_finish");
      expect(suggestions[0]?.tool).toBe("packet_next");
    }
    expect(await isProved(ws)).toBe(false);
  });

  it("[PACKET-219] is not proved by a stage of another role, or a gate without commands", async () => {
    const ws = await named();
    await passStage(ws, "gemini_brief", { out: BRIEF, acceptance: PASSED.acceptance });
    expect(await isProved(ws)).toBe(false);
    const none = await named({ manifest: { acceptance: { commands: [], criteria: [] } } });
    await passStage(none, "codex_verify", { out: "ran" });
    const { error, suggestions } = await call(none, "tasks_close_step", { ...STEP, checkpoints: "gate" });
    expect([error?.code, suggestions[0]?.tool]).toEqual(["PROOF_REQUIRED", "packet_patch"]);
  });

  it("[PACKET-219] is not proved by another program's marker, also where a reopened attempt had passed", async () => {
    const ws = await closed();
    await reopen(ws);
    mkdirSync(join(ws.root, ".coco/tasks", TASK, "done"), { recursive: true });
    writeFileSync(join(ws.root, ".coco/tasks", TASK, "done/codex_verify.done"), "2026-01-01T00:00:00Z\n");
    const { took } = await ws.packets.import(join(ws.root, ".coco/tasks", TASK));
    expect(took.stages).toMatchObject([{ stage: "codex_verify", ran: false }]);
    expect(await isProved(ws)).toBe(false);
    expect(await code(ws, "tasks_done", STEP)).toBe("PROOF_REQUIRED");
  });

  it("[PACKET-219] is not proved by commands that are no longer those of the packet", async () => {
    const ws = await closed();
    await ok(ws, "packet_patch", { task: TASK, manifest: { goal: "The same commands" } });
    expect((await rows(ws))[0]!.done).toBe(true);
    await ok(ws, "packet_patch", { task: TASK, manifest: { acceptance: { commands: ["npm test", "npm run e2e"] } } });
    expect((await rows(ws))[0]!.done).toBe(false);
    const { suggestions } = await call(ws, "tasks_done", STEP);
    expect(suggestions).toMatchObject([{ tool: "packet_stage_reopen", args: { stage: "codex_verify" } }]);
    await ok(ws, "packet_patch", { task: TASK, manifest: { acceptance: { commands: ["npm test"] } } });
    expect(await isProved(ws)).toBe(true);
  });

  it("[PACKET-219] a secret in a command is masked in the results, and they count as those of the command", async () => {
    const command = "API_KEY=hunter2hunter2 npm test -- --token hunter2";
    const ws = await named({
      manifest: {
        acceptance: { commands: [command], criteria: [] },
        security: { redaction_patterns: ["hunter2\\w*"] },
      },
    });
    await passStage(ws, "codex_verify", { out: "ran", acceptance: [{ command, exit_code: 0 }] });
    expect(await isProved(ws)).toBe(true);
  });

  it("[PACKET-219] a brief proves nothing by a command that has a mask where the manifest's command goes on", async () => {
    const ws = await named({ manifest: { acceptance: { commands: ["CI=1 npm test"], criteria: [] } } });
    await start(ws, "gemini_brief");
    await finish(ws, "gemini_brief", {
      out: BRIEF.replace(/(## Verify Commands\n+```sh\n)[^`]*/, "$1CI=[REDACTED]\n"),
    });
    await passStage(ws, "codex_verify", { out: "ran", acceptance: [{ command: "CI=[REDACTED]", exit_code: 0 }] });
    expect(await isProved(ws)).toBe(false);
  });

  it("[PACKET-408] what an older release closed on the commands of a brief stays closed", async () => {
    const ws = await named({ manifest: { acceptance: { commands: ["make check"], criteria: [] } } });
    await start(ws, "gemini_brief");
    await finish(ws, "gemini_brief", { out: BRIEF });
    const acceptance = ["npm test", "npm run check"].map((command) => ({ command, exit_code: 0 }));
    await passStage(ws, "codex_verify", { out: "ran", acceptance });
    const packet = internalsOf(ws).packetAccess(TASK).packet();
    // An attempt of such a release tells of no commands that it began with.
    const older = packet.attempts.map(({ commands: _commands, ...one }) => one);
    expect([acceptedDegree(packet), acceptedDegree({ ...packet, attempts: older })]).toEqual([null, "claimed"]);
  });

  it("[PACKET-219] is not proved by the commands of a brief where the manifest has none, until it has", async () => {
    const ws = await named({ manifest: { acceptance: { commands: [], criteria: [] } } });
    await start(ws, "gemini_brief");
    await finish(ws, "gemini_brief", { out: BRIEF });
    const acceptance = ["npm test", "npm run check"].map((command) => ({ command, exit_code: 0 }));
    await passStage(ws, "codex_verify", { out: "ran", acceptance });
    expect(await isProved(ws)).toBe(false);
    const { error, suggestions } = await call(ws, "tasks_close_step", { ...STEP, checkpoints: "gate" });
    expect([error?.code, error?.message]).toEqual([
      "PROOF_REQUIRED",
      expect.stringContaining("found commands of a brief alone, and none of the manifest"),
    ]);
    expect(error?.recovery).toContain("Name the acceptance commands with packet_patch, then run");
    expect(suggestions[0]).toMatchObject({ tool: "packet_patch", args: { manifest: { acceptance: {} } } });
    expect(read(ws, "README.md")).toContain("[ ] tests, by the packet");
    await ok(ws, "packet_patch", { task: TASK, manifest: { acceptance: { commands: ["make"], criteria: [] } } });
    expect(await isProved(ws)).toBe(false);
    await reopen(ws);
    await passStage(ws, "codex_verify", { out: "ran", acceptance: [...acceptance, { command: "make", exit_code: 0 }] });
    await ok(ws, "tasks_close_step", { ...STEP, checkpoints: "gate" });
  });

  it("[PACKET-218] the evidence is linked to the first step that names the packet; the stage proves each of them", async () => {
    const ws = await named();
    await ok(ws, "tasks_define", { task: TASK, path: "s:1", packet: true });
    await verifyPasses(ws);
    const captured = logLines(ws.root)
      .map((line) => JSON.parse(line) as { type: string; payload: JsonObject })
      .filter(({ type }) => type === "evidence.captured");
    const ids = (await rows(ws)) as unknown as { step_id: string }[];
    expect(captured.map(({ payload }) => [payload["step_id"], payload["checkpoints"]])).toEqual([
      [ids[0]!.step_id, ["tests"]],
    ]);
    const index = JSON.parse(read(ws, "shared/evidence/index.json")) as { sources: { stdoutRef?: string }[] }[];
    expect(index[0]!.sources[0]!.stdoutRef).toMatch(/^\.\/shared\/evidence\/blobs\//);
    expect([await isProved(ws, 0), await isProved(ws, 1)]).toEqual([true, true]);
  });

  it("[PACKET-218] a step that names the packet after its stage passed is proved as well", async () => {
    const ws = openTemp();
    await newTask(ws);
    await ok(ws, "packet_define", { task: TASK, manifest: MANIFEST });
    await verifyPasses(ws);
    await ok(ws, "tasks_define", { ...STEP, packet: true });
    expect(await isProved(ws)).toBe(true);
    await ok(ws, "tasks_decompose", { task: TASK, steps: [{ title: "Third", success_criteria: [], packet: true }] });
    expect(await isProved(ws, 2)).toBe(true);
  });

  it("[PACKET-222] a reopened stage opens the step, what is above it and the task, by events of the same op", async () => {
    const ws = await named();
    await ok(ws, "tasks_decompose", {
      task: TASK,
      parent: "s:0",
      steps: [{ title: "Below", success_criteria: [], packet: true }],
    });
    await verifyPasses(ws);
    for (const path of ["s:0.s:0", "s:0", "s:1"])
      await ok(ws, "tasks_close_step", { task: TASK, path, checkpoints: "gate" });
    await ok(ws, "tasks_complete", { task: TASK });
    const { events } = (await reopen(ws)) as unknown as { events: { type: string }[] };
    expect(events.map(({ type }) => type)).toEqual([
      "stage_reopened",
      "step_reopened",
      "step_reopened",
      "task_reopened",
    ]);
    expect((await rows(ws)).map(({ done }) => done)).toEqual([false, false, true]);
    expect(await isProved(ws)).toBe(false);
    await verifyPasses(ws);
    expect(await isProved(ws)).toBe(true);
  });

  it("[PACKET-222] [PACKET-220] a failed run of the stage takes the proof away until a newer one passes", async () => {
    const ws = await closed();
    await reopen(ws);
    await start(ws, "codex_verify");
    expect((await finish(ws, "codex_verify", FAILED))["passed"]).toBe(false);
    const { error, suggestions } = await call(ws, "tasks_done", STEP);
    expect([error?.code, suggestions[0]?.tool]).toEqual(["PROOF_FAILED", "packet_next"]);
    expect(error?.message).toContain("exit code 1");
    await verifyPasses(ws);
    await ok(ws, "tasks_done", STEP);
  });

  it("[PACKET-222] [PACKET-219] new commands of the manifest take the proof away as well, and those of a brief do not", async () => {
    const ws = await closed();
    await start(ws, "gemini_brief");
    await finish(ws, "gemini_brief", { out: BRIEF });
    expect((await rows(ws))[0]!.done).toBe(true);
    const acceptance = { commands: ["make check"] };
    const patched = await ok(ws, "packet_patch", { task: TASK, manifest: { acceptance } });
    const { events } = patched as unknown as { events: { type: string }[] };
    expect(events.map(({ type }) => type)).toContain("step_reopened");
    expect((await rows(ws))[0]!.done).toBe(false);
  });

  it("[PACKET-222] [PROOF-36] a run by hand that failed takes nothing away", async () => {
    const ws = await closed();
    const items = [{ kind: "run", command: "npm test", exit_code: 1 }];
    await ok(ws, "tasks_evidence_capture", { ...STEP, checkpoint: "tests", items });
    expect((await rows(ws))[0]).toMatchObject({ done: true, missing_proofs: [] });
  });

  it("[PACKET-222] after a merge of a stage that was reopened and a step that was closed, the step is open", async () => {
    const ws = await named();
    await verifyPasses(ws);
    const theirs = twin(ws, "theirs");
    await reopen(ws);
    await ok(theirs, "tasks_close_step", { ...STEP, checkpoints: { criteria: true } });
    const merged = await mergedWith(ws, theirs);
    expect((await rows(merged))[0]).toMatchObject({ done: false, missing_proofs: ["tests"] });
    await verifyPasses(merged);
    await ok(merged, "tasks_done", STEP);
  });

  it("[PACKET-222] two branches that passed the stage leave the step closed", async () => {
    const ws = await named();
    const theirs = twin(ws, "theirs");
    for (const one of [ws, theirs]) {
      await verifyPasses(one);
      await ok(one, "tasks_close_step", { ...STEP, checkpoints: { criteria: true } });
    }
    expect((await rows(await mergedWith(ws, theirs)))[0]!.done).toBe(true);
  });

  it.each([PASSED, FAILED])(
    "[PACKET-219] an attempt that failed on one of two branches proves nothing",
    async (first) => {
      const ws = await named();
      await start(ws, "codex_verify");
      const theirs = twin(ws, "theirs", ticking(START + 500_000));
      await finish(ws, "codex_verify", first);
      await finish(theirs, "codex_verify", first === PASSED ? FAILED : PASSED);
      const merged = await mergedWith(ws, theirs);
      expect(await isProved(merged)).toBe(false);
      await reopen(merged);
      await verifyPasses(merged);
      expect(await isProved(merged)).toBe(true);
    },
  );

  it("[PACKET-222] a step that was deleted opens nothing above it", async () => {
    const ws = await named();
    const below = [{ title: "Below", success_criteria: [], packet: true }];
    await ok(ws, "tasks_define", { ...STEP, packet: false });
    await ok(ws, "tasks_decompose", { task: TASK, parent: "s:0", steps: below });
    await verifyPasses(ws);
    for (const path of ["s:0.s:0", "s:0"]) await ok(ws, "tasks_close_step", { task: TASK, path, checkpoints: "gate" });
    await ok(ws, "tasks_delete", { task: TASK, path: "s:0.s:0" });
    await reopen(ws);
    expect((await rows(ws))[0]!.done).toBe(true);
  });

  it("[PACKET-218] [PROOF-36] an undo of the flag is refused once the step was closed upon it; without the flag the old modes hold", async () => {
    const ws = await named();
    await ok(ws, "tasks_define", { ...STEP, proof: { tests: "require" } });
    const ops = (await ok(ws, "tasks_history", { task: TASK }))["operations"] as unknown as {
      op: string;
      message: string;
    }[];
    const flag = ops.find(({ message }) => message.includes("packet of s:0"))!.op;
    await verifyPasses(ws);
    await ok(ws, "tasks_close_step", { ...STEP, checkpoints: { criteria: true } });
    expect(await code(ws, "tasks_undo", { task: TASK, op: flag })).toBe("UNDO_CONFLICT");
    const { step } = await ok(ws, "tasks_define", { ...STEP, packet: false });
    // The stage's evidence counts as any run that passed; no caller confirmed the tests.
    expect(step).toMatchObject({ done: false, missing_checkpoints: ["tests"], missing_proofs: [] });
    await ok(ws, "tasks_undo", { task: TASK });
    expect((await rows(ws))[0]).toMatchObject({ done: true, packet: true });
  });

  it("[PROOF-36] receipts for its tests warn that they prove nothing", async () => {
    const ws = await named();
    const capture = { ...STEP, checkpoint: "tests" as const, checks: ["CMD: npm test", "LINK: https://ci.example/1"] };
    const told = async (): Promise<string[]> =>
      (await call(ws, "tasks_evidence_capture", capture)).warnings.map(({ message }) => message);
    expect(await told()).toEqual([expect.stringContaining("names the packet")]);
    await verifyPasses(ws);
    expect(await told()).toEqual([]);
  });

  it("[PACKET-220] a claim of the step by another caller keeps the end of a stage out of nothing", async () => {
    const ws = await named();
    await start(ws, "codex_verify");
    const held = openTemp({ root: ws.root, by: "agent:ben" });
    await ok(held, "tasks_claim", STEP);
    expect(await code(ws, "tasks_verify", { ...STEP, checkpoints: { criteria: true } })).toBe("LEASE_HELD");
    expect((await finish(ws, "codex_verify", PASSED))["passed"]).toBe(true);
    expect(await isProved(ws)).toBe(true);
  });

  it("[PACKET-218] radar, handoff, README and task.yaml say what proves the tests", async () => {
    const ws = await named();
    const { radar } = (await ok(ws, "tasks_radar", { task: TASK })) as unknown as {
      radar: { next: string[]; verify: string[] };
    };
    expect(radar.next).toContainEqual(expect.stringContaining("Let a stage of the packet prove tests"));
    expect(radar.verify).toContain("test: npm test");
    const { handoff } = (await ok(ws, "tasks_handoff", { task: TASK })) as unknown as {
      handoff: { remaining: string[] };
    };
    expect(handoff.remaining[0]).toContain("let a stage of the packet prove tests");
    expect(read(ws, "README.md")).toContain("- [ ] tests, by the packet: npm test\n");
    expect(read(ws, "task.yaml")).toMatch(/packet: true\n +missing: "?criteria, proof of tests/);
    await verifyPasses(ws);
    expect(read(ws, "README.md")).toMatch(/- \[x\] tests, by the packet: npm test \(evidence:cmd-/);
    expect(JSON.stringify(await ok(ws, "tasks_lint", { task: TASK }))).not.toContain("MISSING_PROOF");
  });
});
