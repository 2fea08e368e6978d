/** The viewer as files: what stands in them, and what is left alone. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import { exportView } from "../../src/hosts/view/export_view.ts";
import type { ExportOptions, ExportReport } from "../../src/hosts/view/export_view.ts";
import { readPageFiles } from "../../src/hosts/view/page_files.ts";
import type {
  Answer,
  BoardAnswer,
  EntityAnswer,
  EvidenceAnswer,
  NotesAnswer,
  WorkspaceAnswer,
} from "../../src/views/viewer/api.ts";
import { ok, openTemp, tree } from "../support/workspace.ts";
import { passTime } from "../support/clock.ts";
import { ROOT } from "../support/source.ts";
import { ROTATING, SWEEP, sampleOf } from "../support/sweep.ts";
import { tempFolder } from "../support/temp.ts";
import { run } from "./cli_support.ts";
import { builtPages, read, viewerOf } from "./view_support.ts";

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

async function notesOn(ws: Workspace): Promise<void> {
  for (let n = 0; n < 11; n++) await ok(ws, "tasks_note", { task: "TASK-001", note: `note ${n}` });
}

const NOW = "2026-01-01T00:00:00.000Z";

function exporting(root: string, dir: string, more: Partial<ExportOptions> = {}): Promise<ExportReport> {
  const viewer = viewerOf(root, () => Date.parse(NOW));
  return exportView({ viewer, pages: readPageFiles(builtPages()), dir, from: root, now: NOW, ...more });
}

/** The answer of that name in an export. */
function held<A>(dir: string, name: string): A {
  return JSON.parse(readFileSync(join(dir, "api/v1", name), "utf8")) as A;
}

