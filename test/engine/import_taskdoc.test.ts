import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import type { JsonObject } from "../../src/state/schema.ts";
import { tempFolder } from "../support/temp.ts";
import { logLines, newTask, ok, openTemp, tree, WORKSPACE } from "../support/workspace.ts";

const OLD =
  "# Ship it\n\n## Goals\n\n- version 2\n\n## 约束\n\n- MUST be small\n\n## Progress\n\n- begun\n\n## Links\n\n- none\n";
const PROGRESS = "# Ship it\n\n- begun\n\n## Links\n\n- none\n";

interface Line {
  type: string;
  by: string;
  op: { n: number; of: number; tool: string };
  payload: { selector: string; content: string; source: { file: string; sha256: string }; message: string };
}

async function withTask(text: string | Buffer = OLD): Promise<{ ws: Workspace; file: string; folder: string }> {
  const ws = openTemp();
  await newTask(ws);
  const folder = join(ws.root, ".coco/tasks/TASK-001");
  const file = join(folder, "taskdoc.md");
  writeFileSync(file, text);
  return { ws, file, folder };
}

function eventsOf(root: string): Line[] {
  return logLines(root).map((line) => JSON.parse(line) as Line);
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function said(ws: Workspace): string[] {
  return ws.taskdoc.render("TASK-001").violations.map(({ kind, path }) => `${kind} ${path}`);
}

async function next(ws: Workspace): Promise<string[]> {
  const { result } = await ws.callTool("tasks_radar", { workspace: WORKSPACE, task: "TASK-001" });
  return (result!["radar"] as JsonObject)["next"] as string[];
}

describe("taking in a Taskdoc of one file", () => {
  it("[IMPORT-8] writes one event for each section, in one change, with the digest of the file, and leaves the file", async () => {
    const { ws, file, folder } = await withTask();
    const before = eventsOf(ws.root).length;
    const report = await ws.taskdoc.importMarkdown("TASK-001", file, { by: "human:ada" });
    expect(report).toMatchObject({
      id: "TASK-001",
      changed: true,
      already: false,
      file: ".coco/tasks/TASK-001/taskdoc.md",
      sha256: sha256(OLD),
      unplaced: 3,
      revision: 2,
      warnings: [],
    });
    expect(report.sections.map(({ path, bytes }) => [path, bytes])).toEqual([
      ["taskdoc.tsk/goals.md", 12],
      ["taskdoc.tsk/constraints.md", 16],
      ["taskdoc.tsk/progress.md", Buffer.byteLength(PROGRESS)],
    ]);
    const events = eventsOf(ws.root).slice(before);
    expect(events.map(({ type, by, op, payload }) => [type, by, op.n, op.of, payload.selector])).toEqual([
      ["taskdoc.changed", "human:ada", 1, 3, "goals"],
      ["taskdoc.changed", "human:ada", 2, 3, "constraints"],
      ["taskdoc.changed", "human:ada", 3, 3, "progress"],
    ]);
    for (const { payload } of events)
      expect(payload.source).toEqual({ file: ".coco/tasks/TASK-001/taskdoc.md", sha256: sha256(OLD) });
    expect(readFileSync(join(folder, "taskdoc.tsk/goals.md"), "utf8")).toBe("- version 2\n");
    expect(readFileSync(join(folder, "taskdoc.tsk/progress.md"), "utf8")).toBe(PROGRESS);
    expect(readFileSync(file, "utf8")).toBe(OLD);
  });

  it("[IMPORT-8] the file may lie anywhere; outside the workspace only its name is kept", async () => {
    const { ws, file } = await withTask();
    rmSync(file);
    const elsewhere = join(tempFolder(), "old plan.md");
    writeFileSync(elsewhere, "## Goals\ng\n");
    const report = await ws.taskdoc.importMarkdown("TASK-001", elsewhere);
    expect(report).toMatchObject({ changed: true, file: "old plan.md" });
    expect(eventsOf(ws.root).at(-1)?.payload.source.file).toBe("old plan.md");
    mkdirSync(join(ws.root, "docs"));
    writeFileSync(join(ws.root, "docs/c.md"), "## Constraints\nc\n");
    expect(await ws.taskdoc.importMarkdown("TASK-001", "docs/c.md")).toMatchObject({
      changed: true,
      file: "docs/c.md",
    });
  });

  it("[IMPORT-9] is refused where a section that it would fill has text, and changes nothing", async () => {
    const { ws, file } = await withTask();
    await ok(ws, "change_mind", { task: "TASK-001", selector: "constraints", content: "- MUST be fast" });
    const before = tree(ws.root);
    for (const dryRun of [true, false])
      await expect(ws.taskdoc.importMarkdown("TASK-001", file, { dryRun })).rejects.toMatchObject({
        code: "TASKDOC_NOT_EMPTY",
        message:
          "Expected the sections that .coco/tasks/TASK-001/taskdoc.md would fill to be empty, found text in constraints.",
        details: { sections: ["constraints"] },
      });
    expect(tree(ws.root)).toEqual(before);
    writeFileSync(file, "## Goals\ng\n");
    expect((await ws.taskdoc.importMarkdown("TASK-001", file)).changed).toBe(true);
  });

  it("[IMPORT-9] of two imports at once one is taken, and a section that is written meanwhile is kept", async () => {
    const { ws, file } = await withTask();
    const [mine, theirs, imported] = await Promise.allSettled([
      ok(ws, "change_mind", { task: "TASK-001", selector: "goals", content: "mine" }),
      ws.taskdoc.importMarkdown("TASK-001", file),
      ws.taskdoc.importMarkdown("TASK-001", file),
    ]);
    expect(mine.status).toBe("fulfilled");
    // Over a shared log imports may come before the section, which then replaces that part of them.
    const taken = [theirs, imported].filter(({ status }) => status === "fulfilled").length;
    expect(inject("mode") === undefined ? taken : 0).toBe(0);
    const refused = [theirs, imported].filter(({ status }) => status === "rejected");
    const notEmpty = { reason: expect.objectContaining({ code: "TASKDOC_NOT_EMPTY" }) };
    expect(refused).toEqual(refused.map(() => expect.objectContaining(notEmpty)));
    const [goals, ...others] = ws.taskdoc.render("TASK-001").sections.map(({ content }) => content);
    expect(goals).toBe("mine");
    expect(others).toEqual(taken === 0 ? ["", ""] : ["- MUST be small\n", PROGRESS]);
  });

  it("[IMPORT-9] the same bytes again change nothing, until their sections were cleared", async () => {
    const { ws, file } = await withTask("## Goals\ng\n");
    await ws.taskdoc.importMarkdown("TASK-001", file);
    await ok(ws, "change_mind", { task: "TASK-001", selector: "goals", content: "better" });
    const before = tree(ws.root);
    expect(await ws.taskdoc.importMarkdown("TASK-001", file)).toMatchObject({
      changed: false,
      already: true,
      sections: [],
    });
    expect(tree(ws.root)).toEqual(before);
    await ok(ws, "change_mind", { task: "TASK-001", selector: "goals", clear: true });
    expect(await ws.taskdoc.importMarkdown("TASK-001", file)).toMatchObject({ changed: true, already: false });
  });

  it("[IMPORT-8] a dry run says what would be taken in and changes nothing", async () => {
    const { ws, file } = await withTask();
    const before = tree(ws.root);
    const { warnings: _, revision, ...dry } = await ws.taskdoc.importMarkdown("TASK-001", file, { dryRun: true });
    expect(revision).toBe(1);
    expect(dry.sections.map(({ content }) => content)).toEqual(["- version 2\n", "- MUST be small\n", PROGRESS]);
    expect(tree(ws.root)).toEqual(before);
    expect(await ws.taskdoc.importMarkdown("TASK-001", file)).toMatchObject(dry);
  });

  it("[IMPORT-7] [IMPORT-8] a file without text changes nothing", async () => {
    const { ws, file } = await withTask("\uFEFF## Goals\r\n\r\n## Progress\r\n");
    const before = tree(ws.root);
    expect(await ws.taskdoc.importMarkdown("TASK-001", file)).toMatchObject({
      changed: false,
      already: false,
      sections: [],
    });
    expect(tree(ws.root)).toEqual(before);
  });

  it("[IMPORT-9] what cannot be taken in is refused with one code each, and changes nothing", async () => {
    const { ws, file, folder } = await withTask();
    const bad: [string, string | Buffer, string][] = [
      ["utf16.md", Buffer.from("\uFEFF## Goals\ng\n", "utf16le"), "TASKDOC_CONTENT_NOT_TEXT"],
      ["latin1.md", Buffer.from("## Goals\nf\xFCr\n", "latin1"), "TASKDOC_CONTENT_NOT_TEXT"],
      ["nul.md", "## Goals\na\0b\n", "TASKDOC_CONTENT_NOT_TEXT"],
      ["long.md", `## Goals\n${"x".repeat(256 * 1024 + 1)}\n`, "TASKDOC_CONTENT_TOO_LARGE"],
      ["huge.md", "x".repeat(1024 * 1024 + 1), "INVALID_INPUT"],
    ];
    for (const [name, text] of bad) writeFileSync(join(ws.root, name), text);
    symlinkSync("nowhere.md", join(ws.root, "dangling.md"));
    const before = tree(ws.root);
    for (const [name, , code] of bad)
      await expect(ws.taskdoc.importMarkdown("TASK-001", name), name).rejects.toMatchObject({ code });
    for (const name of ["not-there.md", "dangling.md", folder, `${file}/x`, "a\0b.md"])
      await expect(ws.taskdoc.importMarkdown("TASK-001", name), name).rejects.toMatchObject({ code: "INVALID_INPUT" });
    await expect(ws.taskdoc.importMarkdown("TASK-009", file)).rejects.toMatchObject({ code: "UNKNOWN_ID" });
    await expect(ws.taskdoc.importMarkdown("TASK-001", "/nowhere/at/all.md")).rejects.toMatchObject({
      message: expect.not.stringContaining("nowhere") as string,
    });
    expect(tree(ws.root)).toEqual(before);
  });

  it("[IMPORT-9] three sections of the largest size fit", async () => {
    const most = "x".repeat(256 * 1024 - 1);
    const { ws, file } = await withTask(`## Goals\n${most}\n## Constraints\n${most}\n## Progress\n${most}\n`);
    expect((await ws.taskdoc.importMarkdown("TASK-001", file)).sections.map(({ bytes }) => bytes)).toEqual([
      262_144, 262_144, 262_144,
    ]);
  });
});

describe("a Taskdoc of one file that nobody took in", () => {
  it("[IMPORT-13] the effective Taskdoc, radar and verify say so until it was taken in, and again when it is changed", async () => {
    const { ws, file } = await withTask();
    const codes = (): string[] => ws.verify().findings.map(({ code }) => code);
    expect(said(ws)).toEqual(["unmigrated taskdoc.md"]);
    expect(ws.taskdoc.render("TASK-001").text).not.toContain("version 2");
    expect((await next(ws))[0]).toMatch(/^Take in taskdoc\.md \(taskfold taskdoc import\)/);
    expect(codes()).toEqual(["TASKDOC_UNMIGRATED"]);
    expect(ws.verify().ok).toBe(false);

    await ws.taskdoc.importMarkdown("TASK-001", file);
    expect([said(ws), codes()]).toEqual([[], []]);
    expect((await next(ws)).join()).not.toContain("taskdoc.md");
    await ok(ws, "change_mind", { task: "TASK-001", selector: "goals", content: "other" });
    expect(said(ws)).toEqual([]);

    writeFileSync(file, `${OLD}- more\n`);
    expect(said(ws)).toEqual(["unmigrated taskdoc.md"]);
    rmSync(file);
    expect(said(ws)).toEqual([]);
  });

  it("[IMPORT-13] what was taken in stays so, whatever files its sections are taken from later", async () => {
    const { ws, file, folder } = await withTask("## Goals\ng\n");
    await ws.taskdoc.importMarkdown("TASK-001", file);
    writeFileSync(join(folder, "taskdoc.tsk/goals.md"), "g\n- by hand\n");
    expect(await ws.taskdoc.adoptEdits("TASK-001", { by: "human:ada" })).toMatchObject({ changed: true });
    expect(said(ws)).toEqual([]);
    expect(await ws.taskdoc.importMarkdown("TASK-001", file)).toMatchObject({ changed: false, already: true });
    await ok(ws, "change_mind", { task: "TASK-001", selector: "goals", clear: true });
    writeFileSync(join(ws.root, "other.md"), "## Goals\nother\n");
    await ws.taskdoc.importMarkdown("TASK-001", "other.md");
    expect(said(ws)).toEqual([]);
  });

  it("[IMPORT-13] a snapshot and another process know what was taken in", async () => {
    const { ws, file } = await withTask();
    await ws.taskdoc.importMarkdown("TASK-001", file);
    await ws.repair.rebuild();
    expect(said(openTemp({ root: ws.root }))).toEqual([]);
  });

  it("[IMPORT-13] what says nothing, or is no file, is no such Taskdoc; what cannot be read or is too large is", async () => {
    const { ws, file } = await withTask("## Goals\n\n## Progress\n");
    expect(said(ws)).toEqual([]);
    writeFileSync(file, "");
    expect(said(ws)).toEqual([]);
    rmSync(file);
    mkdirSync(file);
    expect(said(ws)).toEqual([]);
    rmSync(file, { recursive: true });
    symlinkSync("README.md", file);
    expect(said(ws)).toEqual([]);
    rmSync(file);
    for (const bytes of [Buffer.from([0xff, 0xfe, 0x23, 0x00]), Buffer.alloc(1024 * 1024 + 1, "x")]) {
      writeFileSync(file, bytes);
      expect(said(ws)).toEqual(["unmigrated taskdoc.md"]);
    }
  });

  it("[IMPORT-13] the past has none", async () => {
    const { ws } = await withTask();
    expect(ws.taskdoc.render("TASK-001", { at: 1 }).violations).toEqual([]);
  });
});
