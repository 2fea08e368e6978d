import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import { repository } from "../support/git.ts";
import { call, logLines, newTask, ok, openTemp, tree } from "../support/workspace.ts";
import { ROTATING } from "../support/sweep.ts";

const sha = (text: string): string => createHash("sha256").update(text).digest("hex");
const TASK = { task: "TASK-001" };
const ANN = { by: "human:ann" };

function pathOf(ws: Workspace, path: string): string {
  return join(ws.root, ".coco/tasks/TASK-001/taskdoc.tsk", path);
}

async function begun(root?: string): Promise<Workspace> {
  const ws = openTemp({ by: "agent:one", ...(root === undefined ? {} : { root }) });
  await newTask(ws);
  await ok(ws, "change_mind", { ...TASK, selector: "goals", content: "first\nsecond\n" });
  return ws;
}

function quarantined(ws: Workspace): string[] {
  const folder = join(ws.root, ".coco/registry/quarantine");
  mkdirSync(folder, { recursive: true });
  return readdirSync(folder).toSorted();
}

describe("a section's file that somebody changed", () => {
  it("[TASKDOC-31] [PROJ-13] [LINT-1] is told by lint and set aside by the next write, which says how to take it in", async () => {
    const ws = await begun();
    writeFileSync(pathOf(ws, "goals.md"), "mine\n");
    expect(ws.verify().findings).toMatchObject([{ code: "PROJECTION_DIFFERS", line: 1 }]);
    writeFileSync(join(ws.root, ".coco/tasks/TASK-001/taskdoc.md"), "# Goals\nold\n");
    const { issues } = await ok(ws, "tasks_lint", TASK);
    expect(issues).toMatchObject([{ code: "TASKDOC_UNMIGRATED" }, { code: "TASKDOC_EDITED" }]);
    rmSync(join(ws.root, ".coco/tasks/TASK-001/taskdoc.md"));
    expect(ws.taskdoc.render("TASK-001").text).toContain("## Goals\nfirst\n");
    const { warnings } = await call(ws, "tasks_note", { ...TASK, note: "x" });
    expect(warnings).toMatchObject([
      { code: "PROJECTION_DRIFT", recovery: expect.stringContaining("adopt-edits TASK-001") as string },
    ]);
    expect(readFileSync(pathOf(ws, "goals.md"), "utf8")).toBe("first\nsecond\n");
    expect(quarantined(ws)).toEqual([`TASK-001-taskdoc.tsk_goals.md-${sha("mine\n").slice(0, 8)}`]);
  });

  it("[TASKDOC-31] [PROJ-13] is none when it has a text of before, brought by any program", async () => {
    const ws = await begun();
    await ok(ws, "change_mind", { ...TASK, selector: "goals", content: "third" });
    await ok(ws, "change_mind", { ...TASK, category: "ux", selector: "list", content: "x" });
    await ok(ws, "change_mind", { ...TASK, category: "ux", selector: "list", clear: true });
    await ok(ws, "change_mind", { ...TASK, category: "ux", selector: "list", content: "y" });
    for (const before of ["first\nsecond\n", ""]) {
      writeFileSync(pathOf(ws, "goals.md"), before);
      writeFileSync(pathOf(ws, "ux/list.md"), before === "" ? "" : "x\n");
      const other = openTemp({ root: ws.root, by: "agent:two" });
      expect((await call(other, "tasks_note", { ...TASK, note: "x" })).warnings).toEqual([]);
    }
    expect(quarantined(ws)).toEqual([]);
    expect(readFileSync(pathOf(ws, "goals.md"), "utf8")).toBe("third\n");
    expect(ws.verify()).toMatchObject({ ok: true, findings: [] });
  });

  it("[TASKDOC-31] [PROJ-13] is none when git brought it", async () => {
    const { ada } = repository();
    const ws = await begun(ada.root);
    ada.commit("one");
    await ok(ws, "change_mind", { ...TASK, selector: "goals", content: "later" });
    ada.commit("two");
    ada.git("checkout", "-q", "HEAD~1", "--", ".coco/tasks/TASK-001/taskdoc.tsk");
    expect((await call(ws, "tasks_note", { ...TASK, note: "x" })).warnings).toEqual([]);
    expect(readFileSync(pathOf(ws, "goals.md"), "utf8")).toBe("later\n");
  });
});

