// @module-tag rotating
/** A day's work by hand: what changes something, and what is left around it. */
import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import type { JsonObject } from "../../src/index.ts";
import { explanationOf } from "../../src/engine/core/findings_explained.ts";
import { commands } from "../../src/hosts/cli/commands/index.ts";
import { everydayCommand } from "../../src/hosts/cli/everyday_command.ts";
import { TOPICS } from "../../src/hosts/cli/help_topics.ts";
import { branched, driven, gitSaid } from "../support/git_work.ts";
import { filesBelow, ROOT } from "../support/source.ts";
import { tempFolder } from "../support/temp.ts";
import { tree } from "../support/workspace.ts";
import { json, PROGRAM, real, refused, result, run, workspace } from "./cli_support.ts";

interface StepFacts {
  blocked: boolean;
  blockers: string[];
}

describe("working", () => {
  it("[CLI-118] unblock takes a block back and the blockers in words, both or one of them, and status names it for each", async () => {
    const cwd = await workspace();
    await run({ cwd }, "block", "1", "grammar", "--reason", "no key");
    const words = JSON.stringify({ task: "TASK-001", path: "s:0", blockers: ["no ink"] });
    await run({ cwd }, "call", "tasks_define", words);
    const blocked = async (): Promise<[boolean, string[]]> => {
      const { step_list } = (await result(cwd, "show", "1")) as unknown as { step_list: StepFacts[] };
      return [step_list[0]!.blocked, step_list[0]!.blockers];
    };
    const line = async (): Promise<string> =>
      /unblock TASK-001 \S+/.exec((await run({ cwd }, "status")).out.replaceAll(/\s+/g, " "))![0];
    expect((await run({ cwd }, ...(await line()).split(" "))).code).toBe(0);
    expect(await blocked()).toEqual([false, []]);
    await run({ cwd }, "call", "tasks_define", words);
    expect(await blocked()).toEqual([false, ["no ink"]]);
    expect((await run({ cwd }, ...(await line()).split(" "))).code).toBe(0);
    expect(await blocked()).toEqual([false, []]);
  });

  it("[CLI-118] done closes a step, by --confirm in one change, and completes what has no open step", async () => {
    const cwd = await workspace();
    const bare = await refused(cwd, "CHECKPOINTS_NOT_CONFIRMED", 1, "done", "1", "s:0");
    expect(bare).toMatch(/try: taskfold done TASK-001 STEP-\S+ --confirm gate$/m);
    expect((await json({ cwd }, "done", "1", "grammar", "--confirm", "gate")).doc).toMatchObject({
      intent: "tasks_close_step",
    });
    expect((await json({ cwd }, "done", "1", "--confirm", "criteria,tests")).doc).toMatchObject({ error: null });
    expect((await json({ cwd }, "done", "1")).doc).toMatchObject({
      intent: "tasks_complete",
      result: { status: "DONE" },
    });
    expect((await json({ cwd }, "reopen", "1", "--reason", "again")).doc).toMatchObject({
      result: { status: "ACTIVE" },
    });
    expect((await json({ cwd }, "reopen", "1", "grammar")).doc).toMatchObject({ intent: "tasks_progress" });
    await run({ cwd }, "block", "1", "--reason", "the key");
    await refused(cwd, "STEP_BLOCKED", 1, "done", "1");
    await refused(cwd, "INVALID_INPUT", 2, "done", "1", "--force");
    expect((await run({ cwd }, "done", "1", "--force", "--reason", "no key needed")).code).toBe(0);
    expect((await json({ cwd }, "complete", "1", "--status", "CANCELED", "--reason", "dropped")).doc).toMatchObject({
      result: { status: "CANCELED", status_reason: "dropped" },
    });
    await refused(cwd, "INVALID_INPUT", 2, "done", "1", "s:0", "--confirm", "luck");
    await refused(cwd, "INVALID_INPUT", 2, "complete", "1", "--status", "LATER");
    await refused(cwd, "INVALID_INPUT", 2, "note", "1");
    await refused(cwd, "INVALID_INPUT", 2, "note", "1", " ");
    await refused(cwd, "TARGET_REQUIRED", 2, "unblock", "1");
  });

  it("[CLI-118] [STEP-79] [STEP-72] add makes ordered steps and a task that ends with them, edit and claim --whole know the rest", async () => {
    const cwd = await workspace();
    const steps = ["--step", "one", "--step", "two", "--criteria", "it works"];
    const made = (await json({ cwd }, "add", "Both", ...steps, "--ordered", "--complete-when-done", "--plan", "1")).doc
      .result;
    const id = (made as unknown as { id: string }).id;
    expect((await json({ cwd }, "claim", id, "--next", "--whole", "--by", "bob")).doc.result).toMatchObject({
      step: { path: "s:0" },
      event: { step_id: null },
    });
    await refused(cwd, "NOTHING_READY", 1, "claim", id, "--next");
    expect((await run({ cwd }, "release", id, "--by", "bob")).code).toBe(0);
    await refused(cwd, "STEP_WAITS", 1, "done", id, "two", "--confirm", "gate");
    for (const word of ["no", "plan", "YES"])
      expect((await run({ cwd }, "edit", id, "--complete-when-done", word)).code).toBe(0);
    await refused(cwd, "INVALID_INPUT", 2, "edit", id, "--complete-when-done", "later");
    await refused(cwd, "INVALID_INPUT", 2, "edit", id, "one", "--complete-when-done", "yes");
    await run({ cwd }, "done", id, "one", "--confirm", "gate");
    expect((await json({ cwd }, "done", id, "two", "--confirm", "gate")).doc.result).toMatchObject({
      status: "DONE",
      steps: { total: 2, open: 0 },
    });
    await run({ cwd }, "plan", "add", "All", "--complete-when-done");
  });

  it("[CLI-114] add --ordered is refused where the call makes no step", async () => {
    const cwd = await workspace();
    const before = tree(join(cwd, ".coco"));
    expect(await refused(cwd, "INVALID_INPUT", 2, "add", "Both", "--ordered")).toContain("--step Read --step Write");
    expect(tree(join(cwd, ".coco"))).toEqual(before);
  });

  it("[CLI-118] claim takes the next ready step or what is named, and release gives back the only claim", async () => {
    const cwd = await workspace();
    expect((await json({ cwd }, "claim")).doc).toMatchObject({
      intent: "tasks_claim_next",
      result: { step: { path: "s:0" } },
    });
    expect((await json({ cwd }, "claim", "plan-1", "--next", "--by", "bob")).doc.result).toMatchObject({
      step: { path: "s:1" },
    });
    expect((await json({ cwd }, "release")).doc.result).toMatchObject({ step: { path: "s:0" }, lease: null });
    expect((await json({ cwd }, "release", "1", "--by", "bob")).doc.result).toMatchObject({ step: { path: "s:1" } });
    expect(await refused(cwd, "TARGET_REQUIRED", 2, "release")).toContain("none is yours");
    const { lease } = (await result(cwd, "claim", "1", "--for", "2h")) as unknown as {
      lease: { claimed_at: string; expires_at: string };
    };
    expect(Date.parse(lease.expires_at) - Date.parse(lease.claimed_at)).toBe(7_200_000);
    await refused(cwd, "LEASE_HELD", 4, "claim", "1", "--by", "bob");
    await refused(cwd, "INVALID_INPUT", 2, "claim", "1", "--for", "soon");
    for (const option of ["--whole", "--next"])
      expect(await refused(cwd, "INVALID_INPUT", 2, "claim", "1", "s:0", option)).toContain(
        "taskfold claim TASK-001 --next",
      );
    await refused(cwd, "NOTHING_READY", 1, "claim", "--by", "bob");
    expect((await run({ cwd }, "release", "1", "--force", "--reason", "gone", "--by", "bob")).code).toBe(0);
  });

  it("[CLI-120] [regression EVID-51] run shows what a command prints, captures it, and ends with its exit code", async () => {
    const cwd = await workspace();
    mkdirSync(join(cwd, "sub"));
    const script = "console.log('a\\u001b[1m b'); console.error('err'); process.exit(3)";
    const failed = real(join(cwd, "sub"), ["run", "1", "grammar", "--", process.execPath, "-e", script]);
    expect(failed.code).toBe(3);
    expect(failed.out.startsWith("a\u001b[1m b\nTASK-001 revision 2: Captured 1 piece")).toBe(true);
    expect(failed.out).toContain("for tests: failed with exit code 3.");
    expect(failed.err).toMatch(/^err\n.*PROOF_FAILED/);
    const stays = real(cwd, ["run", "1", "grammar", "--close", "--", process.execPath, "-e", "process.exit(1)"]);
    expect(stays.code).toBe(1);
    const passed = real(cwd, [
      "run",
      "1",
      "grammar",
      "--for",
      "tests,perf",
      "--close",
      "--",
      process.execPath,
      "-e",
      "0",
    ]);
    // Two other commands failed: what passed is kept, and the step stays open until they are superseded.
    expect(passed).toMatchObject({ code: 1 });
    expect(passed.err).toContain("PROOF_FAILED");
    const { evidence } = (await result(cwd, "show", "1")) as unknown as { evidence: { id: string }[] };
    const supersedes = evidence.slice(0, 2).map(({ id }) => id);
    const aside = { task: "TASK-001", path: "s:0", supersedes, reason: "a try" };
    await result(cwd, "call", "tasks_evidence_capture", JSON.stringify(aside));
    const close = real(cwd, ["done", "1", "grammar", "--confirm", "all"]);
    expect(close).toMatchObject({ code: 0 });
    expect(await result(cwd, "show", "1")).toMatchObject({
      step_list: [{ done: true }, { done: false }],
      evidence: [
        { sources: [{ exitCode: 3, cwd: "sub" }] },
        { sources: [{ exitCode: 1 }] },
        { sources: [{ exitCode: 0 }], linked: [{ path: "s:0", checkpoints: ["tests", "perf"] }] },
      ],
    });
  });

  it("[CLI-120] of a long output the ends are kept with the digest of the whole; --json prints the reply alone", async () => {
    const cwd = await workspace();
    const script = "process.stdout.write('x'.repeat(100000) + 'end')";
    const { code, out, err } = real(cwd, ["run", "1", "s:1", "--json", "--", process.execPath, "-e", script]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const doc = JSON.parse(out) as { result: { event: { items: { summary: string; stdout: { sha256: string } }[] } } };
    const [item] = doc.result.event.items;
    const sha256 = spawnSync("sh", ["-c", `${process.execPath} -e "${script}" | sha256sum`], {
      encoding: "utf8",
    }).stdout;
    expect(item!.summary).toContain(`stdout 100003 bytes, sha256 ${sha256.slice(0, 64)}`);
    const blob = readFileSync(join(cwd, ".coco/tasks/TASK-001/shared/evidence/blobs", item!.stdout.sha256), "utf8");
    expect(blob).toMatch(/^x{20480}\n\[\.\.\. \d+ bytes left out \.\.\.\]\nx+end$/);
  });

  it("[CLI-120] [CLI-118] what does not start, or names no command, leaves no evidence", async () => {
    const cwd = await workspace();
    await refused(cwd, "INVALID_INPUT", 2, "run", "1", "s:0", "--", "no-such-program-here");
    await refused(cwd, "INVALID_INPUT", 2, "run", "1", "s:0");
    await refused(cwd, "INVALID_INPUT", 2, "run", "--", "true");
    await refused(cwd, "INVALID_INPUT", 2, "run", "1", "s:0", "more", "--", "true");
    await refused(cwd, "INVALID_INPUT", 2, "run", "1", "s:0", "--for", "luck", "--", "true");
    await refused(cwd, "UNKNOWN_ID", 3, "run", "9", "--", "true");
    expect(await refused(cwd, "TARGET_REQUIRED", 2, "run", "1", "--", "true")).toContain("2 open steps");
  });

  it("[CLI-120] an interrupted command leaves no evidence", async () => {
    const cwd = await workspace();
    const before = tree(join(cwd, ".coco/tasks"), { times: false });
    const script = "console.log('up'); setInterval(() => 0, 1000)";
    const child = spawn(process.execPath, [PROGRAM, "run", "1", "s:0", "--", process.execPath, "-e", script], { cwd });
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child.stdout, "data");
    child.kill("SIGTERM");
    expect(await once(child, "close")).toEqual([143, null]);
    expect(tree(join(cwd, ".coco/tasks"), { times: false })).toEqual(before);
  });

  it("[CLI-7] an answer offers everyday commands, and that of call offers calls", async () => {
    const cwd = await workspace();
    const words = await refused(cwd, "CHECKPOINTS_NOT_CONFIRMED", 1, "-C", cwd, "--by", "bob", "done", "1", "s:0");
    const offered = /try: taskfold (.*)$/m.exec(words)![1]!;
    expect(offered).toContain("-C ");
    const ran = spawnSync("sh", ["-c", `"$NODE" "$PROGRAM" ${offered}`], {
      cwd: tempFolder(),
      encoding: "utf8",
      env: { ...process.env, NODE: process.execPath, PROGRAM },
    });
    expect(ran).toMatchObject({ status: 0, stdout: expect.stringContaining("Closed s:0") as string });
    const call = await run({ cwd }, "call", "tasks_done", '{"task":"TASK-001","path":"s:1"}');
    expect(call.err).toMatch(/try: taskfold call tasks_verify /);
  });
});

