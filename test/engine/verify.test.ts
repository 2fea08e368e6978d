import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Finding } from "../../src/engine/repair/verify.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { isTaskfoldError } from "../../src/errors.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { call, logLines, logPath, newTask, ok, openTemp, tree, withTaskdoc } from "../support/workspace.ts";

const FOLDER = ".coco/tasks/TASK-001";

async function given(): Promise<Workspace> {
  const ws = openTemp();
  await newTask(ws);
  await ok(ws, "tasks_evidence_capture", {
    task: "TASK-001",
    items: [{ kind: "run", command: "npm test", stdout: "12 passed\n" }],
  });
  return ws;
}

/** Codes of what is found, in order; those for information in brackets. */
function codes(ws: Workspace, id?: string): string[] {
  const { ok: fine, findings } = ws.verify(id);
  expect(fine).toBe(findings.every((f) => f.info));
  return findings.map((f) => (f.info ? `(${f.code})` : f.code));
}

function only(ws: Workspace): Finding {
  const { findings } = ws.verify();
  expect(findings).toHaveLength(1);
  return findings[0]!;
}

describe("verify", () => {
  it("[VERIFY-1] finds nothing in what the engine wrote, counts it, and touches nothing", async () => {
    const ws = await given();
    const before = tree(ws.root);
    expect(ws.verify()).toEqual({ ok: true, entities: 1, events: 3, findings: [] });
    expect(ws.verify("TASK-001")).toMatchObject({ ok: true, entities: 1 });
    expect(tree(ws.root)).toEqual(before);
    expect(openTemp().verify()).toEqual({ ok: true, entities: 0, events: 0, findings: [] });
  });

  it("[VERIFY-1] an id that is nowhere is UNKNOWN_ID", async () => {
    const ws = await given();
    const refused = (): string | undefined => {
      try {
        ws.verify("TASK-404");
      } catch (e) {
        if (isTaskfoldError(e)) return e.code;
      }
      return undefined;
    };
    expect(refused()).toBe("UNKNOWN_ID");
  });

  it("[VERIFY-2] names every line that is damaged, by file, line and byte, past what is in memory", async () => {
    const ws = await given();
    const log = logPath(ws.root);
    const lines = readFileSync(log, "utf8").split("\n");
    const first = lines[0]!.length + 1;
    // The same size and a changed letter: only the hash tells.
    lines[2] = lines[2]!.replace("12 passed", "99 passed");
    writeFileSync(log, lines.join("\n"));
    const found = ws.verify().findings.find((f) => f.code === "LINE_BAD_HASH");
    expect(found).toMatchObject({ file: `${FOLDER}/events.jsonl`, line: 3, byte: first + lines[1]!.length + 1 });
  });

  it.each([
    ["LINE_NOT_JSON", "no json\n"],
    ["LINE_MARKER", "<<<<<<< HEAD\n"],
    ["LINE_TORN", '{"half'],
    ["LINE_INVALID", '{"a":1}\n'],
  ])("[VERIFY-2] %s is found in the last line", async (code, text) => {
    const ws = await given();
    const at = readFileSync(logPath(ws.root)).length;
    appendFileSync(logPath(ws.root), text);
    expect(only(ws)).toMatchObject({ code, line: 4, byte: at });
  });

  it("[VERIFY-2] copies, CR, marks and bytes that are not canonical are found where they stand", async () => {
    const ws = await given();
    const [a, b, c] = readFileSync(logPath(ws.root), "utf8").split("\n");
    writeFileSync(logPath(ws.root), `\uFEFF${a}\r\n${b}\n${b}\n{ ${c!.slice(1)}\n`);
    const places = ws.verify().findings.map((f) => `${f.code} ${f.line}`);
    expect(places.toSorted()).toEqual(["LINE_BOM 1", "LINE_CRLF 1", "LINE_DUPLICATE 3", "LINE_NOT_CANONICAL 4"]);
  });

  it("[VERIFY-2] missing lines, and events that have no effect because of them, are found", async () => {
    const ws = await given();
    await ok(ws, "tasks_note", { task: "TASK-001", note: "last" });
    const lines = readFileSync(logPath(ws.root), "utf8").split("\n");
    writeFileSync(logPath(ws.root), [lines[0], lines[1], lines[3], ""].join("\n"));
    expect(codes(ws)).toContain("OP_HELD");
  });

  it("[VERIFY-2] an op that was cut short is a fault until changes go on beside it, and then a note", async () => {
    const ws = await given();
    await ok(ws, "tasks_close_step", { task: "TASK-001", path: "s:0", checkpoints: "gate" });
    writeFileSync(logPath(ws.root), `${logLines(ws.root).slice(0, -1).join("\n")}\n`);
    // What names the end that is missing.
    rmSync(join(ws.root, ".coco/tasks/TASK-001/task.yaml"));
    await ws.repair.rebuild();
    expect(codes(ws)).toEqual(["OP_INCOMPLETE"]);
    expect((await ws.repair.resolve()).findings.map((f) => f.info)).toEqual([undefined]);
    await ok(ws, "tasks_note", { task: "TASK-001", note: "goes on" });
    expect(codes(ws)).toEqual(["(OP_INCOMPLETE)"]);
    expect((await ws.repair.resolve()).findings.every((f) => f.info)).toBe(true);
  });

  it("[VERIFY-9] two entities in one log, and one entity in two folders, are found", async () => {
    const ws = await given();
    await newTask(ws, "TASK-002");
    appendFileSync(logPath(ws.root), readFileSync(logPath(ws.root, "TASK-002")));
    expect(codes(ws)).toContain("ROOT_SECOND");
    const other = await given();
    mkdirSync(join(other.root, ".coco/archive/TASK-009"), { recursive: true });
    writeFileSync(join(other.root, ".coco/archive/TASK-009/events.jsonl"), readFileSync(logPath(other.root)));
    expect(codes(other)).toEqual(expect.arrayContaining(["SAME_ROOT", "ARCHIVED_NOT_DELETED"]));
  });

  it("[VERIFY-9] a folded file that differs is named with its first differing line and byte; one that is gone too", async () => {
    const ws = await given();
    const readme = join(ws.root, FOLDER, "README.md");
    const text = readFileSync(readme, "utf8");
    const lines = text.split("\n");
    lines[2] = `${lines[2]} `;
    writeFileSync(readme, lines.join("\n"));
    const byte = Buffer.byteLength(lines.slice(0, 3).join("\n")) - 1;
    expect(only(ws)).toMatchObject({ code: "PROJECTION_DIFFERS", file: `${FOLDER}/README.md`, line: 3, byte });
    rmSync(readme);
    expect(only(ws)).toMatchObject({ code: "PROJECTION_MISSING", file: `${FOLDER}/README.md` });
  });

  it("[VERIFY-9] while lines are missing, or a newer release writes here, folded files are not compared", async () => {
    const ws = await given();
    const taskYaml = join(ws.root, FOLDER, "task.yaml");
    writeFileSync(taskYaml, readFileSync(taskYaml, "utf8").replace(/^renderer: \d+/m, "renderer: 999"));
    expect(codes(ws)).toEqual(["(RENDERER_NEWER)"]);
  });

  it("[VERIFY-9] captured bytes that are gone or are other bytes are found", async () => {
    const ws = await given();
    const blobs = join(ws.root, FOLDER, "shared/evidence/blobs");
    const [name] = readdirSync(blobs);
    writeFileSync(join(blobs, name!), "99 passed\n");
    expect(only(ws)).toMatchObject({ code: "BLOB_DIFFERS", file: `${FOLDER}/shared/evidence/blobs/${name}` });
    rmSync(join(blobs, name!));
    expect(codes(ws)).toEqual(["BLOB_MISSING"]);
  });

  it("[VERIFY-9] files of the skeleton are missed; an empty folder that git did not keep is nothing to say", async () => {
    const ws = await given();
    rmSync(join(ws.root, FOLDER, "shared/human-notes.md"));
    expect(codes(ws)).toEqual(["SKELETON_MISSING"]);
    const other = await given();
    rmSync(join(other.root, FOLDER, "agents"), { recursive: true });
    expect(codes(other)).toEqual([]);
  });

  it("[VERIFY-9] a link in the place of a folder, a log or a folded file is found and not followed", async () => {
    const ws = await given();
    const shared = join(ws.root, FOLDER, "shared");
    renameSync(shared, join(ws.root, "elsewhere"));
    symlinkSync(join(ws.root, "elsewhere"), shared);
    expect(new Set(codes(ws))).toEqual(new Set(["PATH_UNSAFE"]));
    const other = await given();
    renameSync(logPath(other.root), join(other.root, "log"));
    symlinkSync(join(other.root, "log"), logPath(other.root));
    expect(codes(other)).toEqual(["PATH_UNSAFE"]);
  });

  it.each([".coco", ".coco/tasks", ".coco/archive"])(
    "[VERIFY-9] %s as a link is found and not followed",
    async (part) => {
      const ws = await given();
      if (part === ".coco/archive") await ok(ws, "tasks_delete", { task: "TASK-001" });
      const away = join(ws.root, "elsewhere");
      renameSync(join(ws.root, part), away);
      symlinkSync(away, join(ws.root, part));
      const { ok: fine, entities, findings } = ws.verify();
      expect({ fine, entities }).toEqual({ fine: false, entities: 0 });
      expect(findings.map((f) => [f.code, f.file])).toEqual([["PATH_UNSAFE", part]]);
    },
  );

  it("[VERIFY-9] a file that cannot be read is a finding of its own, and hides nothing else of its folder", async () => {
    const disk = new FaultyDisk();
    const ws = openTemp({ disk });
    await newTask(ws);
    await ok(ws, "tasks_evidence_capture", {
      task: "TASK-001",
      items: [{ kind: "run", command: "npm test", stdout: "12 passed\n" }],
    });
    await withTaskdoc(ws);
    const [blob] = readdirSync(join(ws.root, FOLDER, "shared/evidence/blobs"));
    const names = ["README.md", "task.yaml", "taskdoc.tsk/goals.md", "shared/evidence/index.json"];
    const peoples = ["shared/human-notes.md", "shared/context-manifest.yaml"];
    writeFileSync(join(ws.root, FOLDER, "taskdoc.tsk/stray.md"), "x");
    for (const name of [...names, ...peoples]) {
      disk.fail({ kind: "readFile", path: `${FOLDER}/${name}` }, "EACCES");
      const { findings } = ws.verify();
      expect(findings.map(({ code, file }) => [code, file])).toEqual(
        [
          ["FILE_UNREADABLE", `${FOLDER}/${name}`],
          ["TASKDOC_STRAY", `${FOLDER}/taskdoc.tsk/stray.md`],
        ].toSorted(([, a], [, b]) => (a! < b! ? -1 : 1)),
      );
      expect(findings.find(({ code }) => code === "FILE_UNREADABLE")?.message).toContain("EACCES");
    }
    disk.fail({ kind: "open", path: `${FOLDER}/shared/evidence/blobs/${blob}` }, "EIO");
    expect(codes(ws)).toEqual(["FILE_UNREADABLE", "TASKDOC_STRAY"]);
    for (const name of [...names, ...peoples]) {
      const path = join(ws.root, FOLDER, name);
      const before = readFileSync(path);
      rmSync(path);
      mkdirSync(path);
      expect(ws.verify().findings.map(({ code, file }) => `${code} ${file}`)).toContain(
        `PATH_UNSAFE ${FOLDER}/${name}`,
      );
      expect(codes(ws)).toContain("TASKDOC_STRAY");
      rmSync(path, { recursive: true });
      writeFileSync(path, before);
    }
  });

  it("[VERIFY-9] bytes of people that are no UTF-8 are found: no write reads them in", async () => {
    const ws = await given();
    for (const name of ["shared/human-notes.md", "shared/context-manifest.yaml"]) {
      const path = join(ws.root, FOLDER, name);
      const before = readFileSync(path);
      writeFileSync(path, Buffer.from([0x61, 0xff, 0xfe]));
      expect(only(ws)).toMatchObject({ code: "NOTES_NOT_READ", file: `${FOLDER}/${name}` });
      writeFileSync(path, "Was für ein Fund.\n");
      expect(codes(ws)).toEqual([]);
      writeFileSync(path, before);
    }
  });

  it("[VERIFY-9] a folder without a log is found; one of another program is only mentioned", async () => {
    const ws = await given();
    rmSync(logPath(ws.root));
    expect(codes(ws)).toEqual(["FOLDER_WITHOUT_LOG"]);
    const coco = join(ws.root, ".coco/tasks/task-of-coco");
    mkdirSync(coco);
    writeFileSync(join(coco, "task.yaml"), "id: task-of-coco\ntitle: T\ntopology: squad\nstate: created\n");
    expect(codes(ws, "task-of-coco")).toEqual(["(NO_OWN_LOG)"]);
    writeFileSync(
      join(coco, "events.jsonl"),
      '{"ts":"2026-01-01T00:00:00Z","type":"task.created","taskId":"task-of-coco"}\n',
    );
    expect(codes(ws, "task-of-coco")).toEqual(["(NO_OWN_LOG)"]);
  });

  it("[VERIFY-9] a task file of another program that no tool can read is found, with what is wrong with it", async () => {
    const ws = await given();
    const coco = join(ws.root, ".coco/tasks/task-of-coco");
    mkdirSync(coco);
    for (const text of ["id: task-of-coco\ntitle: T\ntopology: squad\nstate: lost\n", "title: [\n", ""]) {
      writeFileSync(join(coco, "task.yaml"), text);
      const { error } = await call(ws, "tasks_radar", { task: "task-of-coco" });
      expect(ws.verify("task-of-coco")).toMatchObject({
        ok: false,
        findings: [
          { code: "LOG_UNREADABLE", file: ".coco/tasks/task-of-coco/task.yaml", message: error?.message as string },
        ],
      });
      expect(error?.code).toBe("LOG_UNREADABLE");
    }
  });

  it("[VERIFY-9] what was deleted and still lies among the live, lost attributes and unsynced bytes are found", async () => {
    const ws = await given();
    await ok(ws, "tasks_delete", { task: "TASK-001" });
    expect(codes(ws)).toEqual([]);
    renameSync(join(ws.root, ".coco/archive/TASK-001"), join(ws.root, FOLDER));
    writeFileSync(join(ws.root, ".coco/.gitattributes"), "* text=auto\n");
    mkdirSync(join(ws.root, ".coco/registry/unsynced/TASK-001"), { recursive: true });
    mkdirSync(join(ws.root, ".coco/registry/unsynced/TASK-002"));
    writeFileSync(join(ws.root, ".coco/registry/unsynced/TASK-001/x"), "x");
    expect(codes(ws)).toEqual(["ATTRIBUTES_MISSING", "(ATTRIBUTES_MISSING)", "UNSYNCED", "DELETED_NOT_ARCHIVED"]);
  });
});
