import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { WAYS } from "../support/exchange.ts";
import { tempFolder } from "../support/temp.ts";
import { call, code, logLines, logPath, newTask, ok, openTemp, tree, WORKSPACE } from "../support/workspace.ts";

const PROJECTED = ["task.yaml", "README.md", "shared/evidence/index.json"];
const OTHERS = ["events.jsonl", "shared/context-manifest.yaml", "shared/human-notes.md"];

/** The text of each file in a folder and below, by path. */
function filesIn(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    files.toSorted().map((path) => [relative(folder, path).replaceAll("\\", "/"), readFileSync(path, "utf8")]),
  );
}

const folderOf = (root: string, id = "TASK-001"): string => join(root, ".coco", "tasks", id);

describe("the task directory", () => {
  it("[DIR-1] is made under a root that is not there yet, named by the id", async () => {
    const root = join(tempFolder(), "new", "root");
    const ws = openTemp({ root });
    const made = await ok(ws, "tasks_create", { title: "A plan" });
    expect(made["id"]).toBe("PLAN-001");
    expect(existsSync(join(root, ".coco", "tasks", "PLAN-001", "events.jsonl"))).toBe(true);
  });

  it.each(WAYS)(
    "[DIR-3] [DIR-26] has every file of the skeleton, each put in place whole, by %s",
    async (_way, inner) => {
      const opened: string[] = [];
      const put: string[] = [];
      const disk = {
        ...inner,
        open: (path: string, flags: Parameters<typeof inner.open>[1]) => {
          if (flags !== "r") opened.push(path);
          return inner.open(path, flags);
        },
        rename: (from: string, to: string) => {
          put.push(to);
          inner.rename(from, to);
        },
        exchange: (one: string, other: string) => {
          inner.exchange(one, other);
          put.push(other);
        },
      };
      const ws = openTemp({ disk });
      await newTask(ws);
      await ok(ws, "tasks_note", { task: "TASK-001", note: "n" });
      const folder = folderOf(ws.root);
      const files = [...PROJECTED, "shared/human-notes.md", "shared/context-manifest.yaml"];
      for (const file of files) {
        expect(existsSync(join(folder, file)), file).toBe(true);
        expect(put, file).toContain(join(folder, file));
        expect(opened, file).not.toContain(join(folder, file));
      }
      expect(existsSync(join(folder, "events.jsonl"))).toBe(true);
    },
  );

  it("[DIR-3] holds the six files that the requirements ask for, and no empty one", async () => {
    const ws = openTemp();
    await newTask(ws);
    await ok(ws, "tasks_note", { task: "TASK-001", note: "n" });
    const files = filesIn(folderOf(ws.root));
    expect(Object.keys(files)).toEqual([...PROJECTED, ...OTHERS].toSorted());
    expect(Object.values(files)).not.toContain("");
    expect(ws.verify()).toMatchObject({ ok: true, findings: [] });
    expect((await ws.repair.rebuild()).rebuilt).toEqual([{ id: "TASK-001", files: [] }]);
    expect(filesIn(folderOf(ws.root))).toEqual(files);
    expect([...ws.files("TASK-001").keys()].toSorted()).toEqual(PROJECTED.toSorted());
  });

  it("[TASKDOC-1] of an earlier release keeps its empty Taskdoc, without a finding, a warning or a write", async () => {
    const ws = openTemp();
    await newTask(ws);
    const taskdoc = join(folderOf(ws.root), "taskdoc.tsk");
    const older = ["goals.md", "constraints.md", "progress.md"].map((name) => join(taskdoc, name));
    mkdirSync(taskdoc);
    for (const path of older) writeFileSync(path, "");
    const before = tree(taskdoc);
    expect((await call(ws, "tasks_note", { task: "TASK-001", note: "n" })).warnings).toEqual([]);
    expect(ws.verify()).toMatchObject({ ok: true, findings: [] });
    expect((await ws.repair.rebuild()).rebuilt).toEqual([{ id: "TASK-001", files: [] }]);
    expect(tree(taskdoc)).toEqual(before);
    // A person who writes into one is told, as of any folded file.
    writeFileSync(older[0]!, "mine\n");
    expect((await call(ws, "tasks_note", { task: "TASK-001", note: "o" })).warnings).toMatchObject([
      { code: "PROJECTION_DRIFT" },
    ]);
    rmSync(older[1]!);
    await ok(ws, "tasks_note", { task: "TASK-001", note: "p" });
    expect(readdirSync(taskdoc).toSorted()).toEqual(["goals.md", "progress.md"]);
    expect(ws.verify()).toMatchObject({ ok: true, findings: [] });
    await ok(ws, "change_mind", { task: "TASK-001", selector: "goals", content: "Parse.\n" });
    expect(readdirSync(taskdoc).toSorted()).toEqual(["constraints.md", "goals.md", "progress.md"]);
  });

  it("[DIR-3] [DIR-24] has its folders, and two files of people, which the engine writes once", async () => {
    const ws = openTemp();
    await newTask(ws);
    const folder = folderOf(ws.root);
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    const folders = entries
      .filter((entry) => entry.isDirectory())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
    expect(folders.toSorted()).toEqual(["agents", "shared", "shared/evidence"]);
    const [notes, manifest] = [join(folder, "shared/human-notes.md"), join(folder, "shared/context-manifest.yaml")];
    expect(readFileSync(notes, "utf8")).toMatch(/^# [^\n]+\n\n- [^\n]+\n$/);
    expect(readFileSync(manifest, "utf8")).toBe("attachments: []\n");
    writeFileSync(notes, "# Human notes\n\n- Mine.\n");
    rmSync(join(folder, "agents"), { recursive: true });
    await ok(ws, "tasks_note", { task: "TASK-001", note: "n" });
    expect(readFileSync(notes, "utf8")).toBe("# Human notes\n\n- Mine.\n");
    expect(existsSync(join(folder, "agents"))).toBe(true);
  });

  it("[DIR-4] refuses an id that no file system should see, and one that differs from a present one in case only", async () => {
    const ws = openTemp();
    await newTask(ws, "fix-Parser");
    const create = (id: string) => code(ws, "tasks_create", { kind: "task", id, title: "T" });
    for (const id of ["../x", "CON", "nul", "a b", "-x", "x".repeat(65), "ä"])
      expect(await create(id), id).toBe("ID_UNSAFE");
    expect(await create("FIX-parser")).toBe("ID_TAKEN");
  });

  it("[DIR-4] is not there after a creation that was refused", async () => {
    const ws = openTemp();
    await newTask(ws);
    const before = tree(join(ws.root, ".coco", "tasks"));
    expect(await code(ws, "tasks_create", { kind: "task", title: "" })).toBe("INVALID_INPUT");
    expect(await code(ws, "tasks_create", { parent: "TASK-001", title: "T" })).toBe("INVALID_INPUT");
    expect(await code(ws, "tasks_create", { parent: "PLAN-404", title: "T" })).toBe("UNKNOWN_ID");
    expect(tree(join(ws.root, ".coco", "tasks"))).toEqual(before);
  });

  it("[DIR-50] is neither read nor written through a link", async () => {
    const ws = openTemp();
    await newTask(ws);
    const outside = tempFolder();
    writeFileSync(join(outside, "task.yaml"), "id: evil\n");
    symlinkSync(outside, join(ws.root, ".coco", "tasks", "evil"));
    expect(await code(ws, "tasks_radar", { task: "evil" })).toBe("UNKNOWN_ID");
    rmSync(join(folderOf(ws.root), "shared"), { recursive: true });
    symlinkSync(outside, join(folderOf(ws.root), "shared"));
    const other = openTemp({ root: ws.root });
    const reply = await call(other, "tasks_note", { task: "TASK-001", note: "n" });
    expect(reply.success).toBe(true);
    expect(reply.warnings.map((w) => w.code)).toContain("PROJECTION_FAILED");
    expect(tree(outside, { times: false })).toHaveLength(1);
  });
});

describe("workspace.yaml", () => {
  it.skipIf(process.platform === "win32")(
    "[DIR-50] is read through no link, and a pipe in its place is not waited for",
    async () => {
      const ws = openTemp();
      await newTask(ws);
      const binding = join(ws.root, ".coco", "workspace.yaml");
      const copy = join(tempFolder(), "copy.yaml");
      renameSync(binding, copy);
      symlinkSync(copy, binding);
      expect(await code(openTemp({ root: ws.root }), "tasks_radar", { task: "TASK-001" })).toBe("LOG_UNREADABLE");
      rmSync(binding);
      expect(spawnSync("sh", ["-c", `mkfifo "$0"`, binding]).status).toBe(0);
      const other = openTemp({ root: ws.root });
      expect(await code(other, "tasks_radar", { task: "TASK-001" })).toBe("LOG_UNREADABLE");
      expect(await code(other, "tasks_note", { task: "TASK-001", note: "x" })).toBe("LOG_UNREADABLE");
      rmSync(binding);
      renameSync(copy, binding);
      await ok(other, "tasks_note", { task: "TASK-001", note: "x" });
    },
  );
});

describe("events.jsonl", () => {
  it("[DIR-19] keeps every byte it ever had, whatever is done to the entity", async () => {
    const ws = openTemp();
    await newTask(ws);
    const steps: (() => Promise<unknown>)[] = [
      () => call(ws, "tasks_edit", { task: "TASK-001", title: "New" }),
      () => call(ws, "tasks_close_step", { task: "TASK-001", path: "s:0", checkpoints: "gate" }),
      () => call(ws, "tasks_delete", { task: "TASK-001", path: "s:1" }),
      () => call(ws, "tasks_undo", { task: "TASK-001" }),
      () => ws.repair.rebuild(),
      () => ws.repair.resolve(),
    ];
    let before = readFileSync(logPath(ws.root));
    for (const step of steps) {
      await step();
      const after = readFileSync(logPath(ws.root));
      expect(after.subarray(0, before.length).equals(before)).toBe(true);
      before = after;
    }
    await ok(ws, "tasks_delete", { task: "TASK-001" });
    const archived = readFileSync(join(ws.root, ".coco", "archive", "TASK-001", "events.jsonl"));
    expect(archived.subarray(0, before.length).equals(before)).toBe(true);
  });

  it("[DIR-19] [EVENT-2] has one event a line, with what other readers need, and begins with task.created", async () => {
    const ws = openTemp();
    await newTask(ws);
    await ws.call(
      "tasks_note",
      { workspace: WORKSPACE, task: "TASK-001", note: "n" },
      { by: "agent:ada", agentInstance: "ada-1", turnId: "t7" },
    );
    expect(readFileSync(logPath(ws.root), "utf8").endsWith("}\n")).toBe(true);
    const events = logLines(ws.root).map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(events[0]).toMatchObject({
      type: "task.created",
      payload: { kind: "task", title: "Task TASK-001", topology: "squad" },
    });
    for (const event of events) {
      expect(event["ts"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect([typeof event["type"], event["taskId"], typeof event["by"]]).toEqual(["string", "TASK-001", "string"]);
    }
    expect(events.at(-1)).toMatchObject({ by: "agent:ada", agentInstance: "ada-1", turnId: "t7" });
  });

  it("[EVENT-3] says in each payload's message what happened", async () => {
    const ws = openTemp();
    await newTask(ws);
    await ok(ws, "tasks_block", { task: "TASK-001", path: "s:0", reason: "waiting for the key" });
    for (const line of logLines(ws.root)) {
      const { payload } = JSON.parse(line) as { payload: { message?: string } };
      expect(payload.message).toMatch(/^[A-Z].+[.!?…]$/);
    }
  });
});

describe("projections", () => {
  it("[DIR-26] may be deleted at any moment: nothing is refused, and they come back with the same bytes", async () => {
    const ws = openTemp();
    await newTask(ws);
    await ok(ws, "tasks_evidence_capture", { task: "TASK-001", path: "s:0", checks: ["CMD: npm test"] });
    const folder = folderOf(ws.root);
    const read = (): string[] => PROJECTED.map((f) => readFileSync(join(folder, f), "utf8"));
    const before = read();
    for (const file of PROJECTED) rmSync(join(folder, file));
    rmSync(join(ws.root, ".coco", "registry"), { recursive: true, force: true });
    expect((await call(ws, "tasks_radar", { task: "TASK-001" })).success).toBe(true);
    await ws.repair.rebuild("TASK-001");
    expect(read()).toEqual(before);
    for (const file of PROJECTED) rmSync(join(folder, file));
    await ok(ws, "tasks_note", { task: "TASK-001", note: "n" });
    expect(PROJECTED.every((f) => existsSync(join(folder, f)))).toBe(true);
    expect(ws.verify("TASK-001").findings).toEqual([]);
  });

  it("[EVID-16] citations are found in the index; one that names nothing is told and leaves the folder sound", async () => {
    const ws = openTemp();
    await newTask(ws);
    const { cite } = (await ok(ws, "tasks_evidence_capture", { task: "TASK-001", checks: ["CMD: npm test"] })) as {
      cite: string[];
    };
    const folder = folderOf(ws.root);
    const index = JSON.parse(readFileSync(join(folder, "shared/evidence/index.json"), "utf8")) as { id: string }[];
    expect(cite).toEqual([`evidence:${index[0]?.id}`]);
    expect(readFileSync(join(folder, "README.md"), "utf8")).toContain(cite[0]);
    mkdirSync(join(folder, "shared", "reports"));
    writeFileSync(join(folder, "shared", "reports", "r.md"), `# Report\n\nSee ${cite[0]}, and evidence:cmd-nowhere.\n`);
    const report = ws.verify();
    expect(report.findings).toMatchObject([{ code: "CITATION_UNKNOWN", line: 3, info: true }]);
    expect(report.ok).toBe(true);
  });
});

describe("expectations, keys and the past, through the door", () => {
  it("[TOOL-4] a stale revision is told first, whatever else is wrong with the call", async () => {
    const ws = openTemp();
    await newTask(ws);
    const reply = await call(ws, "tasks_done", { task: "TASK-001", path: "s:9", expected_revision: 0 });
    expect(reply.error).toMatchObject({ code: "REVISION_MISMATCH", details: { revision: 1 } });
    expect(await code(ws, "tasks_note", { task: "TASK-001", note: "n", expected_head: "x" })).toBe("REVISION_MISMATCH");
  });

  it("[TOOL-14] [ERR-2] the same key gives the first result; with another input it is refused, and nothing changed", async () => {
    const ws = openTemp();
    await newTask(ws);
    const note = { task: "TASK-001", note: "n", idempotency_key: "k" };
    const first = await ok(ws, "tasks_note", note);
    const bytes = readFileSync(logPath(ws.root));
    const again = await call(ws, "tasks_note", note);
    expect([again.result, again.warnings.map((w) => w.code)]).toEqual([first, ["REPLAYED"]]);
    expect(await code(ws, "tasks_note", { ...note, note: "other" })).toBe("IDEMPOTENCY_CONFLICT");
    expect(readFileSync(logPath(ws.root)).equals(bytes)).toBe(true);
  });

  it("[UNDO-10] radar and handoff answer as of a revision or an event, and offer no calls then", async () => {
    const ws = openTemp();
    await newTask(ws);
    const closed = (await ok(ws, "tasks_close_step", { task: "TASK-001", path: "s:0", checkpoints: "gate" })) as {
      events: { event_id: string }[];
    };
    await ok(ws, "tasks_close_step", { task: "TASK-001", path: "s:1", checkpoints: "gate" });
    const open = async (at: number | string): Promise<unknown> => {
      const reply = await call(ws, "tasks_radar", { task: "TASK-001", at });
      expect(reply.success ? reply.suggestions : []).toEqual([]);
      return (reply.result as { steps?: { open: number } } | null)?.steps?.open ?? reply.error?.code;
    };
    expect([await open(1), await open(closed.events[0]!.event_id), await open(3)]).toEqual([2, 1, 0]);
    expect([await open(4), await open("nonsense")]).toEqual(["UNKNOWN_ID", "UNKNOWN_ID"]);
    const handoff = await ok(ws, "tasks_handoff", { task: "TASK-001", at: 2 });
    expect(JSON.stringify(handoff["handoff"])).toContain("First");
  });

  it("[LOG-23] a state carried forward, decided here, and read anew from the file is one state", async () => {
    const ws = openTemp();
    const other = openTemp({ root: ws.root });
    await newTask(ws);
    await ok(other, "tasks_close_step", { task: "TASK-001", path: "s:0", checkpoints: "gate" });
    await ok(ws, "tasks_define", { task: "TASK-001", path: "s:0", success_criteria: ["harder"] });
    await ok(other, "tasks_undo", { task: "TASK-001" });
    const anew = openTemp({ root: ws.root });
    const answers = await Promise.all([ws, other, anew].map((w) => ok(w, "tasks_handoff", { task: "TASK-001" })));
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });
});
