/** The viewer as files: what stands in them, and what is left alone. */
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { runInNewContext } from "node:vm";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { aboveLimit } from "../../src/log/limits.ts";
import { Viewer } from "../../src/engine/open_viewer.ts";
import { exportView } from "../../src/hosts/view/export_view.ts";
import type { ExportReport } from "../../src/hosts/view/export_view.ts";
import { readPageFiles } from "../../src/hosts/view/page_files.ts";
import type { Answer, EntityAnswer, EvidenceAnswer, NotesAnswer, WorkspaceAnswer } from "../../src/views/viewer/api.ts";
import { ok, openTemp, tree } from "../support/workspace.ts";
import { tempFolder } from "../support/temp.ts";
import { run } from "./cli_support.ts";
import { builtPages } from "./view_support.ts";

const EVIL = "</script><script>alert(1)</script><!-- \u2028 $& $`";

async function filled(): Promise<string> {
  const ws = openTemp({ by: "agent:ada" });
  await ok(ws, "tasks_create", { title: "Version 2" });
  const steps = [{ title: "Write", success_criteria: ["it parses"], tests: ["npm test"] }];
  await ok(ws, "tasks_create", { parent: "PLAN-001", title: EVIL, steps });
  await ok(ws, "tasks_create", { parent: "PLAN-001", title: "Another" });
  const items = [{ kind: "run", command: "make", exit_code: 0, stdout: `<svg onload=alert(1)>${EVIL}` }];
  await ok(ws, "tasks_evidence_capture", { task: "TASK-001", items });
  await ok(ws, "tasks_note", { task: "TASK-001", note: "one" });
  return ws.root;
}