/** An answer without the members that say when it was exported, and where an export has captured bytes. */
function dataOf(answer: Answer): unknown {
  const text = JSON.stringify(answer, (name, value: unknown) =>
    name === "exported_at" || (name === "raw" && value !== null) ? undefined : value,
  );
  return JSON.parse(text);
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

describe("into a folder", () => {
  it(
    "[VIEWER-53] the program waits for a check that is made again, and writes the whole export",
    ROTATING,
    async () => {
      const root = await filled();
      appendFileSync(join(root, ".coco/tasks/TASK-001/task.yaml"), "# by hand\n");
      const dir = join(tempFolder(), "out");
      execFileSync(process.execPath, [join(ROOT, "dist/cli.cjs"), "view", "--export", dir], {
        cwd: root,
        stdio: "pipe",
      });
      expect(existsSync(join(dir, "index.html"))).toBe(true);
    },
  );

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
    for (const name of [
      "workspace",
      "board/0",
      "standings",
      "agents",
      "health",
      "entities/TASK-001",
      "plans/PLAN-001/graph",
    ])
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

  it.each(sampleOf(["v1", "v1-adopted", "v2", "packet", "taskdoc"], 2))(
    "[VIEWER-40] each file has the data of the server's answer of that name, golden workspace %s",
    SWEEP,
    async (version) => {
      const root = tempFolder();
      cpSync(join(ROOT, "test/golden", version, ".coco"), join(root, ".coco"), { recursive: true });
      const dir = join(tempFolder(), "out");
      expect(await exporting(root, dir)).toMatchObject({ cut_past: 0, without_past: 0, left_out: [] });
      const viewer = viewerOf(root, () => Date.parse(NOW));
      await viewer.finishChecks();
      const names = filesIn(join(dir, "api/v1")).filter((file) => file.endsWith(".json"));
      for (const name of names) expect(dataOf(held(dir, name)), name).toEqual(dataOf(await read<Answer>(viewer, name)));
      const { rows } = await read<BoardAnswer>(viewer, "board/0.json");
      expect(rows.length).toBeGreaterThan(0);
      for (const { id, kind, revision } of rows) {
        const revisions = Array.from({ length: revision }, (_, n) => `revisions/${n + 1}`);
        for (const part of ["history/0", "evidence/0", "check", ...revisions])
          expect(names).toContain(`entities/${id}/${part}.json`);
        expect(names.includes(`plans/${id}/graph.json`), id).toBe(kind === "plan");
      }
      for (const file of filesIn(join(dir, "raw/v1"))) {
        const [, id, sha256] = /^(.*)\/([0-9a-f]{64})\.txt$/.exec(file)!;
        expect(readFileSync(join(dir, "raw/v1", file)).equals(viewer.raw(id!, sha256!)), file).toBe(true);
      }
    },
  );

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

  it("[VIEWER-42] options of the server beside it, and an empty name, are refused", async () => {
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
    await exporting(root, dir, { only: "TASK-001" });
    expect(filesIn(dir)).toEqual([".hidden", "TASK-001.html", "mine.txt", "taskfold-view.json"]);
    expect(readFileSync(outside, "utf8")).toBe("outside");
  });

  it("[VIEWER-42] takes no file of a person away, whatever names a forged mark has", async () => {
    const root = await filled();
    const dir = tempFolder();
    const mine = [
      "src/main.js",
      "api/v1/notes.json",
      "api/v1/entities/TASK-001/mine.txt",
      "api/v2/workspace.json",
      "raw/v1/TASK-001/mine.txt",
      "thesis.html",
      "notes/TASK-001.html",
      "README",
    ];
    for (const name of mine) {
      mkdirSync(dirname(join(dir, name)), { recursive: true });
      writeFileSync(join(dir, name), "<!doctype html><p>mine</p>");
    }
    writeFileSync(join(dir, "taskfold-view.json"), JSON.stringify({ taskfold_view: 1, files: mine }));
    await exporting(root, dir);
    await exporting(root, dir, { only: "TASK-001" });
    await exporting(root, dir, { only: "TASK-002" });
    expect(filesIn(dir)).toEqual([...mine, "TASK-002.html", "taskfold-view.json"].sort());
  });

  it("[VIEWER-42] refuses the folder of git, empty or not there, by its name or by a link", async () => {
    const root = await filled();
    mkdirSync(join(root, ".git"));
    symlinkSync(".git", join(root, "out"));
    for (const dir of [".git", ".git/hooks", ".GIT", "out", "out/hooks"])
      await expect(exporting(root, dir), dir).rejects.toMatchObject({ code: "PATH_UNSAFE" });
    expect(readdirSync(join(root, ".git"))).toEqual([]);
  });

  it(
    "[VIEWER-43] an output and a task that cannot be read are left out and named, and the rest is exported",
    ROTATING,
    async () => {
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
      const viewer = viewerOf(root);
      const options = { viewer, pages: readPageFiles(builtPages()), from: root, now: "2026-01-01T00:00:00.000Z" };
      const dir = join(tempFolder(), "out");
      const log = join(root, ".coco/tasks/TASK-002/events.jsonl");
      // It goes after the board was read, and before its own page is.
      const told = await exportView({ ...options, dir, progress: (done) => void (done === 1 && unlinkSync(log)) });
      expect(told.entities).toBe(2);
      expect(told.left_out).toContainEqual(
        expect.objectContaining({ id: "TASK-002", what: "entity", code: "LOG_UNREADABLE" }),
      );
      expect(filesIn(dir).filter((file) => file.includes("entities/TASK-002"))).toEqual([]);
      const alone = exportView({ ...options, dir: join(tempFolder(), "out"), only: "TASK-002" });
      await expect(alone).rejects.toMatchObject({ code: "LOG_UNREADABLE" });
    },
  );

  it("[VIEWER-43] stderr names ten of what is left out, and says how many more there are", async () => {
    const root = await filled();
    for (let n = 0; n < 13; n++) mkdirSync(join(root, `.coco/tasks/TASK-${500 + n}/events.jsonl`), { recursive: true });
    const out = join(tempFolder(), "out");
    const { code, err } = await run({ cwd: root }, "view", "--export", out);
    expect(code).toBe(0);
    const told = err.split("\n").filter((line) => line.includes("left out"));
    expect(told.filter((line) => /TASK-5\d\d is left out/.test(line))).toHaveLength(10);
    expect(told).toHaveLength(11);
    expect(told[10]).toContain("3 more are left out");
    const json = await run({ cwd: root }, "view", "--export", out, "--json");
    expect((JSON.parse(json.out) as { result: ExportReport }).result.left_out).toHaveLength(13);
  });

  it("[VIEWER-43] [VIEWER-3] a workspace that goes away meanwhile fails the export", async () => {
    const root = await filled();
    const dir = join(tempFolder(), "out");
    const gone = exporting(root, dir, {
      progress: (done) => {
        if (done > 1) return;
        renameSync(join(root, ".coco"), join(root, "elsewhere"));
        passTime(300);
      },
    });
    await expect(gone).rejects.toMatchObject({ code: "STORAGE_FAILED" });
  });

  it("[VIEWER-42] an export that was cut short is an earlier export to the next one", async () => {
    const root = await filled();
    const dir = join(tempFolder(), "out");
    const cut = exporting(root, dir, {
      progress: () => {
        throw new Error("cut short");
      },
    });
    await expect(cut).rejects.toThrow("cut short");
    expect(filesIn(dir).some((file) => file.startsWith("api/v1/entities/"))).toBe(true);
    writeFileSync(join(dir, "mine.txt"), "mine");
    await exporting(root, dir);
    const whole = join(tempFolder(), "out");
    await exporting(root, whole);
    expect(filesIn(dir)).toEqual([...filesIn(whole), "mine.txt"].sort());
  });

  it("[VIEWER-43] logs that cannot be read at all are named, and bytes that are not there are counted", async () => {
    const root = await filled();
    const blobs = join(root, ".coco/tasks/TASK-001/shared/evidence/blobs");
    rmSync(join(blobs, readdirSync(blobs)[0]!));
    const log = join(root, ".coco/tasks/TASK-002/events.jsonl");
    unlinkSync(log);
    mkdirSync(log);
    const told = await exporting(root, join(tempFolder(), "out"));
    expect(told).toMatchObject({ entities: 2, without_output: 1 });
    expect(told.left_out).toMatchObject([{ id: "TASK-002", what: "entity", code: "LOG_UNREADABLE" }]);
  });

  it("[VIEWER-42] a folder that cannot be written to says a way out that is true", async () => {
    const root = await filled();
    const told = exporting(root, "/proc/taskfold");
    await expect(told).rejects.toMatchObject({ recovery: expect.stringContaining("Name a folder") as string });
  });

  it("[VIEWER-3] a log above the held limit keeps its page, and has no past", ROTATING, async () => {
    const root = await filled();
    await notesOn(openTemp({ by: "agent:ada", root }));
    // One line without an end, which a reader passes over: the file takes no room on the disk.
    truncateSync(join(root, ".coco/tasks/TASK-001/events.jsonl"), 129 * 1024 * 1024);
    const dir = join(tempFolder(), "out");
    expect(await exporting(root, dir)).toMatchObject({ entities: 3, without_past: 1, left_out: [] });
    const page = JSON.parse(readFileSync(join(dir, "api/v1/entities/TASK-001.json"), "utf8")) as EntityAnswer;
    expect(page).toMatchObject({ title: EVIL, notes_total: 12, available: { revisions: null, history_pages: 0 } });
    const files = filesIn(dir).filter((file) => file.includes("entities/TASK-001/"));
    expect(files.filter((file) => /\/(revisions|history|notes)\//.test(file))).toEqual([]);
    expect(files).toContain("api/v1/entities/TASK-001/evidence/0.json");
    expect(filesIn(dir)).toContain("api/v1/entities/TASK-002/revisions/1.json");
    const history = await viewerOf(root).answer("entities/TASK-001/history/0.json");
    await expect(history.body()).rejects.toMatchObject({ code: "LOG_UNREADABLE" });
  });
});

describe("into one file", () => {
  it("[VIEWER-41] holds its data and scripts, and a policy of their digests", async () => {
    const root = await filled();
    const dir = tempFolder();
    const report = await exporting(root, dir, { only: "TASK-001" });
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

  it("[VIEWER-43] where the past is too much, the newest revisions of what changed last have a page", async () => {
    const ws = openTemp({ by: "agent:ada" });
    for (const title of ["One", "Two", "Three"]) await ok(ws, "tasks_create", { kind: "task", title });
    for (const task of ["TASK-001", "TASK-003", "TASK-002"])
      for (const note of ["one", "two"]) await ok(ws, "tasks_note", { task, note });
    const dir = join(tempFolder(), "out");
    const left = { without_past: 2, cut_past: 1, left_out: [] };
    // The page that is too much is the last one.
    expect(await exporting(ws.root, dir, { room: { past: 1, output: 0 } })).toMatchObject(left);
    const past = (id: string) => held<EntityAnswer>(dir, `entities/${id}.json`).available.revisions;
    expect(["TASK-001", "TASK-002", "TASK-003"].map(past)).toEqual([null, { from: 3, to: 3 }, null]);
    const pages = filesIn(dir).filter((file) => /\/revisions\/\d+\.json$/.test(file));
    expect(pages).toEqual(["api/v1/entities/TASK-002/revisions/3.json"]);
    const { size } = statSync(join(dir, pages[0]!));
    const more = await exporting(ws.root, dir, { room: { past: size + 1, output: 0 } });
    expect(more).toMatchObject(left);
    expect(past("TASK-002")).toEqual({ from: 2, to: 3 });
    expect(held<EntityAnswer>(dir, "entities/TASK-002/revisions/2.json")).toMatchObject({ revision: 2 });
  });

  it("[VIEWER-43] where captured output is too much, the export leaves it out and says how much", async () => {
    const ws = openTemp({ by: "agent:ada" });
    for (const [task, stdout] of [
      ["TASK-001", "the first output"],
      ["TASK-002", "the other output"],
    ] as const) {
      await ok(ws, "tasks_create", { kind: "task", title: task });
      await ok(ws, "tasks_evidence_capture", { task, items: [{ kind: "run", command: "make", exit_code: 0, stdout }] });
    }
    const dir = join(tempFolder(), "out");
    const room = { past: 1_000_000, output: "the other output".length };
    expect(await exporting(ws.root, dir, { room })).toMatchObject({ without_output: 1, without_past: 0, left_out: [] });
    const [earlier, later] = ["TASK-001", "TASK-002"].map(
      (id) => held<EntityAnswer>(dir, `entities/${id}.json`).evidence[0]!.runs[0]!.stdout!,
    );
    expect(earlier).toMatchObject({ size: "the first output".length, pages: 0, raw: null });
    expect(later).toMatchObject({ pages: 1, raw: expect.stringContaining(later!.sha256) as string });
    const files = filesIn(dir);
    expect(files.filter((file) => file.startsWith("raw/"))).toEqual([later!.raw]);
    expect(files.filter((file) => file.includes("/output/") && file.includes("TASK-001"))).toEqual([]);
    expect((await exporting(ws.root, dir, { room: { ...room, output: room.output - 1 } })).without_output).toBe(2);
    expect(filesIn(dir).filter((file) => file.startsWith("raw/"))).toEqual([]);
  });

  it("[VIEWER-5] an export holds every page of a list that the page of its task leaves out", async () => {
    const ws = openTemp({ by: "agent:ada" });
    await ok(ws, "tasks_create", { kind: "task", title: "One" });
    await notesOn(ws);
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
