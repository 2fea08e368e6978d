import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import type { Workspace } from "../../src/engine/workspace.ts";
import type { JsonObject } from "../../src/state/json.ts";
import { ROTATING } from "../support/sweep.ts";
import { call, code, logLines, newTask, ok, openTemp, WORKSPACE } from "../support/workspace.ts";
import { BRIEF, DIFF, finish, MANIFEST, passStage, REVIEW, start, TASK, withPacket } from "./packet_support.ts";

const path = (ws: Workspace, name: string): string => join(ws.root, ".coco/tasks", TASK, name);
const read = (ws: Workspace, name: string): string => readFileSync(path(ws, name), "utf8");
const events = (ws: Workspace): { type: string; payload: Record<string, unknown> }[] =>
  logLines(ws.root).map((line) => JSON.parse(line) as { type: string; payload: Record<string, unknown> });

describe("packet_define and packet_patch", () => {
  it("[PACKET-120] a manifest with faults is refused with all of them, and nothing is written", async () => {
    const ws = openTemp();
    await newTask(ws);
    const before = logLines(ws.root);
    const reply = await call(ws, "packet_define", { task: TASK, manifest: { goal: 1, scope: { allow: "src" } } });
    expect(reply.error?.code).toBe("INVALID_INPUT");
    const { errors } = reply.error!.details as { errors: { field: string }[] };
    const fields = errors.map(({ field }) => field);
    expect(fields).toEqual(
      expect.arrayContaining([
        "goal",
        "routing.intent",
        "scope.allow",
        "scope.deny",
        "budgets.retry_budget",
        "context.digest_policy",
      ]),
    );
    expect(logLines(ws.root)).toEqual(before);
    expect(existsSync(path(ws, "manifest.yaml"))).toBe(false);
  });

  it("[PACKET-120] task_id is the task's; another one is refused, and a plan carries no packet", async () => {
    const ws = openTemp();
    await newTask(ws);
    expect(await code(ws, "packet_define", { task: TASK, manifest: { ...MANIFEST, task_id: "TASK-002" } })).toBe(
      "INVALID_INPUT",
    );
    await ok(ws, "packet_define", { task: TASK, manifest: { ...MANIFEST, task_id: TASK } });
    expect(read(ws, "manifest.yaml")).toContain('task_id: "TASK-001"');
    await ok(ws, "tasks_create", { kind: "plan", title: "A plan" });
    expect(await code(ws, "packet_define", { task: "PLAN-001", manifest: MANIFEST })).toBe("INVALID_INPUT");
  });

  it("[PACKET-120] a patch goes into the members that are there; null takes one away; the whole is judged", async () => {
    const ws = await withPacket({ security: { forbidden_paths: ["secrets/"] } });
    await ok(ws, "packet_patch", { task: TASK, manifest: { budgets: { paid_call_budget: 9 }, security: null } });
    const { manifest } = await ok(ws, "packet_show", { task: TASK });
    expect(manifest).toEqual({ ...MANIFEST, task_id: TASK, budgets: { ...MANIFEST.budgets, paid_call_budget: 9 } });
    expect(await code(ws, "packet_patch", { task: TASK, manifest: { goal: null } })).toBe("INVALID_INPUT");
    await newTask(ws, "TASK-002");
    expect(await code(ws, "packet_patch", { task: "TASK-002", manifest: {} })).toBe("NO_PACKET");
  });
});

