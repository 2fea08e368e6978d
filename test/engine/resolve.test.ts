import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import { clone, union } from "../support/clones.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { call, code, logLines, logPath, newTask, notesOf, ok, openTemp, tree } from "../support/workspace.ts";

const FOLDER = ".coco/tasks/TASK-001";

async function note(ws: Workspace, text: string, id = "TASK-001"): Promise<void> {
  await ok(ws, "tasks_note", { task: id, note: text });
}

describe("resolve", () => {
  it("[RESOLVE-1] drops markers, copies, CR and marks; what is no line goes to quarantine; twice changes nothing", async () => {
    const ws = openTemp();
    await newTask(ws);
    await note(ws, "one");
    const log = readFileSync(logPath(ws.root), "utf8");
    const [first, ...rest] = log.split("\n");
    writeFileSync(
      logPath(ws.root),
      `\uFEFF${first}\r\n<<<<<<< HEAD\n${rest.join("\n")}=======\n${first}\n>>>>>>> other\nnot a line\n{"torn`,
    );
    expect(await code(ws, "tasks_note", { task: "TASK-001", note: "x" })).toBe("LOG_CONFLICT_MARKERS");
    const report = await ws.repair.resolve();
    const nothing = { split: [], restored: false, found: [], declared: [] };
    expect(report.entities).toEqual([
      { id: "TASK-001", dropped: { markers: 3, duplicates: 1, crlf: 1 }, quarantined: 2, ...nothing },
    ]);
    expect(report).toMatchObject({ changed: true, findings: [] });
    expect(readFileSync(logPath(ws.root), "utf8")).toBe(log);
    const kept = join(ws.root, ".coco/registry/quarantine");
    expect(readdirSync(kept).map((name) => readFileSync(join(kept, name), "utf8"))).toEqual(['not a line\n{"torn\n']);
    const before = tree(join(ws.root, ".coco/tasks"));
    expect(await ws.repair.resolve()).toMatchObject({ changed: false, entities: [], findings: [] });
    expect(tree(join(ws.root, ".coco/tasks"))).toEqual(before);
    await note(ws, "two");
    expect(notesOf(ws.root)).toEqual(["one", "two"]);
  });

  it("[RESOLVE-1] a dry run tells the same and touches nothing", async () => {
    const ws = openTemp();
    await newTask(ws);
    appendFileSync(logPath(ws.root), "=======\n");
    writeFileSync(join(ws.root, FOLDER, "README.md"), "stale");
    const before = tree(ws.root);
    const told = await ws.repair.resolve(undefined, { dryRun: true });
    expect(told).toMatchObject({ changed: true, entities: [{ id: "TASK-001", dropped: { markers: 1 } }], staged: [] });
    expect(tree(ws.root)).toEqual(before);
    expect((await ws.repair.resolve()).entities).toEqual(told.entities);
  });

  /** Two workspaces with another task of one id: one has a section in `api`, the other one in `ux`. */
  async function twoTaskdocs(): Promise<[Workspace, Workspace]> {
    const both: [Workspace, Workspace] = [openTemp(), openTemp()];
    for (const [i, category] of (["api", "ux"] as const).entries()) {
      const ws = both[i]!;
      await newTask(ws);
      await ok(ws, "change_mind", { task: "TASK-001", category, selector: "one", content: `of ${category}` });
    }
    return both;
  }

  it("[RESOLVE-3] each of two entities has the files of its own Taskdoc, and what no log has the text of stays", async () => {
    const [a, b] = await twoTaskdocs();
    const taskdoc = join(FOLDER, "taskdoc.tsk");
    cpSync(join(b.root, taskdoc), join(a.root, taskdoc), { recursive: true });
    appendFileSync(logPath(a.root), readFileSync(logPath(b.root)));
    const ws = openTemp({ root: a.root });
    const split = (await ws.repair.resolve()).entities[0]!.split[0]!.id;
    const sections = (folder: string): string[] =>
      ["api/one.md", "ux/one.md"].filter((name) => existsSync(join(a.root, folder, "taskdoc.tsk", name)));
    expect([...sections(FOLDER), ...sections(`.coco/tasks/${split}`)].toSorted()).toEqual(["api/one.md", "ux/one.md"]);
    expect(sections(FOLDER)).toHaveLength(1);
    expect(ws.verify().findings.filter((f) => !f.info)).toEqual([]);
    const [own] = sections(FOLDER);
    const stray = join(a.root, taskdoc, own === "api/one.md" ? "ux" : "api");
    mkdirSync(stray);
    writeFileSync(join(stray, "one.md"), "by hand\n");
    await ws.repair.resolve();
    expect(sections(FOLDER)).toHaveLength(2);
  });

  it("[RESOLVE-3] the folder of a section that a dead process had not written yet leaves, too", async () => {
    const [a, b] = await twoTaskdocs();
    for (const category of ["api", "ux"]) {
      mkdirSync(join(a.root, FOLDER, "taskdoc.tsk", category), { recursive: true });
      rmSync(join(a.root, FOLDER, "taskdoc.tsk", category, "one.md"), { force: true });
    }
    appendFileSync(logPath(a.root), readFileSync(logPath(b.root)));
    const ws = openTemp({ root: a.root });
    await ws.repair.resolve();
    expect(ws.verify().findings.filter((f) => !f.info)).toEqual([]);
  });

  it("[RESOLVE-3] the later of two entities in one log gets a folder of its own, the same on every clone", async () => {
    const base = openTemp();
    await newTask(base, "TASK-900");
    const [a, b] = [clone(base, 1), clone(base, 2)];
    await newTask(a, "TASK-001", ["of a"]);
    await newTask(b, "TASK-001", ["of b"]);
    await ok(b, "tasks_evidence_capture", {
      task: "TASK-001",
      items: [{ kind: "run", command: "npm test", stdout: "b\n" }],
    });
    const [ab, ba] = [clone(a, 3), clone(b, 4)];
    union(ab, b);
    union(ba, a);
    // Captured bytes merge as files do.
    cpSync(join(b.root, FOLDER, "shared/evidence"), join(ab.root, FOLDER, "shared/evidence"), {
      recursive: true,
      force: false,
    });
    expect(await code(ab, "tasks_note", { task: "TASK-001", note: "x" })).toBe("LOG_TWO_ROOTS");
    const [first, second] = [await ab.repair.resolve(), await ba.repair.resolve()];
    const [split] = first.entities[0]!.split;
    expect(split!.id).toBe(`TASK-001-${Buffer.from(split!.root, "base64url").toString("hex", 0, 3)}`);
    expect(second.entities[0]!.split).toEqual([split]);
    expect(readFileSync(logPath(ab.root, split!.id))).toEqual(readFileSync(logPath(ba.root, split!.id)));
    expect(JSON.parse(logLines(ab.root, split!.id).at(-1)!)).toMatchObject({
      type: "task.rehomed",
      by: "system",
      payload: { from: "TASK-001", to: split!.id, root: split!.root },
    });
    for (const ws of [ab, ba]) {
      expect(ws.verify().findings).toEqual([]);
      expect((await call(ws, "tasks_radar", { task: split!.id })).success).toBe(true);
    }
    expect(readFileSync(join(ab.root, FOLDER, "task.yaml"))).toEqual(readFileSync(join(ba.root, FOLDER, "task.yaml")));
  });

  it.each([
    ["folders", false],
    ["folders and copies of captured bytes", true],
  ])(
    "[DUR-113] [RESOLVE-3] a split survives a power cut, also where a killed process or git left %s and synced nothing",
    async (_what, hasCopies) => {
      const base = openTemp();
      await newTask(base, "TASK-900");
      const [a, b] = [clone(base, 1), clone(base, 2)];
      for (const [i, ws] of [a, b].entries()) {
        await newTask(ws, "TASK-001");
        const items = [{ kind: "run", command: "npm test", stdout: `of ${i}\n` }];
        await ok(ws, "tasks_evidence_capture", { task: "TASK-001", items });
      }
      union(a, b);
      const blobs = "shared/evidence/blobs";
      cpSync(join(b.root, FOLDER, blobs), join(a.root, FOLDER, blobs), { recursive: true, force: false });
      const { id } = (await a.repair.resolve(undefined, { dryRun: true })).entities[0]!.split[0]!;
      const disk = new FaultyDisk();
      const into = join(a.root, ".coco/tasks", id);
      for (const path of ["", "shared", "shared/evidence", blobs]) disk.mkdir(join(into, path));
      for (const name of hasCopies ? readdirSync(join(a.root, FOLDER, blobs)) : []) {
        const fd = disk.open(join(into, blobs, name), "a+");
        disk.write(fd, readFileSync(join(a.root, FOLDER, blobs, name)));
        disk.close(fd);
      }
      await openTemp({ root: a.root, disk }).repair.resolve();
      disk.losePower();
      expect(existsSync(logPath(a.root, id))).toBe(true);
      const { findings } = openTemp({ root: a.root }).verify();
      expect(findings.filter(({ code: found }) => found.startsWith("BLOB_"))).toEqual([]);
    },
  );

  it("[RESOLVE-3] late lines of a clone that did not know of the split join the new folder", async () => {
    const base = openTemp();
    await newTask(base, "TASK-900");
    const [a, b] = [clone(base, 1), clone(base, 2)];
    await newTask(a, "TASK-001");
    await newTask(b, "TASK-001");
    const merged = clone(a, 3);
    union(merged, b);
    const { id } = (await merged.repair.resolve()).entities[0]!.split[0]!;
    await note(merged, "after the split", id);
    await note(b, "late");
    union(merged, b);
    await merged.repair.resolve();
    expect(notesOf(merged.root, id).toSorted()).toEqual(["after the split", "late"]);
    expect(logLines(merged.root, id).filter((line) => line.includes('"task.rehomed"'))).toHaveLength(1);
    expect(merged.verify().findings).toEqual([]);
  });

  it("[VIEW-14] [RESOLVE-4] [PROJ-18] replies follow a plan and a dependency that were split off; their files do not", async () => {
    const base = openTemp();
    await newTask(base, "TASK-900");
    const [a, b] = [clone(base, 1), clone(base, 2)];
    const under = { kind: "task", parent: "PLAN-001", title: "Under it" } as const;
    for (const [ws, id] of [
      [a, "TASK-A"],
      [b, "TASK-B"],
    ] as const) {
      await ok(ws, "tasks_create", { kind: "plan", id: "PLAN-001", title: `Plan of ${id}` });
      await newTask(ws);
      await ok(ws, "tasks_create", { ...under, id, idempotency_key: id });
      await ok(ws, "tasks_edit", { task: id, depends_on: ["TASK-001"] });
    }
    cpSync(join(b.root, ".coco/tasks/TASK-B"), join(a.root, ".coco/tasks/TASK-B"), { recursive: true });
    const before = clone(a, 3);
    for (const id of ["PLAN-001", "TASK-001"]) union(before, b, id);
    const report = await before.repair.resolve();
    const [plan, task] = ["PLAN-001", "TASK-001"].map((id) => report.entities.find((e) => e.id === id)!.split[0]!.id);
    expect(report.findings).toEqual([
      expect.objectContaining({ code: "REFERENCE_RENAMED", file: ".coco/tasks/TASK-B", info: true }),
      expect.objectContaining({ code: "REFERENCE_RENAMED", file: ".coco/tasks/TASK-B", info: true }),
    ]);
    expect(report.findings.map((f) => f.message).join()).toMatch(`PLAN-001 is ${plan} now`);
    expect(report.findings.map((f) => f.message).join()).toMatch(`TASK-001 is ${task} now`);
    expect((await before.repair.resolve()).findings).toEqual(report.findings);

    for (const ws of [before, clone(before, 4)]) {
      for (const tool of ["tasks_radar", "tasks_handoff", "tasks_history"] as const) {
        expect(await ok(ws, tool, { task: "TASK-A" })).toMatchObject({ target: { parent: "PLAN-001" } });
        expect(await ok(ws, tool, { task: "TASK-B" })).toMatchObject({ target: { parent: plan } });
      }
      const { tasks, plans } = await ok(ws, "tasks_context", {});
      expect(tasks).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ id: "TASK-A", parent: "PLAN-001", depends_on: ["TASK-001"] }),
          expect.objectContaining({ id: "TASK-B", parent: plan, depends_on: [task] }),
        ]),
      );
      expect(plans).toMatchObject([
        { id: "PLAN-001", title: "Plan of TASK-A", tasks: { total: 1 } },
        { id: plan, title: "Plan of TASK-B", tasks: { total: 1 } },
      ]);
      const again = await call(ws, "tasks_create", { ...under, id: "TASK-B", idempotency_key: "TASK-B" });
      expect(again).toMatchObject({ warnings: [{ code: "REPLAYED" }], result: { parent: plan } });
      expect(again.result!["events"]).toMatchObject([{ parent: { id: "PLAN-001" } }]);
      expect(readFileSync(join(ws.root, ".coco/tasks/TASK-B/task.yaml"), "utf8")).toContain('parent: "PLAN-001"\n');
    }
  });

  it("[VIEW-14] a plan that was split off and deleted since keeps its name; one that cannot be read has the id as written", async () => {
    const base = openTemp();
    await newTask(base, "TASK-900");
    const [a, b] = [clone(base, 1), clone(base, 2)];
    for (const ws of [a, b]) await newTask(ws);
    for (const id of ["TASK-B", "TASK-C"]) {
      await newTask(b, id);
      await ok(b, "tasks_edit", { task: id, depends_on: id === "TASK-B" ? ["TASK-001"] : ["TASK-B"] });
    }
    cpSync(join(b.root, ".coco/tasks/TASK-B"), join(a.root, ".coco/tasks/TASK-B"), { recursive: true });
    cpSync(join(b.root, ".coco/tasks/TASK-C"), join(a.root, ".coco/tasks/TASK-C"), { recursive: true });
    union(a, b);
    const { id } = (await a.repair.resolve()).entities[0]!.split[0]!;
    const other = openTemp({ root: a.root });
    await ok(other, "tasks_context", {});
    await ok(a, "tasks_delete", { task: id });
    rmSync(logPath(a.root, "TASK-B"));
    mkdirSync(logPath(a.root, "TASK-B"));
    const rows = (await ok(a, "tasks_context", {}))["tasks"] as { id: string; depends_on?: string[] }[];
    expect(rows.find((row) => row.id === "TASK-C")!.depends_on).toEqual(["TASK-B"]);
    rmdirSync(logPath(a.root, "TASK-B"));
    writeFileSync(logPath(a.root, "TASK-B"), readFileSync(logPath(b.root, "TASK-B")));
    for (const ws of [a, other]) {
      const whole = (await ok(ws, "tasks_context", {}))["tasks"] as { id: string; depends_on?: string[] }[];
      expect(whole.find((row) => row.id === "TASK-B")!.depends_on).toEqual([id]);
    }
  });

  it("[RESOLVE-4] folds every file anew and tells what only people can decide", async () => {
    const base = openTemp();
    await newTask(base);
    const [a, b] = [clone(base, 1), clone(base, 2)];
    await ok(a, "tasks_edit", { task: "TASK-001", title: "Title of a" });
    await ok(b, "tasks_edit", { task: "TASK-001", title: "Title of b" });
    await ok(a, "tasks_decompose", { task: "TASK-001", steps: [{ title: "of a", success_criteria: [] }] });
    await ok(b, "tasks_decompose", { task: "TASK-001", steps: [{ title: "of b", success_criteria: [] }] });
    union(a, b);
    const report = await a.repair.resolve();
    expect(report.conflicts).toHaveLength(1);
    expect(report.conflicts[0]).toMatchObject({ id: "TASK-001", field: "title" });
    expect(report.conflicts[0]!.values.map((v) => v.value)).toEqual(["Title of a", "Title of b"]);
    expect(report.moved.map(({ id, steps }) => [id, steps.length])).toEqual([["TASK-001", 2]]);
    expect(report.findings).toEqual([]);
    expect(readFileSync(join(a.root, FOLDER, "README.md"), "utf8")).toContain("Title of b");
    await ok(a, "tasks_edit", { task: "TASK-001", title: "Title of both" });
    expect((await a.repair.resolve()).conflicts).toEqual([]);
  });

  it("[RESOLVE-4] [VIEW-7] what concerns a deleted step alone is no question for anybody, in resolve as in radar", async () => {
    const base = openTemp();
    await newTask(base);
    const [a, b] = [clone(base, 1), clone(base, 2)];
    const step = { task: "TASK-001", path: "s:0" };
    for (const [ws, who] of [
      [a, "a"],
      [b, "b"],
    ] as const) {
      await ok(ws, "tasks_define", { ...step, title: `Title of ${who}` });
      const under = { task: "TASK-001", parent: "s:0" };
      await ok(ws, "tasks_decompose", { ...under, steps: [{ title: `of ${who}`, success_criteria: [] }] });
    }
    union(a, b);
    const before = await a.repair.resolve();
    expect([before.conflicts.map(({ label }) => label), before.moved]).toMatchObject([["s:0 title"], [{}]]);
    await ok(a, "tasks_delete", { task: "TASK-001", step_id: before.conflicts[0]!.field.split(".")[1]! });
    const after = await a.repair.resolve();
    expect([after.conflicts, after.moved]).toEqual([[], []]);
    const { radar } = (await ok(a, "tasks_radar", { task: "TASK-001" })) as { radar: { blockers: string[] } };
    expect(radar.blockers).toEqual([]);
  });

  it("[RESOLVE-50] one entity in two folders comes together where the log says it is, with everybody's files", async () => {
    const base = openTemp();
    await newTask(base);
    const [a, b] = [clone(base, 1), clone(base, 2)];
    await ok(a, "tasks_delete", { task: "TASK-001" });
    await note(b, "meanwhile");
    mkdirSync(join(b.root, FOLDER, "agents/w1"), { recursive: true });
    writeFileSync(join(b.root, FOLDER, "agents/w1/out.log"), "out\n");
    cpSync(join(b.root, FOLDER), join(a.root, FOLDER), { recursive: true });
    const report = await a.repair.resolve();
    expect(report).toMatchObject({ joined: ["TASK-001"], findings: [] });
    expect(existsSync(join(a.root, FOLDER))).toBe(false);
    const archive = join(a.root, ".coco/archive/TASK-001");
    expect(readFileSync(join(archive, "agents/w1/out.log"), "utf8")).toBe("out\n");
    expect(a.log("TASK-001").events.map((e) => e.type)).toEqual(expect.arrayContaining(["task_deleted", "step_noted"]));
    expect((await a.repair.resolve()).changed).toBe(false);
  });

  it("[RESOLVE-11] the lines are in replay order: clones with the same lines have the same bytes, and each side only grew", async () => {
    const base = openTemp();
    await newTask(base);
    const [a, b] = [clone(base, 1), clone(base, 2)];
    for (const text of ["a1", "a2"]) await note(a, text);
    for (const text of ["b1", "b2"]) await note(b, text);
    const foreign = (n: number): string =>
      `{"ts":"2026-01-01T00:00:0${n}Z","type":"agent.started","taskId":"TASK-001","agentInstance":"w${n}"}\n`;
    appendFileSync(logPath(a.root), foreign(2));
    appendFileSync(logPath(b.root), foreign(1));
    const before = [logLines(a.root), logLines(b.root)];
    const [ab, ba] = [clone(a, 3), clone(b, 4)];
    union(ab, b);
    union(ba, a);
    await ab.repair.resolve();
    await ba.repair.resolve();
    expect(readFileSync(logPath(ab.root))).toEqual(readFileSync(logPath(ba.root)));
    const merged = logLines(ab.root);
    expect(merged.slice(-2).map((line) => `${line}\n`)).toEqual([foreign(1), foreign(2)]);
    for (const side of before) expect(merged.filter((line) => side.includes(line))).toEqual(side);
    await note(ab, "placed");
    const placed = readFileSync(logPath(ab.root));
    await ab.repair.resolve();
    expect(readFileSync(logPath(ab.root))).toEqual(placed);
  });

  it("[RESOLVE-1] a line that another program appended to the old file is not lost", async () => {
    const ws = openTemp();
    await newTask(ws);
    const foreign = '{"ts":"2026-01-01T00:00:00Z","type":"agent.started","taskId":"TASK-001","agentInstance":"w1"}';
    appendFileSync(logPath(ws.root), `=======\n${foreign}\n${foreign}\n`);
    await ws.repair.resolve();
    expect(logLines(ws.root).filter((line) => line === foreign)).toHaveLength(1);
  });

  it("[RESOLVE-1] a folder that another program keeps is left as it is", async () => {
    const ws = openTemp();
    await newTask(ws);
    const coco = join(ws.root, ".coco/tasks/task-of-coco");
    mkdirSync(coco);
    const line = '{"ts":"2026-01-01T00:00:00Z","type":"task.created","taskId":"task-of-coco"}\n';
    writeFileSync(join(coco, "task.yaml"), "id: task-of-coco\ntitle: T\ntopology: squad\nstate: created\n");
    writeFileSync(join(coco, "events.jsonl"), line + line);
    const before = tree(coco);
    expect((await ws.repair.resolve()).changed).toBe(false);
    expect(tree(coco)).toEqual(before);
  });
});
