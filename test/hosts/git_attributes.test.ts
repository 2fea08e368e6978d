// @module-tag long
/** Attributes of the repository that change bytes or merges, with real git: none of them reaches what the engine writes. */
import { appendFileSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Clone } from "../support/git_clone.mjs";
import { ENCRYPTED, hasLfs, LFS, setAttributes, useFilters } from "../support/git_filters.mjs";
import type { Workspace } from "../../src/engine/workspace.ts";
import { openGit } from "../../src/hosts/git/git_port.ts";
import { repository } from "../support/git.ts";
import { branched, driven, expectRight, gitSaid, inWorkspace } from "../support/git_work.ts";
import { ROTATING, ROTATING_SWEEP, sampleOf } from "../support/sweep.ts";
import { newTask, notesOf, openTemp } from "../support/workspace.ts";
import { real } from "./cli_support.ts";

const ATTRIBUTES = ".coco/.gitattributes";
const OLDER = join(import.meta.dirname, "../golden/v2/.coco/.gitattributes");
const LOG = ".coco/tasks/TASK-001/events.jsonl";

/** Everything that the engine writes, and people's two files. */
const FILES = [
  ".gitattributes",
  ".gitignore",
  "workspace.yaml",
  "README.md",
  ...["tasks", "archive"].flatMap((part) =>
    [
      "events.jsonl",
      "task.yaml",
      "README.md",
      "manifest.yaml",
      "shared/evidence/index.json",
      `shared/evidence/blobs/${"0".repeat(64)}`,
      "shared/decisions/CARD-00000001.md",
      "shared/reports/joined-summary.md",
      "shared/human-notes.md",
      "shared/context-manifest.yaml",
      "taskdoc.tsk/goals.md",
      "taskdoc.tsk/api/one.md",
      "inputs/brief.md",
      "outputs/_summary.md",
      "state/plan.json",
      "done/plan.json",
    ].map((name) => `${part}/TASK-001/${name}`),
  ),
].map((name) => `.coco/${name}`);
const AGENTS = ["tasks", "archive"].map((part) => `.coco/${part}/TASK-001/agents/ada-1/out.json`);
const PEOPLES = /human-notes|context-manifest/;
const NAMES = [
  "text",
  "eol",
  "merge",
  "diff",
  "filter",
  "ident",
  "working-tree-encoding",
  "export-subst",
  "crlf",
  "binary",
];

/** What a repository may say of its files. */
const WORDS = [
  "-text",
  "text=auto eol=crlf",
  "crlf",
  "crlf=input",
  "ident",
  "working-tree-encoding=UTF-16",
  "merge=ours",
  "merge=union",
  "-merge",
  "-diff",
  "diff=lfs",
  "binary",
  "export-subst",
];
const PATTERNS = ["*.jsonl", "*.md", "*.yaml", "*.json"];

function answers(clone: Clone, paths: readonly string[]): string[] {
  return clone
    .git("check-attr", ...NAMES, "--", ...paths)
    .trim()
    .split("\n");
}

async function given(clone: Clone): Promise<Workspace> {
  const ws = openTemp({ root: clone.root, git: () => openGit(clone.root) });
  await newTask(ws);
  return ws;
}

const found = (ws: Workspace) =>
  ws
    .verify()
    .findings.flatMap(({ code, file, info, message }) =>
      code === "ATTRIBUTES_MISSING" ? [{ file, info: info === true, message }] : [],
    );

