/** How answers are laid out on a narrow terminal, what can be completed, and the words of other programs. */
import { describe, expect, it } from "vitest";
import { widthOf } from "../../src/hosts/cli/text/width.ts";
import { commandMeant } from "../../src/hosts/cli/command_meant.ts";
import { commands } from "../../src/hosts/cli/commands/index.ts";
import { sentences } from "../../src/hosts/cli/text/layout.ts";
import { json, refused, run, workspace } from "./cli_support.ts";

const NARROW = { columns: 60, rows: 24 };

function tooWide(text: string): string[] {
  return text.split("\n").filter((line) => widthOf(line) > NARROW.columns && !/^ *(?:try:|taskfold )/.test(line));
}

describe("a narrow terminal", () => {
  it("[CLI-9] wraps sentences of changes, errors and warnings, and leaves commands whole", async () => {
    const cwd = await workspace();
    const long = "这是一个很长的标题，说明终端的宽度 🎉 ".repeat(4).trim();
    for (const argv of [
      ["add", long, "--step", "Schritt"],
      ["note", "1", "a note of many words that does not fit on a line of sixty cells at all"],
      ["done", "1", "grammar"],
      ["done", "1", "nowhere"],
      ["list", "--colour"],
      ["complete", "PLAN-001"],
      ["diff"],
      ["resolve"],
      ["help", "claims"],
    ]) {
      const { out, err } = await run({ cwd, screen: NARROW, terminal: NARROW }, ...argv);
      expect({ argv, wide: [...tooWide(out), ...tooWide(err)] }).toEqual({ argv, wide: [] });
    }
    const { err } = await run({ cwd, screen: NARROW, terminal: NARROW }, "done", "1", "parser");
    expect(err).toMatch(/^CHECKPOINTS_NOT_CONFIRMED: Expected .*\n {4}\S/);
    expect(err).toMatch(/^ {2}try: taskfold done TASK-001 STEP-[0-9A-F]{8} --confirm gate$/m);
  });

  it("[CLI-9] goes by the stream that is a terminal: a file gets its lines whole", async () => {
    const cwd = await workspace();
    const { err } = await run({ cwd, screen: NARROW }, "done", "1", "grammar");
    expect(err.split("\n")[0]!.length).toBeGreaterThan(60);
    const { out } = await run(
      { cwd, terminal: NARROW },
      "note",
      "1",
      "a note of many words that does not fit on a line",
    );
    expect(out.trim().split("\n")).toHaveLength(1);
  });

  it("[CLI-9] keeps indents and every word", () => {
    const text = "  TASK-001: some words that go on and on and on\nshort\n\n";
    const wrapped = sentences(text, 24);
    expect(wrapped.replace(/\s+/g, " ")).toBe(text.replace(/\s+/g, " "));
    expect(wrapped.split("\n")).toEqual([
      "  TASK-001: some words",
      "      that go on and on",
      "      and on",
      "short",
      "",
      "",
    ]);
    expect(sentences(text)).toBe(text);
  });
});

describe("what can be completed", () => {
  it("[regression CLI-241] names tasks and plans, each with the command that completes it", async () => {
    const cwd = await workspace();
    const named = async (): Promise<string> => (await run({ cwd }, "status")).out;
    expect(await named()).not.toContain("To complete");
    const close = async (step: string): Promise<string> =>
      (await run({ cwd }, "done", "1", step, "--confirm", "gate")).out;
    expect(await close("grammar")).not.toContain("next:");
    expect(await close("parser")).toMatch(/\n {2}next: taskfold complete TASK-001\n$/);
    expect(await named()).toMatch(/^To complete {2}- taskfold complete TASK-001 {2}\(A parser\)$/m);
    await run({ cwd }, "complete", "1");
    await run({ cwd }, "plan", "add", "A plan without tasks");
    expect(await named()).toMatch(/^To complete {2}- taskfold complete PLAN-001 {2}\(Version 2\)$/m);
    expect((await run({ cwd }, "list")).out).toMatch(/^PLAN-001 .* 1\/1 tasks, ready to complete {2}Version 2$/m);
    const { doc } = await json({ cwd }, "status");
    expect(doc.result).toMatchObject({ needs_you: [{ what: "complete", task: "PLAN-001", title: "Version 2" }] });
    await run({ cwd }, "archive", "1");
    expect(await named()).toContain("taskfold complete PLAN-001");
    expect((await run({ cwd }, "complete", "PLAN-001")).code).toBe(0);
    expect(await named()).not.toContain("To complete");
  });

  it("[regression CLI-241] counts a canceled task as ended, and leaves a plan with open tasks alone", async () => {
    const cwd = await workspace();
    await run({ cwd }, "complete", "1", "--status", "CANCELED");
    expect((await run({ cwd }, "status")).out).toContain("taskfold complete PLAN-001  (Version 2)");
    expect((await run({ cwd }, "list")).out).toContain("0/1 tasks, ready to complete");
    await run({ cwd }, "add", "One more", "--plan", "1");
    expect((await run({ cwd }, "status")).out).not.toContain("To complete");
    expect((await run({ cwd }, "list", "--status", "CANCELED")).out).not.toContain("ready to complete");
  });
});

describe("words of other programs", () => {
  it.each([
    [["create", "A title"], "add"],
    [["close", "1"], "done"],
    [["comment", "1", "x"], "note"],
    [["update", "1"], "edit"],
    [["issue", "create"], "add"],
    [["issue", "list"], "list"],
    [["task", "edit", "1"], "edit"],
    [["epic", "create"], "plan add"],
    [["1", "done"], "done 1"],
    [["1"], "show 1"],
    [["TASK-1", "annotate", "x"], "note TASK-1"],
    [["view", "1"], "show 1"],
  ])("[regression CLI-242] %j is refused with taskfold %s", async (argv, command) => {
    const cwd = await workspace();
    const err = await refused(cwd, "INVALID_INPUT", 2, ...argv);
    expect(err).toContain(`Did you mean taskfold ${command}?`);
  });

  it("[regression CLI-242] every command that is named is there", async () => {
    const cwd = await workspace();
    const { out } = await run({ cwd }, "__complete", "--", "");
    const names = out.split("\n").map((line) => line.split("\t")[0]!);
    for (const word of ["annotate", "blocked", "close", "delete", "dep", "next", "start", "stop", "sync", "stats"]) {
      const [command = ""] = commandMeant([word], commands())!.split(" ");
      expect(names, word).toContain(command);
    }
    expect(commandMeant(["constructor"], commands())).toBeUndefined();
  });

  it("[regression CLI-242] a word that is none of them gets the nearest commands, as before", async () => {
    const err = await refused(await workspace(), "INVALID_INPUT", 2, "lst");
    expect(err).toContain("Did you mean");
    expect(err).toContain("list");
  });
});
