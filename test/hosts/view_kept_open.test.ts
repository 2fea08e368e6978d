/** A viewer that stays open while others change what it has read: its answers are those of one that opens now. */
import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { Viewer } from "../../src/engine/open_viewer.ts";
import { openWorkspace } from "../../src/index.ts";
import type {
  AgentsAnswer,
  ChangeEvent,
  EntityAnswer,
  HealthAnswer,
  WorkspaceAnswer,
} from "../../src/views/viewer/api.ts";
import { ROOT } from "../support/source.ts";
import { tempFolder } from "../support/temp.ts";
import { ok, openTemp, WORKSPACE } from "../support/workspace.ts";
import { read, viewerOf } from "./view_support.ts";
import { ROTATING } from "../support/sweep.ts";

const START = Date.parse("2026-03-01T12:00:00.000Z");

describe("a viewer that stays open", () => {
  it(
    "[regression VIEWER-125] a task that is archived, restored or deleted after it was read keeps its page",
    ROTATING,
    async () => {
      const ws = openTemp();
      for (const title of ["One", "Two"]) await ok(ws, "tasks_create", { kind: "task", title });
      const viewer = viewerOf(ws.root);
      const page = async (id: string): Promise<EntityAnswer> => read<EntityAnswer>(viewer, `entities/${id}.json`);
      for (const id of ["TASK-001", "TASK-002"]) expect(await page(id)).toMatchObject({ archived: false });
      // Another process: this one knows both as live.
      const other = openWorkspace({ root: ws.root, workspace: WORKSPACE });
      await ok(other, "tasks_complete", { task: "TASK-001", status: "DONE" });
      await ok(other, "tasks_archive", { task: "TASK-001" });
      await ok(other, "tasks_delete", { task: "TASK-002" });
      await expect.poll(() => page("TASK-001")).toMatchObject({ archived: true, deleted: false, status: "DONE" });
      await expect.poll(() => page("TASK-002")).toMatchObject({ deleted: true });
      for (const name of ["history/0.json", "revisions/1.json", "differences/1-2.json", "check.json", "notes/0.json"])
        expect(await read(viewer, `entities/TASK-001/${name}`)).toMatchObject({ id: "TASK-001" });
      await ok(other, "tasks_restore", { task: "TASK-001" });
      await other.close();
      await expect.poll(() => page("TASK-001")).toMatchObject({ archived: false });
    },
  );

  it("[regression VIEWER-126] lanes reach to the present, and a time that was ahead has come, though nothing changed", async () => {
    let now = START;
    let written = START;
    const ws = openTemp({ now: () => written });
    await ok(ws, "tasks_create", {
      kind: "task",
      title: "One",
      steps: [{ title: "A", success_criteria: [], tests: [] }],
    });
    await ok(ws, "tasks_claim", { task: "TASK-001", ttl_s: 86_400 });
    written += 308_000;
    await ok(ws, "tasks_note", { task: "TASK-001", note: "five minutes and eight seconds ahead" });
    const viewer = viewerOf(ws.root, () => now);
    const tagged = async (): Promise<[string, AgentsAnswer]> => {
      const { etag, body } = await viewer.answer("agents.json");
      return [etag, JSON.parse(await body()) as AgentsAnswer];
    };
    const [before, early] = await tagged();
    expect(early.ahead).toBe(1);
    now += 60_000;
    const [after, later] = await tagged();
    expect(later).toMatchObject({ ahead: 0, now: new Date(now).toISOString() });
    expect(after).not.toBe(before);
    now += 3_600_000;
    expect((await tagged())[1].to).toBe(new Date(now).toISOString());
  });

  it("[VIEWER-50] outputs of a packet that come or go by another way than a log change its page", async () => {
    const root = tempFolder();
    cpSync(join(ROOT, "test/golden/packet/.coco"), join(root, ".coco"), { recursive: true });
    const viewer = viewerOf(root);
    const held = async (): Promise<number> => {
      const { packet } = await read<EntityAnswer>(viewer, "entities/TASK-FAILS.json");
      const all = packet!.stages.flatMap(({ attempts }) => attempts.flatMap(({ files }) => files));
      return all.filter(({ blob }) => blob !== null && blob.size !== null).length;
    };
    const before = await held();
    expect(before).toBeGreaterThan(0);
    const outputs = join(root, ".coco/tasks/TASK-FAILS/outputs");
    renameSync(outputs, join(root, "aside"));
    expect(await held()).toBe(0);
    renameSync(join(root, "aside"), outputs);
    expect(await held()).toBe(before);
  });

  it("[VIEWER-53] health and the counts of the workspace have a finding about the workspace alone", async () => {
    const ws = openTemp();
    await ok(ws, "tasks_create", { kind: "task", title: "One" });
    const viewer = viewerOf(ws.root);
    await viewer.finishChecks();
    const faults = async (): Promise<[number, number]> => [
      (await read<WorkspaceAnswer>(viewer, "workspace.json")).findings.faults,
      (await read<HealthAnswer>(viewer, "health.json")).faults_total,
    ];
    expect(await faults()).toEqual([0, 0]);
    rmSync(join(ws.root, ".coco/.gitattributes"));
    await viewer.finishChecks();
    expect(await faults()).toEqual([1, 1]);
  });

  it(
    "[VIEWER-53] health has each finding of verify: of links, of folders without a log, and of folders together",
    ROTATING,
    async () => {
      const ws = openTemp();
      await ok(ws, "tasks_create", { kind: "plan", title: "A plan" });
      await ok(ws, "tasks_create", { kind: "task", title: "One" });
      await ok(ws, "tasks_create", { kind: "task", title: "Two" });
      const tasks = join(ws.root, ".coco/tasks");
      cpSync(join(tasks, "TASK-001"), join(tasks, "TASK-COPY"), { recursive: true });
      symlinkSync(tempFolder(), join(tasks, "LINK"));
      writeFileSync(join(tasks, "FILE"), "a person's own\n");
      mkdirSync(join(tasks, "WITHOUT/shared"), { recursive: true });
      writeFileSync(join(tasks, "WITHOUT/notes.txt"), "no log\n");
      mkdirSync(join(tasks, "HOLLOW/shared"), { recursive: true });
      const signOf = ({ code, file, message }: { code: string; file: string; message: string }): string =>
        `${code} ${file} ${message}`;
      const expected = ws.verify().findings.map(signOf);
      for (const code of ["SAME_ROOT", "PATH_UNSAFE", "FOLDER_WITHOUT_LOG"])
        expect(expected.filter((one) => one.startsWith(code))).not.toEqual([]);
      const viewer = viewerOf(ws.root);
      await viewer.finishChecks();
      const { findings, complete } = await read<HealthAnswer>(viewer, "health.json");
      expect(complete).toBe(true);
      expect(findings.map(signOf).toSorted()).toEqual(expected.toSorted());
    },
  );

  it("[VIEWER-3] folders that a checkout leaves behind without a file are no empty workspace", async () => {
    const ws = openTemp();
    await ok(ws, "tasks_create", { kind: "task", title: "One" });
    const viewer = viewerOf(ws.root);
    expect(await read<WorkspaceAnswer>(viewer, "workspace.json")).toMatchObject({ counts: { tasks: 1 } });
    // As git takes away what it tracks: empty folders stay.
    const coco = join(ws.root, ".coco");
    const aside = join(ws.root, "aside");
    renameSync(coco, aside);
    mkdirSync(join(coco, "tasks/TASK-001/agents"), { recursive: true });
    mkdirSync(join(coco, "registry"));
    await expect
      .poll(() => viewer.answer("board/0.json").catch((e: unknown) => (e as { code: string }).code))
      .toBe("STORAGE_FAILED");
    rmSync(coco, { recursive: true });
    renameSync(aside, coco);
    await expect
      .poll(() => read(viewer, "workspace.json").catch(() => undefined))
      .toMatchObject({ counts: { tasks: 1 } });
  });

  it("[VIEWER-28] an event of very many changes names them without rows", async () => {
    const ws = openTemp();
    const tasks = ["One", "Two", "Three"];
    for (const title of tasks) await ok(ws, "tasks_create", { kind: "task", title });
    const viewer = new Viewer({ root: ws.root, version: "0.0.0", maxRows: 2 });
    onTestFinished(() => viewer.close());
    await viewer.stamp();
    const ended = new AbortController();
    onTestFinished(() => ended.abort());
    const next = async (): Promise<ChangeEvent["changes"]> => {
      const { value } = (await stream.next()) as { value: ChangeEvent };
      return value.changes;
    };
    await ok(ws, "tasks_note", { task: "TASK-001", note: "alone" });
    const stream = viewer.changes(ended.signal);
    expect(await next()).toMatchObject([{ id: "TASK-001", revision: 2, row: { title: "One" } }]);
    for (const n of [1, 2, 3]) await ok(ws, "tasks_note", { task: `TASK-00${n}`, note: "all at once" });
    const all = await next();
    expect(all).toHaveLength(3);
    expect(all.map(({ row, revision }) => [row, revision])).toEqual([
      [null, 3],
      [null, 2],
      [null, 2],
    ]);
  });
});
