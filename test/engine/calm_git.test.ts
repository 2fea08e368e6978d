// @module-tag rotating
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openGit } from "../../src/hosts/git/git_port.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { repository } from "../support/git.ts";
import { newTask, ok, openTemp, ticking, WORKSPACE } from "../support/workspace.ts";

const OVERVIEW = ".coco/README.md";
const ATTRIBUTES = ".coco/.gitattributes";

const read = (ws: Workspace, name = OVERVIEW): string => readFileSync(join(ws.root, name), "utf8");
const write = (ws: Workspace, name: string, text: string): void => writeFileSync(join(ws.root, name), text);
const complete = (ws: Workspace, task: string) =>
  ok(ws, "tasks_complete", { task, status: "CANCELED", reason: "not needed" });

/** A workspace with the overview on, a plan and a task of it. */
async function given(root?: string): Promise<Workspace> {
  const ws = openTemp(root === undefined ? {} : { root });
  await ok(ws, "tasks_create", { kind: "plan", id: "PLAN-001", title: "Version 2" });
  await ok(ws, "tasks_create", { kind: "task", id: "TASK-001", parent: "PLAN-001", title: "A parser" });
  expect(await ws.init(WORKSPACE, { overview: true })).toMatchObject({ created: false, overview: true });
  return ws;
}

describe("diffs", () => {
  it("[regression PROJ-60] a note changes three lines of task.yaml", async () => {
    const { ada } = repository();
    const ws = openTemp({ root: ada.root });
    await newTask(ws);
    await ok(ws, "tasks_evidence_capture", {
      task: "TASK-001",
      path: "s:0",
      checks: ["CMD: npm test"],
      checkpoint: "tests",
    });
    await ok(ws, "tasks_claim", { task: "TASK-001", path: "s:1" });
    ada.commit("begin");
    await ok(ws, "tasks_note", { task: "TASK-001", note: "of no step" });
    const file = ".coco/tasks/TASK-001/task.yaml";
    expect(ada.git("diff", "--numstat", "--", file)).toMatch(/^3\t3\t/);
    const changed = ada.git("diff", "-U0", "--", file).match(/^\+(?!\+)\w+/gm);
    expect(changed).toEqual(["+revision", "+updatedAt", "+head"]);
  });

  it("[DIR-60] git knows which files are generated", async () => {
    const { ada } = repository();
    const ws = openTemp({ root: ada.root });
    await newTask(ws);
    const isGenerated = (name: string): boolean =>
      ada.git("check-attr", "linguist-generated", "--", `.coco/${name}`).trim().endsWith(": set");
    const generated = ["events.jsonl", "task.yaml", "shared/evidence/index.json"];
    for (const part of ["tasks", "archive"]) {
      for (const name of generated) expect(isGenerated(`${part}/TASK-001/${name}`), name).toBe(true);
      for (const name of ["README.md", "shared/human-notes.md"])
        expect(isGenerated(`${part}/TASK-001/${name}`)).toBe(false);
    }
    expect(ada.git("check-attr", "merge", "--", ".coco/tasks/TASK-001/events.jsonl")).toContain("merge: union");
  });

  it("[DIR-60] a workspace of an older release is noted; a line that merges need is a fault", async () => {
    const ws = await given();
    const whole = read(ws, ATTRIBUTES);
    const without = (pattern: RegExp): void =>
      write(
        ws,
        ATTRIBUTES,
        whole
          .split("\n")
          .filter((line) => !pattern.test(line))
          .join("\n"),
      );
    without(/linguist-generated/);
    expect(ws.verify()).toMatchObject({ ok: true, findings: [{ code: "ATTRIBUTES_MISSING", info: true }] });
    without(/^tasks\/\*\/task\.yaml text/);
    expect(ws.verify()).toMatchObject({ ok: false, findings: [{ code: "ATTRIBUTES_MISSING" }] });
    without(/^\/README\.md/);
    expect(ws.verify().ok).toBe(false);
    rmSync(join(ws.root, OVERVIEW));
    expect(ws.verify()).toMatchObject({ ok: true, findings: [] });
  });
});

