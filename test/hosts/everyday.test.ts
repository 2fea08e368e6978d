/** The commands of a day's work by hand. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../support/temp.ts";
import { git, json, real, refused, result, run, workspace } from "./cli_support.ts";
import { ROTATING } from "../support/sweep.ts";

describe("who acts", () => {
  it("[CLI-2] git's user.name made fit, else human:local; a name without a kind is a person", async () => {
    const cwd = await workspace();
    const by = async (env: Record<string, string> = {}, ...argv: string[]): Promise<string> =>
      (await run({ cwd, env }, "whoami", "-q", ...argv)).out.trim();
    expect(await by()).toBe("human:local");
    git(cwd, "init", "--quiet");
    expect(await by()).toBe("human:local");
    git(cwd, "config", "user.name", " Ada Lövelace ");
    expect(await by()).toBe("human:Ada-Lovelace");
    expect(await by({ TASKFOLD_BY: "ann" })).toBe("human:ann");
    expect(await by({ TASKFOLD_BY: "ann" }, "--by", "bob")).toBe("human:bob");
    expect(await by({}, "--by", "agent:x")).toBe("agent:x");
    expect(await by({}, "--by", "system")).toBe("system");
    git(cwd, "config", "user.name", "日本");
    expect(await by()).toMatch(/^human:user-[0-9a-f]{8}$/);
  });

  it(
    "[CLI-2] the user's own configuration counts, the repository's wins, and includes are followed by git",
    ROTATING,
    async () => {
      const cwd = await workspace();
      git(cwd, "init", "--quiet");
      const home = tempFolder();
      writeFileSync(join(home, ".gitconfig"), '[core]\n\tname = no\n[user]\n\tname = "Home Person" ; theirs\n');
      const by = (env: Record<string, string>): Promise<string> =>
        run({ cwd, env }, "whoami", "-q").then(({ out }) => out.trim());
      expect(await by({ HOME: home })).toBe("human:Home-Person");
      git(cwd, "config", "user.name", "Repo Person");
      expect(await by({ HOME: home })).toBe("human:Repo-Person");
      git(cwd, "config", "--unset", "user.name");
      const included = join(home, "included");
      writeFileSync(included, "[user]\n\tname = Included\n");
      git(cwd, "config", "include.path", included);
      expect(real(cwd, ["whoami", "-q"]).out).toBe("human:Included\n");
    },
  );
});

describe("names", () => {
  it("[CLI-112] TASK-1, task-001 and 1 mean TASK-001, a number alone that of a task", async () => {
    const cwd = await workspace();
    for (const id of ["TASK-001", "TASK-1", "task-001", "task1", "1", "01"])
      expect((await run({ cwd }, "show", id, "-q")).out, id).toBe("TASK-001\n");
    for (const id of ["plan-1", "p1"]) expect((await run({ cwd }, "radar", id, "-q")).out, id).toBe("PLAN-001\n");
    const near = await refused(cwd, "UNKNOWN_ID", 3, "show", "TASK-0011");
    expect(near).toContain("Did you mean TASK-001");
    expect(near).toContain("try: taskfold show TASK-001");
  });

  it("[CLI-112] what several fit is refused with their ids", async () => {
    const cwd = tempFolder();
    await run({ cwd }, "init", "--workspace", "acme/repo");
    await run({ cwd }, "add", "One", "--id", "TASK-001-aaaa");
    await run({ cwd }, "add", "Two", "--id", "TASK-001-bbbb");
    expect(await refused(cwd, "TARGET_CONTRADICTION", 2, "note", "1", "x")).toContain("TASK-001-aaaa, TASK-001-bbbb");
  });

  it("[CLI-113] of several steps that fit, the only one that a command is for is meant", async () => {
    const cwd = await workspace();
    await run({ cwd }, "done", "1", "s:0", "--confirm", "gate");
    const pathOf = async (...argv: string[]): Promise<string> =>
      ((await result(cwd, ...argv)) as unknown as { step: { path: string } }).step.path;
    expect(await pathOf("claim", "1", "write")).toBe("s:1");
    expect(await pathOf("release", "1", "write")).toBe("s:1");
    expect(await pathOf("block", "1", "write", "--reason", "r")).toBe("s:1");
    expect(await pathOf("unblock", "1", "write")).toBe("s:1");
    expect(await pathOf("reopen", "1", "write")).toBe("s:0");
    await refused(cwd, "TARGET_CONTRADICTION", 2, "claim", "1", "write");
    // A note goes on a closed step as well.
    await refused(cwd, "TARGET_CONTRADICTION", 2, "note", "1", "x", "--step", "write");
  });

  it("[STATUS-2] unblock ends a block and blockers in words in one call, as the row of status says", async () => {
    const cwd = await workspace();
    await run({ cwd }, "call", "tasks_define", '{"task":"TASK-001","path":"s:0","blockers":["no key"]}');
    await run({ cwd }, "block", "1", "s:0", "--reason", "r");
    const row = /^Blocked.*no key.*taskfold (unblock TASK-001 STEP-\w+)$/m.exec((await run({ cwd }, "status")).out);
    const { code, out } = await run({ cwd }, ...row![1]!.split(" "));
    expect([code, out]).toEqual([0, expect.stringContaining("Unblocked s:0")]);
    expect((await run({ cwd }, "status")).out).not.toContain("Blocked");
  });

  it("[STEP-21] reopen sets a plan or task to ACTIVE where work has begun, and else to TODO", async () => {
    const cwd = await workspace();
    const statusOf = async (id: string): Promise<unknown> => {
      await run({ cwd }, "complete", id, "--status", "FAILED", "--reason", "r");
      return ((await result(cwd, "reopen", id)) as unknown as { status: string }).status;
    };
    expect([await statusOf("1"), await statusOf("p1")]).toEqual(["TODO", "TODO"]);
    await run({ cwd }, "note", "1", "x", "--step", "s:0");
    await run({ cwd }, "block", "1", "s:0", "--reason", "r");
    expect([await statusOf("1"), await statusOf("p1")]).toEqual(["ACTIVE", "ACTIVE"]);
  });

  it("[CLI-113] a step is named by path, id or a part of its title that only one has", async () => {
    const cwd = await workspace();
    const { step_list: steps } = (await result(cwd, "show", "1")) as unknown as {
      step_list: { step_id: string; path: string }[];
    };
    for (const name of ["s:1", steps[1]!.step_id, steps[1]!.step_id.toLowerCase(), "PARSER", "write the parser"]) {
      const { step } = (await result(cwd, "note", "1", "x", "--step", name)) as unknown as { step: { path: string } };
      expect(step.path, name).toBe("s:1");
    }
    expect(await refused(cwd, "TARGET_CONTRADICTION", 2, "note", "1", "x", "--step", "write")).toContain("s:0");
    await refused(cwd, "TARGET_CONTRADICTION", 2, "claim", "1", "write");
    expect(await refused(cwd, "UNKNOWN_ID", 3, "done", "1", "s:7")).toContain('s:0 "Write the grammar"');
    expect(await refused(cwd, "UNKNOWN_ID", 3, "done", "1", "")).toContain("s:0");
    expect(await refused(cwd, "TARGET_REQUIRED", 2, "done", "1")).toContain("2 open steps");
  });
});

describe("making", () => {
  it("[CLI-114] add makes a task with steps in the order of the options, and plan add a plan", async () => {
    const cwd = await workspace();
    const plan = await run({ cwd }, "plan", "add", "Version", "3", "--contract", "Old files keep their meaning.", "-q");
    expect(plan).toMatchObject({ code: 0, out: "PLAN-002\n" });
    const words = ["add", "Fix", "it", "--plan", "p2", "--tag", "x", "--tag", "y", "--priority", "HIGH"];
    const steps = ["--criteria", "all", "--step", "A", "--criteria", "a", "--step", "B", "--test", "npm test"];
    expect(await run({ cwd }, ...words, ...steps, "--depends-on", "1", "-q")).toMatchObject({ out: "TASK-002\n" });
    const page = await result(cwd, "show", "2");
    expect(page).toMatchObject({
      target: { title: "Fix it", parent: "PLAN-002" },
      detail: { tags: ["x", "y"], priority: "HIGH", depends_on: ["TASK-001"] },
      step_list: [
        { title: "A", success_criteria: ["all", "a"], tests: [] },
        { title: "B", success_criteria: ["all"], tests: ["npm test"] },
      ],
    });
    await run({ cwd }, "add", "Small", "--test", "npm test");
    expect(await result(cwd, "show", "3")).toMatchObject({ step_list: [{ title: "Small", tests: ["npm test"] }] });
    await run({ cwd }, "add", "Nothing more");
    expect(await result(cwd, "show", "4")).toMatchObject({ step_list: [] });
  });

  it("[CLI-114] [CLI-118] a terminal is asked for the title, elsewhere it has to be there", async () => {
    const cwd = await workspace();
    expect(await run({ cwd, answer: " Asked for " }, "add", "-q")).toMatchObject({ code: 0, out: "TASK-002\n" });
    expect((await run({ cwd }, "show", "2")).out).toContain("Asked for");
    await refused(cwd, "INVALID_INPUT", 2, "add");
    await refused(cwd, "INVALID_INPUT", 2, "plan", "add");
    await refused(cwd, "UNKNOWN_ID", 3, "add", "x", "--plan", "9");
    await refused(cwd, "INVALID_INPUT", 2, "add", "two\nlines");
    await refused(cwd, "INVALID_INPUT", 2, "add", "x", "--steps", "y");
  });
});

describe("looking", () => {
  it("[regression CLI-115] show is one page with steps, claims, notes and evidence", ROTATING, async () => {
    const cwd = await workspace();
    await run({ cwd }, "note", "1", "else is\u001b[2J ambiguous", "--step", "grammar");
    await run({ cwd }, "claim", "1", "s:0");
    real(cwd, ["--by", "local", "run", "1", "s:0", "--", process.execPath, "-e", "process.exit(3)"]);
    const { code, out, err } = await run({ cwd }, "show", "task-1");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/^TASK-001 {2}A parser {2}\(task, ACTIVE\)\n/);
    expect(out).toMatch(/^Plan +PLAN-001$/m);
    expect(out).toMatch(/^ +- claimed by human:local until 20/m);
    expect(out).toMatch(/^s:0 {2}\[ \] {2}Write the grammar\n.*\n +- criterion \(to confirm\): samples parse$/m);
    expect(out).toMatch(/^ +- missing: criteria, tests$/m);
    expect(out).toMatch(/human:local on s:0 +else is\\x1b\[2J ambiguous$/m);
    expect(out).toMatch(/^ +- failed run for tests: exit 3, captured, 20\S+: \S*node/m);
    expect((await run({ cwd }, "show", "plan-1")).out).toMatch(/^TASK-001 {2}ACTIVE {2}0\/2 steps {2}A parser$/m);
    await run({ cwd }, "call", "tasks_focus_set", '{"target":"PLAN-001"}');
    expect((await run({ cwd }, "show")).out).toContain("has the focus");
  });

  it("[CLI-118] list leaves out what the options do not ask for, and keeps its shape", async () => {
    const cwd = await workspace();
    await run({ cwd }, "add", "Zebra", "--tag", "x", "--priority", "HIGH");
    await run({ cwd }, "add", "Ant", "--tag", "x", "--tag", "y", "--depends-on", "1");
    await run({ cwd }, "done", "2");
    await run({ cwd }, "claim", "1", "s:0");
    const ids = async (...argv: string[]): Promise<string> =>
      (await run({ cwd }, "ls", "-q", ...argv)).out.trim().replaceAll("\n", " ");
    expect(await ids()).toBe("PLAN-001 TASK-001 TASK-002 TASK-003");
    expect(await ids("--status", "done")).toBe("TASK-002");
    expect(await ids("--status", "DONE", "--status", "active")).toBe("PLAN-001 TASK-001 TASK-002");
    expect(await ids("--plan", "p1")).toBe("PLAN-001 TASK-001");
    expect(await ids("--tag", "x")).toBe("TASK-002 TASK-003");
    expect(await ids("--tag", "x", "--tag", "y")).toBe("TASK-003");
    expect(await ids("--mine")).toBe("TASK-001");
    expect(await ids("--mine", "--by", "bob")).toBe("");
    expect(await ids("--ready")).toBe("TASK-001");
    expect(await ids("--blocked")).toBe("TASK-003");
    expect(await ids("--tag", "x", "--limit", "1")).toBe("TASK-002");
    expect(await ids("--tag", "x", "--sort", "title")).toBe("TASK-003 TASK-002");
    expect(await ids("--status", "TODO", "--status", "DONE", "--sort", "priority")).toBe("TASK-002 TASK-003");
    expect((await run({ cwd }, "list", "--status", "failed")).out).toBe("Nothing fits.\n");
    const { doc } = await json({ cwd }, "list", "--tag", "x");
    expect(doc).toMatchObject({
      intent: "tasks_context",
      result: { counts: { tasks: 3 }, tasks_pagination: { total: 2 } },
    });
    await refused(cwd, "INVALID_INPUT", 2, "list", "--status", "LATER");
    await refused(cwd, "INVALID_INPUT", 2, "list", "--limit", "0");
    await refused(cwd, "INVALID_INPUT", 2, "list", "--sort", "colour");
  });

  it("[CLI-118] ready, status and board tell what can be done, whose it is and what waits", async () => {
    const cwd = await workspace();
    await run({ cwd }, "add", "Urgent", "--priority", "CRITICAL");
    await run({ cwd }, "add", "Waits", "--depends-on", "1");
    await run({ cwd }, "claim", "1", "s:0");
    await run({ cwd }, "block", "1", "s:1", "--reason", "the key");
    expect((await run({ cwd }, "ready")).out).toBe("TASK-002  -  Urgent\n");
    expect(await result(cwd, "ready", "--plan", "p1")).toMatchObject({ tasks: [] });
    await run({ cwd }, "unblock", "1");
    const { out } = await run({ cwd }, "ready");
    expect(out).toBe("TASK-002  -    Urgent\nTASK-001  s:1  Write the parser  (A parser)\n");
    expect((await run({ cwd }, "ready", "--limit", "1", "-q")).out).toBe("TASK-002\n");
    const status = (await run({ cwd }, "status")).out;
    expect(status).toMatch(/^You are +human:local$/m);
    expect(status).toMatch(/^Mine +- TASK-001 s:0 A parser \(until /m);
    expect(status).toMatch(/^Waiting +- TASK-003: Waits for TASK-001$/m);
    expect(await result(cwd, "status", "--by", "bob")).toMatchObject({ mine: [], by: "human:bob" });
    await run({ cwd }, "done", "2");
    expect((await run({ cwd }, "board")).out).toMatch(/^TODO 1 +ACTIVE 1 +DONE 1\nTASK-003 +TASK-001 0\/2 +TASK-002\n/);
  });

  it("[CLI-118] status reads no log of a task in which no work has begun, but those that are ready next", async () => {
    const cwd = await workspace();
    for (let i = 0; i < 9; i++) await run({ cwd }, "add", `Task ${i}`, "--step", "a");
    expect(await result(cwd, "ready", "--limit", "2")).toMatchObject({
      unseen: 8,
      tasks: [{ id: "TASK-001" }, { id: "TASK-002" }],
    });
    expect(((await result(cwd, "status")) as unknown as { ready: unknown[] }).ready).toHaveLength(5);
  });

  it("[CLI-118] whoami works outside of a workspace too", async () => {
    const cwd = tempFolder();
    expect(await result(cwd, "whoami", "--by", "ann")).toMatchObject({
      by: "human:ann",
      from: "--by",
      workspace: null,
    });
    expect((await run({ cwd }, "status")).err).toMatch(/^NO_WORKSPACE: /);
  });

  it("[CLI-9] rows are cut and pages wrapped on a terminal, in cells", async () => {
    const cwd = await workspace();
    await run({ cwd }, "add", "日本語の長い題名がここにあります", "--description", "many words ".repeat(20).trim());
    const cells = (line: string): number =>
      Array.from(line).reduce((sum, c) => sum + (/[\u3000-\u9fff]/.test(c) ? 2 : 1), 0);
    const screen = { columns: 40, rows: 24 };
    for (const argv of [["list"], ["board"], ["show", "2"], ["status"], ["ready"]]) {
      const lines = (await run({ cwd, screen }, ...argv)).out.split("\n").slice(1);
      for (const line of lines.filter((one) => !one.startsWith("Created")))
        expect(cells(line), line).toBeLessThanOrEqual(40);
    }
    expect((await run({ cwd, screen }, "list")).out).toContain("日本語の長…");
    expect((await run({ cwd }, "list")).out).toContain("日本語の長い題名がここにあります");
  });

  it("[CLI-118] search finds texts of fields, steps, notes and evidence", async () => {
    const cwd = await workspace();
    await run({ cwd }, "note", "plan-1", "The Moon is full");
    await run(
      { cwd },
      "call",
      "tasks_evidence_capture",
      '{"task":"TASK-001","checks":["LINK: https://ci.example/moon"]}',
    );
    const found = await result(cwd, "search", "moon");
    expect(found).toMatchObject({
      tasks: [
        { id: "PLAN-001", found: [{ where: "note", text: "The Moon is full" }] },
        { id: "TASK-001", found: [{ where: "evidence" }] },
      ],
    });
    expect((await run({ cwd }, "search", "the", "gram")).out).toBe(
      "TASK-001  TODO  A parser\n  s:0  Write the grammar\n",
    );
    expect(await run({ cwd }, "search", "nowhere")).toEqual({ code: 1, out: "Nothing found.\n", err: "" });
    await refused(cwd, "INVALID_INPUT", 2, "search");
    await refused(cwd, "INVALID_INPUT", 2, "search", "");
  });

  it("[CLI-118] open prints the path where there is no terminal", ROTATING, async () => {
    const cwd = await workspace();
    expect(real(cwd, ["open", "1"]).out).toMatch(/\.coco[\\/]tasks[\\/]TASK-001\n$/);
    const { path } = (await result(cwd, "open", "1", "view")) as unknown as { path: string };
    expect(readFileSync(path, "utf8")).toContain("A parser");
    await refused(cwd, "INVALID_INPUT", 2, "open", "1", "door");
    await refused(cwd, "UNKNOWN_ID", 3, "open", "7");
  });
});