describe("adopt-edits", () => {
  it("[TASKDOC-32] takes in what a person wrote as one op of that person, exactly", async () => {
    const ws = await begun();
    await ok(ws, "change_mind", { ...TASK, category: "ux", selector: "list", content: "x" });
    const [goals, list, fresh] = ["first\r\n2nd", "\uFEFFx\n\n", "new\n"];
    writeFileSync(pathOf(ws, "goals.md"), goals);
    writeFileSync(pathOf(ws, "ux/list.md"), list);
    mkdirSync(pathOf(ws, "bearinmind"));
    writeFileSync(pathOf(ws, "bearinmind/grants.md"), fresh);
    const before = tree(ws.root);
    const dry = await ws.taskdoc.adoptEdits("TASK-001", { ...ANN, dryRun: true });
    expect(tree(ws.root)).toEqual(before);
    expect(dry).toMatchObject({ changed: true, left: [], revision: 3 });
    const report = await ws.taskdoc.adoptEdits("TASK-001", ANN);
    expect(report).toMatchObject({ id: "TASK-001", changed: true, left: [], warnings: [], revision: 4 });
    expect(report.edits).toEqual(dry.edits);
    expect(report.edits).toContainEqual({
      category: null,
      selector: "goals",
      path: "taskdoc.tsk/goals.md",
      before: "first\nsecond\n",
      after: goals,
    });
    const events = logLines(ws.root)
      .slice(-3)
      .map((line) => JSON.parse(line) as { by: string; op: { of: number; tool: string }; payload: object });
    expect(events.map((e) => [e.by, e.op.of, e.op.tool])).toEqual(
      Array(3).fill(["human:ann", 3, "taskdoc_adopt_edits"]),
    );
    expect(events[1]!.payload).toMatchObject({
      selector: "goals",
      content: goals,
      previous_sha256: sha("first\nsecond\n"),
      source: { file: "taskdoc.tsk/goals.md", sha256: sha(goals) },
    });
    expect(readFileSync(pathOf(ws, "goals.md"), "utf8")).toBe(`${goals}\n`);
    expect(readFileSync(pathOf(ws, "ux/list.md"), "utf8")).toBe(list);
    expect(quarantined(ws)).toEqual([]);
    expect(ws.verify().findings).toEqual([]);
    expect(await ws.taskdoc.adoptEdits("TASK-001", ANN)).toMatchObject({ changed: false, edits: [], revision: 4 });
  });

  it("[TASKDOC-32] leaves what is no text of a section, and says why", async () => {
    const ws = await begun();
    await ok(ws, "change_mind", { ...TASK, selector: "goals", content: "third\n" });
    await ok(ws, "change_mind", { ...TASK, category: "ux", selector: "list", content: "x" });
    const files: Record<string, string | Buffer> = {
      "goals.md": "first\nsecond\n",
      "constraints.md": " \n",
      "progress.md": Buffer.from([0x61, 0xff]),
      "notes.md": "x",
      "readme.txt": "x",
      "ux/List.md": "x",
      "ux/goals.md": "x",
      "ux/big.md": "x".repeat(256 * 1024 + 1),
      "ux/list.md": "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n",
    };
    for (const [path, content] of Object.entries(files)) writeFileSync(pathOf(ws, path), content);
    symlinkSync("/etc/hostname", pathOf(ws, "ux/link.md"));
    const report = await ws.taskdoc.adoptEdits("TASK-001", ANN);
    expect(report).toMatchObject({ changed: false, edits: [] });
    const left = Object.fromEntries(report.left.map(({ path, reason }) => [path.slice("taskdoc.tsk/".length), reason]));
    expect(Object.keys(left).toSorted()).toEqual([...Object.keys(files), "ux/link.md"].toSorted());
    expect(left["goals.md"]).toContain("before");
    expect(left["constraints.md"]).toContain("blanks");
    expect(left["progress.md"]).toContain("UTF-8");
    expect(left["notes.md"]).toContain("goals, constraints, progress");
    expect(left["ux/List.md"]).toContain("case");
    expect(left["ux/goals.md"]).toContain("without a category");
    expect(left["ux/big.md"]).toContain("262144");
    expect(left["ux/list.md"]).toContain("conflict markers");
    expect(left["ux/link.md"]).toContain("regular");
  });

  it("[TASKDOC-32] is for people", async () => {
    const ws = await begun();
    writeFileSync(pathOf(ws, "goals.md"), "mine\n");
    for (const by of ["agent:one", "system"])
      await expect(ws.taskdoc.adoptEdits("TASK-001", { by })).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect(logLines(ws.root)).toHaveLength(3);
  });

  it("[TASKDOC-32] does not write over a text that came meanwhile, and loses none", async () => {
    const ws = await begun();
    writeFileSync(pathOf(ws, "goals.md"), "mine\n");
    // Both go out together, this one first: the file is read before either is in the log.
    const replacing = call(ws, "change_mind", { ...TASK, selector: "goals", content: "theirs\n" });
    const adopting = ws.taskdoc.adoptEdits("TASK-001", ANN);
    await expect(adopting).rejects.toMatchObject({
      code: "TASKDOC_HASH_MISMATCH",
      details: { current_content_hash: sha("theirs\n") },
    });
    expect((await replacing).warnings.map((w) => w.code)).toEqual(["PROJECTION_DRIFT"]);
    expect(ws.taskdoc.history("TASK-001").changes.map((c) => c.content)).toEqual(["theirs\n", "first\nsecond\n"]);
    expect(quarantined(ws)).toEqual([`TASK-001-taskdoc.tsk_goals.md-${sha("mine\n").slice(0, 8)}`]);
  });

  it("[TASKDOC-32] has nothing to do where a file is missing", async () => {
    const ws = await begun();
    rmSync(pathOf(ws, "goals.md"));
    expect(await ws.taskdoc.adoptEdits("TASK-001", ANN)).toMatchObject({ changed: false, edits: [], left: [] });
  });
});