describe("a manifest that holds secrets and forbidden paths", () => {
  const security = { redaction_patterns: ["ACME-[0-9]+"], forbidden_paths: ["vault/"] };
  const hidden = /ghp_0123|ACME-|vault\//;

  it("[PACKET-280] goal, criteria and scope are masked in the log, the prompts, the summary and README", async () => {
    const ws = await withPacket();
    const goal = "Use ghp_0123456789abcdefghijklmnopqrstuvwxyzAB and ACME-12345 from vault/prod.key";
    const reply = await call(ws, "packet_define", {
      task: TASK,
      manifest: {
        ...MANIFEST,
        goal,
        security,
        scope: { allow: ["src/"], deny: ["vault/"] },
        acceptance: { commands: ["true"], criteria: ["it is fast", "ACME-99999 is gone"] },
      },
    });
    expect(reply.warnings.map(({ code: name, message }) => [name, message])).toEqual([
      ["MANIFEST_MASKED", "A secret or a forbidden path was masked in goal, acceptance.criteria[1]."],
    ]);
    await start(ws, "gemini_brief");
    const prompt = read(ws, "inputs/prompt/gemini.brief.md");
    expect(prompt).toContain("- Goal: Use [REDACTED] and [REDACTED] from [FORBIDDEN_PATH]\n");
    for (const text of [prompt, read(ws, "outputs/_summary.md"), read(ws, "README.md")])
      expect(text).not.toMatch(hidden);
    const { manifest } = events(ws).findLast(({ type }) => type === "packet.defined")!.payload as {
      manifest: { goal: string; scope: object; acceptance: object };
    };
    expect(manifest.goal + JSON.stringify(manifest.acceptance)).not.toMatch(hidden);
    expect(manifest.scope).toEqual({ allow: ["src/"], deny: ["vault/"] });
  });

  it("[PACKET-280] [PACKET-1] keys that are no field are kept and masked; a patch warns of those that it brings", async () => {
    const ws = await withPacket();
    const more = {
      owner: "ada",
      "x-tracker": { password: "hunter2-and-more", api_key: 1234567890, notes: ["see vault/prod.key", "fine"] },
    };
    const made = await call(ws, "packet_define", { task: TASK, manifest: { ...MANIFEST, security, ...more } });
    expect(made.warnings.map(({ code: name, message }) => [name, message])).toEqual([
      [
        "MANIFEST_MASKED",
        "A secret or a forbidden path was masked in x-tracker.api_key, x-tracker.notes[0], x-tracker.password.",
      ],
      ["MANIFEST_KEY_UNKNOWN", expect.stringContaining('"owner", "x-tracker" are no fields') as string],
    ]);
    const kept = {
      owner: "ada",
      "x-tracker": { password: "[REDACTED]", api_key: "[REDACTED]", notes: ["see [FORBIDDEN_PATH]", "fine"] },
    };
    expect((await ok(ws, "packet_show", { task: TASK })).manifest).toMatchObject(kept);
    expect(parseYaml(read(ws, "manifest.yaml"))).toMatchObject(kept);
    expect(JSON.stringify(events(ws))).not.toMatch(/hunter2|1234567890/);
    const patch = (manifest: JsonObject) => call(ws, "packet_patch", { task: TASK, manifest });
    expect((await patch({ goal: "Another goal" })).warnings).toEqual([]);
    expect((await patch({ team: "core", owner: null })).warnings).toMatchObject([
      { code: "MANIFEST_KEY_UNKNOWN", message: expect.stringContaining('"team" is no field') as string },
    ]);
    expect(Object.keys((await ok(ws, "packet_show", { task: TASK })).manifest as object).slice(-2)).toEqual([
      "team",
      "x-tracker",
    ]);
  });

  it("[PACKET-280] a command that holds a secret stays and is warned of; a mask that makes a text too long is refused", async () => {
    const ws = await withPacket();
    const acceptance = { commands: ["true", "curl -H ACME-1"], criteria: [] };
    const reply = await call(ws, "packet_patch", { task: TASK, manifest: { security, acceptance } });
    expect(reply.warnings).toMatchObject([
      { code: "MANIFEST_MASKED", message: expect.stringContaining("acceptance.commands[1]") as string },
    ]);
    const { manifest } = await ok(ws, "packet_show", { task: TASK });
    expect((manifest as typeof MANIFEST).acceptance.commands).toEqual(acceptance.commands);
    const goal = "ACME-1 ".repeat(1400).trim();
    expect(await code(ws, "packet_patch", { task: TASK, manifest: { goal } })).toBe("INVALID_INPUT");
  });
});

