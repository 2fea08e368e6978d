/** `taskfold init` on a terminal, and where git could never commit what it makes. */
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../support/temp.ts";
import { git, json, result, run, workspace } from "./cli_support.ts";
import { asking } from "../../src/hosts/cli/asking.ts";
import { ROTATING } from "../support/sweep.ts";

const screen = { columns: 72, rows: 24 };

/** Answers by the beginning of a question; a question that stands on no list gets an empty answer. */
function answering(answers: Record<string, string[]>, asked: string[] = []): (question: string) => string {
  return (question) => {
    asked.push(question);
    const [, left] = Object.entries(answers).find(([begin]) => question.includes(begin)) ?? [];
    return left?.shift() ?? "";
  };
}

const binding = (cwd: string): string => readFileSync(join(cwd, ".coco/workspace.yaml"), "utf8");

describe("init on a terminal", () => {
  it("[CLI-10] asks, does what was answered, and prints a box and the next three commands", ROTATING, async () => {
    const cwd = tempFolder();
    git(cwd, "init", "--quiet");
    const home = tempFolder();
    writeFileSync(join(home, ".bashrc"), "alias l=ls");
    const asked: string[] = [];
    const answer = answering(
      {
        "Workspace id": ["no such id", "acme/tools"],
        "Ids:": ["x", "suffix"],
        Proof: ["tests=require"],
        Clients: ["emacs", "claude-code, codex"],
        Completion: ["y"],
        "Merge driver": ["n"],
      },
      asked,
    );
    const { code, out } = await run({ cwd, answer, screen, env: { SHELL: "/bin/bash", HOME: home } }, "init");
    expect(code).toBe(0);
    for (const line of asked.join("\n").split("\n")) expect(line.length, line).toBeLessThanOrEqual(screen.columns);
    expect(asked.join("\n")).toMatch(/^Expected none, or some of claude-code, .*found\s+"emacs"\.$/ms);
    const isAsked = (begin: string): number => asked.filter((question) => question.includes(begin)).length;
    expect(["Workspace id [", "Ids: ", "Proof that", "Clients of agents", "Merge driver"].map(isAsked)).toEqual([
      2, 2, 1, 2, 1,
    ]);
    expect(binding(cwd)).toMatch(/^id: "acme\/tools"\nids: suffixed$/m);
    expect(binding(cwd)).toContain("proof:");
    for (const path of [".mcp.json", ".codex/config.toml", "AGENTS.md"]) expect(existsSync(join(cwd, path))).toBe(true);
    const lines = out.split("\n");
    const end = lines.findIndex((line) => line.startsWith("╰"));
    expect(lines[0]).toMatch(/^╭─+╮$/);
    for (const line of lines.slice(0, end + 1)) expect(line.length, line).toBe(lines[0]!.length);
    expect(lines[0]!.length).toBeLessThanOrEqual(screen.columns);
    const next = lines.slice(lines.indexOf("Next:") + 1).filter((line) => line !== "");
    expect(next).toHaveLength(3);
    expect(next[0]).toContain("git add .coco/workspace.yaml");
    expect(next[0]).toContain(".mcp.json");
  });

  it("[CLI-10] empty answers are the defaults, and a person who breaks off made nothing", async () => {
    const cwd = tempFolder();
    const off = await run({ cwd, answer: (() => undefined) as never, screen }, "init");
    expect(off).toMatchObject({ code: 2, out: "" });
    expect(off.err).toContain("taskfold init --yes");
    expect(existsSync(join(cwd, ".coco"))).toBe(false);
    expect(await run({ cwd, answer: "", screen }, "init", "--workspace", "acme/repo")).toMatchObject({ code: 0 });
    expect(binding(cwd)).toMatch(/^id: "acme\/repo"\nids: sequential$/m);
    expect(existsSync(join(cwd, "AGENTS.md"))).toBe(false);
  });

  it("[CLI-10] lines that are typed ahead answer the next questions", async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const ask = asking(() => ({ input, output }));
    input.write("acme/repo\nsuffix\n\n");
    expect([await ask("a: "), await ask("b: "), await ask("c: ")]).toEqual(["acme/repo", "suffix", ""]);
    const next = ask("d: ");
    input.write("codex\n");
    expect(await next).toBe("codex");
    expect(String(output.read())).toContain("b: suffix\nc: \nd: ");
  });

  it("[CLI-10] a paste that ends within a line keeps its half for the next question", async () => {
    const [input, output] = [new PassThrough(), Object.assign(new PassThrough(), { isTTY: true, columns: 80 })];
    const ask = asking(() => ({ input, output }));
    const first = ask("a: ");
    input.write("one\ntwo\nthr");
    expect([await first, await ask("b: ")]).toEqual(["one", "two"]);
    const third = ask("c: ");
    input.write("ee\n");
    expect([await third]).toEqual(["three"]);
    const off = ask("d: ");
    input.write("half");
    input.write("\u0003");
    expect(await off).toBeUndefined();
    const next = ask("e: ");
    input.write("whole\n");
    expect(await next).toBe("whole");
  });

  it("[CLI-10] a folder without a repository gets one by the first of the next commands", async () => {
    const { out } = await run({ cwd: tempFolder(), answer: "", screen }, "init", "--workspace", "acme/repo");
    expect(out).toContain("\n  git init && git add .coco/workspace.yaml ");
  });

  it("[CLI-10] --yes, --json, -q, a bound folder and no terminal ask nothing", async () => {
    const asked: string[] = [];
    const answer = answering({}, asked);
    for (const options of [["--yes"], ["--json"], ["-q"]]) {
      const cwd = tempFolder();
      expect(await run({ cwd, answer, screen }, "init", "--workspace", "acme/repo", ...options)).toMatchObject({
        code: 0,
      });
      expect(await run({ cwd, answer, screen }, "init")).toMatchObject({ code: 0 });
    }
    expect((await run({ cwd: tempFolder(), screen }, "init", "--workspace", "acme/repo")).out).toMatch(
      /^Bound to acme/,
    );
    expect(asked).toEqual([]);
  });

  it("[CLI-10] the line of the completion is added once, and keeps what is there", async () => {
    const bin = tempFolder();
    writeFileSync(join(bin, "taskfold"), "#!/bin/sh\n", { mode: 0o755 });
    const home = tempFolder();
    writeFileSync(join(home, ".bashrc"), "alias l=ls");
    const before = process.env["PATH"];
    process.env["PATH"] = `${bin}:${before}`;
    try {
      for (let n = 0; n < 2; n++) {
        const answer = answering({ Completion: ["yes"] });
        const env = { SHELL: "/bin/bash", HOME: home };
        const { out } = await run({ cwd: tempFolder(), answer, screen, env }, "init", "--workspace", "acme/repo");
        expect(out).toContain(n === 0 ? "a line in ~/.bashrc" : "was set up already");
        expect(readFileSync(join(home, ".bashrc"), "utf8")).toBe("alias l=ls\nsource <(taskfold completion bash)\n");
      }
    } finally {
      process.env["PATH"] = before;
    }
  });
});

