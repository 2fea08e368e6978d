import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { taskdocPolicyCopy } from "../src/state/taskdoc_policy.ts";
import { TOOLS } from "../src/tools/index.ts";
import { PROGRAM } from "./hosts/cli_support.ts";
import { ROOT } from "./support/source.ts";
import { tempFolder } from "./support/temp.ts";

const README = readFileSync(join(ROOT, "README.md"), "utf8").replaceAll("\r\n", "\n");
const ENV = { ...process.env, NODE: process.execPath, PROGRAM, NO_COLOR: "1" };

/** The first fenced block of a language below a heading of the README. */
function block(heading: string, language: string): string {
  const section = README.split(`\n## ${heading}\n`)[1] ?? "";
  const match = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(section);
  if (!match) throw new Error(`README.md has no ${language} block below "${heading}"`);
  return match[1] ?? "";
}

describe("README.md", () => {
  it("shows a library use that runs as it stands and prints what it says", () => {
    const cwd = tempFolder();
    mkdirSync(join(cwd, "node_modules"));
    symlinkSync(ROOT, join(cwd, "node_modules/taskfold"), "junction");
    const code = block("As a library", "js");
    writeFileSync(join(cwd, "use.mjs"), code);
    const { status, stdout, stderr } = spawnSync(process.execPath, ["use.mjs"], { cwd, env: ENV, encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const promised = /console\.log\(.*\); \/\/ (.*?) \.\.\.$/m.exec(code)?.[1];
    expect(promised).toBeDefined();
    expect(stdout.startsWith(promised!)).toBe(true);
  });

  it("[GUARD-7] [GUARD-13] [GUARD-14] shows a use of the guard that runs as it stands and prints what it says", () => {
    const cwd = tempFolder();
    mkdirSync(join(cwd, "node_modules"));
    symlinkSync(ROOT, join(cwd, "node_modules/taskfold"), "junction");
    mkdirSync(join(cwd, "plans/b.tsk"), { recursive: true });
    writeFileSync(join(cwd, "use.mjs"), block("In front of your file tools", "js"));
    const { status, stdout, stderr } = spawnSync(process.execPath, ["use.mjs"], { cwd, env: ENV, encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout.startsWith("{\n  tool: 'recall_taskdoc',")).toBe(true);
    expect(stdout).toMatch(/\[ 'a\.md', 'a\.tsk' \]\n\[ 'plans\/b\.tsk' \]\n$/);
  });

  it("shows commands that run as they stand", () => {
    const commands = [block("On the command line", "sh"), block("Undo and the past", "sh")].join("\n");
    const script = `set -e; taskfold() { "$NODE" "$PROGRAM" "$@"; }\n${commands}taskfold verify`;
    const cwd = tempFolder();
    const { status, stdout, stderr } = spawnSync("sh", ["-c", script], { cwd, env: ENV, encoding: "utf8" });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain("Finish task");
    expect(stdout.trimEnd().split("\n").at(-1)).toMatch(/^2 logs, \d+ events: all is well$/);
  });

  it("names every tool, and no tool that is not there", () => {
    const named = new Set(
      [...README.matchAll(/`(tasks_\w+|packet_\w+|change_mind|recall_taskdoc)`/g)].map((match) => match[1]),
    );
    expect(named).toEqual(new Set(Object.keys(TOOLS)));
  });

  it("names only npm scripts that are there, and every spec file in the table of spec/README.md", () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: object };
    const named = [...README.matchAll(/npm run ([\w:]+)/g)].map((match) => match[1] ?? "");
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
    const table = readFileSync(join(ROOT, "spec/README.md"), "utf8");
    const pages = readdirSync(join(ROOT, "spec")).filter((name) => name.endsWith(".md") && name !== "README.md");
    expect(pages.filter((name) => !table.includes(`| \`${name}\` |`))).toEqual([]);
  });

  it("links to files that are there", () => {
    const links = [...README.matchAll(/\]\(([^)#:]+)\)/g)].map((match) => match[1] ?? "");
    const missing = links.filter((link) => !existsSync(join(ROOT, link)));
    expect(missing).toEqual([]);
  });
});

describe("examples", () => {
  it("the demo of packets runs, and every check of it holds", () => {
    const demo = join(ROOT, "examples/demo_packet/run.mjs");
    const run = spawnSync(process.execPath, [demo, "--json"], { env: ENV, encoding: "utf8" });
    expect(run.stderr).toBe("");
    const checks = JSON.parse(run.stdout) as { name: string; ok: boolean; evidence: string }[];
    expect(checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(checks.length).toBeGreaterThan(12);
  });

  it("the demo runs, and every check of it holds", () => {
    const repo = join(tempFolder(), "kept");
    const demo = join(ROOT, "examples/demo/run.mjs");
    const run = spawnSync(process.execPath, [demo, "--json", "--keep", repo], { env: ENV, encoding: "utf8" });
    expect(run.stderr).toBe("");
    const checks = JSON.parse(run.stdout) as { name: string; ok: boolean; evidence: string }[];
    expect(checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(checks.filter(({ evidence }) => evidence === "")).toEqual([]);
    expect(checks.length).toBeGreaterThan(40);
    expect(run.status).toBe(0);

    const reader = join(ROOT, "examples/read_artifacts.mjs");
    const read = () => spawnSync(process.execPath, [reader, repo], { env: ENV, encoding: "utf8" });
    expect(read()).toMatchObject({ status: 0, stderr: "", stdout: expect.not.stringContaining("null") });
    const log = join(repo, ".coco/tasks/TASK-001/events.jsonl");
    writeFileSync(log, readFileSync(log, "utf8").replace("goes out on Friday", "goes out on Sunday"));
    expect(read()).toMatchObject({ status: 1, stdout: expect.stringContaining("1 hashes are wrong") });
  });

  it("the reader of artifacts imports nothing but Node", () => {
    const text = readFileSync(join(ROOT, "examples/read_artifacts.mjs"), "utf8");
    const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map((match) => match[1] ?? "");
    expect(imports.length).toBeGreaterThan(0);
    expect(imports.filter((name) => !name.startsWith("node:"))).toEqual([]);
  });

  it("[GUARD-14] [GUARD-17] the guarded file tools run, show a package by its name and refuse the rest", () => {
    const example = join(ROOT, "examples/guarded_file_tools.mjs");
    const run = spawnSync(process.execPath, [example], { env: ENV, encoding: "utf8" });
    expect({ status: run.status, stderr: run.stderr }).toEqual({ status: 0, stderr: "" });
    const answers = run.stdout.split(/^> /m).slice(1);
    expect(answers.map((answer) => answer.split("\n").slice(0, 2).join(" | "))).toEqual([
      'list_dir plans | [{"name":"notes.md","kind":"file","size":27},{"name":"release.tsk","encapsulated":true}]',
      'grep version | ["plans/notes.md:1: version 2 is due in spring"]',
      'read_file plans/notes.md | "version 2 is due in spring\\n"',
      expect.stringMatching(/^read_file .*checklist\.md \| TASKDOC_ENCAPSULATED: /),
      expect.stringMatching(/^write_file .*goals\.md \| TASKDOC_ENCAPSULATED: /),
      expect.stringMatching(/^delete plans \| TASKDOC_ENCAPSULATED: /),
    ]);
    expect(run.stdout).toContain('recall_taskdoc {"workspace":"acme/repo","category":"ux","selector":"checklist"}');
    expect(run.stdout).not.toContain("ship version 2");
  });

  it("[GUARD-19] what agents are told of the guarded file tools is the canonical text and their names", async () => {
    const { toolGuide } = (await import("../examples/guarded_file_tools.mjs")) as { toolGuide: (l: string) => string };
    for (const language of ["en", "zh"] as const) {
      expect(toolGuide(language).startsWith(taskdocPolicyCopy(language))).toBe(true);
      expect(toolGuide(language)).toMatch(/`read_file`, .*`grep`/);
    }
  });
});
