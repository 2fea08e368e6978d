// @module-tag long
// @module-tag rotating
import { internalsOf } from "../../src/engine/groups/internals.ts";
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { Reader } from "../../src/engine/reader.ts";
import { openGit } from "../../src/hosts/git/git_port.ts";
import { KeptGroup } from "../../src/runner/kept_group.ts";
import { ServantProcess } from "../../src/runner/servant_process.ts";
import type { StageExecutor } from "../../src/runner/stage_executor.ts";
import { nodeRuntime } from "../../src/node_runtime.ts";
import type { ProcessGroups } from "../../src/runtime.ts";
import type { JsonObject } from "../../src/state/json.ts";
import { STAGE_FILES } from "../../src/state/packet.ts";
import { tasksRadar } from "../../src/tools/tasks_radar.ts";
import { git } from "../hosts/cli_support.ts";
import { MANIFEST, BRIEF, REVIEW as REVIEW_TEXT, TASK } from "../packet/packet_support.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { ROOT } from "../support/source.ts";
import { VirtualMachine } from "../support/virtual_runtime.ts";
import { code, ok } from "../support/workspace.ts";
import { PacketRoom, script } from "./packet_room.ts";
import { membersOf, until } from "./stage_support.ts";

const SAFE = ["gemini_brief", "codex_impl", "codex_verify", "gemini_review"];
const REVIEW = { routing: { intent: "review_only" } };
const FAST = { timeout: 180_000 };

describe("a run", () => {
  it("[PACKET-140] takes the stages in order to the end, by calls of the packet's tools", FAST, async () => {
    const room = await PacketRoom.make();
    const ran = await room.run();
    expect(ran).toMatchObject({ outcome: "done", interrupted: [], paid_calls_used: 4, next: { because: "done" } });
    expect(ran.stages.map(({ stage, outcome, attempt }) => [stage, outcome, attempt])).toEqual(
      SAFE.map((stage) => [stage, "passed", 1]),
    );
    expect(room.done()).toEqual(SAFE.map((stage) => `${stage}.done`).toSorted());
    const types = room.events.map(({ type }) => type).filter((type) => type.startsWith("stage."));
    expect(types).toEqual(SAFE.flatMap(() => ["stage.started", "stage.finished", "stage.passed"]));
    expect(room.ws.verify().findings).toEqual([]);
    expect(await room.run()).toMatchObject({ outcome: "done", stages: [] });
  });

  it(
    "[regression PACKET-401] is refused with a code if the disk takes nothing of what it keeps, and the next one goes on",
    FAST,
    async () => {
      const room = await PacketRoom.make();
      const disk = new FaultyDisk();
      const ws = room.open(room.config, { disk });
      disk.fail({ kind: "open", path: /\/packet\/\.tf-tmp-[^/]+$/ }, "ENOSPC");
      await expect(room.run({}, ws)).rejects.toMatchObject({ name: "TaskfoldError", code: "STORAGE_FULL" });
      expect(await room.run({}, ws)).toMatchObject({ outcome: "done" });
    },
  );

  it(
    "[PACKET-219] proves the tests of the step that names the packet, if its commands run and pass",
    FAST,
    async () => {
      const room = await PacketRoom.make();
      const step = { task: TASK, path: "s:0" };
      await ok(room.ws, "tasks_decompose", {
        task: TASK,
        steps: [{ title: "It", success_criteria: [], packet: true }],
      });
      expect(await room.run({ allowCommands: false })).toMatchObject({ outcome: "stopped" });
      expect(await code(room.ws, "tasks_close_step", { ...step, checkpoints: "gate" })).toBe("PROOF_REQUIRED");
      expect(await room.run()).toMatchObject({ outcome: "done" });
      await ok(room.ws, "tasks_close_step", { ...step, checkpoints: { criteria: true } });
      const captured = room.events.find(({ type }) => type === "evidence.captured")!.payload;
      expect(captured).toMatchObject({ checkpoints: ["tests"], items: [{ exit_code: 0 }] });
      expect(room.ws.verify().findings).toEqual([]);
    },
  );

  it("[PACKET-140] of one stage makes one attempt, whatever stands before it", FAST, async () => {
    const room = await PacketRoom.make({
      servants: { codex: script("echo no; exit 13", { transient_exit_codes: [13] }) },
    });
    const ran = await room.run({ stage: "codex_impl" });
    expect(ran).toMatchObject({ outcome: "failed", stages: [{ stage: "codex_impl", class: "transient" }] });
    expect(ran.warnings.map(({ code }) => code)).toEqual(["STAGE_ORDER"]);
    await expect(room.run({ stage: "codex_dance" })).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await room.run({ stage: "gemini_review" });
    await expect(room.run({ stage: "gemini_review" })).rejects.toMatchObject({ code: "ALREADY_DONE" });
  });

  it("[PACKET-100] writes down what a stage ran with, and no value of the environment", FAST, async () => {
    const room = await PacketRoom.make({ manifest: REVIEW, servants: { gemini: script("cat > /dev/null # hunter2") } });
    await ok(room.ws, "packet_patch", { task: TASK, manifest: { security: { redaction_patterns: ["hunter\\d"] } } });
    await room.run({ environment: { PATH: process.env["PATH"], SECRET_VALUE: "blue", GONE: undefined } });
    const started = room.events.find(({ type }) => type === "stage.started")!.payload;
    expect(started).toMatchObject({
      argv: ["sh", "-c", "cat > /dev/null # [REDACTED]"],
      env: ["PATH", "SECRET_VALUE"],
      config_sha256: room.packet.plan.config_sha256,
      prompt: { path: "inputs/prompt/gemini.review.md" },
    });
    expect(JSON.stringify(room.events)).not.toMatch(/blue|hunter2/);
    expect(room.read("outputs/gemini_review.gemini.wrapper.log")).not.toMatch(/blue|hunter2/);
  });
});