describe("a call that edit makes", () => {
  it.each([
    ["tasks_edit", { task: "TASK-001", priority: "LOW" }, { priority: "LOW" }],
    [
      "tasks_edit",
      { task: "TASK-001", title: "It's new", tags: ["a", "b c"] },
      { title: "It's new", tags: ["a", "b c"] },
    ],
    ["tasks_edit", { task: "TASK-001", depends_on: ["TASK-002"] }, { depends_on: ["TASK-002"] }],
    ["tasks_define", { task: "TASK-001", path: "s:0", tests: ["a", "b"] }, { tests: ["a", "b"] }],
    [
      "tasks_define",
      { task: "TASK-001", path: "s:0", success_criteria: ["it works"] },
      { success_criteria: ["it works"] },
    ],
  ])("[CLI-7] %s %o stands as its command, which makes it", async (tool, input, expected) => {
    const cwd = await workspace();
    await run({ cwd }, "add", "Other");
    const line = everydayCommand(commands(), tool, input, "status")!;
    expect(line).toMatch(/^edit TASK-001 /);
    const ran = spawnSync("sh", ["-c", `"$NODE" "$PROGRAM" ${line} --json`], {
      cwd,
      encoding: "utf8",
      env: { ...process.env, NODE: process.execPath, PROGRAM },
    });
    expect(JSON.parse(ran.stdout)).toMatchObject({ success: true, intent: tool });
    const { target, detail, step_list } = (await result(cwd, "show", "1")) as unknown as {
      target: JsonObject;
      detail: JsonObject;
      step_list: JsonObject[];
    };
    expect(tool === "tasks_edit" ? { ...target, ...detail } : step_list[0]).toMatchObject(expected);
  });

  it("[CLI-7] a flag is a word", () => {
    const line = (flag: boolean) =>
      everydayCommand(commands(), "tasks_edit", { plan: "PLAN-001", complete_when_done: flag }, "status");
    expect([line(true), line(false)]).toEqual([
      "edit PLAN-001 --complete-when-done yes",
      "edit PLAN-001 --complete-when-done no",
    ]);
  });

  it.each([
    ["tasks_edit", { task: "TASK-001", tags: [] }],
    ["tasks_edit", { task: "TASK-001", priority: null }],
    ["tasks_define", { task: "TASK-001", path: "s:0", tests: [] }],
  ])("[CLI-7] %s %o has no option there, so the call itself is offered", (tool, input) => {
    expect(everydayCommand(commands(), tool, input, "status")).toBeUndefined();
  });
});

