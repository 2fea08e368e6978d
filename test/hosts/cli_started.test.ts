/** Answers offer commands by the words that start the program. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startedHere } from "../../src/hosts/cli/text/started_here.ts";
import { commandOf } from "../../src/hosts/onboard/start_command.ts";
import { repository } from "../support/git.ts";
import { tempFolder } from "../support/temp.ts";
import { json, PROGRAM, run, workspace } from "./cli_support.ts";
import { ROTATING } from "../support/sweep.ts";

const NPX = "npx --no -- taskfold";

/** Lines that name a command of the program by other words than those. */
function otherwise(text: string): string[] {
  return text.split("\n").filter((line) => /\btaskfold [a-z]/.test(line.replaceAll(NPX, "")));
}

describe("where a package of the folder was started", () => {
  it("[CLI-7] refusals, warnings, pages and next steps offer commands by npx", async () => {
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
      ["edit", "1", "s:0", "--tag", "parser"],
      ["edit", "1", "--test", "npm test"],
      ["release"],
      ["-C", "nowhere", "status"],
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
      const forPrograms = await run({ cwd, command: NPX }, "--json", ...argv);
      expect(forPrograms.out + forPrograms.err, argv.join(" ")).not.toContain("npx");
    }
    const { err } = await run({ cwd, command: NPX }, ...calls[0]!);
    expect(err).toContain(`Run it with "${NPX} run TASK-001 s:0 --for tests --`);
    const { doc } = await json({ cwd, command: NPX }, ...calls[0]!);
    expect(doc.error).toMatchObject({ recovery: expect.stringContaining('"taskfold run TASK-001') });
  });

  it("[CLI-7] [VERIFY-1] a finding says what to do as data, and each host in its words", async () => {
    const cwd = await workspace();
    await run({ cwd }, "add", "A parser");
    const git = (...args: string[]): string => execFileSync("git", args, { cwd, encoding: "utf8" });
    for (const line of [
      ["init", "-q"],
      ["add", "-A"],
      ["-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "1"],
    ])
      git(...line);
    const log = join(cwd, ".coco/tasks/TASK-001/events.jsonl");
    writeFileSync(log, readFileSync(log, "utf8").replace(/.*\n$/, ""));
    const recovery = "taskfold resolve TASK-001 --git brings it back.";
    for (const argv of [["verify", "--git"], ["doctor"]]) {
      const { doc } = await json({ cwd, command: NPX }, ...argv);
      expect(JSON.stringify(doc), argv.join(" ")).not.toContain("npx");
      const plain = await run({ cwd }, ...argv);
      const { out } = await run({ cwd, command: NPX }, ...argv);
      expect(otherwise(out), argv.join(" ")).toEqual([]);
      expect(out.replaceAll(NPX, "taskfold"), argv.join(" ")).toBe(plain.out);
    }
    const { doc } = await json({ cwd, command: NPX }, "verify", "--git");
    const { findings } = doc["result"] as { findings: { code: string; message: string; recovery?: string }[] };
    const lost = findings.find(({ code }) => code === "LINE_LOST");
    expect(lost).toMatchObject({ recovery, message: expect.not.stringContaining("taskfold") });
    const { out } = await run({ cwd, command: NPX }, "verify", "--git");
    expect(out).toContain(`${NPX} resolve TASK-001 --git brings it back.`);
    expect(out).toContain(`${NPX} verify TASK-001 names the lines`);
  });

  it("[CLI-7] options of the call stand in remedies as well", async () => {
    const cwd = await workspace();
    const { err } = await run({ cwd: tempFolder(), command: NPX }, "-C", cwd, "--by", "ann", "run", "1");
    expect(err).toContain(`${NPX} -C ${cwd} --by ann run TASK-001 s:0`);
  });

  it("[CLI-7] prove says by which words its commands are allowed, and what brings files of a filter", async () => {
    const { ada } = repository();
    const cwd = ada.root;
    const env = { PATH: process.env["PATH"] ?? "" };
    await run({ cwd, env }, "init", "--workspace", "acme/repo");
    await run(
      { cwd, env },
      "add",
      "A parser",
      "--step",
      "Write it",
      "--criteria",
      "it works",
      "--test",
      "git --version",
    );
    writeFileSync(join(cwd, ".gitattributes"), "*.png filter=lfs\n");
    writeFileSync(join(cwd, "image.png"), "a picture\n");
    ada.commit("first");
    const listed = await run({ cwd, env, command: NPX }, "prove", "1");
    expect(listed.err).toContain(`Read them, then: ${NPX} prove 1 --allow-commands`);
    const { doc } = await json({ cwd, env, command: NPX }, "prove", "1");
    expect(doc["warnings"]).toMatchObject([{ recovery: "Read them, then: taskfold prove 1 --allow-commands" }]);
    const { err } = await run({ cwd, env, command: NPX }, "prove", "1", "--allow-commands");
    expect(err).toContain(`For Git LFS: ${NPX} prove --prepare`);
  });

  it("[CLI-7] the merge driver says what comes next", async () => {
    const cwd = tempFolder();
    const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n";
    for (const name of ["base", "ours", "theirs"]) writeFileSync(join(cwd, name), pointer);
    const sides = ["base", "ours", "theirs", "a.md"];
    const folded = await run({ cwd, command: NPX }, "git", "merge-driver", "folded", ...sides);
    expect(folded.err).toContain(`Next: ${NPX} resolve --stage`);
    const log = await run({ cwd, command: NPX }, "git", "merge-driver", "log", ...sides);
    expect(log.err).toContain(`call ${NPX} doctor --fix`);
  });

  it.each([
    ["taskfold verify", `${NPX} verify`],
    [
      "cd sub && taskfold run 1 s:0 -- sh -c 'cd b && taskfold verify'",
      `cd sub && ${NPX} run 1 s:0 -- sh -c 'cd b && taskfold verify'`,
    ],
    ["cd 'it'\\''s && taskfold b' && taskfold show 1", `cd 'it'\\''s && taskfold b' && ${NPX} show 1`],
    ["cd sub && npm test && taskfold verify", "cd sub && npm test && taskfold verify"],
    ["echo taskfold verify", "echo taskfold verify"],
  ])("[CLI-7] of %s the first word is the program", (line, expected) => {
    expect(startedHere(line, NPX)).toBe(expected);
  });

  it("[CLI-7] the program itself knows that it was started so", ROTATING, () => {
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
  ])("[CLI-7] %s in %s is %s", (file, folder, words) => {
    expect(commandOf([file], folder)).toBe(words);
  });
});