describe("a runtime of a host", () => {
  it("[ENG-105] plays the servants: none is started, and the pause before a retry takes no time", FAST, async () => {
    const room = await PacketRoom.make({ manifest: REVIEW });
    const machine = new VirtualMachine();
    const asked: string[][] = [];
    const run: ProcessGroups["run"] = ({ argv, onGroup, onStdout, onStderr }) => {
      onGroup?.(asked.push([...argv]) + 1_000_000);
      if (asked.length === 1) onStderr(Buffer.from("connection reset\n"));
      else onStdout(Buffer.from(REVIEW_TEXT));
      const exit_code = asked.length === 1 ? 1 : 0;
      const ended = { signal: null, timed_out: false, aborted: false, duration_ms: 2000, not_started: null };
      return Promise.resolve({ ...ended, exit_code });
    };
    const ws = room.open(room.config, { runtime: { ...machine.runtime, groups: { ...nodeRuntime.groups, run } } });
    const ran = await room.run({ retryPauseMs: 60_000 }, ws);
    expect(ran.stages.map(({ outcome, class: kind }) => [outcome, kind])).toEqual([
      ["failed", "transient"],
      ["passed", null],
    ]);
    expect(asked[1]).toEqual(asked[0]);
    expect(machine.passed).toBeGreaterThanOrEqual(60_000);
  });
});

