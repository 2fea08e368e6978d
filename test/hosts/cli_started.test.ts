/** Answers offer commands by the words that start the program. */
import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commandOf } from "../../src/hosts/onboard/start_command.ts";
import { tempFolder } from "../support/temp.ts";
import { json, PROGRAM, run, workspace } from "./cli_support.ts";

const NPX = "npx --no -- taskfold";

/** Lines that name a command of the program by other words than those. */
function otherwise(text: string): string[] {
  return text.split("\n").filter((line) => /\btaskfold [a-z]/.test(line.replaceAll(NPX, "")));
}

describe("where a package of the folder was started", () => {
  it("[CLI-272] refusals, warnings, pages and next steps offer commands by npx", async () => {
    const cwd = await workspace();
    await run({ cwd }, "edit", "1", "s:0", "--proof", "tests");
    const calls = [
      ["done", "1", "s:0", "--confirm", "gate"],
      ["done", "1", "s:0", "--force"],
      ["claim", "1", "s:0", "--next"],
      ["show", "9"],
      ["show", "nothing"],
      ["run", "1"],
      ["edit", "1", "s:0"],
      ["status"],
      ["doctor"],
      ["git", "status"],
      ["verfy"],
      ["close", "1"],
      ["view", "1"],
      ["help", "start"],
      ["help", "merge"],
      ["show", "--help"],
      ["add"],
      ["call", "tasks_note", "{"],
    ];
    for (const argv of calls) {
      const { out, err } = await run({ cwd, command: NPX }, ...argv);
      expect(otherwise(out + err), argv.join(" ")).toEqual([]);
      const plain = await run({ cwd }, ...argv);
      expect((out + err).replaceAll(NPX, "taskfold"), argv.join(" ")).toBe(plain.out + plain.err);
    }
    const { err } = await run({ cwd, command: NPX }, ...calls[0]!);
    expect(err).toContain(`Run it with "${NPX} run TASK-001 s:0 --for tests --`);
    const { doc } = await json({ cwd, command: NPX }, ...calls[0]!);
    expect(doc.error).toMatchObject({ recovery: expect.stringContaining('"taskfold run TASK-001') });
  });

  it("[CLI-272] options of the call stand in remedies as well", async () => {
    const cwd = await workspace();
    const { err } = await run({ cwd: tempFolder(), command: NPX }, "-C", cwd, "--by", "ann", "run", "1");
    expect(err).toContain(`${NPX} -C ${cwd} --by ann run TASK-001 s:0`);
  });

  it("[CLI-272] the program itself knows that it was started so", () => {
    const cwd = tempFolder();
    const bin = join(cwd, "node_modules/.bin");
    mkdirSync(bin, { recursive: true });
    symlinkSync(PROGRAM, join(bin, "taskfold"));
    const startedAs = (file: string): string =>
      spawnSync(process.execPath, [file, "status"], { cwd, encoding: "utf8" }).stderr;
    expect(startedAs(join(bin, "taskfold"))).toContain(`Run ${NPX} init in the folder`);
    expect(startedAs(PROGRAM)).toContain("Run taskfold init in the folder");
  });

  it.each([
    ["/p/node_modules/.bin/taskfold", "/p", NPX],
    ["/p/node_modules/taskfold/dist/cli.cjs", "/p/packages/a", NPX],
    ["/p/packages/a/node_modules/.bin/taskfold", "/p", "taskfold"],
    ["/usr/lib/node_modules/taskfold/dist/cli.cjs", "/p", "taskfold"],
  ])("[CLI-272] %s in %s is %s", (file, folder, words) => {
    expect(commandOf([file], folder)).toBe(words);
  });
});