describe("a merge of two replacements", () => {
  it(
    "[TASKDOC-17] shows the later one, names both, and keeps both in reach until somebody writes it again",
    ROTATING,
    async () => {
      const { ada, cloneOf } = repository();
      const one = await begun(ada.root);
      ada.commit("made");
      const bob = cloneOf(ada, "bob");
      const two = openTemp({ root: bob.root, by: "agent:two", now: () => Date.UTC(2026, 5, 1) });
      await ok(one, "change_mind", { ...TASK, selector: "goals", content: "of one\n" });
      await ok(one, "change_mind", { ...TASK, category: "ux", selector: "list", content: "same\n" });
      ada.commit("one");
      await ok(two, "change_mind", { ...TASK, selector: "goals", content: "of two\n" });
      await ok(two, "change_mind", { ...TASK, category: "ux", selector: "list", content: "same\n" });
      bob.commit("two");
      expect(ada.merge(bob)).toBe(false);
      const { openGit } = await import("../../src/hosts/git/git_port.ts");
      const git = openGit(ada.root)!;
      const report = await one.repair.resolve(undefined, { git, stage: true });
      expect(report.findings).toEqual([]);
      expect(report.conflicts).toMatchObject([
        { field: "taskdoc.goals.md.content", values: [{ value: "of one\n" }, { value: "of two\n" }] },
      ]);
      expect(ada.unmerged().size).toBe(0);
      const { radar } = (await ok(one, "tasks_radar", TASK)) as { radar: { blockers: string[] } };
      expect(radar.blockers[0]).toMatch(
        /^Conflict on taskdoc\.tsk\/goals\.md: "of one\\n" by agent:one or "of two\\n" by agent:two/,
      );
      expect(one.taskdoc.render("TASK-001").sections[0]!.conflict?.map((c) => c.content)).toEqual([
        "of one\n",
        "of two\n",
      ]);
      const texts = one.taskdoc.history("TASK-001", { selector: "goals" }).changes.map((c) => c.content);
      expect(texts).toEqual(["of two\n", "of one\n", "first\nsecond\n"]);
      expect(readFileSync(pathOf(one, "goals.md"), "utf8")).toBe("of two\n");
      await ok(one, "change_mind", { ...TASK, selector: "goals", content: "of both\n" });
      const after = one.taskdoc.render("TASK-001");
      expect([after.sections[0]!.conflict, after.violations]).toEqual([undefined, []]);
    },
  );

  it.each(["goals.md", "none"])(
    "[regression TASKDOC-61] needs no package on our side, which has %s",
    ROTATING,
    async (ours) => {
      const { ada, cloneOf } = repository();
      const one = openTemp({ by: "agent:one", root: ada.root });
      await newTask(one);
      ada.commit("made");
      const bob = cloneOf(ada, "bob");
      const two = openTemp({ root: bob.root, by: "agent:two", now: () => Date.UTC(2026, 5, 1) });
      await ok(two, "change_mind", { ...TASK, selector: "goals", content: "of two\n" });
      bob.commit("two");
      await ok(one, "tasks_note", { ...TASK, note: "one" });
      if (ours === "goals.md") await ok(one, "change_mind", { ...TASK, selector: "goals", content: "of one\n" });
      ada.commit("one");
      expect(ada.merge(bob)).toBe(false);
      const stopped = [...ada.unmerged().keys()].filter((path) => path.includes("taskdoc.tsk"));
      expect(stopped.map((path) => basename(path))).toEqual(ours === "none" ? [] : [ours]);
      const { openGit } = await import("../../src/hosts/git/git_port.ts");
      const report = await one.repair.resolve(undefined, { git: openGit(ada.root)!, stage: true });
      expect([report.findings, report.conflicts.length]).toEqual([[], ours === "none" ? 0 : 1]);
      expect(ada.unmerged().size).toBe(0);
      expect(readFileSync(pathOf(one, "goals.md"), "utf8")).toBe("of two\n");
      expect(readdirSync(pathOf(one, "")).toSorted()).toEqual(["constraints.md", "goals.md", "progress.md"]);
      expect(one.verify().findings.filter(({ info }) => !info)).toEqual([]);
    },
  );

  it("[TASKDOC-3] of names that differ in case alone gives one section and one file", ROTATING, async () => {
    const { ada, cloneOf } = repository();
    const one = await begun(ada.root);
    ada.commit("made");
    const bob = cloneOf(ada, "bob");
    const two = openTemp({ root: bob.root, by: "agent:two", now: () => Date.UTC(2026, 5, 1) });
    await ok(one, "change_mind", { ...TASK, category: "UX", selector: "list", content: "of one\n" });
    ada.commit("one");
    await ok(two, "change_mind", { ...TASK, category: "ux", selector: "list", content: "of two\n" });
    bob.commit("two");
    ada.merge(bob);
    // What the other branch had on its disk under the name that lost is told, and not read.
    const kinds = () => one.taskdoc.render("TASK-001").violations.map((v) => v.kind);
    expect(kinds()).toContain("stray");
    expect((await one.repair.resolve()).findings).toEqual([]);
    const { index, violations } = one.taskdoc.render("TASK-001");
    expect(index.map((s) => s.path)).toEqual(["taskdoc.tsk/UX/list.md"]);
    expect(readFileSync(pathOf(one, "UX/list.md"), "utf8")).toBe("of two\n");
    expect(violations.map((v) => v.kind)).toEqual(["conflict"]);
    expect(readdirSync(pathOf(one, "")).filter((name) => name.toLowerCase() === "ux")).toEqual(["UX"]);
    // A text that the log does not have is a person's, and stays for that person to look at.
    mkdirSync(pathOf(one, "ux"));
    writeFileSync(pathOf(one, "ux/list.md"), "mine\n");
    await one.repair.rebuild();
    expect(readFileSync(pathOf(one, "ux/list.md"), "utf8")).toBe("mine\n");
    expect((await call(one, "recall_taskdoc", { ...TASK, category: "UX", selector: "list" })).result).toMatchObject({
      content: "of two\n",
      conflict: [{ content: "of one\n" }, { content: "of two\n" }],
    });
  });
});