describe("failures of a run", () => {
  it("[PACKET-67] a transient one is tried again within its budget; another one ends the run", FAST, async () => {
    const flaky = script('[ -f second ] && exec cat brief; touch second; echo "connection reset" >&2; exit 1');
    const room = await PacketRoom.make({ servants: { gemini: flaky, codex: script("echo nothing") } });
    writeFileSync(join(room.root, "brief"), BRIEF);
    await ok(room.ws, "packet_patch", { task: TASK, manifest: { scope: { allow: ["second"] } } });
    const ran = await room.run();
    expect(ran.stages.map(({ stage, class: kind }) => [stage, kind])).toEqual([
      ["gemini_brief", "transient"],
      ["gemini_brief", null],
      ["codex_impl", "contract_violation"],
    ]);
    expect(ran).toMatchObject({
      outcome: "failed",
      paid_calls_used: 3,
      next: { stage: "codex_impl", because: "gate" },
    });
    // A person who runs it again decided to.
    expect((await room.run()).stages.map(({ stage, attempt }) => [stage, attempt])).toEqual([["codex_impl", 2]]);
  });

  it("[PACKET-67] a prompt that was too large is tried once more, with the aggressive digest", FAST, async () => {
    const big = `# Goal\n\nkeep\n\n# Other\n\n${"long line of no use\n".repeat(500)}`;
    const room = await PacketRoom.make({
      manifest: {
        ...REVIEW,
        context: { digest_policy: "off" },
        budgets: { retry_budget: 5, paid_call_budget: 9, max_wallclock_sec: 60 },
      },
      inputs: { "context_pack.md": big },
      servants: { gemini: script("exit 14") },
    });
    const ran = await room.run();
    expect(ran.stages.map(({ class: kind }) => kind)).toEqual(["prompt_too_large", "prompt_too_large"]);
    const prompts = room.events.filter(({ type }) => type === "stage.started").map(({ payload }) => payload["prompt"]);
    const [first, second] = prompts as { size: number }[];
    expect(second!.size).toBeLessThan(first!.size - 5000);
  });

  it("[PACKET-152] a budget that is used up refuses a run, or stops one, and files follow the log", FAST, async () => {
    const budgets = { retry_budget: 0, paid_call_budget: 1, max_wallclock_sec: 60 };
    const room = await PacketRoom.make({ manifest: { budgets } });
    expect(await room.run()).toMatchObject({ outcome: "stopped", stages: [{ stage: "gemini_brief" }] });
    writeFileSync(room.path("outputs/_summary.md"), "old\n");
    await expect(room.run()).rejects.toMatchObject({ code: "BUDGET_EXHAUSTED", details: { kind: "paid_call_budget" } });
    expect(room.read("outputs/_summary.md")).toContain("paid_call_budget");
    expect(room.packet.paid_calls_used).toBe(1);
  });

  it("[PACKET-91] an argument that the system would not take is refused before it is paid", FAST, async () => {
    const room = await PacketRoom.make({
      manifest: REVIEW,
      inputs: { "user_request.md": "x".repeat(60_000) },
      servants: { gemini: script("echo $1", { prompt: "argument" }) },
    });
    await expect(room.run()).rejects.toMatchObject({ code: "CONTENT_TOO_LARGE" });
    expect(room.packet).toMatchObject({ paid_calls_used: 0, attempts: [] });
  });

  it("[PACKET-140] an end that is refused is a failure, and no attempt stays open", FAST, async () => {
    const room = await PacketRoom.make({ manifest: REVIEW });
    const strange = new ServantProcess(internalsOf(room.ws).packetAccess(TASK));
    const executor: StageExecutor = {
      run: async (request) => ({ ...(await strange.run(request)), start: "yesterday" }),
    };
    const ran = await room.run({ executor });
    expect(ran).toMatchObject({
      outcome: "failed",
      stages: [{ class: "contract_violation", reasons: [expect.stringContaining("start")] }],
      next: { because: "gate" },
      paid_calls_used: 1,
    });
    expect(room.packet.attempts[0]!.ended).toMatchObject({ how: "failed", files: { out: { lines: 15 } } });
    expect(room.read("outputs/_summary.md")).toContain("class: contract_violation");
    expect(await room.run()).toMatchObject({ outcome: "done" });
  });

  it("[PACKET-3] more commands than one end can record are refused before they are paid", FAST, async () => {
    const manifest = { routing: { intent: "review_cross", pipeline: { profile: "codex_only" } } };
    const room = await PacketRoom.make({ manifest });
    mkdirSync(room.path("state"), { recursive: true });
    writeFileSync(room.path("state/acceptance.commands.override"), "true\n".repeat(101));
    await room.ws.packets.import(room.path("."));
    await room.run({ stage: "codex_review" });
    await expect(room.run()).rejects.toMatchObject({ code: "CONTENT_TOO_LARGE", details: { commands: 101 } });
    expect(room.packet.paid_calls_used).toBe(1);
  });

  it("[PACKET-67] a text that is new each time uses up no more attempts than one failure may", FAST, async () => {
    const budgets = { retry_budget: 2, paid_call_budget: 9, max_wallclock_sec: 60 };
    const other = script("cat > /dev/null; echo x >> .git/n; wc -l < .git/n | tr '123' 'abc' >&2; exit 13");
    const room = await PacketRoom.make({ manifest: { ...REVIEW, budgets }, servants: { gemini: other } });
    const ran = await room.run();
    expect(new Set(ran.stages.map(({ signature }) => signature)).size).toBe(3);
    expect(ran).toMatchObject({ outcome: "failed", paid_calls_used: 3, next: { allowed: true } });
  });

  it("[PACKET-152] an abort, or an executor that fails, leaves an interrupted attempt", FAST, async () => {
    const room = await PacketRoom.make({
      manifest: REVIEW,
      servants: { gemini: script("echo $$ > pid; sleep 60") },
    });
    const controller = new AbortController();
    const running = room.run({ signal: controller.signal });
    await until(() => existsSync(join(room.root, "pid")), "the servant");
    controller.abort();
    expect(await running).toMatchObject({ outcome: "aborted", stages: [{ outcome: "interrupted" }] });
    const broken = { run: () => Promise.reject(new Error("no such model")) };
    await expect(room.run({ executor: broken })).rejects.toThrow("no such model");
    expect(room.packet.attempts.map(({ ended }) => ended?.how)).toEqual(["interrupted", "interrupted"]);
    expect(room.packet.paid_calls_used).toBe(2);
  });
});