describe("what a gate cannot see", () => {
  it("[PACKET-58] a diff of a forbidden path is out of scope, although its output is masked", async () => {
    const ws = await withPacket({
      scope: { allow: ["."], deny: ["vault/"] },
      security: { forbidden_paths: ["vault/"] },
    });
    await passStage(ws, "gemini_brief", { out: BRIEF });
    await start(ws, "codex_impl");
    const out = "--- /dev/null\n+++ b/vault/prod.key\n@@ -0,0 +1 @@\n+x\n";
    const { passed, reasons } = await finish(ws, "codex_impl", { out });
    expect([passed, JSON.stringify(reasons)]).toEqual([false, expect.stringContaining("cannot be judged")]);
  });

  it("[PACKET-56] a diff behind what the gate reads does not pass", ROTATING, async () => {
    const ws = await withPacket();
    await passStage(ws, "gemini_brief", { out: BRIEF });
    await start(ws, "codex_impl");
    const evil = "--- /dev/null\n+++ b/etc/evil\n@@ -0,0 +1 @@\n+x\n";
    writeFileSync(path(ws, "outputs/codex_impl.codex.out"), `${DIFF}${"prose\n".repeat(750_000)}${evil}`);
    const { passed, reasons } = await finish(ws, "codex_impl", {});
    expect([passed, JSON.stringify(reasons)]).toEqual([false, expect.stringContaining("at most 4194304 bytes")]);
  });
});

describe("packet_plan", () => {
  it("[PACKET-21] says the stages, and of each value where it comes from", async () => {
    const ws = await withPacket({ routing: { intent: "safe_impl", pipeline: { flags: { enable_review: false } } } });
    const { stages } = await ok(ws, "packet_plan", { task: TASK });
    expect(stages).toMatchObject([
      { stage: "gemini_brief", timeout_sec: 60, from: { timeout_sec: "manifest.yaml: budgets.max_wallclock_sec" } },
      { stage: "codex_impl" },
      { stage: "codex_verify" },
    ]);
    await newTask(ws, "TASK-002");
    expect(await code(ws, "packet_plan", { task: "TASK-002" })).toBe("NO_PACKET");
  });
});

describe("packet_input_set", () => {
  it("[PACKET-121] secrets and forbidden paths never reach the log, a prompt or a file", async () => {
    const ws = await withPacket({ security: { redaction_patterns: ["hunter[0-9]"], forbidden_paths: ["secrets/"] } });
    const text = "login with hunter2, key ghp_0123456789abcdefghijklmnopqrstuvwxyzAB, see secrets/prod.env\n";
    await ok(ws, "packet_input_set", { task: TASK, path: "user_request.md", text });
    await start(ws, "gemini_brief");
    const folded = ["inputs/user_request.md", "inputs/prompt/gemini.brief.md"].map((name) => read(ws, name)).join("\n");
    expect(folded).not.toContain("secrets/prod");
    expect(read(ws, "events.jsonl") + folded).not.toMatch(/hunter2|ghp_0123/);
    const set = events(ws).find(({ type }) => type === "packet.input_set");
    expect(Object.values(set?.payload["redactions"] as Record<string, number>)).toEqual([1, 1, 1]);
  });

  it.each([
    "../x",
    "attachments/a:b",
    "attachments/../x",
    "attachments/a/b",
    "other.md",
    "attachments/",
    "attachments/con",
  ])("[PACKET-121] %s is no input", async (name) => {
    const ws = await withPacket();
    expect(await code(ws, "packet_input_set", { task: TASK, path: name, text: "x" })).toMatch(/PATH_UNSAFE/);
  });

  it("[PACKET-121] the limit of attachments counts those that come together", async () => {
    const many = (count: number): Record<string, string> =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`attachments/${n}.md`, "x\n"]));
    const ws = await withPacket();
    expect(await code(ws, "packet_define", { task: TASK, manifest: MANIFEST, inputs: many(51) })).toBe(
      "CONTENT_TOO_LARGE",
    );
    await ok(ws, "packet_define", { task: TASK, manifest: MANIFEST, inputs: { "user_request.md": "x", ...many(50) } });
    await ok(ws, "packet_define", { task: TASK, manifest: MANIFEST, inputs: many(50) });
    const one = { "attachments/other.md": "x" };
    expect(await code(ws, "packet_define", { task: TASK, manifest: MANIFEST, inputs: one })).toBe("CONTENT_TOO_LARGE");
  });

  it("[PACKET-121] null takes an input away, and its file with it is no part of the packet any more", async () => {
    const ws = await withPacket({}, { "attachments/notes.md": "a note" });
    expect(read(ws, "inputs/attachments/notes.md")).toBe("a note");
    await ok(ws, "packet_input_set", { task: TASK, path: "attachments/notes.md", text: null });
    expect((await ok(ws, "packet_show", { task: TASK }))["inputs"]).toEqual([]);
    expect(existsSync(path(ws, "inputs/attachments/notes.md"))).toBe(false);
    expect(
      await code(ws, "packet_input_set", { task: TASK, path: "user_request.md", text: "x".repeat(256 * 1024 + 1) }),
    ).toBe("CONTENT_TOO_LARGE");
  });
});

