/** README and docs/: what they show runs as it stands, and what they name is there. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { TOOLS } from "../src/tools/index.ts";
import { PROGRAM } from "./hosts/cli_support.ts";
import { BLOCKED, placeSample } from "./support/coco.ts";
import { ENTRIES } from "../scripts/entries.mjs";
import { codeBlocks, linkFaults, PAGES, pageText, QUOTING } from "./support/markdown.ts";
import { ROOT } from "./support/source.ts";
import { ROTATING } from "./support/sweep.ts";
import { tempFolder } from "./support/temp.ts";

const GUIDES = PAGES.filter((path) => path === "README.md" || path.startsWith("docs/"));
const PROSE = [...GUIDES, "CONTRIBUTING.md"];

const SCRIPTS = (JSON.parse(pageText("package.json")) as { scripts: object }).scripts;

/** A person's git, without the settings of this machine. */
const GIT = {
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.org",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.org",
};
const ENV = { ...process.env, ...GIT, NODE: process.execPath, PROGRAM, NO_COLOR: "1" };

/** What has to be there before the commands of a page. */
const PREPARE: Record<string, (cwd: string) => void> = {
  "docs/coco.md": (cwd) => void placeSample(cwd, BLOCKED),
};

const withShell = GUIDES.filter((path) => codeBlocks(path).some(({ language }) => language === "sh"));
const scripts = GUIDES.flatMap((path) =>
  codeBlocks(path)
    .filter(({ language }) => language === "js")
    .map(({ text }, n) => ({ name: `${path} ${n + 1}`, text })),
);