describe("init where git could never commit", () => {
  const init = (cwd: string) => json({ cwd }, "init", "--workspace", "acme/repo");
  const hintsOf = async (cwd: string): Promise<string> => {
    const { code, doc } = await init(cwd);
    expect(code).toBe(0);
    return (doc.result as { hints: string[] }).hints.join("\n");
  };

  it("[CLI-10] it is refused in the folder of git itself, and in a bare repository", async () => {
    const cwd = tempFolder();
    git(cwd, "init", "--quiet");
    const bare = tempFolder();
    git(bare, "init", "--quiet", "--bare");
    for (const folder of [join(cwd, ".git"), join(cwd, ".git/refs"), bare]) {
      const { code, doc } = await init(folder);
      expect({ folder, code, error: doc.error?.code }).toEqual({ folder, code: 2, error: "INVALID_INPUT" });
      expect(existsSync(join(folder, ".coco"))).toBe(false);
    }
    const hub = tempFolder();
    git(hub, "init", "--quiet", "--bare", "repo.git");
    writeFileSync(join(hub, ".git"), "gitdir: ./repo.git\n");
    expect(await hintsOf(hub)).toContain("bare");
  });

  it(
    "[CLI-10] a hint names the rule by which git ignores it, and the submodule that it lies in",
    ROTATING,
    async () => {
      const cwd = tempFolder();
      git(cwd, "init", "--quiet");
      expect(await hintsOf(cwd)).not.toMatch(/ignores|submodule|bare/);
      const hidden = tempFolder();
      git(hidden, "init", "--quiet");
      writeFileSync(join(hidden, ".gitignore"), "*.log\n.coco/\n");
      expect(await hintsOf(hidden)).toContain("by the rule .coco/ in line 2 of .gitignore");
      const logs = tempFolder();
      git(logs, "init", "--quiet");
      writeFileSync(join(logs, ".gitignore"), "*.jsonl\n");
      expect(await hintsOf(hidden)).toContain("write !.coco behind it");
      const all = tempFolder();
      git(all, "init", "--quiet");
      writeFileSync(join(all, ".gitignore"), "*\n");
      expect(await hintsOf(all)).toMatch(
        /Take the rule out, or run init in a folder that git does not ignore\.(?!.*!\.coco)/,
      );
      expect(await hintsOf(logs)).toMatch(/Take the rule out\.$/);
      expect(await hintsOf(logs)).toContain("git ignores .coco/tasks/TASK-001/events.jsonl by the rule *.jsonl");
      // A clone would lack the proof.
      for (const [rule, file] of [
        ["blobs/", "shared/evidence/blobs/0"],
        ["task.yaml", "task.yaml"],
        ["index.json", "shared/evidence/index.json"],
      ]) {
        const some = tempFolder();
        git(some, "init", "--quiet");
        writeFileSync(join(some, ".gitignore"), `${rule}\n`);
        expect(await hintsOf(some)).toContain(`git ignores .coco/tasks/TASK-001/${file} by the rule ${rule} in line 1`);
      }

      // The line to copy works at once, or says when it does.
      const line = async (cwd: string): Promise<string | undefined> =>
        (await run({ cwd }, "init", "--workspace", "acme/repo")).out.split("\n").find((one) => one.includes("git add"));
      expect(await line(hidden)).toMatch(/: once git ignores none of them: git add /);
      expect(await line(cwd)).toMatch(/before you branch: git add /);
      expect(await line(logs)).toMatch(/before you branch: git add /);
      expect(await line(tempFolder())).toMatch(/: git init && git add [^#]*$/);

      const [inner, outer] = [tempFolder(), tempFolder()];
      git(inner, "init", "--quiet");
      git(inner, "commit", "--quiet", "--allow-empty", "-m", "Begin");
      git(outer, "init", "--quiet");
      git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "lib");
      expect(await hintsOf(join(outer, "lib"))).toContain("this folder lies in a submodule of ");
      expect(await hintsOf(outer)).not.toContain("submodule");
    },
  );
});

describe("init below the top of a repository", () => {
  it("[CLI-10] a hint of a new workspace names the top, for who meant all of it", async () => {
    const top = tempFolder();
    git(top, "init", "--quiet");
    const below = join(top, "packages/parser");
    mkdirSync(below, { recursive: true });
    expect(await placeHints(below)).toEqual([expect.stringContaining(`all of ${realpathSync(top)}, `)]);
    expect(await placeHints(below)).toEqual([]);
    expect(await placeHints(top)).toEqual([]);
  });

  it("[CLI-10] where the top is a workspace, a hint names that one, and none offers to make it", async () => {
    const top = tempFolder();
    git(top, "init", "--quiet");
    const below = join(top, "packages/parser");
    mkdirSync(below, { recursive: true });
    expect(await placeHints(top)).toEqual([]);
    expect(await placeHints(below)).toEqual([expect.stringMatching(/ is a workspace already, .* remove /)]);
  });

  async function placeHints(cwd: string): Promise<string[]> {
    const { doc } = await json({ cwd }, "init", "--workspace", "acme/repo");
    return (doc.result as { hints: string[] }).hints.filter((hint) => /below the top|workspace already/.test(hint));
  }
});

describe("add", () => {
  it("[regression CLI-268] prints the folder of what it made, from where the person is", async () => {
    const cwd = await workspace();
    mkdirSync(join(cwd, "src/deep"), { recursive: true });
    expect((await run({ cwd }, "add", "A printer")).out).toMatch(/^ {2}Folder: \.coco\/tasks\/TASK-002$/m);
    const below = join(cwd, "src/deep");
    expect((await run({ cwd: below }, "plan", "add", "Version 3")).out).toMatch(
      /^ {2}Folder: \.\.\/\.\.\/\.coco\/tasks\/PLAN-002$/m,
    );
    expect(existsSync(join(cwd, ".coco/tasks/PLAN-002"))).toBe(true);
    expect((await run({ cwd }, "add", "More", "-q")).out).toBe("TASK-003\n");
    expect(await result(cwd, "add", "And more")).not.toHaveProperty("folder");
  });
});
