/** Runs that Taskfold makes itself: what is recorded of them, and what they prove that a report does not. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, symlinkSync, writeFileSync, mkdirSync, chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { internalsOf } from "../../src/engine/groups/internals.ts";
import { openGit } from "../../src/hosts/git/git_port.ts";
import type { JsonObject } from "../../src/index.ts";
import { treeDigest } from "../../src/rules/staleness.ts";
import { captureRun, runCaptured } from "../../src/runner/run_captured.ts";
import type { CaptureOptions } from "../../src/runner/run_captured.ts";
import { shellQuote } from "../../src/state/shell_quote.ts";
import { readLog } from "../../examples/independent_reader.mjs";
import { repository } from "../support/git.ts";
import { openWorkspace } from "../support/open.ts";
import { MANIFEST } from "../packet/packet_support.ts";
import { logPath } from "../support/workspace.ts";
import { ROTATING } from "../support/sweep.ts";

const WORKSPACE = "acme/repo";
const TRUE = ["sh", "-c", "true"];
const ANEW = { title: "anew", success_criteria: ["it works"], tests: ["test -e built"] };

interface Item {
  captured: {
    tree: string;
    started_at: string;
    ended_at: string;
    git_commit: string;
    changes?: { sha256: string };
    wrote?: { sha256: string };
  } & JsonObject;
}

async function world(proof: JsonObject = { tests: "captured" }, tests: string[] = []) {
  const { ada, cloneOf } = repository();
  const { root } = ada;
  writeFileSync(join(root, "package-lock.json"), "{}\n");
  mkdirSync(join(root, "src"));
  writeFileSync(join(root, "src/a.ts"), "a\n");
  writeFileSync(join(root, "src/b.ts"), "b\n");
  ada.commit("first");
  const ws = openWorkspace({ root, workspace: WORKSPACE, by: "agent:ada", git: () => openGit(root) });
  const call = (tool: string, input: JsonObject, by?: string) =>
    ws.callTool(tool, { workspace: WORKSPACE, task: "TASK-001", ...input }, by === undefined ? {} : { by });
  await ws.callTool("tasks_create", { workspace: WORKSPACE, kind: "plan", title: "P" });
  await ws.callTool("tasks_create", { workspace: WORKSPACE, kind: "task", title: "T", parent: "PLAN-001" });
  await call("tasks_decompose", { steps: [{ title: "one", success_criteria: ["it works"], tests, proof }] });
  const run = (argv: readonly string[], more: Partial<CaptureOptions> = {}) =>
    runCaptured(ws, { task: "TASK-001", path: "s:0", argv, ...more });
  const close = (by?: string) => call("tasks_close_step", { path: "s:0", checkpoints: "gate" }, by);
  const items = (): Item[] =>
    readFileSync(logPath(root, "TASK-001"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; payload: { items: Item[] } })
      .filter(({ type }) => type === "evidence.captured")
      .flatMap(({ payload }) => payload.items);
  const blob = (sha256: string): string =>
    readFileSync(join(root, ".coco/tasks/TASK-001/shared/evidence/blobs", sha256), "latin1");
  return { ada, cloneOf, root, ws, call, run, close, items, blob };
}

describe("a run that Taskfold starts", () => {
  it("[PROOF-46] is recorded with the commit, the work tree and what it changed there", ROTATING, async () => {
    const { ada, root, run, items, blob } = await world();
    writeFileSync(join(root, "src/a.ts"), "changed\n");
    rmSync(join(root, "src/b.ts"));
    const script = "echo out; echo err >&2; echo new > made.txt; exit 3";
    const done = await run(["sh", "-c", script], { env: { PATH: process.env["PATH"], TOKEN: "secret" } });
    expect([done.exit_code, done.degree]).toEqual([3, "captured"]);
    const { captured } = items()[0]!;
    expect(captured).toMatchObject({
      argv: ["sh", "-c", script],
      env: ["PATH", "TOKEN"],
      git_commit: ada.git("rev-parse", "HEAD").trim(),
      lock: { path: "package-lock.json", sha256: "ca3d163bab055381827226140568f3bef7eaac187cebd76878e0b63e9e442356" },
    });
    expect(captured["platform"]).toMatch(/^\w+-\w+ node-\d/);
    expect([captured.started_at, captured.ended_at].toSorted()[0]).toBe(captured.started_at);
    const id = ada.git("hash-object", "src/a.ts").trim();
    expect(blob(captured.changes!.sha256)).toBe([`100644 ${id} src/a.ts`, "000000 - src/b.ts", ""].join("\0"));
    expect(blob(captured.wrote!.sha256)).toBe(`100644 ${ada.git("hash-object", "made.txt").trim()} made.txt\0`);
    expect(JSON.stringify(items())).not.toContain("secret");
  });

  it(
    "[PROOF-100] keeps no secret of its arguments and its output, and the digest of the output as it came",
    ROTATING,
    async () => {
      const { run, items, blob } = await world();
      const secret = `ghp_${"a1".repeat(18)}`;
      const filler = 20 * 1024 - 10;
      // The secret stands where the first half of a long output ends.
      const script = `let s = process.argv[1]; process.stdout.write("x".repeat(${filler - 1}) + " " + s + "\\n" + "y".repeat(60000) + "\\n"); console.error("token " + s)`;
      await run(["node", "-e", script, secret, "--password", "hunter22"]);
      const [item] = items() as (Item & { command: string; summary: string; stdout: { sha256: string } })[];
      expect(JSON.stringify(items())).not.toContain("ghp_a1");
      expect(JSON.stringify(items())).not.toContain("hunter22");
      expect(item!.captured["argv"]).toEqual(["node", "-e", script, "[REDACTED]", "--password", "[REDACTED]"]);
      const kept = blob(item!.stdout.sha256);
      expect(kept).not.toContain("ghp_");
      expect(kept).toContain("bytes left out");
      const whole = `${"x".repeat(filler - 1)} ${secret}\n${"y".repeat(60000)}\n`;
      expect(item!.summary).toContain(
        `stdout ${whole.length} bytes, sha256 ${createHash("sha256").update(whole).digest("hex")}`,
      );
    },
  );

  it.each([
    [
      ["-u", "ada:hunter22"],
      ["-u", "ada:[REDACTED]"],
    ],
    [
      ["--password", "two hunter22"],
      ["--password", "[REDACTED]"],
    ],
    [
      ["--password", "ada's hunter22"],
      ["--password", "[REDACTED]"],
    ],
    [
      ["mysql", "-u", "root", "-phunter22"],
      ["mysql", "-u", "root", "-p[REDACTED]"],
    ],
    [
      ["code", "hunter22", "b"],
      ["[REDACTED]", "[REDACTED]", "b"],
    ],
  ])("[PROOF-100] keeps no secret of the arguments %j", ROTATING, async (given, kept) => {
    const { call, run, items } = await world();
    const manifest = { ...MANIFEST, security: { redaction_patterns: ["code hunter\\d+"] } };
    expect((await call("packet_define", { manifest })).error).toBeNull();
    await run(["true", ...given]);
    const [item] = items() as (Item & { command: string })[];
    expect(item!.captured["argv"]).toEqual(["true", ...kept]);
    expect(item!.command).toBe(["true", ...kept].map(shellQuote).join(" "));
  });

  it(
    "[PROOF-100] knows a declared test with a secret in it, and masks what the packet of the task names",
    ROTATING,
    async () => {
      const test = "echo --password hunter22 code-name-42";
      const { call, run, close, items, blob } = await world({ tests: "captured" }, [test]);
      const security = { redaction_patterns: ["code-name-\\d+"] };
      const manifest = { ...MANIFEST, security };
      expect((await call("packet_define", { manifest })).error).toBeNull();
      await run(test.split(" "));
      const [item] = items() as (Item & { command: string; stdout: { sha256: string } })[];
      expect(item!.command).toBe(test);
      expect(blob(item!.stdout.sha256)).toBe("--password [REDACTED] [REDACTED]\n");
      expect((await close()).error).toBeNull();
    },
  );

  it("[PROOF-46] has no commit and no digest where there is no git, and counts all the same", async () => {
    const { ws, items } = await world({ tests: "captured" });
    const plain = openWorkspace({ root: ws.root, workspace: WORKSPACE });
    await runCaptured(plain, { task: "TASK-001", path: "s:0", argv: TRUE });
    expect(Object.keys(items()[0]!.captured).toSorted()).toEqual(
      "argv ended_at env lock platform started_at".split(" "),
    );
    await plain.close();
  });

  it("[ENG-19] options that are null are as good as none, and arguments that are no texts are refused", async () => {
    const { run, items } = await world();
    const none = { cwd: null, env: null, timeoutMs: null, signal: null, checkpoints: null, onOutput: null };
    expect(await run(TRUE, none as never)).toMatchObject({ exit_code: 0, timed_out: false, degree: "captured" });
    for (const wrong of [{ argv: ["node", 5] }, { env: [] }])
      await expect(run(TRUE, wrong as never)).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect(items()).toHaveLength(1);
  });

  it(
    "[PROOF-46] is recorded as no run if its caller ends it, and ends with all that it started at a limit",
    ROTATING,
    async () => {
      const { run, items } = await world();
      const over = new AbortController();
      const ended = run(["sh", "-c", "echo on; sleep 60"], { signal: over.signal, onOutput: () => over.abort() });
      expect((await ended).evidence).toBeNull();
      expect(items()).toEqual([]);
      const late = await run(["sh", "-c", "sleep 60"], { timeoutMs: 50 });
      expect([late.timed_out, late.exit_code === 0, items().length]).toEqual([true, false, 1]);
    },
  );

  it(
    "[PROOF-47] has the same digest before and after a commit, and whatever stands in the workspace's own folder",
    ROTATING,
    async () => {
      const { ada, root } = await world();
      const git = openGit(root)!;
      const digest = (): string => treeDigest(git.listing().files);
      const first = digest();
      writeFileSync(join(root, ".coco/loose.txt"), "x");
      expect(digest()).toBe(first);
      writeFileSync(join(root, "src/a.ts"), "changed\n");
      writeFileSync(join(root, 'new \n"name".txt'), "new\n");
      writeFileSync(Buffer.concat([Buffer.from(`${root}/odd`), Buffer.of(0xff)]), "odd\n");
      symlinkSync("src/a.ts", join(root, "link"));
      writeFileSync(join(root, "tool"), "#!/bin/sh\n");
      chmodSync(join(root, "tool"), 0o755);
      rmSync(join(root, "src/b.ts"));
      const changed = digest();
      expect(changed).not.toBe(first);
      expect(treeDigest((await git.listingBeside()).files)).toBe(changed);
      ada.git("add", "-A");
      expect(digest()).toBe(changed);
      ada.commit("second");
      expect(digest()).toBe(changed);
      expect(treeDigest(git.listingOf("HEAD"))).toBe(changed);
      expect(git.listing().changed.size).toBe(0);
      chmodSync(join(root, "tool"), 0o644);
      expect(digest()).not.toBe(changed);
    },
  );

  it("[PROOF-47] is looked at without a program that the repository names", async () => {
    const { ada, root } = await world();
    writeFileSync(join(root, ".gitattributes"), "*.ts filter=evil\n");
    ada.git("config", "filter.evil.clean", "touch ran; cat");
    ada.git("config", "core.fsmonitor", "touch ran");
    writeFileSync(join(root, "src/a.ts"), "changed\n");
    openGit(root)!.listing();
    expect(() => readFileSync(join(root, "ran"))).toThrow("ENOENT");
  });
});

describe("proof by degrees", () => {
  it("[PROOF-48] a mode above require takes no claim, whatever it shows", ROTATING, async () => {
    const { ws, call, run, close } = await world();
    const claim = { kind: "run", command: "sh -c true", exit_code: 0, stdout: "12 passed" };
    await call("tasks_evidence_capture", { path: "s:0", items: [claim], checkpoint: "tests" });
    const refused = (await close()).error!;
    expect([refused.code, refused.recovery]).toEqual([
      "PROOF_REQUIRED",
      expect.stringContaining("taskfold run TASK-001 s:0 --for tests -- "),
    ]);
    expect(refused.message).toContain("Expected captured proof of tests");
    expect(refused.message).toContain("the highest is claimed");
    await run(TRUE);
    expect((await close()).success).toBe(true);
    await ws.close();
  });

  it(
    "[PROOF-48] a repeat by the actor who closes is a captured run, and the log is judged so, too",
    ROTATING,
    async () => {
      const { root, ws, close } = await world({ tests: "repeated" });
      const checkout = { root, git: openGit(root)! };
      const repeat = (actor: string) =>
        captureRun(ws, { task: "TASK-001", path: "s:0", argv: TRUE, actor }, { checkout });
      expect((await repeat("agent:ada")).degree).toBe("repeated");
      expect((await close()).error?.message).toContain("the highest is captured");
      expect((await close("agent:ci")).success).toBe(true);
      const log = readFileSync(logPath(root, "TASK-001"));
      const ours = log.toString("utf8");
      expect(ours.endsWith("\n")).toBe(true);
      const [step] = (readLog(log) as unknown as { steps: { done_by: string | null }[] }).steps;
      expect(step!.done_by).toBe("agent:ci");
    },
  );

  it("[PROOF-48] a work tree that differs from its commit makes no repeat", async () => {
    const { root, ws } = await world();
    writeFileSync(join(root, "src/a.ts"), "changed\n");
    const checkout = { root, git: openGit(root)! };
    const { degree } = await captureRun(ws, { task: "TASK-001", path: "s:0", argv: TRUE }, { checkout });
    expect(degree).toBe("captured");
  });

  it("[PROOF-48] each declared test needs a run of its own", ROTATING, async () => {
    const { run, close } = await world({ tests: "captured" }, ["sh -c true", "sh -c 'exit 0'"]);
    await run(TRUE);
    const refused = (await close()).error!;
    expect(refused.details).toMatchObject({ tests: ["sh -c 'exit 0'"], mode: "captured" });
    await run(["sh", "-c", "exit 0"]);
    expect((await close()).success).toBe(true);
  });

  it.each(["captured", "repeated"])(
    "[PROOF-48] in the mode %s a run of another command proves no declared test, whichever test its caller names",
    ROTATING,
    async (mode) => {
      const { root, ws, call, close } = await world({ tests: mode }, ["sh -c 'exit 1'"]);
      const run = (argv: readonly string[]) =>
        captureRun(ws, { task: "TASK-001", path: "s:0", argv, test: 0 }, { checkout: { root, git: openGit(root)! } });
      await run(["true"]);
      const answer = await close("agent:ci");
      const refused = answer.error!;
      expect([refused.code, refused.details]).toEqual([
        "PROOF_REQUIRED",
        expect.objectContaining({ tests: ["sh -c 'exit 1'"], mode }),
      ]);
      expect(refused.message).toMatch(/found evidence:cmd-\w+-1, a run of "true"\.$/);
      expect(refused.recovery).toContain(
        "Or declare the command that ran as the test, with tasks_define, and run it again.",
      );
      const declare = answer.suggestions.find(({ tool }) => tool === "tasks_define")!;
      expect((await call(declare.tool, declare.args as JsonObject)).success).toBe(true);
      expect((await close("agent:ci")).error?.message).toContain('a run of "true" that was not recorded for that test');
      await run(["true"]);
      expect((await close("agent:ci")).success).toBe(true);
    },
  );

  it("[PROOF-48] a run in another folder proves no declared test", ROTATING, async () => {
    const { root, run, close } = await world({ tests: "captured" }, ["sh -c true"]);
    await run(TRUE, { cwd: join(root, "src") });
    const { error, suggestions } = await close();
    const refused = error!;
    expect(refused.message).toContain('a run of "sh -c true" in the folder "src"');
    expect(refused.recovery).toContain("Start it in the root folder of the workspace.");
    expect(suggestions.map(({ tool }) => tool)).not.toContain("tasks_define");
    await run(TRUE);
    expect((await close()).success).toBe(true);
  });

  it("[PROOF-46] starts no command outside of the workspace, also not by a link", ROTATING, async () => {
    const { ada, root, run, items } = await world();
    const outside = join(root, "..");
    symlinkSync(outside, join(root, "out"));
    for (const cwd of [outside, join(root, "out")]) {
      const touch = ["touch", join(root, "ran")];
      await expect(run(touch, { cwd })).rejects.toMatchObject({
        code: "INVALID_INPUT",
        recovery: expect.stringContaining(`Leave cwd out: the command then runs in "${root}"`) as string,
      });
    }
    expect([ada.git("status", "--short", "ran"), items()]).toEqual(["", []]);
    symlinkSync(root, join(ada.root, "..", "named"));
    await run(TRUE, { cwd: join(outside, "named") });
    mkdirSync(join(root, "..src"));
    await run(TRUE, { cwd: join(root, "..src") });
    expect(items().map((item) => (item as unknown as JsonObject)["cwd"])).toEqual([".", "..src"]);
  });

  it("[PROOF-46] no tool takes what only Taskfold itself can say", ROTATING, async () => {
    const { call, close, ws } = await world();
    const captured = { argv: ["true"], env: [], started_at: "", ended_at: "", platform: "" };
    const attestation = { envelope: "{}", of: [], head: "", revision: 1, git_commit: "", key: "" };
    for (const more of [{ captured }, { attestation }, { checkout: "clean" }]) {
      const items = [{ kind: "run", command: "true", exit_code: 0, ...more }];
      for (const [tool, input] of [
        ["tasks_evidence_capture", { path: "s:0", items, checkpoint: "tests" }],
        ["tasks_evidence_capture", { path: "s:0", artifacts: items, checkpoint: "tests" }],
        ["tasks_macro_close_step", { path: "s:0", proof: { items } }],
        ["tasks_batch", { operations: [{ tool: "tasks_evidence_capture", args: { path: "s:0", items } }] }],
      ] as const) {
        const { error } = await call(tool, input as unknown as JsonObject);
        expect([tool, error?.code]).toEqual([tool, "INVALID_INPUT"]);
      }
    }
    expect((await close()).error?.code).toBe("PROOF_REQUIRED");
    const { reply } = await captureRun(ws, { task: "TASK-001", path: "s:0", argv: TRUE });
    expect(reply!.success).toBe(true);
    // What the host's own door compiled is not what a call from outside is judged by.
    const items = [{ kind: "run", command: "true", exit_code: 0, captured }];
    expect((await call("tasks_evidence_capture", { path: "s:0", items } as unknown as JsonObject)).error?.code).toBe(
      "INVALID_INPUT",
    );
    expect(internalsOf(ws)).not.toHaveProperty("call");
  });

  it.each([
    ["off", {}],
    ["require", { tests: "require" }],
  ])("[PROOF-108] that failed is taken back by no claim, in mode %s", ROTATING, async (_, proof) => {
    const { call, close, run, ws, root } = await world(proof, ["test -e built"]);
    const argv = ["test", "-e", "built"];
    const failed = await run(argv);
    const claim = { kind: "run", command: "test -e built", cwd: ".", exit_code: 0, stdout: "all passed" };
    const claimed = await call("tasks_evidence_capture", { path: "s:0", checkpoint: "tests", items: [claim] });
    expect(claimed.warnings.map(({ code, message }) => [code, message.includes(failed.evidence!)])).toContainEqual([
      "PROOF_FAILED",
      true,
    ]);
    // Of two failures the one that no claim takes back is named.
    await call("tasks_evidence_capture", { path: "s:0", checkpoint: "tests", items: [{ ...claim, exit_code: 1 }] });
    const refused = await close();
    expect(refused.error).toMatchObject({
      code: "PROOF_FAILED",
      recovery: expect.stringContaining("No call that only reports a run"),
    });
    expect(refused.error!.message).toContain(failed.evidence);
    // No call that is offered is a claim.
    expect(JSON.stringify(refused.suggestions)).not.toContain("exit_code");
    expect((await call("tasks_macro_close_step", { path: "s:0", proof: { items: [claim] } })).error?.code).toBe(
      "PROOF_FAILED",
    );
    writeFileSync(join(root, "built"), "");
    expect((await run(argv)).exit_code).toBe(0);
    // A failure that is reported counts, and another report takes it back.
    await call("tasks_evidence_capture", { path: "s:0", checkpoint: "tests", items: [{ ...claim, exit_code: 1 }] });
    expect((await close()).error?.code).toBe("PROOF_FAILED");
    await call("tasks_evidence_capture", { path: "s:0", checkpoint: "tests", items: [claim] });
    expect((await close()).error).toBeNull();
    await ws.close();
  });

  it("[PROOF-48] where a repeat is asked for, refusals name prove, but for a run of another command that failed", async () => {
    const { call, close, run, ws } = await world({ tests: "repeated" }, ["true"]);
    await run(["true"]);
    const prove = "taskfold prove TASK-001 s:0 --allow-commands";
    expect((await close()).error).toMatchObject({ code: "PROOF_REQUIRED", recovery: expect.stringContaining(prove) });
    const lint = await run(["test", "-e", "lint"]);
    const failed = await close();
    expect(failed.error).toMatchObject({
      code: "PROOF_FAILED",
      recovery: expect.stringContaining("taskfold run TASK-001 s:0 --for tests -- test -e lint"),
    });
    await call("tasks_evidence_capture", { path: "s:0", supersedes: [lint.evidence!], reason: "it is no test" });
    expect((await close()).error?.recovery).toContain(prove);
    await ws.close();
  });

  it("[PROOF-108] that failed on a task as a whole is taken back by no claim", ROTATING, async () => {
    const { call, root, ws } = await world({}, []);
    await call("tasks_close_step", { path: "s:0", checkpoints: "gate" });
    const argv = ["test", "-e", "built"];
    const whole = () => runCaptured(ws, { task: "TASK-001", argv, checkpoints: ["tests"] });
    await whole();
    const claim = { kind: "run", command: "test -e built", cwd: ".", exit_code: 0, stdout: "all passed" };
    await call("tasks_evidence_capture", { checkpoint: "tests", items: [claim] });
    const refused = await call("tasks_complete", {});
    expect(refused.error).toMatchObject({
      code: "PROOF_FAILED",
      recovery: expect.stringContaining('"taskfold run TASK-001 --for tests -- test -e built"'),
    });
    expect(JSON.stringify(refused.suggestions)).not.toContain("exit_code");
    writeFileSync(join(root, "built"), "");
    await whole();
    expect((await call("tasks_complete", {})).error).toBeNull();
  });

  it("[PROOF-109] [PACKET-67] that failed is taken back by no result that a packet is told of, wherever it was recorded, and costs no retry", async () => {
    for (const place of [{}, { path: "s:0" }]) {
      const { call, root, ws } = await world({}, ["test -e built"]);
      const argv = ["test", "-e", "built"];
      const acceptance = { commands: ["test -e built"], criteria: [] };
      await call("packet_define", { manifest: { ...MANIFEST, acceptance } });
      const { evidence } = await runCaptured(ws, { task: "TASK-001", argv, ...place });
      const { result } = await call("packet_stage_start", { stage: "codex_verify" });
      const results = [{ command: "test -e built", exit_code: 0, stdout: "all passed" }];
      const told = { stage: "codex_verify", run: result!["run"]!, exit_code: 0, out: "ran", acceptance: results };
      const finish = (more: JsonObject = {}) => call("packet_stage_finish", { ...told, ...more });
      const before = readFileSync(logPath(root, "TASK-001"), "utf8");
      const on = Object.keys(place).length === 0 ? "TASK-001" : "TASK-001 s:0";
      // More often than the retries that the manifest allows.
      for (let n = 0; n < 4; n++) {
        const { error, suggestions } = await finish();
        expect(error).toMatchObject({
          code: "PROOF_FAILED",
          message: expect.stringContaining(`evidence:${evidence} "test -e built", which ended with exit code 1`),
          recovery: expect.stringContaining(`"taskfold run ${on} --for tests -- test -e built"`),
        });
        expect(suggestions.map(({ tool, args }) => [tool, args["supersedes"]])).toEqual([
          ["tasks_evidence_verify", undefined],
          ["tasks_evidence_capture", [evidence]],
        ]);
      }
      expect(readFileSync(logPath(root, "TASK-001"), "utf8")).toBe(before);
      await call("packet_stage_interrupt", { stage: "codex_verify", reason: "the test is wrong" });
      const again = await call("packet_stage_start", { stage: "codex_verify" });
      writeFileSync(join(root, "built"), "");
      await runCaptured(ws, { task: "TASK-001", argv, ...place });
      expect((await finish({ run: again.result!["run"]! })).result).toMatchObject({ passed: true, reasons: [] });
      await ws.close();
    }
  });

  const USER = "user:hunter2hunter2";
  const TOKEN = `ghp_${"a1".repeat(18)}`;
  const MASKED: [string, string, string[], JsonObject][] = [
    ["a password", `env -u ${USER} test -e built`, ["env", "-u", USER, "test", "-e", "built"], {}],
    ["a token", `env API_TOKEN=${TOKEN} test -e built`, ["env", `API_TOKEN=${TOKEN}`, "test", "-e", "built"], {}],
    ["a pattern", "test -e built", ["test", "-e", "built"], { security: { redaction_patterns: ["built"] } }],
    ["a path", "test -e built", ["test", "-e", "built"], { security: { forbidden_paths: ["built"] } }],
  ];

  it.each(MASKED)(
    "[PROOF-109] [PROOF-100] that failed is known behind the mask of its command: %s",
    async (_, command, argv, security) => {
      const { call, root, ws } = await world({}, []);
      const named = { ...MANIFEST, ...security, acceptance: { commands: [] as string[], criteria: [] } };
      expect((await call("packet_define", { manifest: named })).error).toBeNull();
      const ran = () => runCaptured(ws, { task: "TASK-001", argv });
      const { evidence } = await ran();
      // Once the manifest has the command, no run of it is masked.
      const acceptance = { commands: [command], criteria: [] };
      expect((await call("packet_patch", { manifest: { acceptance } })).error).toBeNull();
      const stage = "codex_verify";
      const start = async () => {
        const { result } = await call("packet_stage_start", { stage });
        const told = { stage, run: result!["run"]!, exit_code: 0, out: "ran" };
        return () => call("packet_stage_finish", { ...told, acceptance: [{ command, exit_code: 0 }] });
      };
      const refused = async (finish: Awaited<ReturnType<typeof start>>) => {
        const { error } = await finish();
        expect([error?.code, error?.message]).toEqual(["PROOF_FAILED", expect.stringContaining(evidence!)]);
      };
      await refused(await start());
      await call("packet_stage_interrupt", { stage, reason: "the patterns go" });
      // The mask of its day stays on record.
      const none = { redaction_patterns: [], forbidden_paths: [] };
      expect((await call("packet_patch", { manifest: { security: none } })).error).toBeNull();
      const finish = await start();
      await refused(finish);
      writeFileSync(join(root, "built"), "");
      await ran();
      expect((await finish()).result).toMatchObject({ passed: true, reasons: [] });
      await ws.close();
    },
  );

  it.each(MASKED)(
    "[PROOF-108] [PROOF-100] that failed on the task is known behind the mask of its command: %s",
    async (_, command, argv, security) => {
      for (const then of [{}, { path: "s:0" }]) {
        const { call, close, root, ws } = await world({}, []);
        expect((await call("packet_define", { manifest: { ...MANIFEST, ...security } })).error).toBeNull();
        const ran = (place: JsonObject = {}) => runCaptured(ws, { task: "TASK-001", argv, ...place });
        const { evidence } = await ran();
        expect((await call("tasks_define", { path: "s:0", tests: [command] })).error).toBeNull();
        const { error } = await close();
        expect([error?.code, error?.message]).toEqual(["PROOF_FAILED", expect.stringContaining(evidence!)]);
        writeFileSync(join(root, "built"), "");
        await ran(then);
        expect((await close()).error).toBeNull();
        expect((await call("tasks_complete", {})).error).toBeNull();
        await ws.close();
      }
    },
  );

  it("[PROOF-109] that failed on a step that another actor holds is taken back on the task, and put aside by no call", async () => {
    const { call, run, root, ws } = await world({}, []);
    await call("packet_define", {
      manifest: { ...MANIFEST, acceptance: { commands: ["test -e built", "test -e made"], criteria: [] } },
    });
    const argv = ["test", "-e", "built"];
    await run(argv);
    const { evidence } = await runCaptured(ws, { task: "TASK-001", argv: ["test", "-e", "made"] });
    expect((await call("tasks_claim", { path: "s:0" }, "agent:bob")).error).toBeNull();
    const { result } = await call("packet_stage_start", { stage: "codex_verify" });
    const acceptance = ["built", "made"].map((file) => ({ command: `test -e ${file}`, exit_code: 0 }));
    const told = { stage: "codex_verify", run: result!["run"]!, exit_code: 0, out: "ran", acceptance };
    const finish = () => call("packet_stage_finish", told);
    const both = await finish();
    const lines = ["built", "made"].map((file) => `"taskfold run TASK-001 --for tests -- test -e ${file}"`);
    expect(both.error?.recovery).toContain(`run each of them again with ${lines.join(", ")}, and end`);
    const aside = ({ suggestions }: typeof both) => suggestions.flatMap(({ args }) => args["supersedes"] ?? []);
    expect(aside(both)).toEqual([evidence]);
    const pass = async (file: string): Promise<void> => {
      writeFileSync(join(root, file), "");
      await runCaptured(ws, { task: "TASK-001", argv: ["test", "-e", file], checkpoints: ["tests"] });
    };
    await pass("made");
    const held = await finish();
    expect([held.error?.code, aside(held)]).toEqual(["PROOF_FAILED", []]);
    expect(held.error?.recovery).toContain(`run it again with ${lines[0]}, and end`);
    expect(held.error?.recovery).not.toContain("supersede");
    await pass("built");
    expect((await finish()).result).toMatchObject({ passed: true });
    await ws.close();
  });

  it("[PROOF-108] that failed on a step that another actor holds is taken back by a run of one's own, and put aside by no call", async () => {
    const { call, close, root, run, ws } = await world({}, ["test -e built"]);
    await call("tasks_decompose", { steps: [{ title: "two", success_criteria: ["it works"], tests: ["true"] }] });
    const argv = ["test", "-e", "built"];
    const { evidence } = await runCaptured(ws, { task: "TASK-001", path: "s:1", argv });
    const aside = ({ suggestions }: Awaited<ReturnType<typeof close>>) =>
      suggestions.flatMap(({ args }) => args["supersedes"] ?? []);
    const free = await close();
    expect([free.error?.code, aside(free)]).toEqual(["PROOF_FAILED", [evidence]]);
    expect((await call("tasks_claim", { path: "s:1" }, "agent:bob")).error).toBeNull();
    const held = await close();
    expect([held.error?.code, aside(held)]).toEqual(["PROOF_FAILED", []]);
    expect(held.error?.recovery).toContain('"taskfold run TASK-001 s:0 --for tests -- test -e built"');
    expect(held.error?.recovery).not.toContain("supersede");
    writeFileSync(join(root, "built"), "");
    await run(argv);
    expect((await close()).error).toBeNull();
    await ws.close();
  });

  it.each([
    ["blanks in a word", ["test", "-e", "a  b"], "test -e 'a  b'"],
    [
      "several lines",
      ["sh", "-c", "test -e a &&\n  test -e b"],
      `sh -c "$(printf '%s\\n' 'test -e a &&' '  test -e b')"`,
    ],
    ["a long command, which is to be looked up", ["test", "-e", "x".repeat(2001)], "COMMAND"],
  ])("[PROOF-39] that failed is named by a line that runs the same command: %s", async (_, argv, line) => {
    const { close, run, root, ws } = await world({});
    await run(argv);
    const { error } = await close();
    expect(error?.code).toBe("PROOF_FAILED");
    expect(error?.recovery).toContain(`"taskfold run TASK-001 s:0 --for tests -- ${line}"`);
    if (line === "COMMAND") return ws.close();
    for (const file of ["a", "b", "a  b"]) writeFileSync(join(root, file), "");
    const words = execFileSync("sh", ["-c", `printf '%s\\0' ${line}`], { encoding: "utf8" }).split("\0");
    await run(words.slice(0, -1));
    expect((await close()).error).toBeNull();
    await ws.close();
  });

  it("[PROOF-46] is evidence whatever its words are", async () => {
    const { run, items, ws } = await world({});
    await run(["echo", "<fill: what it printed>"]);
    expect(items().map(({ captured }) => captured?.["argv"])).toEqual([["echo", "<fill: what it printed>"]]);
    await ws.close();
  });

  it("[PROOF-39] [PROOF-100] that failed behind a mask is named by a command line that can work", async () => {
    const { call, close, run, root, ws } = await world({}, []);
    const manifest = { ...MANIFEST, security: { redaction_patterns: ["built"] } };
    expect((await call("packet_define", { manifest })).error).toBeNull();
    await run(["test", "-e", "built"]);
    const recovery = async (): Promise<string> => (await close()).error!.recovery!;
    expect(await recovery()).toContain('"taskfold run TASK-001 s:0 --for tests -- COMMAND_WITH_ITS_SECRET"');
    const acceptance = { ...MANIFEST.acceptance, commands: ["test -e built"] };
    expect((await call("packet_patch", { manifest: { acceptance } })).error).toBeNull();
    const line = '"taskfold run TASK-001 s:0 --for tests -- test -e built"';
    expect(await recovery()).toContain(line);
    await call("packet_patch", { manifest: { acceptance: { ...acceptance, commands: [] } } });
    await call("tasks_decompose", { steps: [ANEW] });
    expect(await recovery()).toContain(line);
    writeFileSync(join(root, "built"), "");
    await run(["test", "-e", "built"]);
    expect((await close()).error).toBeNull();
    await ws.close();
  });

  it("[PROOF-100] that failed behind a mask is taken back by its own command alone", async () => {
    const { call, close, root, ws } = await world({}, []);
    const patterns = (...redaction_patterns: string[]) =>
      call("packet_patch", { manifest: { security: { redaction_patterns } } });
    expect((await call("packet_define", { manifest: MANIFEST })).error).toBeNull();
    const ran = (file: string, place: JsonObject = {}) =>
      runCaptured(ws, { task: "TASK-001", argv: ["test", "-e", file], ...place });
    await patterns("built");
    await ran("built");
    expect((await call("tasks_define", { path: "s:0", tests: ["test -e built"] })).error).toBeNull();
    await patterns();
    // It fits the mask as well, and is another command.
    await ran("src");
    expect((await close()).error?.code).toBe("PROOF_FAILED");
    writeFileSync(join(root, "built"), "");
    await ran("built");
    expect((await close()).error).toBeNull();
    await call("tasks_progress", { path: "s:0", completed: false });
    rmSync(join(root, "built"));
    await ran("built");
    // What a mask hides takes no failure back that stands on record without one.
    await patterns("built|package");
    await ran("package-lock.json");
    expect((await close()).error?.code).toBe("PROOF_FAILED");
    await ws.close();
  });

  const CHANGES = ["added", "removed"].flatMap((change) => ["step", "task", "packet"].map((place) => [change, place]));

  it.each(CHANGES)(
    "[PROOF-39] [PROOF-100] that failed before a pattern was %s is taken back by the line that the refusal names: %s",
    async (change, place) => {
      const { call, close, root, ws } = await world({}, []);
      const argv = ["test", "-f", "ok"];
      const security = (isSet: boolean): JsonObject => ({ redaction_patterns: isSet ? ["-f [a-z]+"] : [] });
      const acceptance = { commands: [] as string[], criteria: [] };
      const manifest = { ...MANIFEST, acceptance, security: security(change === "removed") };
      expect((await call("packet_define", { manifest })).error).toBeNull();
      const on: JsonObject = place === "step" ? { path: "s:0" } : {};
      await runCaptured(ws, { task: "TASK-001", argv, checkpoints: ["tests"], ...on });
      // Of a failure without masks the record itself has the command.
      const isAsked = change === "removed" || place === "packet";
      const commands = isAsked ? ["test -f ok"] : [];
      const patch = { acceptance: { ...acceptance, commands }, security: security(change === "added") };
      expect((await call("packet_patch", { manifest: patch })).error).toBeNull();
      // A failure on the whole keeps no step open.
      expect(place === "task" ? (await close()).error : null).toBeNull();
      let asked = place === "task" ? () => call("tasks_complete", {}) : close;
      if (place === "packet") {
        const { result } = await call("packet_stage_start", { stage: "codex_verify" });
        const told = { stage: "codex_verify", run: result!["run"]!, exit_code: 0, out: "ran" };
        const results = [{ command: "test -f ok", exit_code: 0 }];
        asked = () => call("packet_stage_finish", { ...told, acceptance: results });
      }
      const { error } = await asked();
      expect(error?.code).toBe("PROOF_FAILED");
      const [, path, checkpoints, words] = /"taskfold run TASK-001(?: (s:0))? --for (\S+) -- ([^"]*)"/.exec(
        error!.recovery!,
      )!;
      expect(words).toBe("test -f ok");
      writeFileSync(join(root, "ok"), "");
      const again = { task: "TASK-001", argv: words!.split(" "), checkpoints: checkpoints!.split(",") as ["tests"] };
      await runCaptured(ws, { ...again, ...(path === undefined ? {} : { path }) });
      expect((await asked()).error).toBeNull();
      await ws.close();
    },
  );

  it("[PROOF-109] [PROOF-36] that failed keeps a step open which a packet proves by reports alone", async () => {
    const { call, run, root, ws } = await world({}, ["test -e built"]);
    const acceptance = { commands: ["test -d src"], criteria: [] };
    await call("packet_define", { manifest: { ...MANIFEST, acceptance } });
    await call("tasks_define", { path: "s:0", packet: true });
    const { result } = await call("packet_stage_start", { stage: "codex_verify" });
    const results = [{ command: "test -d src", exit_code: 0 }];
    const told = { stage: "codex_verify", run: result!["run"]!, exit_code: 0, out: "ran", acceptance: results };
    expect((await call("packet_stage_finish", told)).result).toMatchObject({ passed: true });
    const close = () => call("tasks_close_step", { path: "s:0", checkpoints: { criteria: true } });
    const argv = ["test", "-e", "built"];
    const failed = await run(argv);
    const { error, suggestions } = await close();
    expect([error?.code, error?.message]).toEqual(["PROOF_FAILED", expect.stringContaining(failed.evidence!)]);
    expect(JSON.stringify(suggestions)).not.toContain("exit_code");
    const { radar } = (await call("tasks_radar", {})).result as unknown as { radar: { next: string[] } };
    expect(radar.next).toContain("Run again what failed for tests for s:0 one");
    writeFileSync(join(root, "built"), "");
    await run(argv);
    expect((await close()).error).toBeNull();
    await ws.close();
  });

  it.each<[string, [string, JsonObject][]]>([
    [
      "added anew",
      [
        ["tasks_delete", { path: "s:0" }],
        ["tasks_decompose", { steps: [ANEW] }],
      ],
    ],
    [
      "added before",
      [
        ["tasks_decompose", { steps: [ANEW] }],
        ["tasks_delete", { path: "s:0" }],
      ],
    ],
    [
      "defined for another step",
      [
        ["tasks_decompose", { steps: [{ ...ANEW, tests: [] }] }],
        ["tasks_delete", { path: "s:0" }],
        ["tasks_define", { path: "s:1", tests: ANEW.tests }],
      ],
    ],
    [
      "patched in",
      [
        ["tasks_decompose", { steps: [{ ...ANEW, tests: [] }] }],
        ["tasks_delete", { path: "s:0" }],
        ["tasks_patch", { path: "s:1", ops: [{ op: "append", field: "tests", value: ANEW.tests }] }],
      ],
    ],
    [
      "undone and brought again",
      [
        ["tasks_decompose", { steps: [ANEW] }],
        ["tasks_delete", { path: "s:0" }],
        ["tasks_undo", {}],
        ["tasks_redo", {}],
      ],
    ],
  ])(
    "[PROOF-108] that failed is remembered where its step is deleted and its test is asked for again: %s",
    async (_, calls) => {
      const { call, run, root, ws } = await world({}, ["test -e built"]);
      const argv = ["test", "-e", "built"];
      const { evidence } = await run(argv);
      for (const [tool, input] of calls) expect([tool, (await call(tool, input)).error]).toEqual([tool, null]);
      const close = (more: JsonObject = {}) => call("tasks_close_step", { path: "s:1", checkpoints: "gate", ...more });
      const refused = await close();
      expect(refused.error).toMatchObject({
        code: "PROOF_FAILED",
        message: expect.stringContaining(`proof of tests attached to s:1 "anew"; found evidence:${evidence}`),
        recovery: expect.stringContaining('"taskfold run TASK-001 s:1 --for tests -- test -e built"'),
      });
      expect(JSON.stringify(refused.suggestions)).not.toContain("exit_code");
      // What radar names next is no call that would be refused.
      expect(JSON.stringify((await call("tasks_radar", {})).suggestions)).not.toContain("tasks_close_step");
      const claim = { kind: "run", command: "test -e built", cwd: ".", exit_code: 0, stdout: "all passed" };
      await call("tasks_evidence_capture", { path: "s:1", checkpoint: "tests", items: [claim] });
      expect((await close()).error?.code).toBe("PROOF_FAILED");
      writeFileSync(join(root, "built"), "");
      await runCaptured(ws, { task: "TASK-001", path: "s:1", argv });
      expect((await close()).error).toBeNull();
      expect((await call("tasks_complete", {})).error).toBeNull();
      await ws.close();
    },
  );

  it("[PROOF-108] that failed is remembered for whichever checkpoint and of whichever step it was", async () => {
    const { call, run, root, ws } = await world({}, ["test -e built"]);
    const argv = ["test", "-e", "built"];
    const { evidence } = await run(argv, { checkpoints: ["security"] });
    await call("tasks_delete", { path: "s:0" });
    await call("tasks_decompose", { steps: [ANEW, { ...ANEW, title: "scratch", tests: [] }] });
    const close = () => call("tasks_close_step", { path: "s:1", checkpoints: "gate" });
    expect((await close()).error?.message).toContain(`found evidence:${evidence}`);
    // A newer failure on another step hides no older one.
    const newer = await runCaptured(ws, { task: "TASK-001", path: "s:2", argv });
    expect((await close()).error?.message).toContain(`found evidence:${newer.evidence}`);
    writeFileSync(join(root, "built"), "");
    await runCaptured(ws, { task: "TASK-001", argv });
    expect((await close()).error).toBeNull();
    await ws.close();
  });

  it("[PROOF-108] [PROOF-109] that failed is remembered where a step that names the packet is deleted", async () => {
    const { call, run, root, ws } = await world({}, ["test -e built"]);
    await call("packet_define", { manifest: { ...MANIFEST, acceptance: { commands: ["test -d src"], criteria: [] } } });
    await call("tasks_define", { path: "s:0", packet: true });
    const { result } = await call("packet_stage_start", { stage: "codex_verify" });
    const results = [{ command: "test -d src", exit_code: 0 }];
    const told = { stage: "codex_verify", run: result!["run"]!, exit_code: 0, out: "ran", acceptance: results };
    expect((await call("packet_stage_finish", told)).result).toMatchObject({ passed: true });
    const argv = ["test", "-e", "built"];
    await run(argv);
    await call("tasks_delete", { path: "s:0" });
    await call("tasks_decompose", { steps: [{ ...ANEW, packet: true }] });
    const close = () => call("tasks_close_step", { path: "s:1", checkpoints: { criteria: true } });
    expect((await close()).error?.code).toBe("PROOF_FAILED");
    writeFileSync(join(root, "built"), "");
    await runCaptured(ws, { task: "TASK-001", path: "s:1", argv });
    expect((await close()).error).toBeNull();
    await ws.close();
  });

  it("[PROOF-108] [PROOF-109] that failed on the task counts for a step that a reported result had proved before", async () => {
    const { call, root, ws } = await world({}, []);
    await call("packet_define", {
      manifest: { ...MANIFEST, acceptance: { commands: ["test -e built"], criteria: [] } },
    });
    await call("tasks_define", { path: "s:0", packet: true });
    const { result } = await call("packet_stage_start", { stage: "codex_verify" });
    const results = [{ command: "test -e built", exit_code: 0 }];
    const told = { stage: "codex_verify", run: result!["run"]!, exit_code: 0, out: "ran", acceptance: results };
    expect((await call("packet_stage_finish", told)).result).toMatchObject({ passed: true });
    const ran = () => runCaptured(ws, { task: "TASK-001", argv: ["test", "-e", "built"] });
    await ran();
    const close = () => call("tasks_close_step", { path: "s:0", checkpoints: { criteria: true } });
    expect((await close()).error?.code).toBe("PROOF_FAILED");
    expect((await call("tasks_complete", {})).error).not.toBeNull();
    writeFileSync(join(root, "built"), "");
    await ran();
    expect((await close()).error).toBeNull();
    rmSync(join(root, "built"));
    await ran();
    expect((await call("tasks_complete", {})).error?.code).toBe("PROOF_FAILED");
    await ws.close();
  });

  it.each([
    ["refused where it brings the test back", ["test -e built"], [], "PROOF_FAILED"],
    ["taken where it takes the test away", [], ["test -e built"], undefined],
  ])("[PROOF-108] [UNDO-33] an undo that closes a step is judged by what it leaves: %s", async (_, were, are, code) => {
    const { call, ws } = await world({}, were);
    expect((await call("tasks_close_step", { path: "s:0", checkpoints: "gate" })).error).toBeNull();
    await call("tasks_define", { path: "s:0", tests: are });
    await runCaptured(ws, { task: "TASK-001", argv: ["test", "-e", "built"] });
    expect((await call("tasks_undo", {})).error?.code).toBe(code);
    await ws.close();
  });

  it("[PROOF-108] that failed keeps a task from being completed if its step is deleted behind a closed one", async () => {
    const { call, run, ws } = await world({}, ["test -e built"]);
    await call("tasks_decompose", { steps: [ANEW] });
    await call("tasks_close_step", { path: "s:1", checkpoints: "gate" });
    const { evidence } = await run(["sh", "-c", "test -e built"]);
    await call("tasks_delete", { path: "s:0" });
    expect((await call("tasks_complete", {})).error?.code).toBe("PROOF_FAILED");
    const { radar } = (await call("tasks_radar", {})).result as unknown as { radar: { next: string[] } };
    expect(radar.next).toEqual(["Run again what failed for tests for s:1 anew: sh -c 'test -e built'"]);
    await call("tasks_progress", { path: "s:1", completed: false });
    expect((await call("tasks_undo", {})).error?.code).toBe("PROOF_FAILED");
    await call("tasks_evidence_capture", { supersedes: [evidence!], reason: "the work went elsewhere" });
    expect((await call("tasks_undo", {})).error).toBeNull();
    expect((await call("tasks_complete", {})).error).toBeNull();
    await ws.close();
  });

  it("[PROOF-108] that failed holds nothing if no live step asks for its test", async () => {
    const { call, run, ws } = await world({}, ["test -e built"]);
    await call("tasks_decompose", { steps: [{ ...ANEW, tests: ["test -d src"] }] });
    await run(["test", "-e", "built"]);
    await call("tasks_delete", { path: "s:0" });
    expect((await call("tasks_close_step", { path: "s:1", checkpoints: "gate" })).error).toBeNull();
    expect((await call("tasks_complete", {})).error).toBeNull();
    await ws.close();
  });

  it.each([
    ["sh -c 'export DB_PASSWORD=s3cretPass99; npm test'", ["sh", "-c", "export DB_PASSWORD=s3cretPass99; exit 1"]],
    ["sh -c 'PASSWORD=... npm test'", ["sh", "-c", "PASSWORD=s3cretPass99 false"]],
    ["bash -lc 'echo password=...; npm test'", ["bash", "-lc", "echo 'password=s3cretPass99'; exit 1"]],
  ])(
    "[PROOF-100] [PROOF-39] that hides a secret is known by the rest of its command: %s",
    ROTATING,
    async (_, argv) => {
      const { close, run, root, ws } = await world({});
      expect((await run(argv)).exit_code).toBe(1);
      const other = argv.at(-1)!.replace(/exit 1|false/, "true");
      expect((await run([...argv.slice(0, -1), other])).exit_code).toBe(0);
      expect(readFileSync(logPath(root, "TASK-001"), "utf8")).not.toContain("s3cretPass99");
      expect((await close()).error?.code).toBe("PROOF_FAILED");
      await ws.close();
    },
  );

  it("[PROOF-100] hides what belongs to a secret in an argument, and in a word of a script", async () => {
    const { run, root, ws } = await world({});
    const secrets = ["hunter2 horse", "hunter3", "hunter4 staple", "hunter5\\ battery"];
    await run(["true", "-u", `ann smith:${secrets[1]}`]);
    await run(["true", `user.password=${secrets[0]}`, "-c", `password=${secrets[2]}`]);
    await run(["sh", "-c", `PASSWORD=${secrets[3]} true; true`]);
    const log = readFileSync(logPath(root, "TASK-001"), "utf8");
    for (const word of ["hunter", "horse", "staple", "battery"]) expect(log, word).not.toContain(word);
    expect(log).toContain("true; true");
    await ws.close();
  });

  it("[PROOF-39] [PROOF-42] that failed is taken back by a run of its command in another spelling", async () => {
    const { call, close, run, root, ws } = await world({}, ["test -e built && true"]);
    const item = { kind: "run", command: "test -e built && true", exit_code: 1, stdout: "no" };
    await call("tasks_evidence_capture", { path: "s:0", checkpoint: "tests", items: [item] });
    expect((await close()).error?.recovery).toContain("-- sh -c 'test -e built && true'");
    writeFileSync(join(root, "built"), "");
    await run(["sh", "-c", "test -e built && true"]);
    expect((await close()).error).toBeNull();
    await ws.close();
  });

  it("[PROOF-46] [PROOF-48] a merge of branches and superseding keep the degree of a run", ROTATING, async () => {
    const { ada, cloneOf, ws, run } = await world();
    ada.commit("task");
    const bob = cloneOf(ada, "bob");
    const other = openWorkspace({
      root: bob.root,
      workspace: WORKSPACE,
      by: "agent:bob",
      git: () => openGit(bob.root),
    });
    const theirs = await runCaptured(other, { task: "TASK-001", path: "s:0", argv: ["sh", "-c", "exit 0"] });
    await other.close();
    const ours = await run(TRUE);
    await ws.close();
    ada.commit("ours");
    bob.commit("theirs");
    ada.merge(bob);
    const merged = openWorkspace({
      root: ada.root,
      workspace: WORKSPACE,
      by: "agent:ada",
      git: () => openGit(ada.root),
    });
    await merged.repair.resolve();
    const supersede = {
      workspace: WORKSPACE,
      task: "TASK-001",
      path: "s:0",
      supersedes: [ours.evidence!],
      reason: "it ran elsewhere",
    };
    expect((await merged.callTool("tasks_evidence_capture", supersede)).success).toBe(true);
    const close = { workspace: WORKSPACE, task: "TASK-001", path: "s:0", checkpoints: "gate" };
    expect((await merged.callTool("tasks_close_step", close)).success).toBe(true);
    expect(theirs.degree).toBe("captured");
    await merged.close();
  });
});
