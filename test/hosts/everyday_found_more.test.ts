/** Faults that a reader found who knew the issue and the pages alone. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROTATING } from "../support/sweep.ts";
import { tempFolder } from "../support/temp.ts";
import { driven, expectRight, gitSaid } from "../support/git_work.ts";
import { git, json, refused, run, workspace } from "./cli_support.ts";

async function completed(cwd: string, ...words: string[]): Promise<string[]> {
  const { out } = await run({ cwd }, "__complete", "--", ...words);
  return out.split("\n").flatMap((line) => (line === "" ? [] : [line.split("\t")[0]!]));
}

describe("run", () => {
  it("[CLI-120] starts nothing of which no evidence could be kept", async () => {
    const cwd = await workspace();
    const ran = join(cwd, "ran");
    await run({ cwd, env: { TASKFOLD_BY: "bob" } }, "claim", "1", "grammar");
    const held = await refused(cwd, "LEASE_HELD", 4, "run", "1", "grammar", "--", "touch", ran);
    // It is the refusal of every other change, and says what did not happen either.
    const done = await refused(cwd, "LEASE_HELD", 4, "done", "1", "grammar");
    expect(held).toBe(done.replace("\n", " The command was not started.\n"));
    expect(held).toContain("with taskfold release TASK-001 s:0 --force --reason WHY.");
    await run({ cwd }, "block", "1", "parser");
    const err = await refused(cwd, "STEP_BLOCKED", 1, "run", "1", "parser", "--close", "--", "touch", ran);
    expect(err).toContain("taskfold unblock TASK-001 s:1");
    expect(existsSync(ran)).toBe(false);
    expect((await run({ cwd }, "run", "1", "parser", "--", "true")).code).toBe(0);
  });

  it("[CLI-118] refuses a command without a name", async () => {
    const err = await refused(await workspace(), "INVALID_INPUT", 2, "run", "1", "grammar", "--", "");
    expect(err).toContain("a command behind --");
  });
});

describe("a short id", () => {
  it("[CLI-112] names no file and no link, and no name that has the same digits beside others", async () => {
    const cwd = await workspace();
    const tasks = join(cwd, ".coco/tasks");
    writeFileSync(join(tasks, "task-0001"), "");
    symlinkSync(join(tasks, "TASK-001"), join(tasks, "TASK-1"));
    for (const id of ["TASK-010", "TASK-100"]) mkdirSync(join(tasks, id));
    expect((await run({ cwd }, "show", "1", "-q")).out.trim()).toBe("TASK-001");
    expect((await run({ cwd }, "show", "001", "-q")).out.trim()).toBe("TASK-001");
  });
});

describe("who acts", () => {
  const whoami = async (config: string, env: Record<string, string> = {}): Promise<string> => {
    const cwd = tempFolder();
    const path = join(cwd, "config");
    writeFileSync(path, config);
    const own = { PATH: process.env["PATH"]!, HOME: cwd, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: path, ...env };
    return (await run({ cwd, env: own }, "whoami", "-q")).out.trim();
  };
  const named = (name: string): Promise<string> => whoami(`[user]\n\tname = ${name}\n`);

  it("[CLI-2] tells people apart whose names have letters of another script", async () => {
    expect(await named("Ada Lovelace")).toBe("human:Ada-Lovelace");
    expect(await named("José Núñez")).toBe("human:Jose-Nunez");
    const names = await Promise.all(["Анна", "李雷", "Łukasz", "Łukasz K", "李雷 2"].map(named));
    expect(new Set(names).size).toBe(5);
    for (const name of names) expect(name).toMatch(/^human:[A-Za-z0-9-]+-[0-9a-f]{8}$/);
    expect(await named("李雷")).toBe(names[1]);
  });

  it("[CLI-2] reads the file of the system, and asks git where the environment has settings", async () => {
    const cwd = tempFolder();
    writeFileSync(join(cwd, "system"), "[user]\n\tname = From System\n");
    const system = { GIT_CONFIG_NOSYSTEM: "", GIT_CONFIG_SYSTEM: join(cwd, "system") };
    expect(await whoami("", system)).toBe("human:From-System");
    expect(await whoami("[user]\n\tname = Ann\n", system)).toBe("human:Ann");
  });
});

describe("--json", () => {
  it("[CLI-5] [CLI-16] is a reply everywhere", ROTATING, async () => {
    const cwd = await workspace();
    git(cwd, "init", "-q");
    git(cwd, "add", ".");
    git(cwd, "commit", "-qm", "begin");
    for (const argv of [
      ["verify"],
      ["diff"],
      ["git", "status"],
      ["doctor"],
      ["status"],
      ["whoami"],
      ["export", "json"],
    ]) {
      const { doc } = await json({ cwd }, ...argv);
      const members = ["success", "intent", "result", "warnings", "suggestions", "error"];
      expect(Object.keys(doc), argv.join(" ")).toEqual(expect.arrayContaining(members));
      expect(doc).toMatchObject({
        success: true,
        intent: argv.slice(0, argv[0] === "git" ? 2 : 1).join(" "),
        error: null,
      });
    }
    const { doc } = await json({ cwd }, "verify");
    expect(doc.result).toMatchObject({ ok: true, findings: [] });
    expect(doc["ok"]).toBe(true);
  });
});

describe("init", () => {
  it("[CLI-10] says that a folder above is a workspace, and refuses a file in the way", async () => {
    const cwd = await workspace();
    const inner = join(cwd, "inner");
    mkdirSync(inner);
    expect((await run({ cwd: inner }, "init")).out).toContain(`Hint: ${cwd} is a workspace already`);
    expect((await run({ cwd: inner }, "init")).out).not.toContain("already, and");
    const taken = tempFolder();
    writeFileSync(join(taken, ".coco"), "mine");
    expect(await run({ cwd: taken }, "init")).toMatchObject({ code: 2, err: expect.stringContaining("Move the file") });
    expect(readFileSync(join(taken, ".coco"), "utf8")).toBe("mine");
  });
});

describe("completion", () => {
  it("[CLI-118] knows archived tasks, other folders, forms, topics, tools and checkpoints", async () => {
    const cwd = await workspace();
    await run({ cwd }, "add", "Old");
    await run({ cwd }, "complete", "2");
    await run({ cwd }, "archive", "2");
    expect(await completed(cwd, "restore", "")).toEqual(["TASK-002"]);
    expect(await completed(tempFolder(), "-C", cwd, "show", "")).toEqual(["PLAN-001", "TASK-001"]);
    expect(await completed(cwd, "import", "b")).toEqual(["backlog", "beads"]);
    expect(await completed(cwd, "export", "")).toEqual(["markdown", "json", "csv"]);
    expect(await completed(cwd, "open", "1", "")).toEqual(["view"]);
    expect(await completed(cwd, "help", "pro")).toEqual(["prove", "proof"]);
    expect(await completed(cwd, "tools", "tasks_no")).toEqual(["tasks_note"]);
    expect(await completed(cwd, "call", "tasks_no")).toEqual(["tasks_note"]);
    expect(await completed(cwd, "note", "1", "--step", "")).toEqual(["s:0", "s:1"]);
    expect(await completed(cwd, "done", "1", "--confirm", "g")).toEqual(["gate"]);
    expect(await completed(tempFolder(), "-C", "/nowhere", "show", "")).toEqual([]);
  });
});

describe("answers", () => {
  it("[CLI-7] offer commands that work", async () => {
    const cwd = await workspace();
    await run({ cwd }, "complete", "PLAN-001");
    expect((await run({ cwd }, "complete", "PLAN-001")).err).toContain("try: taskfold reopen PLAN-001\n");
    expect((await run({ cwd }, "reopen", "PLAN-001")).code).toBe(0);
    expect((await run({ cwd }, "release", "1")).err).toContain("try: taskfold claim TASK-001");
    expect((await run({ cwd }, "edit", "1", "s:0", "--depends-on", "1")).err).toContain(
      "taskfold edit TASK-001 --depends-on TEXT",
    );
    await run({ cwd }, "add", "Other", "--depends-on", "1");
    const circle = await run({ cwd }, "edit", "1", "--depends-on", "2");
    expect(circle.err).toContain("taskfold edit");
    expect(circle.err).not.toContain("tasks_patch");
    expect((await run({ cwd }, "edit", "1", "--depends-on", "")).code).toBe(0);
    const { doc } = await json({ cwd }, "show", "1");
    expect(doc.result).toMatchObject({ detail: { depends_on: [] } });
  });

  it("[CLI-118] the question before a deletion names the tasks of a plan", async () => {
    const cwd = await workspace();
    let asked = "";
    const ask = (question: string): string => ((asked = question), "no");
    expect(await run({ cwd, answer: ask }, "rm", "plan-1")).toMatchObject({ code: 2 });
    expect(asked).toBe('Delete plan PLAN-001 "Version 2" with 1 task (TASK-001)? [y/N] ');
  });

  it("[TRACKER-16] export names a folder that is not there", async () => {
    const cwd = await workspace();
    expect(await refused(cwd, "INVALID_INPUT", 2, "export", "csv", "--out", "nowhere/x.csv")).toContain("nowhere");
  });

  it("[TRACKER-2] a checklist keeps its order, also where another one came before", async () => {
    const cwd = await workspace();
    const words = ["first", "second", "third", "fourth", "fifth"];
    for (const name of ["a.md", "b.md"]) {
      writeFileSync(join(cwd, name), words.map((word) => `- [ ] ${word} of ${name}\n`).join(""));
      await run({ cwd }, "import", "markdown", name);
    }
    const { doc } = await json({ cwd }, "list");
    const titles = (doc.result as { tasks: { title: string }[] }).tasks.map(({ title }) => title);
    for (const name of ["a.md", "b.md"])
      expect(titles.filter((title) => title.endsWith(name))).toEqual(words.map((word) => `${word} of ${name}`));
  });

  it("[CLI-118] completion finds an id behind hundreds of others", ROTATING, async () => {
    const cwd = await workspace();
    writeFileSync(join(cwd, "a.md"), Array.from({ length: 230 }, (_, n) => `- [ ] ${n}\n`).join(""));
    await run({ cwd }, "import", "markdown", "a.md");
    expect(await completed(cwd, "show", "md-23")).toEqual(["md-23", "md-230"]);
  });
});

describe("ids", () => {
  it("[CLI-112] those that Taskfold gave come before those of an import", async () => {
    const cwd = await workspace();
    const issue = { number: 1, title: "Issue", state: "OPEN", url: "https://github.com/o/r/issues/1" };
    writeFileSync(join(cwd, "g.json"), JSON.stringify([issue]));
    await run({ cwd }, "import", "github", "g.json");
    expect((await run({ cwd }, "note", "1", "x")).out).toMatch(/^TASK-001 revision/);
    expect((await run({ cwd }, "list", "--plan", "1", "-q")).out).toBe("PLAN-001\nTASK-001\n");
    expect((await run({ cwd }, "note", "gh-1", "x")).out).toMatch(/^gh-1 revision/);
  });
});

describe("run -C", () => {
  it("[CLI-120] starts the command in that folder, and says so in the evidence", async () => {
    const cwd = await workspace();
    const { out } = await run({ cwd: tempFolder() }, "-C", cwd, "run", "1", "grammar", "--", "pwd");
    expect(out.split("\n")[0]).toBe(cwd);
  });
});

describe("bad input", () => {
  it("[CLI-118] an empty criterion or test is refused", async () => {
    const cwd = await workspace();
    for (const option of ["--criteria", "--test"])
      expect(await refused(cwd, "INVALID_INPUT", 2, "add", "T", "--step", "a", option, "")).toContain("a text");
  });

  it("[CLI-2] names what said a name that fits no actor", async () => {
    const cwd = await workspace();
    const { code, err } = await run({ cwd, env: { TASKFOLD_BY: "x y" } }, "status");
    expect(code).toBe(2);
    expect(err).toMatch(/^INVALID_INPUT: Expected TASKFOLD_BY to name an actor.*\n {2}Such as --by ann/);
    expect(await refused(cwd, "INVALID_INPUT", 2, "--by", "x y", "note", "1", "z")).toContain("Expected --by");
  });

  it("[CLI-7] a command without its id is offered with one", async () => {
    const cwd = await workspace();
    for (const command of ["show", "radar", "handoff", "undo", "complete"])
      expect((await run({ cwd }, command)).err, command).toMatch(/try: taskfold (?:show|handoff|undo|complete) \S+\n/);
  });
});

describe("claims on plans", () => {
  it("[CLI-118] are the caller's as those on tasks are", async () => {
    const cwd = await workspace();
    await run({ cwd }, "claim", "plan-1");
    expect((await run({ cwd }, "whoami")).out).toContain("- PLAN-001");
    expect((await run({ cwd }, "status")).out).toMatch(/^Mine +- PLAN-001 Version 2/m);
    expect((await run({ cwd }, "list", "--mine", "-q")).out).toBe("PLAN-001\n");
    await run({ cwd }, "add", "Free", "--step", "one");
    await run({ cwd }, "claim", "2");
    expect(await refused(cwd, "TARGET_REQUIRED", 2, "release")).toContain("PLAN-001, TASK-002");
    await run({ cwd }, "release", "2");
    expect((await run({ cwd }, "release")).out).toContain("PLAN-001");
  });
});

describe("-q", () => {
  it("[CLI-111] prints no sentence", ROTATING, async () => {
    const cwd = tempFolder();
    git(cwd, "init", "-q");
    const commands = ["init", "status", "doctor", "verify", "rebuild", "resolve", "onboard --dry-run", "git status"];
    for (const command of commands)
      expect(await run({ cwd }, ...command.split(" "), "-q"), command).toMatchObject({ out: "" });
    await run({ cwd }, "plan", "add", "P");
    await run({ cwd }, "add", "T", "--plan", "1");
    expect((await run({ cwd }, "board", "-q")).out).toBe("TASK-001\n");
    expect((await run({ cwd }, "log", "1", "-q")).out).toBe("");
  });
});

describe("onboard", () => {
  it("[ONBOARD-4] knows a start hook that a person changed", async () => {
    const cwd = await workspace();
    const argv = ["onboard", "--client", "claude-code", "--yes"];
    await run({ cwd }, ...argv);
    const path = join(cwd, ".claude/settings.json");
    const changed = readFileSync(path, "utf8").replace("prime --hook", "prime --hook --max-chars 2000");
    writeFileSync(path, changed);
    for (const more of [[], ["--remove"]]) {
      expect((await run({ cwd }, ...argv, ...more)).out).toContain(".claude/settings.json has an entry taskfold");
      expect(readFileSync(path, "utf8")).toBe(changed);
    }
  });
});

describe("git", () => {
  it("[GIT-4] stops at a pick whose lines are there already, and skipping it ends that well", ROTATING, async () => {
    const repo = await driven();
    const { clone } = repo;
    clone.git("checkout", "-q", "-b", "side");
    for (const word of ["older", "newer"]) {
      repo.program("note", "1", word);
      clone.commit(word);
    }
    clone.git("checkout", "-q", "main");
    expect(gitSaid(clone, "cherry-pick", "side").code).toBe(0);
    const older = gitSaid(clone, "cherry-pick", "side~1");
    expect(older.code).toBe(1);
    expect(older.said).toContain("git cherry-pick --skip");
    expect(gitSaid(clone, "cherry-pick", "--skip").code).toBe(0);
    await expectRight(clone);
    expect(repo.program("git", "status")).toContain("git cherry-pick --skip");
  });
});