describe("one dispatcher", () => {
  it("[PACKET-143] holds the packet: a second one is refused and names the first", FAST, async () => {
    const room = await PacketRoom.make({ manifest: REVIEW, servants: { gemini: script("sleep 1") } });
    const first = room.run();
    const second = room.run({}, room.open());
    await expect(second).rejects.toMatchObject({ code: "STAGE_RUNNING", details: { pid: process.pid } });
    await first;
    expect(room.packet.attempts).toHaveLength(1);
  });

  it(
    "[PACKET-144] goes on where the one before it was killed: the attempt is interrupted, its process is gone",
    FAST,
    async () => {
      const room = await PacketRoom.make({ manifest: REVIEW });
      await ok(room.ws, "packet_stage_start", { task: TASK, stage: "gemini_review", dispatched: true });
      // What a guard that was killed with its dispatcher would have left.
      const kept = new KeptGroup(internalsOf(room.ws).packetAccess(TASK));
      let group = 0;
      const left = nodeRuntime.groups.run({
        argv: ["/bin/sh", "-c", "trap '' TERM; sleep 60 & wait; sleep 60"],
        cwd: room.root,
        environment: { PATH: process.env["PATH"] ?? "" },
        wallclock_ms: 60_000,
        onStdout: () => undefined,
        onStderr: () => undefined,
        onGroup: (id) => kept.keep((group = id)),
      });
      await until(() => group > 0 && membersOf(group).length > 0, "the process");
      const ran = await room.run();
      await left;
      expect(membersOf(group)).toEqual([]);
      expect(ran).toMatchObject({
        outcome: "done",
        interrupted: [{ stage: "gemini_review", attempt: 1 }],
        stages: [{ stage: "gemini_review", attempt: 2, outcome: "passed" }],
        paid_calls_used: 2,
      });
      expect(room.told[0]).toEqual({ type: "interrupted", stage: "gemini_review", attempt: 1 });
    },
  );

  it("[PACKET-260] leaves an attempt to the caller who started it", FAST, async () => {
    const room = await PacketRoom.make({ manifest: REVIEW });
    const stage = "gemini_review";
    await ok(room.ws, "packet_stage_start", { task: TASK, stage, argv: ["gemini", "-p"] });
    const next = await ok(room.ws, "packet_next", { task: TASK });
    expect(next).toMatchObject({ stage, allowed: false, because: null, action: expect.stringContaining("human:") });
    for (const more of [{}, { stage }])
      await expect(room.run(more)).rejects.toMatchObject({
        code: "STAGE_RUNNING",
        suggestions: [{ tool: "packet_stage_interrupt", args: { task: TASK, stage } }],
      });
    expect(room.packet).toMatchObject({ paid_calls_used: 1, attempts: [{ attempt: 1 }] });
    expect(room.packet.attempts[0]).not.toHaveProperty("ended");
    await ok(room.ws, "packet_stage_finish", { task: TASK, stage, exit_code: 0, out: REVIEW_TEXT });
    expect(await room.run()).toMatchObject({ outcome: "done", paid_calls_used: 1 });
  });

  it("[PACKET-180] runs nothing of a packet in the archive, and says so", FAST, async () => {
    const room = await PacketRoom.make({ manifest: REVIEW });
    await ok(room.ws, "packet_archive", { task: TASK });
    await expect(room.run()).rejects.toMatchObject({ code: "ARCHIVED" });
  });

  it("[PACKET-143] runs as long as it holds the lock, for every reader", FAST, async () => {
    const room = await PacketRoom.make({ manifest: REVIEW, servants: { gemini: script("touch begun; sleep 60") } });
    const reader = room.open();
    const stop = new AbortController();
    const running = room.run({ signal: stop.signal });
    await until(() => existsSync(join(room.root, "begun")), "the servant");
    const said = `wait for gemini_review, which process ${process.pid} runs`;
    const waits = { stage: "gemini_review", action: said, allowed: false, because: null };
    expect(await ok(reader, "packet_next", { task: TASK })).toEqual(waits);
    expect(await ok(reader, "packet_show", { task: TASK })).toMatchObject({ next: waits });
    const { radar } = await ok(reader, "tasks_radar", { task: TASK });
    expect(radar).toMatchObject({ next: [`Packet: ${said}`], blockers: [] });
    expect(room.read("outputs/_summary.md")).toContain("- status: running\n");
    stop.abort();
    await running;
    await ok(room.ws, "packet_stage_start", { task: TASK, stage: "gemini_review", dispatched: true });
    expect(await ok(reader, "packet_next", { task: TASK })).toMatchObject({ allowed: true, because: "interrupted" });
  });

  it("[PACKET-144] warns of an attempt that it ends, and a late end says why it is refused", FAST, async () => {
    const room = await PacketRoom.make({ manifest: REVIEW });
    await ok(room.ws, "packet_stage_start", { task: TASK, stage: "gemini_review", dispatched: true });
    const ran = await room.run();
    expect(ran).toMatchObject({ outcome: "done", interrupted: [{ stage: "gemini_review", attempt: 1 }] });
    expect(ran.warnings).toMatchObject([
      { code: "ATTEMPT_INTERRUPTED", message: expect.stringMatching(/^Attempt 1 of gemini_review, which human:/) },
    ]);
    const other = await PacketRoom.make({ manifest: REVIEW, servants: { gemini: script("exit 1") } });
    await ok(other.ws, "packet_stage_start", { task: TASK, stage: "gemini_review", dispatched: true });
    const access = internalsOf(other.ws).packetAccess(TASK);
    const stopped = new AbortController();
    stopped.abort();
    await expect(other.run({ signal: stopped.signal })).rejects.toThrow(/aborted/);
    expect(access.packet().attempts[0]!.ended).toMatchObject({ how: "interrupted" });
    const late = await other.ws.call("packet_stage_finish", {
      workspace: "acme/repo",
      task: TASK,
      stage: "gemini_review",
      exit_code: 0,
      out: "late",
    });
    expect(late.error).toMatchObject({ code: "STAGE_NOT_RUNNING", message: expect.stringMatching(/interrupted: /) });
  });

  it("[PACKET-144] leaves a process alone that has the number of one that is gone", async () => {
    const room = await PacketRoom.make({ manifest: REVIEW });
    const access = internalsOf(room.ws).packetAccess(TASK);
    new KeptGroup(access).keep(process.pid);
    const file = access.layout.machineFile("packet", `${TASK}.group.json`);
    writeFileSync(file, JSON.stringify({ id: process.pid, began: "1" }));
    expect(await room.run()).toMatchObject({ outcome: "done" });
    writeFileSync(file, "{ half");
    expect(await room.run()).toMatchObject({ outcome: "done" });
  });

  it("[PACKET-151] plans a packet anew for another configuration, and refuses to run it with none", FAST, async () => {
    const room = await PacketRoom.make({ manifest: REVIEW });
    const { config_sha256 } = room.packet.plan;
    await expect(room.run({}, room.open(null))).rejects.toMatchObject({ code: "INVALID_INPUT" });
    const other = structuredClone(room.config);
    other.servants.gemini.timeout_sec = 77;
    expect(await room.run({}, room.open(other))).toMatchObject({ outcome: "done" });
    expect(room.packet.plan.config_sha256).not.toBe(config_sha256);
  });
});