describe("packet_stage_start and packet_stage_finish", () => {
  it("[PACKET-122] [PACKET-126] safe_impl from brief to review: what each stage leaves, and what it hands on", async () => {
    const ws = await withPacket({}, { "user_request.md": "Read it once.\n" });
    await passStage(ws, "gemini_brief", { out: BRIEF, err: "a word\n" });
    expect(read(ws, "state/acceptance.commands.override")).toBe("npm test\nnpm run check\n");
    expect(read(ws, "inputs/context_pack.md")).toContain("## 9. Change History");
    await passStage(ws, "codex_impl", { out: DIFF, changed_paths: ["src/read.ts"], applies: "applied" });
    await start(ws, "codex_verify");
    const results = ["npm test", "npm run check"].map((command) => ({ command, exit_code: 0, stdout: "12 passed\n" }));
    await finish(ws, "codex_verify", { out: "done", acceptance: results });
    await passStage(ws, "gemini_review", { out: REVIEW });
    expect(
      ["gemini_brief", "codex_impl", "codex_verify", "gemini_review"].map((s) =>
        existsSync(path(ws, `done/${s}.done`)),
      ),
    ).toEqual([true, true, true, true]);
    expect(JSON.parse(read(ws, "state/stats.json"))).toMatchObject({
      paid_calls_used: 4,
      stages_completed: ["gemini_brief", "codex_impl", "codex_verify", "gemini_review"],
    });
    expect(await ok(ws, "packet_next", { task: TASK })).toMatchObject({ stage: null, because: "done" });
    expect(read(ws, "outputs/codex_verify.artifact.md")).toContain("npm run check");
    expect(ws.verify().findings).toEqual([]);
  });

  it("[PACKET-61] the end of a stage without changed_paths warns that no change was judged", async () => {
    const ws = await withPacket();
    const ended = async (more: object) => {
      await call(ws, "packet_stage_start", { task: TASK, stage: "gemini_review" });
      const input = { task: TASK, stage: "gemini_review", exit_code: 0, out: REVIEW, ...more };
      const { result, warnings } = await call(ws, "packet_stage_finish", input);
      return [(result as { passed: boolean }).passed, warnings.map(({ code }) => code)];
    };
    expect(await ended({ changed_paths: ["elsewhere"] })).toEqual([false, []]);
    expect(await ended({})).toEqual([true, ["CHANGES_NOT_KNOWN"]]);
    await ok(ws, "packet_stage_reopen", { task: TASK, stage: "gemini_review", reason: "again" });
    expect(await ended({ changed_paths: [] })).toEqual([true, []]);
  });

  it("[PACKET-122] what stands in the way of a start, each with a call that leads on", async () => {
    const ws = await withPacket({ budgets: { retry_budget: 0, paid_call_budget: 2, max_wallclock_sec: 5 } });
    expect(
      (await call(ws, "packet_stage_start", { task: TASK, stage: "codex_impl" })).warnings.map((w) => w.code),
    ).toEqual(["STAGE_ORDER"]);
    const running = await call(ws, "packet_stage_start", { task: TASK, stage: "codex_impl" });
    expect([running.error?.code, running.suggestions[0]?.tool]).toEqual(["STAGE_RUNNING", "packet_stage_interrupt"]);
    await finish(ws, "codex_impl", { exit_code: 1, err: "socket closed\n" });
    const retry = await call(ws, "packet_stage_start", { task: TASK, stage: "codex_impl" });
    expect(retry.error).toMatchObject({ code: "BUDGET_EXHAUSTED", details: { kind: "retry_budget" } });
    await ok(ws, "packet_budget_reset", { task: TASK, kind: "retry_budget", reason: "the network is back" });
    await start(ws, "codex_impl");
    await finish(ws, "codex_impl", { out: DIFF });
    const done = await call(ws, "packet_stage_start", { task: TASK, stage: "codex_impl" });
    expect([done.error?.code, done.suggestions[0]?.tool]).toEqual(["ALREADY_DONE", "packet_stage_reopen"]);
    const paid = await call(ws, "packet_stage_start", { task: TASK, stage: "gemini_brief" });
    expect(paid.error).toMatchObject({ code: "BUDGET_EXHAUSTED", details: { kind: "paid_call_budget" } });
    expect(await code(ws, "packet_stage_start", { task: TASK, stage: "codex_dance" })).toBe("INVALID_INPUT");
    await ok(ws, "packet_budget_reset", { task: TASK, kind: "paid_call_budget", reason: "allowed" });
    await start(ws, "gemini_brief");
    expect(JSON.parse(read(ws, "state/stats.json"))).toMatchObject({ paid_calls_used: 1 });
  });

  it("[PACKET-123] [PACKET-125] the event names the prompt and the outputs by their bytes; an earlier attempt keeps its own", async () => {
    const ws = await withPacket();
    const digest = (name: string): string =>
      createHash("sha256")
        .update(readFileSync(path(ws, name)))
        .digest("hex");
    const { prompt } = await start(ws, "gemini_brief");
    expect(prompt).toEqual({ path: "inputs/prompt/gemini.brief.md", sha256: digest("inputs/prompt/gemini.brief.md") });
    await finish(ws, "gemini_brief", { exit_code: 1, out: "first", err: "one\ntwo\n" });
    await start(ws, "gemini_brief");
    expect(read(ws, "outputs/gemini_brief.gemini.1.out")).toBe("first");
    expect(existsSync(path(ws, "outputs/gemini_brief.gemini.out"))).toBe(false);
    await finish(ws, "gemini_brief", { out: BRIEF });
    const [, second] = events(ws).filter(({ type }) => type === "stage.finished");
    const { out } = second!.payload["files"] as { out: { path: string; sha256: string } };
    expect(out).toMatchObject({
      path: "outputs/gemini_brief.gemini.out",
      sha256: digest("outputs/gemini_brief.gemini.out"),
    });
    expect(JSON.parse(read(ws, "outputs/gemini_brief.gemini.meta.json"))).toMatchObject({
      stage: "gemini_brief",
      tool: "gemini",
      exit_code: 0,
    });
  });

  it("[PACKET-123] the consolidating review gets what the reviews before it said", async () => {
    const ws = await withPacket({ routing: { intent: "review_cross" } });
    await passStage(ws, "gemini_review", { out: `${REVIEW}\nBy gemini.\n` });
    await passStage(ws, "codex_review", { out: `${REVIEW}\nBy codex.\n` });
    await start(ws, "copilot_review_consolidate");
    const prompt = read(ws, "inputs/prompt/copilot.review_consolidate.md");
    expect(prompt).toContain("BEGIN ATTACHMENT: gemini_review.md");
    expect(prompt).toContain("By codex.");
  });

  it("[PACKET-126] a change outside of the scope fails the stage, whatever the diff says", async () => {
    const ws = await withPacket();
    await start(ws, "codex_impl");
    const reply = await finish(ws, "codex_impl", { out: DIFF, changed_paths: ["src/read.ts", "package.json"] });
    expect(reply).toMatchObject({ passed: false, packet: { last_failure: { class: "scope_violation" } } });
    expect(existsSync(path(ws, "done/codex_impl.done"))).toBe(false);
    expect(JSON.parse(read(ws, "state/last_failure.json"))).toMatchObject({
      class: "scope_violation",
      stage: "codex_impl",
    });
    expect(await code(ws, "packet_stage_finish", { task: TASK, stage: "codex_impl", exit_code: 0 })).toBe(
      "STAGE_NOT_RUNNING",
    );
  });

  it("[PACKET-126] what a model and its tools printed is masked before it reaches a file or the log", async () => {
    const ws = await withPacket({ security: { redaction_patterns: ["hunter[0-9]"] } });
    await start(ws, "codex_verify");
    const acceptance = [{ command: "npm test", exit_code: 1, stdout: "hunter2\n", stderr: "at hunter3\n" }];
    await finish(ws, "codex_verify", { out: "hunter4", err: "hunter5\n", acceptance });
    const names = [
      "events.jsonl",
      "README.md",
      "outputs/_summary.md",
      "outputs/codex_verify.codex.out",
      "outputs/codex_verify.codex.err",
      "outputs/codex_verify.artifact.md",
    ];
    for (const name of names) expect(read(ws, name)).not.toMatch(/hunter\d/);
    const blobs = [...read(ws, "shared/evidence/index.json").matchAll(/blobs\/([0-9a-f]{64})/g)].map(([, sha]) =>
      read(ws, `shared/evidence/blobs/${sha}`),
    );
    expect(blobs.length).toBe(2);
    expect(blobs.join("")).not.toMatch(/hunter\d/);
  });

  it("[PACKET-126] a secret in an acceptance command is masked in what follows from its run, and the gate still knows the command", async () => {
    const ws = await withPacket({
      acceptance: { commands: ["check --key hunter9"], criteria: ["it holds"] },
      security: { redaction_patterns: ["hunter[0-9]"] },
    });
    const verify = async (exit_code: number): Promise<unknown> => {
      await start(ws, "codex_verify");
      return finish(ws, "codex_verify", { out: "ran", acceptance: [{ command: "check --key hunter9", exit_code }] });
    };
    expect(await verify(1)).toMatchObject({ passed: false, reasons: [expect.stringContaining("[REDACTED]")] });
    const folded = ["outputs/_summary.md", "outputs/codex_verify.artifact.md", "README.md", "state/last_failure.json"];
    expect(folded.map((name) => read(ws, name)).join("\n")).not.toContain("hunter9");
    expect(read(ws, "shared/evidence/index.json")).not.toContain("hunter9");
    expect(await verify(0)).toMatchObject({ passed: true });
  });

  it("[PACKET-126] a failed acceptance command is evidence that proves nothing, and fails the gate", async () => {
    const ws = await withPacket();
    await start(ws, "codex_verify");
    const reply = await finish(ws, "codex_verify", {
      out: "ran",
      acceptance: [{ command: "npm test", exit_code: 2, stdout: "1 failed\n" }],
    });
    expect(reply["reasons"]).toEqual([expect.stringContaining("npm test")]);
    expect(read(ws, "shared/evidence/index.json")).toContain('"exitCode": 2');
  });

  it("[PACKET-126] each of many acceptance commands is evidence", async () => {
    const commands = Array.from({ length: 45 }, (_, n) => `test -f ${n}`);
    const ws = await withPacket({ acceptance: { commands, criteria: [] } });
    await start(ws, "codex_verify");
    const acceptance = commands.map((command, n) => ({ command, exit_code: 0, stdout: `it is ${n}\n` }));
    await finish(ws, "codex_verify", { out: "ran", acceptance });
    const index = JSON.parse(read(ws, "shared/evidence/index.json")) as { sources: { command: string }[] }[];
    expect(index.flatMap(({ sources }) => sources.map(({ command }) => command))).toEqual(commands);
    const captured = ws.log(TASK).events.filter(({ type }) => type === "evidence_captured");
    expect(captured).toHaveLength(3);
    expect(ws.verify(TASK).findings).toEqual([]);
  });

  it("[PACKET-422] an end without the run is refused where it may be another attempt than the caller began", async () => {
    const stage = { task: TASK, stage: "gemini_brief" };
    const end = { ...stage, exit_code: 0, out: BRIEF, changed_paths: ["secret/x"] };
    const ways: Record<string, string> = {
      packet_stage_interrupt: "Attempt 1 by human:local is interrupted (so)",
      packet_stage_finish: "Attempt 1 by human:local is failed",
    };
    for (const [tool, how] of Object.entries(ways)) {
      const ws = await withPacket();
      const mine = (await start(ws, "gemini_brief"))["run"] as string;
      const by = { by: "agent:servant" };
      const other = (name: string, input: object) => ws.callTool(name, { workspace: WORKSPACE, ...input }, by);
      const ended = tool === "packet_stage_interrupt" ? { reason: "so" } : { exit_code: 1, err: "so" };
      expect((await other(tool, { ...stage, ...ended })).error).toBeNull();
      const scope = { allow: ["."], deny: [] };
      expect((await other("packet_patch", { task: TASK, manifest: { scope } })).error).toBeNull();
      const { run } = (await other("packet_stage_start", stage)).result as { run: string };
      const before = readFileSync(path(ws, "events.jsonl"));
      const { error } = await call(ws, "packet_stage_finish", end);
      expect([error?.code, error?.message]).toEqual(["STAGE_NOT_RUNNING", expect.stringContaining(how)]);
      expect(error!.message).toContain(`attempt 2 by agent:servant, whose run is ${run}, is under way since `);
      expect(error!.details).toMatchObject({ run, before: mine });
      expect(await code(ws, "packet_stage_finish", { ...end, run: mine })).toBe("STAGE_NOT_RUNNING");
      expect(readFileSync(path(ws, "events.jsonl")).equals(before)).toBe(true);
      expect((await ok(ws, "packet_stage_finish", { ...end, run }))["passed"]).toBe(true);
    }
    // Who tries a stage again under his own name needs none.
    const ws = await withPacket();
    await start(ws, "gemini_brief");
    await finish(ws, "gemini_brief", { exit_code: 1, err: "ETIMEDOUT" });
    await start(ws, "gemini_brief");
    expect((await ok(ws, "packet_stage_finish", { ...end, changed_paths: [] }))["passed"]).toBe(true);
  });

  it("[PACKET-422] who interrupts an attempt of his own goes on without the run, unless the next one is judged otherwise", async () => {
    const target = { task: TASK, stage: "gemini_brief" };
    const end = { ...target, exit_code: 0, out: BRIEF, changed_paths: [] };
    const ways: JsonObject[] = [
      {},
      { budgets: { retry_budget: 7 } },
      { scope: { allow: ["."], deny: [] } },
      { acceptance: { commands: ["true"], criteria: [] } },
    ];
    const codes: (string | undefined)[] = [];
    for (const manifest of ways) {
      const ws = await withPacket();
      await start(ws, "gemini_brief");
      await ok(ws, "packet_stage_interrupt", { ...target, reason: "my servant hung" });
      if (Object.keys(manifest).length > 0) await ok(ws, "packet_patch", { task: TASK, manifest });
      await start(ws, "gemini_brief");
      codes.push((await call(ws, "packet_stage_finish", end)).error?.code);
    }
    expect(codes).toEqual([undefined, undefined, "STAGE_NOT_RUNNING", "STAGE_NOT_RUNNING"]);
  });

  it("[PACKET-128] an attempt without a finish ends, and its pay stays; a stage is reopened", async () => {
    const ws = await withPacket();
    await start(ws, "gemini_brief");
    const refused = await call(ws, "packet_stage_reopen", { task: TASK, stage: "gemini_brief", reason: "x" });
    expect([refused.error?.code, refused.suggestions[0]?.tool]).toEqual(["STAGE_RUNNING", "packet_stage_interrupt"]);
    await ok(ws, "packet_stage_interrupt", { task: TASK, stage: "gemini_brief", reason: "killed" });
    expect(await ok(ws, "packet_next", { task: TASK })).toMatchObject({
      stage: "gemini_brief",
      because: "interrupted",
      allowed: true,
    });
    expect(await code(ws, "packet_stage_interrupt", { task: TASK, stage: "gemini_brief", reason: "again" })).toBe(
      "STAGE_NOT_RUNNING",
    );
    expect(await code(ws, "packet_stage_reopen", { task: TASK, stage: "codex_impl", reason: "why" })).toBe("NOT_DONE");
    await passStage(ws, "gemini_brief", { out: BRIEF });
    expect(JSON.parse(read(ws, "state/stats.json"))).toMatchObject({ paid_calls_used: 2 });
    await ok(ws, "packet_stage_reopen", { task: TASK, stage: "gemini_brief", reason: "the request changed" });
    expect(existsSync(path(ws, "done/gemini_brief.done"))).toBe(false);
    expect(read(ws, "outputs/gemini_brief.gemini.out")).toBe(BRIEF);
  });

  it("[PACKET-132] radar, handoff, README and Coco's state say where the packet stands", async () => {
    const ws = await withPacket({ budgets: { retry_budget: 0, paid_call_budget: 9, max_wallclock_sec: 5 } });
    const radar = async (): Promise<{ next: string[]; blockers: string[] }> =>
      (await ok(ws, "tasks_radar", { task: TASK }))["radar"] as unknown as { next: string[]; blockers: string[] };
    expect((await radar()).next[0]).toBe("Packet: run gemini_brief");
    await passStage(ws, "gemini_brief", { out: BRIEF });
    await start(ws, "codex_impl");
    await finish(ws, "codex_impl", { exit_code: 1, err: "socket closed\n" });
    expect((await radar()).blockers.slice(0, 2)).toEqual([
      "Packet stops at codex_impl: retry_budget",
      expect.stringContaining("Packet stage codex_impl failed (transient)"),
    ]);
    expect(await ok(ws, "tasks_handoff", { task: TASK })).toMatchObject({
      handoff: {
        done: ["Packet stage gemini_brief"],
        remaining: expect.arrayContaining(["Packet stage codex_impl (failed)"]) as unknown,
      },
    });
    expect(read(ws, "README.md")).toContain("| codex_impl | ");
    expect(read(ws, "task.yaml")).toContain('state: "input-required"');
    expect(read(ws, "task.yaml")).toContain('status: "ACTIVE"');
  });

  it("[PACKET-125] a file that was lost is no reason to fail: the next attempt starts", async () => {
    const ws = await withPacket();
    await start(ws, "gemini_brief");
    await finish(ws, "gemini_brief", { exit_code: 1, out: "first" });
    rmSync(path(ws, "outputs"), { recursive: true });
    await passStage(ws, "gemini_brief", { out: BRIEF });
    expect(await ok(ws, "packet_next", { task: TASK })).toMatchObject({ stage: "codex_impl" });
  });
});