/** Runs a program in a folder where the package is installed. */
function runScript(code: string, prepare: (cwd: string) => void = () => undefined): string {
  const cwd = tempFolder();
  mkdirSync(join(cwd, "node_modules"));
  symlinkSync(ROOT, join(cwd, "node_modules/taskfold"), "junction");
  symlinkSync(join(ROOT, "node_modules/@opentelemetry"), join(cwd, "node_modules/@opentelemetry"), "junction");
  prepare(cwd);
  writeFileSync(join(cwd, "use.mjs"), code);
  const { status, stdout, stderr } = spawnSync(process.execPath, ["use.mjs"], { cwd, env: ENV, encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout;
}

describe("what README and docs show", ROTATING, () => {
  it("is there: pages with commands, and pages with programs", () => {
    expect(withShell.length).toBeGreaterThan(7);
    expect(scripts.length).toBeGreaterThan(4);
  });

  it.each(scripts)("$name: the program runs and prints what it says", ({ text }) => {
    const stdout = runScript(text);
    let from = 0;
    for (const [, promised = ""] of text.matchAll(/console\.log\(.*\); \/\/ => (.*?)(?: \.\.\.)?$/gm)) {
      const at = stdout.indexOf(promised, from);
      expect(at, `${promised} in ${stdout.slice(from)}`).toBeGreaterThanOrEqual(0);
      from = at + promised.length;
    }
  });

  it("[GUARD-7] [GUARD-13] [GUARD-14] the guard refuses, lists and finds as docs/taskdoc.md shows", () => {
    const code = codeBlocks("docs/taskdoc.md").find(({ language }) => language === "js")?.text ?? "";
    const stdout = runScript(code, (cwd) => mkdirSync(join(cwd, "plans/b.tsk"), { recursive: true }));
    expect(stdout.startsWith("{\n  tool: 'recall_taskdoc',")).toBe(true);
    expect(stdout).toMatch(/\[ 'a\.md', 'a\.tsk' \]\n\[ 'plans\/b\.tsk' \]\n$/);
  });

  it.each(withShell)("%s: the commands run as they stand, and leave sound logs", ROTATING, (path) => {
    const cwd = tempFolder();
    PREPARE[path]?.(cwd);
    const shell = codeBlocks(path).filter(({ language }) => language === "sh");
    const commands = shell.map(({ text }) => text).join("\n");
    const script = `set -e; taskfold() { "$NODE" "$PROGRAM" "$@"; }\n${commands}\ntaskfold verify`;
    const { status, stdout, stderr } = spawnSync("sh", ["-c", script], { cwd, env: ENV, encoding: "utf8" });
    expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout.trimEnd().split("\n").at(-1)).toMatch(/all is well$/);
  });
});

describe("what README and docs name", () => {
  it("is every tool, and no tool that is not there", () => {
    // The page of all tools names inputs of the same form.
    const named = GUIDES.filter((path) => path !== "docs/tools.md")
      .flatMap((path) => [...pageText(path).matchAll(/`(tasks_\w+|packet_[a-z]+_?\w*)`/g)])
      .map((match) => match[1] ?? "");
    expect(named.filter((name) => !Object.hasOwn(TOOLS, name))).toEqual([]);
  });

  it("are npm scripts that are there", () => {
    const named = PROSE.flatMap((path) => [...pageText(path).matchAll(/npm run ([\w:]+)/g)]).map(
      (match) => match[1] ?? "",
    );
    expect(named.filter((name) => !Object.hasOwn(SCRIPTS, name))).toEqual([]);
  });

  it("are npm scripts and tests that are there, also in the workflow", () => {
    const { jobs } = parse(pageText(".github/workflows/ci.yml")) as {
      jobs: Record<string, { steps: { run?: string }[] }>;
    };
    const commands = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
    expect(commands).toContain(".ci/run");
    const named = commands.flatMap((line) => [...line.matchAll(/npm run ([\w:]+)/g)]).map((match) => match[1] ?? "");
    expect(named.filter((name) => !Object.hasOwn(SCRIPTS, name))).toEqual([]);
    const paths = commands.flatMap((line) => line.match(/\btest\/\S+/g) ?? []);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    expect(paths.length).toBeGreaterThan(5);
  });

  it("are npm scripts that are there in the nightly workflow, and a step that fails keeps none behind it from running", () => {
    const { jobs } = parse(pageText(".github/workflows/nightly.yml")) as {
      jobs: Record<string, { steps: { run?: string; if?: string }[] }>;
    };
    const steps = Object.values(jobs).flatMap((job) => job.steps);
    const named = steps.flatMap(({ run = "" }) => [...run.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name ?? ""));
    expect(named.filter((name) => !Object.hasOwn(SCRIPTS, name))).toEqual([]);
    const first = steps.findIndex(({ run }) => run?.startsWith("npm run "));
    expect(first).toBeGreaterThan(0);
    expect(steps.slice(first + 1).filter((step) => step.if !== "${{ !cancelled() }}")).toEqual([]);
  });

  it("are files and headings that are there", () => {
    expect(PAGES.filter((path) => !QUOTING.includes(path)).flatMap((path) => linkFaults(path))).toEqual([]);
  });

  it("would not be a file or a heading that is not there", () => {
    const text = '# One\n[a](docs/none.md) [b](README.md#none) [c](#one) [d](#two) `[e](none.md)` <img src="none.svg">';
    expect(linkFaults("x.md", text)).toEqual([
      "x.md: no file docs/none.md",
      "x.md: no heading README.md#none",
      "x.md: no heading #two",
      "x.md: no file none.svg",
    ]);
  });

  it("is every page: README's table has each page of docs, spec/README.md has each file of spec", () => {
    // The program prints the page of commands, and the site alone has it.
    const guides = GUIDES.filter((path) => path.startsWith("docs/") && path !== "docs/commands.md");
    // The site takes its order from the rows of this table.
    const rows = [...pageText("README.md").matchAll(/^\| \[[^\]]+\]\((docs\/.+?\.md)\)/gm)].map(
      (match) => match[1] ?? "",
    );
    expect(rows.toSorted()).toEqual(guides.toSorted());
    const table = pageText("spec/README.md");
    const pages = readdirSync(join(ROOT, "spec")).filter((name) => name.endsWith(".md") && name !== "README.md");
    expect(pages.filter((name) => !table.includes(`| \`${name}\` |`))).toEqual([]);
  });

  it("is every entry point: the API reference has each one that package.json exports types for", ROTATING, async () => {
    const { exports } = JSON.parse(pageText("package.json")) as { exports: Record<string, string | { types: string }> };
    const typed = Object.values(exports).flatMap((target) => (typeof target === "string" ? [] : [target.types]));
    expect(Object.keys(ENTRIES).map((name) => `./dist/types/${name}.d.ts`)).toEqual(typed);
    const { default: config } = (await import("../docs/typedoc.config.js")) as { default: { entryPoints: string[] } };
    const sources = config.entryPoints.map((path) => relative(ROOT, path).replaceAll("\\", "/"));
    expect(sources).toEqual(Object.values(ENTRIES));
    expect(sources.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    expect(sources).toContain("src/hosts/jetstream/index.ts");
  });

  it("fits: README has at most 200 lines", () => {
    expect(pageText("README.md").trimEnd().split("\n").length).toBeLessThanOrEqual(200);
  });
});