describe("what git answers", () => {
  it("[DIR-70] no attribute of the repository changes an answer for a file of the engine, or for people's two", async () => {
    const { ada } = repository();
    await given(ada);
    // What people's files have for line ends is theirs.
    const judged = (): string[] =>
      answers(ada, FILES).filter((line) => !(PEOPLES.test(line) && /: (?:text|eol): /.test(line)));
    const before = judged();
    expect(before.some((line) => line.endsWith("events.jsonl: merge: union"))).toBe(true);
    for (const word of [...WORDS, LFS, ENCRYPTED]) {
      writeFileSync(join(ada.root, ".gitattributes"), `* ${word}\n**/*.json* ${word}\n.coco/** ${word}\n`);
      expect(judged(), word).toEqual(before);
    }
  });

  it("[DIR-70] a filter reaches the files of agents, and nothing else does that changes bytes", async () => {
    const { ada } = repository();
    await given(ada);
    const before = answers(ada, AGENTS);
    for (const word of WORDS.filter((one) => !/merge|diff|binary/.test(one))) {
      writeFileSync(join(ada.root, ".gitattributes"), `* ${word}\n`);
      expect(answers(ada, AGENTS), word).toEqual(before);
    }
    writeFileSync(join(ada.root, ".gitattributes"), `* ${LFS}\n`);
    expect(ada.git("check-attr", "filter", "text", "--", AGENTS[0]!)).toMatch(/filter: lfs\n.*text: unset\n$/);
  });

  it("[DIR-60] what people add is no finding while git answers the same, whatever the lines are", async () => {
    const { ada } = repository();
    const ws = await given(ada);
    expect(found(ws)).toEqual([]);
    appendFileSync(join(ada.root, ATTRIBUTES), "tasks/*/README.md diff=markdown\ntasks/*/agents/** filter=lfs\n");
    expect(found(ws)).toEqual([]);
    const lines = readFileSync(join(ada.root, ATTRIBUTES), "utf8");
    const merged = lines.replaceAll(/^archive\/(?!.*linguist).*\n/gm, "").replaceAll(/^tasks\//gm, "*/");
    writeFileSync(join(ada.root, ATTRIBUTES), merged.replaceAll("*/*/", "/*/*/"));
    expect(found(ws)).toEqual([]);
    // The text of a line counts where there is no git alone.
    expect(openTemp({ root: ada.root }).verify().ok).toBe(false);
  });

  it.each([
    ["the clone", ".git/info/attributes", "* filter=lfs"],
    ["a folder below", ".coco/tasks/.gitattributes", "*.jsonl filter=lfs"],
    ["the folder of a task", ".coco/tasks/TASK-001/.gitattributes", "events.jsonl merge=binary"],
    ["a folder of a task", ".coco/tasks/TASK-001/shared/evidence/.gitattributes", "*.json ident"],
    ["a line below", ATTRIBUTES, "tasks/*/events.jsonl merge=ours"],
    ["another line below", ATTRIBUTES, "*.yaml working-tree-encoding=UTF-16"],
  ])("[DIR-60] attributes of %s that count more are a fault, with the file that says so", async (_, file, line) => {
    const { ada } = repository();
    const ws = await given(ada);
    mkdirSync(dirname(join(ada.root, file)), { recursive: true });
    appendFileSync(join(ada.root, file), `${line}\n`);
    expect(found(ws)).toMatchObject([{ file, info: false }]);
  });

  it("[DIR-60] attributes of an older release are a note, and a fault once a filter reaches a log; rebuild adds lines", async () => {
    const { ada } = repository();
    const ws = await given(ada);
    copyFileSync(OLDER, join(ada.root, ATTRIBUTES));
    appendFileSync(join(ada.root, ATTRIBUTES), "# Ours\n*.png binary\n");
    const older = readFileSync(join(ada.root, ATTRIBUTES), "utf8");
    expect(found(ws)).toMatchObject([{ file: ATTRIBUTES, info: true }]);
    setAttributes(ada, `*.jsonl ${LFS}`);
    expect(found(ws)).toMatchObject([
      { file: ATTRIBUTES, info: false, message: expect.stringContaining("found lfs") as string },
      { info: true },
    ]);
    expect((await ws.repair.rebuild("TASK-001")).attributes).toBeUndefined();
    expect((await ws.repair.rebuild()).attributes).toBe(true);
    expect(found(ws)).toEqual([]);
    const completed = readFileSync(join(ada.root, ATTRIBUTES), "utf8");
    expect(completed.startsWith(older)).toBe(true);
    expect((await ws.repair.rebuild()).attributes).toBeUndefined();
    expect(readFileSync(join(ada.root, ATTRIBUTES), "utf8")).toBe(completed);
    // What another file says no line of this one undoes.
    mkdirSync(join(ada.root, ".git/info"), { recursive: true });
    writeFileSync(join(ada.root, ".git/info/attributes"), "*.jsonl -merge\n");
    expect((await ws.repair.rebuild()).attributes).toBeUndefined();
    // A line below it that is wrong: ours is written once more, behind it.
    rmSync(join(ada.root, ".git/info/attributes"));
    appendFileSync(join(ada.root, ATTRIBUTES), "tasks/*/events.jsonl merge=ours");
    expect((await ws.repair.rebuild()).attributes).toBe(true);
    expect(found(ws)).toEqual([]);
  });

  it("[DIR-60] without git the lines count, and rebuild adds them all the same", async () => {
    const ws = openTemp();
    await newTask(ws);
    copyFileSync(OLDER, join(ws.root, ATTRIBUTES));
    expect(ws.verify()).toMatchObject({ ok: true, findings: [{ code: "ATTRIBUTES_MISSING", info: true }] });
    await ws.repair.rebuild();
    expect(ws.verify().findings).toEqual([]);
  });
});

describe("the command line", () => {
  it(
    "[GIT-1] init, git install, git status, doctor and verify say what git answers otherwise; doctor --fix mends it",
    ROTATING,
    async () => {
      const { clone, program } = await driven(null);
      copyFileSync(OLDER, join(clone.root, ATTRIBUTES));
      setAttributes(clone, `*.jsonl ${LFS}`);
      const said = (...args: string[]) => {
        const { code, out, err } = real(clone.root, args);
        return { code, said: out + err };
      };
      const told = { said: expect.stringMatching(/filter unset of tasks\/\*\/events\.jsonl, found lfs/) as string };
      expect(said("init")).toMatchObject({ code: 0, ...told });
      expect(said("git", "install")).toMatchObject({ code: 0, ...told });
      for (const args of [["git", "status"], ["doctor"], ["verify"]])
        expect(said(...args)).toMatchObject({ code: 1, ...told });
      expect(program("doctor", "--fix")).toMatch(/gitattributes: wrote the lines/);
      for (const args of [["init"], ["git", "status"], ["doctor"], ["verify"]]) {
        const after = said(...args);
        expect([after.code, after.said], args.join(" ")).toEqual([
          0,
          expect.not.stringMatching(/ATTRIBUTES_MISSING|found lfs/),
        ]);
      }
      writeFileSync(join(clone.root, ".coco/tasks/.gitattributes"), `*.yaml ${LFS}\n`);
      expect(said("git", "status")).toMatchObject({
        code: 1,
        said: expect.stringContaining(".coco/tasks/.gitattributes") as string,
      });
    },
  );
});

describe("two branches of one task", () => {
  /** Each word stands in a line with those that it does not contradict: git answers the same under each of them alone (DIR-70). */
  const TOGETHER = [
    "-text ident working-tree-encoding=UTF-16 merge=ours -diff export-subst",
    "text=auto eol=crlf merge=union diff=lfs",
    "crlf -merge",
    "crlf=input",
    "binary",
  ].map((words) => [`* ${words}`]);
  const filters = hasLfs() ? [LFS, ENCRYPTED] : [ENCRYPTED];
  /** Filters of all files, and of each kind of file by turns. */
  const FILTERED = filters.flatMap((filter, i) => [
    [`* ${filter}`],
    PATTERNS.map((pattern, j) => `${pattern} ${filters[(i + j) % filters.length]}`),
  ]);
  const cases = [...TOGETHER, ...FILTERED].flatMap((lines) => [true, false].map((driver) => ({ lines, driver })));

  it("[DIR-70] all of the words are tried", () => {
    const tried = new Set(TOGETHER.flatMap(([line]) => line!.split(" ")));
    expect(WORDS.flatMap((word) => word.split(" ")).filter((word) => !tried.has(word))).toEqual([]);
  });

  it(
    "[DIR-70] [RESOLVE-8] merge and resolve to both notes under every attribute, with the driver and without",
    ROTATING_SWEEP,
    async () => {
      for (const { lines, driver } of sampleOf(cases, 1)) {
        const line = lines.join(", ");
        const repo = await driven(driver ? ["git", "install"] : null);
        const { clone } = repo;
        useFilters(clone);
        setAttributes(clone, ...lines, ".gitattributes !working-tree-encoding !filter");
        clone.git("config", "merge.ours.driver", "true");
        clone.commit("attributes");
        await branched(repo, ["side"], ["main"]);
        expect(gitSaid(clone, "merge", "--no-edit", "side").code, line).toBe(driver ? 0 : 1);
        // The driver leaves nothing to resolve.
        const git = openGit(clone.root)!;
        const report = await inWorkspace(clone.root, (ws) => ws.repair.resolve(undefined, { git, stage: true }));
        expect([report.changed, report.findings], line).toEqual([!driver, []]);
        clone.conclude("merge");
        await expectRight(clone);
        expect(notesOf(clone.root).toSorted(), line).toEqual(["main", "side"]);
        expect(clone.git("cat-file", "blob", `HEAD:${LOG}`), line).toBe(readFileSync(join(clone.root, LOG), "utf8"));
      }
    },
  );

  it.skipIf(!hasLfs())("[DIR-70] the rest of the repository keeps its filters, agents' files too", async () => {
    const { clone } = await driven(null);
    useFilters(clone);
    setAttributes(clone, `*.json ${LFS}`, `*.txt ${ENCRYPTED}`);
    for (const path of ["data.json", AGENTS[0]!, "secret.txt"]) {
      mkdirSync(dirname(join(clone.root, path)), { recursive: true });
      writeFileSync(join(clone.root, path), '{"one":1}\n');
    }
    clone.commit("files");
    for (const path of ["data.json", AGENTS[0]!])
      expect(clone.git("cat-file", "blob", `HEAD:${path}`)).toMatch(/^version /);
    expect(clone.git("cat-file", "blob", "HEAD:secret.txt")).not.toContain("one");
  });
});