const OTHER_PROCESS = `
  const [root, lock, packet] = process.argv.slice(1);
  const { openWorkspace } = await import(${JSON.stringify(join(ROOT, "dist/index.js"))});
  const { runPacket } = await import(${JSON.stringify(join(ROOT, "dist/runner.js"))});
  const ws = openWorkspace({ root, lock, workspace: "acme/repo", packet: JSON.parse(packet) });
  const { outcome } = await runPacket(ws, { task: "TASK-001" });
  process.stdout.write(outcome);
`;

describe.each(["os", "lockfile"] as const)("a dispatcher in another process, with locks of kind %s", (lock) => {
  it("[PACKET-143] alone ends what it runs, until it is killed", FAST, async () => {
    const wait = script("touch .git/begun; cat > /dev/null; while [ ! -f .git/go ]; do sleep 0.05; done; cat answer");
    const room = await PacketRoom.make({ manifest: REVIEW, servants: { gemini: wait }, lock });
    writeFileSync(join(room.root, "answer"), REVIEW_TEXT);
    const begin = async (): Promise<ChildProcess> => {
      const args = ["--input-type=module", "-e", OTHER_PROCESS, room.root, lock, JSON.stringify(room.config)];
      const other = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
      onTestFinished(() => void other.kill("SIGKILL"));
      await until(() => existsSync(join(room.root, ".git/begun")), "the servant");
      return other;
    };
    const stage = "gemini_review";
    const call = (tool: string, more: JsonObject) =>
      room.ws.call(tool as "packet_show", { workspace: "acme/repo", task: TASK, ...more } as never);
    const killed = await begin();
    const held = { code: "STAGE_RUNNING", message: expect.stringContaining(`process ${killed.pid} runs it`) };
    for (const [tool, more] of [
      ["packet_stage_interrupt", { stage, reason: "late" }],
      ["packet_stage_finish", { stage, exit_code: 0, out: REVIEW_TEXT }],
      ["packet_archive", {}],
      ["tasks_delete", {}],
    ] as const)
      expect((await call(tool, more)).error, tool).toMatchObject(held);
    expect((await call("packet_next", {})).result).toMatchObject({ action: expect.stringContaining(`${killed.pid}`) });
    const reader = new Reader({ root: room.root, by: "human:local" });
    const radar = await reader.call(tasksRadar, { workspace: "acme/repo", target: TASK });
    reader.close();
    expect(JSON.stringify(radar)).toContain(`process ${killed.pid} runs`);
    killed.kill("SIGKILL");
    await once(killed, "exit");
    expect((await call("packet_next", {})).result).toMatchObject({ allowed: true, because: "interrupted" });
    expect(await call("tasks_delete", {})).toMatchObject({
      error: { code: "STAGE_RUNNING" },
      suggestions: [{ tool: "packet_stage_interrupt" }],
    });
    expect((await call("packet_stage_interrupt", { stage, reason: "it was killed" })).error).toBeNull();
    rmSync(join(room.root, ".git/begun"));
    const other = await begin();
    writeFileSync(join(room.root, ".git/go"), "");
    await once(other, "close");
    expect(internalsOf(room.open()).packetAccess(TASK).packet()).toMatchObject({
      done: { [stage]: expect.any(String) },
    });
    expect((await call("tasks_delete", {})).error).toBeNull();
  });
});