describe("the overview", () => {
  it("[PROJ-66] is there when it is asked for, and off when it is removed", async () => {
    const ws = openTemp();
    expect(await ws.init(WORKSPACE)).toMatchObject({ created: true, overview: false });
    await newTask(ws);
    expect((await ws.repair.rebuild()).overview).toBe(false);
    expect(existsSync(join(ws.root, OVERVIEW))).toBe(false);
    expect(await ws.init(WORKSPACE, { overview: true })).toMatchObject({ created: false, overview: true });
    expect(read(ws)).toContain("[TASK-001](tasks/TASK-001/README.md)");
    expect(ws.verify()).toMatchObject({ ok: true, findings: [] });
    rmSync(join(ws.root, OVERVIEW));
    await ws.repair.rebuild();
    await ws.repair.resolve();
    expect(existsSync(join(ws.root, OVERVIEW))).toBe(false);
  });

  it("[PROJ-66] adds its line to attributes of an older release, once", async () => {
    const ws = openTemp();
    await newTask(ws);
    const older = read(ws, ATTRIBUTES)
      .replace(/^\/README.*\n/m, "")
      .trimEnd();
    write(ws, ATTRIBUTES, older);
    for (let i = 0; i < 2; i++) await ws.init(WORKSPACE, { overview: true });
    const [added, ...rest] = read(ws, ATTRIBUTES)
      .slice(older.length + 1)
      .trimEnd()
      .split("\n");
    expect(added).toMatch(/^\/README\.md text eol=lf -merge /);
    expect(rest).toEqual([]);
  });

  it("[PROJ-66] a file of people's, or a link, is left to them, and init is refused", async () => {
    const ws = openTemp();
    await newTask(ws);
    write(ws, OVERVIEW, "# Ours\n");
    await expect(ws.init(WORKSPACE, { overview: true })).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect((await ws.repair.rebuild()).overview).toBe(false);
    await ws.repair.resolve();
    expect(read(ws)).toBe("# Ours\n");
    expect(ws.verify()).toMatchObject({ ok: true, findings: [] });
    rmSync(join(ws.root, OVERVIEW));
    symlinkSync("workspace.yaml", join(ws.root, OVERVIEW));
    const before = read(ws, ".coco/workspace.yaml");
    await expect(ws.init(WORKSPACE, { overview: true })).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await ws.repair.rebuild();
    expect(read(ws, ".coco/workspace.yaml")).toBe(before);
  });

  it("[PROJ-66] a change leaves it behind, which verify notes, and rebuild and resolve write it anew", async () => {
    const ws = await given();
    const first = read(ws);
    await complete(ws, "TASK-001");
    expect(read(ws)).toBe(first);
    expect(ws.verify()).toMatchObject({ ok: true, findings: [{ code: "OVERVIEW_STALE", file: OVERVIEW, info: true }] });
    expect(ws.verify("TASK-001").findings).toEqual([]);
    expect(await ws.repair.rebuild("TASK-001")).toMatchObject({ overview: true, findings: [] });
    expect(read(ws)).toContain("A parser: `CANCELED`");
    expect(ws.verify().findings).toEqual([]);
    expect((await ws.repair.rebuild()).overview).toBe(false);
    await newTask(ws, "TASK-002");
    expect((await ws.repair.resolve(undefined, { dryRun: true })).changed).toBe(false);
    expect(ws.verify().findings).toMatchObject([{ code: "OVERVIEW_STALE" }]);
    expect((await ws.repair.resolve()).changed).toBe(true);
    expect(read(ws)).toContain("TASK-002");
    expect((await ws.repair.resolve()).changed).toBe(false);
  });

  it("[PROJ-66] what a person changed in it is kept aside; one of a newer renderer stays", async () => {
    const ws = await given();
    const edited = `${read(ws)}mine\n`;
    write(ws, OVERVIEW, edited);
    expect(ws.verify()).toMatchObject({ ok: true, findings: [{ code: "OVERVIEW_STALE" }] });
    const { overview, findings } = await ws.repair.rebuild();
    expect([overview, findings]).toMatchObject([true, [{ code: "PROJECTION_DRIFT", file: OVERVIEW, info: true }]]);
    const kept = join(ws.root, ".coco/registry/quarantine");
    expect(readdirSync(kept).map((name) => readFileSync(join(kept, name), "utf8"))).toEqual([edited]);
    const newer = read(ws).replace(/taskfold overview \d+/, "taskfold overview 999");
    write(ws, OVERVIEW, newer);
    await complete(ws, "TASK-001");
    expect((await ws.repair.rebuild()).overview).toBe(false);
    expect(read(ws)).toBe(newer);
    expect(ws.verify().findings).toEqual([]);
  });

  it("[PROJ-64] [regression PROJ-69] after a merge it is readable, and both clones resolve to the same bytes", async () => {
    const { ada, cloneOf } = repository();
    const a = await given(ada.root);
    ada.commit("begin");
    const bob = cloneOf(ada, "bob");
    const b = openTemp({ root: bob.root, now: ticking(Date.UTC(2026, 2, 1)) });
    for (const [clone, ws, id] of [
      [ada, a, "TASK-002"],
      [bob, b, "TASK-003"],
    ] as const) {
      await newTask(ws, id);
      await ws.repair.rebuild();
      clone.commit(id);
    }
    const before = read(a);
    expect(ada.merge(bob)).toBe(false);
    expect([...ada.unmerged().keys()]).toEqual([OVERVIEW]);
    expect(read(a)).toBe(before);
    const report = await a.repair.resolve(undefined, { git: openGit(ada.root)!, stage: true });
    expect(report).toMatchObject({ staged: [OVERVIEW], findings: [] });
    ada.conclude("merge");
    expect(ada.git("status", "--porcelain")).toBe("");
    expect(read(a)).toContain("TASK-002");
    expect(read(a)).toContain("TASK-003");
    // The logs of the same merge, folded by someone else.
    bob.git("pull", "-q", "--no-rebase", ada.root, "main");
    rmSync(join(bob.root, OVERVIEW));
    await b.init(WORKSPACE, { overview: true });
    expect(read(b)).toBe(read(a));
  });

  it("[regression PROJ-69] branches that did not rebuild merge without a stop, and resolve brings it up to date", async () => {
    const { ada, cloneOf } = repository();
    const a = await given(ada.root);
    ada.commit("begin");
    const bob = cloneOf(ada, "bob");
    const b = openTemp({ root: bob.root, now: ticking(Date.UTC(2026, 2, 1)) });
    await newTask(a, "TASK-002");
    await newTask(b, "TASK-003");
    ada.commit("two");
    bob.commit("three");
    expect(ada.merge(bob)).toBe(true);
    const { changed, staged } = await a.repair.resolve(undefined, { git: openGit(ada.root)!, stage: true });
    expect([changed, staged]).toEqual([true, [OVERVIEW]]);
    expect(read(a)).toContain("TASK-003");
  });

  it("[regression PROJ-69] a file of people's in conflict under its name is theirs, and is not staged", async () => {
    const { ada, cloneOf } = repository();
    const a = openTemp({ root: ada.root });
    await newTask(a);
    write(a, OVERVIEW, "# Ours\n");
    ada.commit("begin");
    const bob = cloneOf(ada, "bob");
    writeFileSync(join(bob.root, OVERVIEW), "# Of bob\n");
    bob.commit("bob");
    write(a, OVERVIEW, "# Of ada\n");
    ada.commit("ada");
    expect(ada.merge(bob)).toBe(false);
    const report = await a.repair.resolve(undefined, { git: openGit(ada.root)!, stage: true });
    expect(report.staged).toEqual([]);
    expect(report.findings).toMatchObject([{ code: "FILE_UNMERGED", file: OVERVIEW }]);
  });
});