function exporting(root: string, dir: string, only?: string): Promise<ExportReport> {
  const viewer = new Viewer({ root, version: "0.0.0" });
  onTestFinished(() => viewer.close());
  const now = "2026-01-01T00:00:00.000Z";
  return exportView({ viewer, pages: readPageFiles(builtPages()), dir, from: root, now, only });
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

describe("into a folder", () => {
  it("[VIEWER-40] holds the pages, and each answer as JSON and as a script that says the same", async () => {
    const root = await filled();
    const dir = join(tempFolder(), "out");
    const report = await exporting(root, dir);
    const files = filesIn(dir);
    expect(report).toMatchObject({
      path: dir,
      page: "index.html",
      entities: 3,
      without_past: 0,
      cut_past: 0,
      without_output: 0,
    });
    expect(files.length).toBe(report.files + 1);
    for (const name of ["workspace", "board/0", "agents", "health", "entities/TASK-001", "plans/PLAN-001/graph"])
      expect(files).toContain(`api/v1/${name}.json`);
    for (const name of ["revisions/1", "revisions/3", "history/0", "evidence/0", "check"])
      expect(files).toContain(`api/v1/entities/TASK-001/${name}.json`);
    for (const file of files.filter((one) => one.endsWith(".json.js"))) {
      const given: [string, Answer][] = [];
      const script = readFileSync(join(dir, file), "utf8");
      runInNewContext(script, { taskfoldData: (name: string, answer: Answer) => given.push([name, answer]) });
      const json = JSON.parse(readFileSync(join(dir, file.slice(0, -3)), "utf8")) as Answer;
      expect(JSON.stringify(given)).toBe(JSON.stringify([[file.slice("api/v1/".length, -3), json]]));
      expect(script).not.toMatch(/<|\u2028/);
    }
    const read = <A>(name: string): A => JSON.parse(readFileSync(join(dir, "api/v1", name), "utf8")) as A;
    expect(read<WorkspaceAnswer>("workspace.json")).toMatchObject({
      exported_at: "2026-01-01T00:00:00.000Z",
      only: null,
    });
    expect(read<EntityAnswer>("entities/TASK-001.json").available.revisions).toEqual({ from: 1, to: 3 });
    const { raw } = read<EvidenceAnswer>("entities/TASK-001/evidence/0.json").evidence[0]!.runs[0]!.stdout!;
    expect(readFileSync(join(dir, raw!), "utf8")).toContain("<svg");
    expect(raw).toMatch(/^raw\/v1\/TASK-001\/[0-9a-f]{64}\.txt$/);
    const index = readFileSync(join(dir, "index.html"), "utf8");
    expect(index).toContain('<meta name="taskfold-source" content="files">');
    expect(index).toMatch(/Content-Security-Policy" content="default-src 'none'; script-src 'self' file:;/);
  });

  it("[VIEWER-42] refuses a folder with anything else in it, and leaves all as it was", async () => {
    const root = await filled();
    const other = tempFolder();
    writeFileSync(join(other, "thesis.txt"), "mine");
    const forged = tempFolder();
    writeFileSync(join(forged, "taskfold-view.json"), "{}");
    const file = join(tempFolder(), "file");
    writeFileSync(file, "mine");
    const before = [other, forged].map((dir) => tree(dir));
    for (const dir of [other, forged, file])
      await expect(exporting(root, dir), dir).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect([other, forged].map((dir) => tree(dir))).toEqual(before);
    expect(readFileSync(file, "utf8")).toBe("mine");
    await expect(exporting(root, ".coco/view")).rejects.toMatchObject({ code: "PATH_UNSAFE" });
    expect(existsSync(join(root, ".coco/view"))).toBe(false);
  });

  it("[VIEWER-42] refuses a way that leads into the workspace's own files", async () => {
    const root = await filled();
    symlinkSync(".coco/tasks", join(root, "out"));
    const before = tree(join(root, ".coco"));
    for (const dir of ["out", "out/deep/er"])
      await expect(exporting(root, dir), dir).rejects.toMatchObject({ code: "PATH_UNSAFE" });
    expect(tree(join(root, ".coco"))).toEqual(before);
  });

  it.runIf(process.platform === "linux")("[VIEWER-42] fails where no folder can be made", async () => {
    await expect(exporting(await filled(), "/proc/export")).rejects.toMatchObject({
      code: expect.stringMatching(/^STORAGE_/) as string,
      message: expect.not.stringContaining("call stack") as string,
    });
  });

  it("[VIEWER-45] options of the server beside it, and an empty name, are refused", async () => {
    const root = await filled();
    const out = join(tempFolder(), "out");
    for (const more of [["--port", "9"], ["--open"], ["--host", "127.0.0.1"]]) {
      const { code, err } = await run({ cwd: root }, "view", "--export", out, ...more);
      expect([code, err], more.join(" ")).toEqual([2, expect.stringContaining(more[0]!) as string]);
    }
    expect((await run({ cwd: root }, "view", "--export", "")).code).toBe(2);
    expect(existsSync(out)).toBe(false);
  });

  it("[VIEWER-42] takes its own files of an earlier export away, and no other", async () => {
    const root = await filled();
    const dir = join(tempFolder(), "out");
    await exporting(root, dir);
    writeFileSync(join(dir, "mine.txt"), "mine");
    const outside = join(dir, "..", "outside.txt");
    writeFileSync(outside, "outside");
    const marker = join(dir, "taskfold-view.json");
    const { files } = JSON.parse(readFileSync(marker, "utf8")) as { files: string[] };
    writeFileSync(
      marker,
      JSON.stringify({ taskfold_view: 1, files: [...files, "../outside.txt", outside, ".hidden"] }),
    );
    writeFileSync(join(dir, ".hidden"), "hidden");
    await exporting(root, dir, "TASK-001");
    expect(filesIn(dir)).toEqual([".hidden", "TASK-001.html", "mine.txt", "taskfold-view.json"]);
    expect(readFileSync(outside, "utf8")).toBe("outside");
  });
});

describe("into one file", () => {
  it("[VIEWER-41] [VIEWER-44] holds its data and scripts, and a policy of their digests", async () => {
    const root = await filled();
    const dir = tempFolder();
    const report = await exporting(root, dir, "TASK-001");
    expect(report).toMatchObject({ page: "TASK-001.html", entities: 1, files: 1 });
    const page = readFileSync(join(dir, "TASK-001.html"), "utf8");
    const data = /<script type="application\/json" id="taskfold-data">([^<]*)<\/script>/.exec(page)![1]!;
    const answers = JSON.parse(data) as Record<string, Answer & Partial<EntityAnswer>>;
    expect(answers["entities/TASK-001.json"]!.title).toBe(EVIL);
    expect(answers["workspace.json"]).toMatchObject({ only: "TASK-001", counts: { tasks: 1, plans: 1 } });
    expect(Object.keys(answers).some((name) => name.includes("TASK-002"))).toBe(false);
    expect(Object.keys(answers)).toEqual(
      expect.arrayContaining([
        "board/0.json",
        "agents.json",
        "entities/TASK-001/history/0.json",
        "entities/TASK-001/revisions/2.json",
      ]),
    );
    const scripts = [...page.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, text]) => text!);
    expect(scripts).toEqual(["globalThis.graph = 1;\n", 'document.title = "\\x3c/script>\\x3c!--";\n']);
    const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)![1]!;
    const digest = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    expect(policy).toContain(`script-src ${scripts.map(digest).join(" ")};`);
    expect(policy).toContain(`style-src ${digest(/<style>([\s\S]*?)<\/style>/.exec(page)![1]!)};`);
    expect(policy).not.toContain("self");
    expect(page).toContain('content="inline"');
    expect(page).not.toMatch(/<script[^>]*src|<link/);
  });

  it("[VIEWER-43] what an export leaves out is said by the entity and the report", async () => {
    const ws = openTemp({ by: "agent:ada" });
    await ok(ws, "tasks_create", { title: "Version 2" });
    for (let i = 0; i < 110; i++) await ok(ws, "tasks_edit", { plan: "PLAN-001", title: `Version ${i}` });
    const dir = join(tempFolder(), "out");
    expect(await exporting(ws.root, dir)).toMatchObject({ without_past: 0, cut_past: 1 });
    const page = readFileSync(join(dir, "api/v1/entities/PLAN-001.json"), "utf8");
    expect((JSON.parse(page) as EntityAnswer).available.revisions).toEqual({ from: 12, to: 111 });
    expect(readdirSync(join(dir, "api/v1/entities/PLAN-001/revisions")).length).toBe(200);
  });

  it("[VIEWER-74] an output and a task that cannot be read are left out and named, and the rest is exported", async () => {
    const root = await filled();
    const evidence = join(root, ".coco/tasks/TASK-001/shared/evidence");
    const blobs = join(evidence, "blobs");
    truncateSync(join(blobs, readdirSync(blobs)[0]!), 70 * 1024 * 1024);
    const output = { id: "TASK-001", what: "output" };
    const large = await exporting(root, join(tempFolder(), "out"));
    expect(large).toMatchObject({
      entities: 3,
      without_output: 1,
      left_out: [{ ...output, code: "CONTENT_TOO_LARGE" }],
    });
    truncateSync(join(blobs, readdirSync(blobs)[0]!), 10);
    renameSync(evidence, join(root, "elsewhere"));
    symlinkSync(join(root, "elsewhere"), evidence);
    const { code, err } = await run({ cwd: root }, "view", "--export", join(tempFolder(), "out"));
    expect([code, err]).toEqual([0, expect.stringContaining("an output of TASK-001 is left out") as string]);
    const viewer = new Viewer({ root, version: "0.0.0" });
    onTestFinished(() => viewer.close());
    const revisions = viewer.revisions.bind(viewer);
    vi.spyOn(viewer, "revisions").mockImplementation((id, first, last) =>
      id === "TASK-002" ? Promise.reject(aboveLimit("bytes to be held at once", 1)) : revisions(id, first, last),
    );
    const options = { viewer, pages: readPageFiles(builtPages()), from: root, now: "2026-01-01T00:00:00.000Z" };
    const dir = join(tempFolder(), "out");
    const told = await exportView({ ...options, dir });
    expect(told.entities).toBe(2);
    expect(told.left_out).toContainEqual(
      expect.objectContaining({ id: "TASK-002", what: "entity", code: "LOG_UNREADABLE" }),
    );
    expect(filesIn(dir).filter((file) => file.includes("entities/TASK-002"))).toEqual([]);
    const alone = exportView({ ...options, dir: join(tempFolder(), "out"), only: "TASK-002" });
    await expect(alone).rejects.toMatchObject({ code: "LOG_UNREADABLE" });
  });

  it("[VIEWER-57] an export holds every page of a list that the page of its task leaves out", async () => {
    const ws = openTemp({ by: "agent:ada" });
    await ok(ws, "tasks_create", { kind: "task", title: "One" });
    for (let n = 0; n < 11; n++) await ok(ws, "tasks_note", { task: "TASK-001", note: `note ${n}` });
    const dir = join(tempFolder(), "out");
    await exporting(ws.root, dir);
    const { notes } = JSON.parse(
      readFileSync(join(dir, "api/v1/entities/TASK-001/notes/0.json"), "utf8"),
    ) as NotesAnswer;
    expect(notes.map(({ text }) => text)).toEqual(Array.from({ length: 11 }, (_, n) => `note ${n}`));
    expect(filesIn(dir).filter((file) => /\/(cards|trace)\//.test(file))).toEqual([]);
  });

  it("[VIEWER-1] an export writes nothing into the workspace", async () => {
    const root = await filled();
    const before = tree(root);
    await exporting(root, join(tempFolder(), "out"));
    expect(tree(root)).toEqual(before);
  });
});

describe("the command", () => {
  it("[VIEWER-40] [VIEWER-41] names what is missing, and the page to open", async () => {
    const root = await filled();
    const alone = await run({ cwd: root }, "view", "--task", "1");
    expect([alone.code, alone.err]).toEqual([2, expect.stringContaining("--export") as string]);
    mkdirSync(join(root, "out"));
    const unknown = await run({ cwd: root }, "view", "--export", "out", "--task", "77");
    expect(unknown.code).toBe(3);
    expect(unknown.err).toContain("taskfold list lists the ids that are there.");
    expect(statSync(join(root, "out")).isDirectory()).toBe(true);
    expect(readdirSync(join(root, "out"))).toEqual([]);
  });
});