describe("an attempt whose stage leaves the plan", () => {
  const OTHER = { routing: { intent: "review_only" } };
  const start = { task: TASK, stage: "codex_impl" };

  it("[PACKET-408] no manifest takes it away while it runs, and none changes what it is judged by", FAST, async () => {
    const room = await PacketRoom.make();
    await ok(room.ws, "packet_stage_start", start);
    const target = { workspace: "acme/repo", task: TASK };
    for (const manifest of [OTHER, { acceptance: { commands: ["true"] } }, { goal: "another" }]) {
      const patched = await room.ws.call("packet_patch", { ...target, manifest });
      expect(patched).toMatchObject({
        error: { code: "STAGE_RUNNING" },
        suggestions: [{ tool: "packet_stage_interrupt", args: { stage: "codex_impl" } }],
      });
    }
    const defined = await room.ws.call("packet_define", { ...target, manifest: { ...MANIFEST } });
    expect(defined.error).toMatchObject({ code: "STAGE_RUNNING" });
    await ok(room.ws, "packet_input_set", { task: TASK, path: "user_request.md", text: "more\n" });
    await ok(room.ws, "packet_stage_interrupt", { ...start, reason: "another way" });
    await ok(room.ws, "packet_patch", { task: TASK, manifest: OTHER });
    expect(await room.run()).toMatchObject({ outcome: "done", stages: [{ stage: "gemini_review" }] });
  });

  it.each(["packet_stage_interrupt", "packet_stage_finish", "run"] as const)(
    "[PACKET-260] ends by %s where a merge brought both",
    FAST,
    async (how) => {
      const room = await PacketRoom.make();
      const before = room.read("events.jsonl");
      await ok(room.ws, "packet_stage_start", { ...start, dispatched: how === "run" });
      const theirs = room.read("events.jsonl").slice(before.length);
      writeFileSync(room.path("events.jsonl"), before);
      await ok(room.open(), "packet_patch", { task: TASK, manifest: OTHER });
      writeFileSync(room.path("events.jsonl"), room.read("events.jsonl") + theirs);
      const ws = room.open();
      if (how === "packet_stage_interrupt") await ok(ws, how, { ...start, reason: "another way" });
      if (how === "packet_stage_finish") await ok(ws, how, { ...start, exit_code: 1, err: "no" });
      expect(await room.run({}, ws)).toMatchObject({ outcome: "done", stages: [{ stage: "gemini_review" }] });
      const { attempts } = internalsOf(ws).packetAccess(TASK).packet();
      expect(attempts[0]!.ended?.how).toBe(how === "packet_stage_finish" ? "failed" : "interrupted");
    },
  );

  it("[PACKET-128] what an interrupted attempt left is named, also after the next one", FAST, async () => {
    const servant = script("[ -f pid ] && cat answer && exit; echo so far; echo $$ > pid; sleep 60");
    const room = await PacketRoom.make({ manifest: REVIEW, servants: { gemini: servant } });
    writeFileSync(join(room.root, "answer"), "## Findings\n## Test gaps\n## Breaking changes\n## Minimal fix\n");
    writeFileSync(join(room.root, ".gitignore"), "pid\n");
    const controller = new AbortController();
    const running = room.run({ signal: controller.signal });
    await until(() => existsSync(join(room.root, "pid")), "the servant");
    controller.abort();
    await running;
    const interrupted = room.events.find(({ type }) => type === "stage.interrupted")!.payload;
    expect(Object.keys(interrupted["files"] as object).toSorted()).toEqual([...STAGE_FILES].toSorted());
    expect(room.ws.verify(TASK).findings).toEqual([]);
    expect(await room.run()).toMatchObject({ outcome: "done" });
    expect(room.read("outputs/gemini_review.gemini.1.out")).toBe("so far\n");
    expect(room.ws.verify(TASK).findings).toEqual([]);
  });

  it("[PACKET-128] what a killed dispatcher was writing gets its name, also if its stage is gone", FAST, async () => {
    const room = await PacketRoom.make();
    await ok(room.ws, "packet_stage_start", { task: TASK, stage: "gemini_brief", dispatched: true });
    mkdirSync(room.path("outputs"), { recursive: true });
    for (const file of ["out", "wrapper.log"])
      writeFileSync(room.path(`outputs/gemini_brief.gemini.${file}.partial`), "so far\n");
    const other = structuredClone(room.config);
    other.groups.impl.profiles["safe_impl"]!.stages = ["gemini_review"];
    const ws = room.open(other);
    expect(await room.run({}, ws)).toMatchObject({ outcome: "done" });
    expect(ws.verify(TASK).findings).toEqual([]);
    expect(room.read("outputs/gemini_brief.gemini.out")).toBe("so far\n");
    expect(readdirSync(room.path("outputs")).filter((name) => name.endsWith(".partial"))).toEqual([]);
  });

  it("[PACKET-260] ends although the configuration of the next run has no such stage", FAST, async () => {
    const room = await PacketRoom.make();
    await ok(room.ws, "packet_stage_start", { task: TASK, stage: "gemini_brief", dispatched: true });
    const other = structuredClone(room.config);
    other.groups.impl.profiles["safe_impl"]!.stages = ["gemini_review"];
    expect(await room.run({}, room.open(other))).toMatchObject({
      outcome: "done",
      interrupted: [{ stage: "gemini_brief" }],
      stages: [{ stage: "gemini_review" }],
    });
  });
});