describe("changing", () => {
  it("[CLI-118] edit sets the fields of the options, of a step where one is named", async () => {
    const cwd = await workspace();
    await run({ cwd }, "add", "Other");
    await run(
      { cwd },
      "edit",
      "1",
      "--title",
      "New",
      "--tag",
      "a",
      "--tag",
      "b",
      "--depends-on",
      "2",
      "--priority",
      "LOW",
    );
    await run({ cwd }, "edit", "1", "grammar", "--title", "Grammar", "--test", "t1", "--test", "t2");
    expect(await result(cwd, "show", "1")).toMatchObject({
      target: { title: "New" },
      detail: { tags: ["a", "b"], depends_on: ["TASK-002"], priority: "LOW" },
      step_list: [{ title: "Grammar", tests: ["t1", "t2"] }, {}],
    });
    await refused(cwd, "INVALID_INPUT", 2, "edit", "1");
    await refused(cwd, "INVALID_INPUT", 2, "edit", "1", "--test", "x");
    await refused(cwd, "INVALID_INPUT", 2, "edit", "1", "s:0", "--tag", "x");
    await refused(cwd, "INVALID_INPUT", 2, "edit", "1", "--title", " ");
  });

  it("[CLI-118] without options the editor gets a small file, of which only changes are written", async () => {
    const cwd = await workspace();
    const editor = (script: string): Record<string, string> => {
      const path = join(tempFolder(), "edit.mjs");
      writeFileSync(
        path,
        `import fs from "node:fs"; const f = process.argv[2]; let t = fs.readFileSync(f, "utf8"); ${script}; fs.writeFileSync(f, t);`,
      );
      return { EDITOR: `'${process.execPath}' '${path}'` };
    };
    const log = join(cwd, ".coco/tasks/TASK-001/events.jsonl");
    const before = readFileSync(log, "utf8");
    expect(real(cwd, ["edit", "1"], editor(""))).toMatchObject({ code: 0, out: "TASK-001: nothing changed.\n" });
    expect(real(cwd, ["edit", "1"], editor('t = "no: field"')).err).toMatch(/^INVALID_INPUT: Expected lines such as/);
    expect(real(cwd, ["edit", "1"], editor("process.exit(1)")).code).toBe(2);
    expect(readFileSync(log, "utf8")).toBe(before);
    const changes =
      't = t.replace("A parser", "A better parser").replace("tags: ", "tags: x, y") + "About it.\\nMore."';
    expect(real(cwd, ["edit", "1"], editor(changes)).code).toBe(0);
    expect(await result(cwd, "show", "1")).toMatchObject({
      target: { title: "A better parser", revision: 2 },
      detail: { description: "About it.\nMore.", tags: ["x", "y"], priority: "MEDIUM" },
    });
    const note = `import("node:child_process").then((m) => m.execFileSync(process.execPath, ["${PROGRAM}", "note", "1", "meanwhile"]));`;
    const between = editor(`const m = await ${note.slice(0, -1)}; t = t.replace("better", "best")`);
    expect(real(cwd, ["edit", "1"], between)).toMatchObject({
      code: 4,
      err: expect.stringMatching(/^REVISION_MISMATCH/) as string,
    });
  });

  it("[CLI-118] rm asks on a terminal, and needs --yes elsewhere", async () => {
    const cwd = await workspace();
    await refused(cwd, "INVALID_INPUT", 2, "rm", "1");
    expect((await run({ cwd, answer: "no" }, "rm", "1")).code).toBe(2);
    expect((await json({ cwd }, "rm", "1", "parser", "--yes")).doc.result).toMatchObject({ step: { path: "s:1" } });
    expect((await run({ cwd, answer: "y" }, "rm", "1")).code).toBe(0);
    expect((await run({ cwd }, "rm", "plan-1", "--yes")).code).toBe(0);
    expect((await run({ cwd }, "list", "-q")).out).toBe("");
  });

  it("[CLI-111] -q prints ids alone", async () => {
    const cwd = await workspace();
    expect(await run({ cwd }, "note", "1", "x", "-q")).toEqual({ code: 0, out: "TASK-001\n", err: "" });
    expect(await run({ cwd }, "list", "--quiet")).toEqual({ code: 0, out: "PLAN-001\nTASK-001\n", err: "" });
    expect((await run({ cwd }, "note", "9", "x", "-q")).err).toMatch(/^UNKNOWN_ID/);
    await run({ cwd }, "add", "No steps");
    expect(await run({ cwd }, "done", "2", "-q")).toEqual({ code: 0, out: "TASK-002\n", err: "" });
  });
});

