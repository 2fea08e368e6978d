// @module-tag long
// @module-tag rotating
/** What an attempt leaves for the next one: after an interruption, after a kill, and after git in a servant. Real programs, real git. */
import { spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { JsonObject } from "../../src/state/json.ts";
import { git } from "../hosts/cli_support.ts";
import { MANIFEST, TASK } from "../packet/packet_support.ts";
import { ROOT } from "../support/source.ts";
import { tempFolder } from "../support/temp.ts";
import { ok } from "../support/workspace.ts";
import { PacketRoom, script } from "./packet_room.ts";
import { until } from "./stage_support.ts";

const LIMIT = { timeout: 180_000 };
const CLI = join(ROOT, "dist/cli.cjs");
const ANSWER = "## Findings\n## Test gaps\n## Breaking changes\n## Minimal fix\n";
const RUN = ["packet", "run", "T1", "--config", "../configs"];
const BUDGETS = { retry_budget: 9, paid_call_budget: 3, max_wallclock_sec: 60 };

beforeEach(() => {
  if (!existsSync(CLI)) throw new Error("expected a build in dist; run `npm run build`");
});

/** A repository whose .coco is committed, and a servant that runs the script `work` beside it. */
class Bench {
  readonly folder = tempFolder();
  readonly root = join(this.folder, "repo");

  constructor(manifest: JsonObject = {}) {
    mkdirSync(join(this.folder, "configs/servant"), { recursive: true });
    mkdirSync(this.root);
    const command = JSON.stringify(["sh", "-c", `cat > /dev/null; . ${this.folder}/work; cat ${this.folder}/answer`]);
    writeFileSync(
      join(this.folder, "configs/servant/gemini.yaml"),
      `tool: gemini\ncommand: ${command}\nprompt: stdin\ndefault_model: m\nallowed_models: [m]\n`,
    );
    writeFileSync(join(this.folder, "answer"), ANSWER);
    const all = { ...MANIFEST, task_id: "T1", routing: { intent: "review_only" }, budgets: BUDGETS, ...manifest };
    writeFileSync(join(this.folder, "manifest.yaml"), JSON.stringify(all));
    git(this.root, "init", "-q");
    writeFileSync(join(this.root, "notes.txt"), "mine\n");
    this.ok("init", "--workspace", "acme/repo");
    this.ok("packet", "create", "../manifest.yaml", "--config", "../configs");
    git(this.root, "add", "-A");
    git(this.root, "commit", "-q", "-m", "first");
  }

  work(script: string): this {
    writeFileSync(join(this.folder, "work"), script);
    return this;
  }

  ok(...args: string[]): void {
    const { status, stderr } = this.taskfold(...args);
    if (status !== 0) throw new Error(`${args.join(" ")}: ${stderr}`);
  }

  taskfold(...args: string[]) {
    return spawnSync(process.execPath, [CLI, ...args], { cwd: this.root, encoding: "utf8" });
  }

  run(...more: string[]) {
    const { status, stdout, stderr } = this.taskfold(...RUN, ...more);
    return { status, said: stdout + stderr };
  }

  /** A run that is under way; its servant has begun what it waits in. */
  async begun(...shell: string[]): Promise<ChildProcess> {
    const command = [process.execPath, CLI, ...RUN].join(" ");
    const child = spawn("sh", ["-c", `exec ${command} ${shell.join(" ")}`], { cwd: this.root, stdio: "ignore" });
    onTestFinished(() => void child.kill("SIGKILL"));
    await until(() => existsSync(join(this.folder, "begun")), "the servant");
    return child;
  }

  path(name: string): string {
    return join(this.root, ".coco/tasks/T1", name);
  }

  read(name: string): string {
    return readFileSync(this.path(name), "utf8");
  }

  get stats(): { paid_calls_used: number } {
    return JSON.parse(this.read("state/stats.json")) as { paid_calls_used: number };
  }
}

const WAITS = '[ -f "$0.once" ] || [ -f ../begun ] || { touch ../begun; exec sleep 60; }\n';

describe("an attempt that its dispatcher ends as interrupted", () => {
  it.each(["SIGINT", "SIGTERM"] as const)(
    "[PACKET-240] has changed what had changed by then (%s), and no later work of others",
    LIMIT,
    async (signal) => {
      const bench = new Bench().work(WAITS);
      const child = await bench.begun();
      child.kill(signal);
      await once(child, "exit");
      writeFileSync(join(bench.root, "notes.txt"), "edited\n");
      writeFileSync(join(bench.root, "more.txt"), "new\n");
      expect(bench.run()).toMatchObject({ status: 0 });
      expect(bench.stats.paid_calls_used).toBe(2);
    },
  );

  it("[PACKET-240] has changed what its servant wrote before the end", LIMIT, async () => {
    const bench = new Bench().work(`[ -f ../begun ] || echo x > outside.txt\n${WAITS}`);
    const child = await bench.begun();
    child.kill("SIGINT");
    await once(child, "exit");
    writeFileSync(join(bench.root, "notes.txt"), "edited\n");
    const { status, said } = bench.run();
    expect(status).toBe(1);
    expect(said).toContain('found "outside.txt"');
    expect(said).not.toContain("notes.txt");
  });
});

describe("an attempt whose dispatcher was killed", () => {
  it(
    "[PACKET-144] [PACKET-128] counts what changed since it began, says so, and a person takes it out",
    LIMIT,
    async () => {
      const bench = new Bench().work(WAITS);
      const child = await bench.begun();
      child.kill("SIGKILL");
      await once(child, "exit");
      writeFileSync(join(bench.root, "notes.txt"), "edited\n");
      const { status, said } = bench.run();
      expect(status).toBe(1);
      expect(said).toMatch(/interrupted; changes since it began count as its own/);
      expect(said).toContain('found "notes.txt"');
      expect(said).toContain("taskfold packet reopen T1 gemini_review --reason REASON");
      bench.ok("packet", "reopen", "T1", "gemini_review", "--reason", "the notes are mine");
      expect(bench.run()).toMatchObject({ status: 0 });
      expect(bench.read("events.jsonl")).toContain("the notes are mine");
    },
  );

  it("[PACKET-106] leaves no change by the files that it printed into", LIMIT, async () => {
    const bench = new Bench().work(WAITS);
    const child = await bench.begun("> o 2>&1");
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(bench.run()).toMatchObject({ status: 0 });
  });

  it("[PACKET-106] has changed another file that has the name of such a file by now", LIMIT, async () => {
    const bench = new Bench().work(WAITS);
    const child = await bench.begun("> o 2>&1");
    child.kill("SIGKILL");
    await once(child, "exit");
    writeFileSync(join(bench.root, "p"), "other");
    spawnSync("mv", ["p", "o"], { cwd: bench.root });
    expect(bench.run().said).toContain('found "o"');
  });
});

describe("a servant that takes the log back by git", () => {
  it.each([
    "git checkout -q -- .",
    "git stash -q",
    "git reset -q --hard",
    "git stash -q -u",
    "git checkout -q -b feat; echo $$ > src.txt; git add -A; git commit -q -m work; git checkout -q -; git branch -q -D feat",
  ])("[PACKET-353] takes no payment back: %s", LIMIT, (work) => {
    const bench = new Bench({ scope: { allow: ["."], deny: [] } }).work(work);
    writeFileSync(join(bench.folder, "answer"), "nothing\n");
    const first = bench.run();
    expect(first.said).toMatch(/Expected the log of T1 as it was when the attempt started; \d+ lines? of it w/);
    expect(first.said).not.toContain("STAGE_NOT_RUNNING");
    expect(bench.stats.paid_calls_used).toBe(1);
    bench.run();
    bench.run();
    expect(bench.stats.paid_calls_used).toBe(3);
    expect(bench.run().said).toContain("BUDGET_EXHAUSTED");
    const { stdout, stderr } = bench.taskfold("verify");
    expect(stdout + stderr).not.toMatch(/LOG_|NOT_AS_LOG|events\.jsonl/);
  });

  it("[PACKET-353] takes none back when its dispatcher is killed, too", LIMIT, async () => {
    const bench = new Bench().work(`[ -f ../begun ] || git checkout -q -- .\n${WAITS}`);
    const child = await bench.begun();
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(bench.stats.paid_calls_used).toBe(0);
    expect(bench.run()).toMatchObject({ status: 0 });
    expect(bench.stats.paid_calls_used).toBe(2);
  });

  it("[PACKET-353] takes none back when its caller runs it", LIMIT, () => {
    const bench = new Bench();
    bench.ok("packet", "start", "T1", "gemini_review");
    git(bench.root, "checkout", "-q", "--", ".");
    expect(bench.stats.paid_calls_used).toBe(0);
    const finish = ["packet", "finish", "T1", "gemini_review", "--exit-code", "0", "--out", "../answer"];
    const { status, stderr } = bench.taskfold(...finish);
    expect([status, stderr]).toEqual([0, expect.stringContaining("Expected the log of T1 as it was")]);
    expect(bench.stats.paid_calls_used).toBe(1);
  });

  it("[PACKET-353] takes none back when its caller starts it once more", LIMIT, () => {
    const bench = new Bench();
    bench.ok("packet", "start", "T1", "gemini_review");
    git(bench.root, "checkout", "-q", "--", ".");
    const { status, stderr } = bench.taskfold("packet", "start", "T1", "gemini_review");
    expect([status, stderr]).toEqual([4, expect.stringContaining("STAGE_RUNNING")]);
    expect(bench.stats.paid_calls_used).toBe(1);
  });

  it("[regression PACKET-354] loses no output that it printed while its file was away", LIMIT, () => {
    const bench = new Bench({ scope: { allow: ["."], deny: [] } }).work(
      "echo begin; git stash -q -u; git stash pop -q",
    );
    expect(bench.run()).toMatchObject({ status: 0 });
    expect(bench.read("outputs/gemini_review.gemini.out")).toBe(`begin\n${ANSWER}`);
  });
});

describe("a stage that widens the scope while it runs", () => {
  it.each([
    ["packet_patch", { manifest: { scope: { allow: ["."], deny: [] } } }],
    ["packet_patch", { manifest: { budgets: { paid_call_budget: 1000 } } }],
    ["packet_budget_reset", { kind: "paid_call_budget", reason: "more" }],
  ])("[PACKET-408] changes nothing that it or the next attempt is judged by: %s %j", LIMIT, (tool, change) => {
    const bench = new Bench();
    const before = bench.read("manifest.yaml");
    const input = JSON.stringify({ workspace: "acme/repo", task: "T1", ...change });
    bench.work(`${process.execPath} ${CLI} call ${tool} '${input}' > ../said 2>&1; echo x > outside.txt`);
    expect(bench.run().said).toContain('found "outside.txt"');
    expect(readFileSync(join(bench.root, "../said"), "utf8")).toMatch(/^STAGE_RUNNING: .*process \d+ runs attempt 1/);
    expect(bench.read("manifest.yaml")).toBe(before);
    expect(bench.stats.paid_calls_used).toBe(1);
  });
});

describe("an acceptance command that fails", () => {
  const routing = { intent: "safe_impl", pipeline: { flags: { enable_brief: false } } };
  const acceptance = { commands: ["echo first; echo 'boom: 2 is not 3' >&2; exit 3"], criteria: [] };

  it(
    "[regression PACKET-356] is told with a line of its output, and with what helps if the work is wrong",
    LIMIT,
    async () => {
      const room = await PacketRoom.make({ manifest: { routing, acceptance } });
      expect(await room.run()).toMatchObject({
        outcome: "failed",
        next: { action: expect.stringMatching(/^reopen codex_impl if its work is wrong, else retry codex_verify/) },
      });
      const reopen = `taskfold packet reopen ${TASK} codex_impl --reason REASON`;
      const summary = room.read("outputs/_summary.md");
      expect(summary).toContain("- output: boom: 2 is not 3 (all of it: outputs/codex_verify.artifact.md)\n");
      expect(summary).toContain(`- if the work of codex_impl is wrong: ${reopen}`);
      expect(room.read("outputs/codex_verify.artifact.md")).toMatch(/first\n+boom: 2 is not 3/);
      const ended = room.told.findLast((event) => event.type === "ended");
      expect(ended).toMatchObject({ tail: [expect.stringContaining("boom: 2"), expect.stringContaining(reopen)] });
      await ok(room.ws, "packet_stage_reopen", { task: TASK, stage: "codex_impl", reason: "2 is not 3" });
      expect(await ok(room.ws, "packet_next", { task: TASK })).toMatchObject({ stage: "codex_impl", allowed: true });
    },
  );

  it("[regression PACKET-357] advises no retry that no budget allows", LIMIT, async () => {
    const budgets = { retry_budget: 0, paid_call_budget: 20, max_wallclock_sec: 60 };
    const servants = { gemini: script("exit 1") };
    const room = await PacketRoom.make({ manifest: { routing: { intent: "review_only" }, budgets }, servants });
    await room.run();
    const summary = room.read("outputs/_summary.md");
    expect(summary).toContain("- allowed: no, because: retry_budget\n");
    expect(summary).toContain("- suggested: ");
    expect(summary).not.toMatch(/suggested: .*retry/i);
  });
});

describe("a gate with more reasons than it tells", () => {
  it("[PACKET-60] says how many more there are", LIMIT, () => {
    const bench = new Bench().work("for n in $(seq 60); do echo x > out-$n; done");
    expect(bench.run().said).toContain("There are 10 more reasons");
    const { reasons } = JSON.parse(bench.read("state/last_failure.json")) as { reasons: string[] };
    expect([reasons.length, reasons.at(-1)]).toEqual([51, "There are 10 more reasons of this kind."]);
  });
});