describe("what the gate is told", () => {
  it("[PACKET-103] acceptance commands run when they are allowed, after a servant that ended well", FAST, async () => {
    const manifest = {
      routing: { intent: "review_cross", pipeline: { options: { review_mode: "codex_only" } } },
      acceptance: { commands: ["touch ran; printf 'blue hun%s' ter2"], criteria: [] },
      security: { redaction_patterns: ["hunter2"] },
    };
    const room = await PacketRoom.make({ manifest });
    writeFileSync(join(room.root, ".gitignore"), "ran\n");
    const ran = await room.run({ allowCommands: false });
    expect(ran).toMatchObject({
      outcome: "stopped",
      stages: [{ stage: "codex_review" }],
      next: { stage: "codex_verify", because: null, allowed: true },
      paid_calls_used: 1,
      warnings: [{ code: "COMMANDS_NOT_ALLOWED" }],
    });
    expect(room.told).toContainEqual({ type: "commands_left_out", stage: "codex_verify", count: 1 });
    const one = await room.run({ allowCommands: false, stage: "codex_verify" });
    expect(one).toMatchObject({ outcome: "stopped", stages: [], paid_calls_used: 1 });
    expect(existsSync(join(room.root, "ran"))).toBe(false);
    expect(await room.run()).toMatchObject({ outcome: "done" });
    expect(room.read("outputs/codex_verify.artifact.md")).toContain("blue [REDACTED]");
    expect(room.read("events.jsonl")).not.toContain("blue hunter2");
  });

  it("[PACKET-105] scope is judged on what the servant changed, and on what the commands wrote", FAST, async () => {
    const verifyOnly = { routing: { intent: "review_cross", pipeline: { profile: "codex_only" } } };
    const acceptance = { commands: ["mkdir -p coverage && echo x > coverage/lcov"], criteria: [] };
    const room = await PacketRoom.make({ manifest: { ...verifyOnly, acceptance } });
    expect(await room.run()).toMatchObject({ outcome: "failed", stages: [{}, { class: "scope_violation" }] });
    const ignoring = await PacketRoom.make({ manifest: { ...verifyOnly, acceptance } });
    writeFileSync(join(ignoring.root, ".gitignore"), "coverage/\n");
    expect(await ignoring.run()).toMatchObject({ outcome: "done" });
    const meddling = await PacketRoom.make({ manifest: REVIEW, servants: { gemini: script("echo x > outside") } });
    expect((await meddling.run()).stages[0]).toMatchObject({ class: "scope_violation" });
  });

  it("[PACKET-105] what an interrupted attempt changed counts for the next one", FAST, async () => {
    const write = script("[ -f outside ] && cat answer && exit; echo x > outside; sleep 60");
    const room = await PacketRoom.make({ manifest: REVIEW, servants: { gemini: write } });
    writeFileSync(join(room.root, "answer"), "## Findings\n## Test gaps\n## Breaking changes\n## Minimal fix\n");
    const controller = new AbortController();
    const running = room.run({ signal: controller.signal });
    await until(() => existsSync(join(room.root, "outside")), "the change");
    controller.abort();
    await running;
    expect((await room.run()).stages[0]).toMatchObject({ attempt: 2, class: "scope_violation" });
  });

  const answer = "## Findings\n## Test gaps\n## Breaking changes\n## Minimal fix\n";
  const outside = 'printf "changed\\n" > outside; cat answer';

  /** A packet whose first attempt changed what is outside of its scope, and what comes next. */
  async function violating(servant: string, before = "before\n"): Promise<PacketRoom> {
    const room = await PacketRoom.make({
      manifest: { ...REVIEW, budgets: { retry_budget: 9, paid_call_budget: 9, max_wallclock_sec: 60 } },
      servants: { gemini: script(servant) },
    });
    writeFileSync(join(room.root, "answer"), answer);
    writeFileSync(join(room.root, "outside"), before);
    git(room.root, "add", "-A");
    git(room.root, "commit", "-q", "-m", "files");
    expect((await room.run()).stages[0]).toMatchObject({ attempt: 1, class: "scope_violation" });
    return room;
  }

  it("[PACKET-240] what a failed attempt changed counts until a process takes it back", FAST, async () => {
    const once = `[ -f .git/once ] && exec cat answer; touch .git/once; ${outside}`;
    const room = await violating(once);
    expect((await room.run()).stages[0]).toMatchObject({ attempt: 2, class: "scope_violation" });
    const other = await room.run({}, room.open());
    expect(other.stages[0]).toMatchObject({ attempt: 3, class: "scope_violation" });
    git(room.root, "checkout", "outside");
    expect((await room.run()).stages[0]).toMatchObject({ attempt: 4, outcome: "passed" });
  });

  it("[PACKET-240] a commit takes no change back, and the manifest may allow it", FAST, async () => {
    const room = await violating(`[ -f .git/once ] && exec cat answer; touch .git/once; ${outside}; git commit -qam x`);
    expect((await room.run()).stages[0]).toMatchObject({ class: "scope_violation" });
    await ok(room.ws, "packet_patch", { task: TASK, manifest: { scope: { allow: ["outside"] } } });
    expect((await room.run()).stages[0]).toMatchObject({ outcome: "passed" });
  });

  it("[PACKET-240] a servant that writes the old bytes again took its change back", FAST, async () => {
    const back = `[ -f .git/once ] && printf 'before\\n' > outside && exec cat answer; touch .git/once; ${outside}`;
    const room = await violating(back);
    expect((await room.run()).stages[0]).toMatchObject({ attempt: 2, outcome: "passed" });
    const made = await violating(
      "[ -f .git/once ] && rm new && exec cat answer; touch .git/once; touch new; cat answer",
    );
    expect((await made.run()).stages[0]).toMatchObject({ attempt: 2, outcome: "passed" });
  });

  it("[PACKET-240] a servant that writes other bytes into the object of git took nothing back", FAST, async () => {
    const forged = `const z = require("node:zlib"), fs = require("node:fs");
      const id = require("node:child_process").execSync("git rev-parse HEAD:outside").toString().trim();
      const file = ".git/objects/" + id.slice(0, 2) + "/" + id.slice(2);
      fs.rmSync(file); fs.writeFileSync(file, z.deflateSync("blob 5\\0evil\\n")); fs.writeFileSync("outside", "evil\\n");`;
    const again = `[ -f .git/once ] && node -e '${forged}' && exec cat answer; touch .git/once; ${outside}`;
    const room = await violating(again);
    expect((await room.run()).stages[0]).toMatchObject({ attempt: 2, class: "scope_violation" });
    expect(git(room.root, "cat-file", "blob", "HEAD:outside")).toBe("evil\n");
  });

  it("[PACKET-240] what a person changes between two attempts is no change of the stage", FAST, async () => {
    const room = await violating(`[ -f .git/once ] && exec cat answer; touch .git/once; ${outside}`);
    writeFileSync(join(room.root, "outside"), "as a person wants it\n");
    writeFileSync(join(room.root, "more"), "of a person\n");
    git(room.root, "add", "-A");
    git(room.root, "commit", "-q", "-m", "of a person");
    expect((await room.run()).stages[0]).toMatchObject({ attempt: 2, outcome: "passed" });
  });

  it("[PACKET-240] a dispatcher that is killed right after a start forgets no change", FAST, async () => {
    const room = await violating(`[ -f .git/once ] && exec cat answer; touch .git/once; ${outside}`);
    await ok(room.ws, "packet_stage_start", { task: TASK, stage: "gemini_review", dispatched: true });
    const ran = await room.run();
    expect(ran.interrupted).toMatchObject([{ attempt: 2 }]);
    expect(ran.stages[0]).toMatchObject({ attempt: 3, class: "scope_violation" });
  });

  it("[PACKET-105] what a servant commits or stages outside of its scope is a change", FAST, async () => {
    const evil = `mkdir etc; echo 1 > etc/y; git add etc; git -c user.name=n -c user.email=e commit -qm evil
      rm -rf etc; git rm -q --cached etc/y; git checkout -qb other`;
    const room = await violating(`[ -f .git/once ] && exec cat answer; touch .git/once; ${evil}; cat answer`);
    expect(room.packet.failures["gemini_review"]!.reasons).toEqual([expect.stringContaining('found "etc/y"')]);
    expect((await room.run()).stages[0]).toMatchObject({ attempt: 2, class: "scope_violation" });
    git(room.root, "reset", "-q", "--soft", "HEAD~1");
    git(room.root, "reset", "-q");
    expect((await room.run()).stages[0]).toMatchObject({ attempt: 3, outcome: "passed" });

    const staged = await violating("echo x > etc; git add etc; rm etc; cat answer");
    expect(staged.packet.failures["gemini_review"]!.reasons).toEqual([expect.stringContaining('found "etc"')]);
  });

  it("[PACKET-105] what was staged before is no change, and paths begin at the root", FAST, async () => {
    const room = await PacketRoom.make({ manifest: REVIEW, servants: { gemini: script("cat answer") } });
    writeFileSync(join(room.root, "answer"), answer);
    git(room.root, "add", "answer");
    expect(await room.run()).toMatchObject({ outcome: "done" });
    const port = openGit(room.root)!;
    expect([...port.recordedSince(null).keys()]).toEqual(["answer"]);
    mkdirSync(join(room.root, "sub"));
    writeFileSync(join(room.root, "sub/b\t\n"), "x");
    git(room.root, "add", "sub");
    git(room.root, "commit", "-qm", "more");
    const first = git(room.root, "rev-parse", "HEAD~1").trim();
    expect([...openGit(join(room.root, "sub"))!.recordedSince(first).keys()]).toEqual(["../answer", "b\t\n"]);
  });

  it("[PACKET-280] outputs are masked before they are on disk", FAST, async () => {
    const chatty = script(
      'yes "filler line" | head -c 300000; echo my hunter2; printf "\\377raw\\n"; echo "hunter2 too" >&2; sleep 0.2; echo end >&2; exit 3',
    );
    const manifest = { ...REVIEW, security: { redaction_patterns: ["(?i)hunter2"] } };
    const room = await PacketRoom.make({ manifest, servants: { gemini: chatty } });
    await room.run({ stage: "gemini_review" });
    const out = readFileSync(room.path("outputs/gemini_review.gemini.out"));
    expect(out.toString("latin1")).toContain("my [REDACTED]\n");
    expect(room.read("outputs/gemini_review.gemini.err")).toBe("[REDACTED] too\nend\n");
    expect(room.told.at(-1)).toMatchObject({ type: "ended", tail: ["[REDACTED] too", "end"] });
  });
});