describe("the rest of the day", () => {
  it("[CLI-118] watch prints a line for each event until it is interrupted, and takes no --json", async () => {
    const cwd = await workspace();
    const child = spawn(process.execPath, [PROGRAM, "watch"], { cwd });
    onTestFinished(() => void child.kill("SIGKILL"));
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
    // It says nothing before the first change, so changes go on until one was seen.
    for (let i = 0; said === "" && i < 100; i++) {
      await run({ cwd }, "note", "1", `number ${i}`);
      await pause(100);
    }
    expect(said).toMatch(/^20\S+ {2}human:local {2}TASK-001 {2}Noted on "A parser": number \d+\.$/m);
    child.kill("SIGINT");
    expect(await once(child, "close")).toEqual([0, null]);
    const { code, doc } = await json({ cwd }, "watch");
    expect({ code, error: doc.error?.code }).toEqual({ code: 2, error: "INVALID_INPUT" });
  });

  it("[CLI-118] on a terminal it draws the open tasks anew at each change", async (context) => {
    const cwd = await workspace();
    const version = spawnSync("script", ["--version"], { encoding: "utf8" });
    if (version.error || !version.stdout.includes("util-linux"))
      context.skip("it needs the program `script` of util-linux, which is not installed here");
    const command = `stty cols 40 rows 10; exec '${process.execPath}' '${PROGRAM}' watch`;
    const child = spawn("script", ["-qec", command, "/dev/null"], { cwd });
    onTestFinished(() => void child.kill("SIGKILL"));
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
    await expect.poll(() => said, { timeout: 150_000 }).toContain("Ctrl-C ends");
    expect(said).toContain("\u001b[2J\u001b[H");
    for (let i = 0; !said.includes("Extra 0") && i < 100; i++) {
      await run({ cwd }, "add", `Extra ${i}`);
      await pause(100);
    }
    expect(said).toMatch(/TASK-002 +TODO +0\/0 steps +Extra 0/);
    child.stdin.write("\u0003");
    expect((await once(child, "close"))[0]).toBe(0);
  });

  it("[CLI-16] doctor explains each code once, and --fix rebuilds and keeps what stood there", async () => {
    const cwd = await workspace();
    expect(await run({ cwd }, "doctor")).toMatchObject({ code: 0, out: "2 plans and tasks: all is well\n" });
    const readme = join(cwd, ".coco/tasks/TASK-001/README.md");
    appendFileSync(readme, "by hand\n");
    appendFileSync(join(cwd, ".coco/tasks/PLAN-001/README.md"), "by hand\n");
    const { code, out } = await run({ cwd }, "doctor");
    expect(code).toBe(1);
    expect(out).toMatch(
      /^PROJECTION_DIFFERS +a file is not as its log says\n +why +\S.*\n +next +taskfold doctor --fix .*\n +where +- \S+PLAN-001\/README\.md:\d+: .*\n +- \S+TASK-001/m,
    );
    const log = readFileSync(join(cwd, ".coco/tasks/TASK-001/events.jsonl"), "utf8");
    const fixed = await json({ cwd }, "doctor", "--fix");
    expect(fixed).toMatchObject({ code: 0, doc: { intent: "doctor", result: { ok: true, findings: [] } } });
    expect(fixed.doc.result).toMatchObject({ fixed: [{ id: "PLAN-001", files: ["README.md"] }, { id: "TASK-001" }] });
    expect(readFileSync(readme, "utf8")).not.toContain("by hand");
    expect(tree(join(cwd, ".coco/registry/quarantine")).join("\n")).toContain("README.md");
    expect(readFileSync(join(cwd, ".coco/tasks/TASK-001/events.jsonl"), "utf8")).toBe(log);
    await refused(cwd, "UNKNOWN_ID", 3, "doctor", "9");
  });

  it("[CLI-16] [regression CLI-245] doctor and status name the files that git holds open after a merge that stopped", async () => {
    const repo = await driven(null);
    const { clone } = repo;
    const cwd = clone.root;
    await branched(repo, ["there"], ["here"]);
    expect(gitSaid(clone, "merge", "side").code).toBe(1);
    const stopped = await run({ cwd }, "doctor");
    expect(stopped.code).toBe(1);
    expect(stopped.out).toMatch(
      /^FILE_UNMERGED +git holds .*[^]*next +taskfold resolve --stage [^]*TASK-001\/README\.md/m,
    );
    expect((await run({ cwd }, "status")).out).toMatch(/^In git +- \.coco\/.*not merged yet \(taskfold doctor\)$/m);
    await run({ cwd }, "note", "1", "folds the files anew");
    const folded = await json({ cwd }, "doctor", "1");
    expect(folded).toMatchObject({ code: 1, doc: { result: { ok: false, findings: [{ code: "FILE_UNMERGED" }] } } });
    expect(await run({ cwd }, "doctor", "2")).toMatchObject({ code: 0 });
    expect((await run({ cwd }, "resolve", "--stage")).code).toBe(0);
    expect(await run({ cwd }, "doctor")).toMatchObject({ code: 0, out: "2 plans and tasks: all is well\n" });
    expect(await json({ cwd }, "status")).toMatchObject({ doc: { result: { unmerged: [] } } });
  });

  it("[CLI-118] completion knows commands, options, choices, ids and steps, and its scripts are taken by the shell", async () => {
    const cwd = await workspace();
    const words = async (...typed: string[]): Promise<string[]> =>
      (await run({ cwd }, "__complete", "--", ...typed)).out.trim().split("\n");
    expect(await words("unb")).toEqual(["unblock\ttake a block back, or blockers in words"]);
    expect(await words("plan", "")).toEqual(["add\tmake a plan"]);
    expect(await words("show", "")).toEqual(["PLAN-001\tVersion 2 (TODO)", "TASK-001\tA parser (TODO)"]);
    expect(await words("done", "1", "s:")).toEqual(["s:0\tWrite the grammar", "s:1\tWrite the parser"]);
    expect(await words("run", "--for", "tests", "1", "")).toEqual(["s:0\tWrite the grammar", "s:1\tWrite the parser"]);
    expect(await words("list", "--so")).toEqual(["--sort\tin which order"]);
    expect((await words("list", "--sort", "")).map((line) => line.split("\t")[0])).toContain("priority");
    expect(await words("add", "x", "--plan", "P")).toEqual(["PLAN-001\tVersion 2 (TODO)"]);
    expect(await words("list", "--status", "D")).toEqual(["DONE"]);
    expect(await words("run", "1", "--", "")).toEqual([""]);
    for (const shell of ["bash", "zsh", "fish"])
      expect((await run({ cwd }, "completion", shell)).out).toContain("taskfold");
    await refused(cwd, "INVALID_INPUT", 2, "completion", "csh");
    const { out } = await run({ cwd }, "completion", "bash");
    const bash = `${out}taskfold() { "$NODE" "$PROGRAM" "$@"; }\nCOMP_WORDS=(taskfold show T); COMP_CWORD=2; _taskfold; echo "\${COMPREPLY[@]}"`;
    const env = { ...process.env, NODE: process.execPath, PROGRAM };
    expect(spawnSync("bash", ["-c", bash], { cwd, encoding: "utf8", env }).stdout).toBe("TASK-001\n");
  });

  it("[regression CLI-127] help names commands and topics; what is neither is refused with the nearest", async () => {
    const cwd = tempFolder();
    const asked = await run({ cwd }, "done", "--help");
    expect(await run({ cwd }, "help", "done")).toEqual(asked);
    expect((await run({ cwd }, "help", "plan", "add")).out).toMatch(/^Usage: taskfold plan add/);
    const { out } = await run({ cwd }, "help");
    expect(out).toMatch(/^Usage: taskfold \[options\]/);
    expect(out).toContain(`\nTopics: taskfold help ${Object.keys(TOPICS).join(", ")}.\n`);
    for (const name of Object.keys(TOPICS))
      expect((await run({ cwd }, "help", name)).out, name).toMatch(/\n\nExample:\n {2}\S/);
    const everyday = (await run({ cwd }, "--help")).out.split("Other commands:")[0]!;
    expect(everyday).toMatch(/^Everyday commands:\n +init /m);
    for (const name of ["archive", "restore", "undo", "list|ls", "view"]) expect(everyday).toContain(`\n  ${name} `);
    const wrong = await run({ cwd }, "help", "claim-s");
    expect(wrong).toMatchObject({ code: 2, out: "" });
    expect(wrong.err).toMatch(/Did you mean claims? or/);
    expect((await run({ cwd }, "shwo")).err).toMatch(/^INVALID_INPUT: .*Did you mean show/);
  });

  it("[regression CLI-127] docs/commands.md holds what the program says of its commands and topics", async () => {
    const page = readFileSync(join(ROOT, "docs/commands.md"), "utf8");
    const cwd = tempFolder();
    for (const words of [["done"], ["packet", "run"], ["claims"]])
      expect(page, words.join(" ")).toContain((await run({ cwd }, "help", ...words)).out.trimEnd());
    expect(page).toContain("## taskfold packet run\n");
    expect(page).toContain("## claims\n");
  });

  it("[CLI-16] every code that verify may give is explained", () => {
    const verifying = filesBelow("src/engine/repair", ".ts").filter((path) => /\/verify\w*\.ts$/.test(path));
    const more = ["engine/entity/entity_files.ts", "engine/projection/overview.ts", "log/report.ts"];
    const paths = [...verifying, ...more.map((path) => `src/${path}`)];
    const text = paths.map((path) => readFileSync(join(ROOT, path), "utf8")).join("\n");
    const codes = new Set(text.match(/(?<=")[A-Z]+(?:_[A-Z]+)+(?=")/g));
    // Errors of the call itself.
    for (const code of ["INVALID_INPUT", "UNKNOWN_ID", "CONTENT_TOO_LARGE"]) codes.delete(code);
    expect(codes.size).toBeGreaterThan(20);
    expect([...codes].filter((code) => !explanationOf(code))).toEqual([]);
  });
});
