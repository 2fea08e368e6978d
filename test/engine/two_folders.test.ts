import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import type { JsonObject } from "../../src/state/schema.ts";
import { bring, clone, renamedTask } from "../support/clones.ts";
import { FaultyDisk, Stop } from "../support/faulty_disk.ts";
import { REVIEW, reviewed, runStage } from "../support/packet_work.ts";
import { call, code, keptIn, logLines, logPath, newTask, notesOf, ok, openTemp, tree } from "../support/workspace.ts";

const NOTES = "shared/human-notes.md";

function path(ws: Workspace, folder: string, file = ""): string {
  return join(ws.root, ".coco", folder, file);
}

/** As a pick of `main`'s note leaves it: one task in two folders of `side`. */
async function picked(): Promise<{ main: Workspace; side: Workspace; renamed: string }> {
  const made = await renamedTask();
  await ok(made.side, "tasks_note", { task: "TASK-001", note: "of side" });
  bring(made.side, made.main, `tasks/${made.renamed}`);
  return made;
}

describe("one entity in two folders", () => {
  it("[RESOLVE-50] its folders come together under the name that its log gives last, the same on every clone", async () => {
    const { side, renamed } = await picked();
    const other = clone(side, 5);
    const dry = await side.repair.resolve(undefined, { dryRun: true });
    expect(dry.joined).toEqual([renamed]);
    expect(side.verify().findings.map((f) => f.code)).toContain("SAME_ROOT");
    expect(await side.repair.resolve()).toMatchObject({ changed: true, joined: [renamed], findings: [] });
    expect(existsSync(path(side, "tasks/TASK-001"))).toBe(false);
    expect(notesOf(side.root, renamed).toSorted()).toEqual(["of main", "of side"]);
    expect(side.verify().findings).toEqual([]);
    expect(await side.repair.resolve()).toMatchObject({ changed: false, joined: [] });
    await other.repair.resolve(renamed);
    expect(tree(path(other, "tasks"), { times: false })).toEqual(tree(path(side, "tasks"), { times: false }));
  });

  it("[RESOLVE-50] late lines in the old folder come after the others, again and again", async () => {
    const { side, renamed } = await picked();
    const late = clone(side, 5);
    rmSync(path(late, `tasks/${renamed}`), { recursive: true });
    await side.repair.resolve();
    for (const note of ["late", "later"]) {
      await ok(late, "tasks_note", { task: "TASK-001", note });
      bring(side, late, "tasks/TASK-001");
      expect(await side.repair.resolve("TASK-001")).toMatchObject({ joined: [renamed], findings: [] });
      expect(notesOf(side.root, renamed)).toContain(note);
    }
    expect(logLines(side.root, renamed).filter((line) => line.includes('"task.rehomed"'))).toHaveLength(1);
    expect(side.verify().findings).toEqual([]);
  });

  it("[RESOLVE-50] three folders, one of them archived and one a copy by hand, come to where the log says", async () => {
    const { main, side, renamed } = await renamedTask();
    bring(side, main, `tasks/${renamed}`);
    bring(side, side, "tasks/TASK-001", "tasks/by-hand");
    await ok(main, "tasks_complete", { task: renamed, status: "CANCELED" });
    await ok(main, "tasks_archive", { task: renamed });
    bring(side, main, `archive/${renamed}`);
    expect(await side.repair.resolve()).toMatchObject({ joined: [renamed], findings: [] });
    expect(existsSync(path(side, "tasks/by-hand"))).toBe(false);
    expect(existsSync(path(side, `tasks/${renamed}`))).toBe(false);
    expect(side.log(renamed).events.map((e) => e.type)).toContain("task_archived");
    expect(side.verify().findings).toEqual([]);
  });

  it("[RESOLVE-50] where no split gave a name, the one that it was made with counts, else the first", async () => {
    const ws = openTemp();
    await newTask(ws);
    bring(ws, ws, "tasks/TASK-001", "tasks/a-copy");
    bring(ws, ws, "tasks/TASK-001", "tasks/b-copy");
    const without = clone(ws, 1);
    expect((await ws.repair.resolve()).joined).toEqual(["TASK-001"]);
    rmSync(path(without, "tasks/TASK-001"), { recursive: true });
    expect((await without.repair.resolve()).joined).toEqual(["a-copy"]);
    expect([ws, without].map((one) => one.verify().findings)).toEqual([[], []]);
  });

  /** A copy as a killed process or git leaves it: no file and no name is synced. */
  function putUnsynced(disk: FaultyDisk, from: string, to: string): void {
    if (statSync(from).isDirectory()) {
      disk.mkdir(to);
      for (const name of readdirSync(from)) putUnsynced(disk, join(from, name), join(to, name));
      return;
    }
    const fd = disk.open(to, "a+");
    disk.write(fd, readFileSync(from));
    disk.close(fd);
  }

  it.each(["has a part of the log", "has all of the log, and all files"])(
    "[DUR-113] [RESOLVE-50] nothing leaves a folder before all is synced in the other one, which %s",
    async (what) => {
      const { side, renamed } = await picked();
      mkdirSync(path(side, "tasks/TASK-001", "agents/w1"), { recursive: true });
      writeFileSync(path(side, "tasks/TASK-001", "agents/w1/out.log"), "out\n");
      const other = clone(side, 5);
      if (what.includes("all")) await other.repair.resolve();
      else mkdirSync(path(other, `tasks/${renamed}`, "agents/w1"), { recursive: true });
      rmSync(path(side, `tasks/${renamed}`), { recursive: true });
      const disk = new FaultyDisk();
      putUnsynced(disk, path(other, `tasks/${renamed}`), path(side, `tasks/${renamed}`));
      disk.meanwhile({ kind: "rmdir", path: "tasks/TASK-001" }, () => {
        throw new Stop("a power cut");
      });
      await expect(openTemp({ root: side.root, disk }).repair.resolve()).rejects.toThrow("a power cut");
      disk.losePower();
      const ws = openTemp({ root: side.root });
      await ws.repair.resolve();
      expect(notesOf(ws.root, renamed).toSorted()).toEqual(["of main", "of side"]);
      expect(readFileSync(path(ws, `tasks/${renamed}`, "agents/w1/out.log"), "utf8")).toBe("out\n");
      expect(ws.verify().findings).toEqual([]);
    },
  );

  it("[RESOLVE-51] captured bytes and other files go along; an edit of a folded file is kept aside", async () => {
    const { side, renamed } = await picked();
    const item = { kind: "command-execution", command: "npm test", stdout: "all green\n", exit_code: 0 };
    rmSync(path(side, `tasks/${renamed}`), { recursive: true });
    await ok(side, "tasks_evidence_capture", { task: "TASK-001", items: [item] });
    await ok(side, "change_mind", { task: "TASK-001", selector: "goals", content: "of side" });
    const { main } = await renamedTask();
    bring(side, main, `tasks/${renamed}`);
    mkdirSync(path(side, "tasks/TASK-001", "agents/w1"), { recursive: true });
    writeFileSync(path(side, "tasks/TASK-001", "agents/w1/out.log"), "out\n");
    writeFileSync(path(side, "tasks/TASK-001", "README.md"), "by a hand\n");
    const { joined, findings } = await side.repair.resolve();
    expect(joined).toEqual([renamed]);
    expect(findings).toMatchObject([{ code: "PROJECTION_DRIFT", file: ".coco/tasks/TASK-001/README.md", info: true }]);
    expect(keptIn(path(side, "registry/quarantine"))).toBe("by a hand\n");
    expect(readFileSync(path(side, `tasks/${renamed}`, "agents/w1/out.log"), "utf8")).toBe("out\n");
    expect(readFileSync(path(side, `tasks/${renamed}`, "taskdoc.tsk/goals.md"), "utf8")).toContain("of side");
    expect(side.verify().findings).toEqual([]);
  });

  it("[RESOLVE-50] [RESOLVE-51] the files of a packet go along, of the stages that each folder has alone", async () => {
    const ws = openTemp();
    const id = await reviewed(ws);
    const other = clone(ws, 5);
    await runStage(other, id, "codex_review", `${REVIEW}\nof the other\n`);
    await ok(ws, "tasks_note", { task: id, note: "of the first" });
    bring(ws, other, `tasks/${id}`, "tasks/by-hand");
    expect(await code(ws, "packet_stage_start", { task: "by-hand", stage: "copilot_review_consolidate" })).toBe(
      "LOG_TWO_FOLDERS",
    );
    expect(await ws.repair.resolve()).toMatchObject({ joined: [id], findings: [] });
    expect(existsSync(path(ws, "tasks/by-hand"))).toBe(false);
    const outputs = tree(path(ws, `tasks/${id}/outputs`), { times: false }).join("\n");
    for (const stage of ["gemini_review", "codex_review"]) expect(outputs).toContain(stage);
    expect(notesOf(ws.root, id)).toContain("of the first");
    // What both stages wrote holds, and the packet goes on behind them.
    expect(ws.verify().findings).toEqual([]);
    await runStage(ws, id, "copilot_review_consolidate");
    expect(ws.verify().findings).toEqual([]);
  });

  it("[RESOLVE-50] an attempt of a packet that one folder has without its end has the end of the other", async () => {
    const ws = openTemp();
    const id = await reviewed(ws);
    await ok(ws, "packet_stage_start", { task: id, stage: "codex_review" });
    bring(ws, ws, `tasks/${id}`, "tasks/by-hand");
    await ok(ws, "packet_stage_finish", {
      task: id,
      stage: "codex_review",
      exit_code: 0,
      out: REVIEW,
      err: "read\n",
    });
    expect(await ws.repair.resolve()).toMatchObject({ joined: [id], findings: [] });
    expect(ws.verify().findings).toEqual([]);
  });

  it("[RESOLVE-51] of a file of people's both texts stay, unless the log has one of them", async () => {
    const { main, side, renamed } = await picked();
    const [here, there] = [path(side, "tasks/TASK-001", NOTES), path(side, `tasks/${renamed}`, NOTES)];
    writeFileSync(here, "# By side\n");
    writeFileSync(there, "# By main\n");
    writeFileSync(path(side, "tasks/TASK-001", "agents/out.log"), "1\n");
    writeFileSync(path(side, `tasks/${renamed}`, "agents/out.log"), "2\n");
    const other = clone(side, 5);
    const { findings } = await side.repair.resolve();
    await other.repair.resolve();
    expect(findings.map(({ code, file }) => `${code} ${file}`)).toEqual([
      `FILE_TWICE .coco/tasks/${renamed}/agents/out.log`,
      `FILE_TWICE .coco/tasks/${renamed}/${NOTES}`,
    ]);
    expect(readFileSync(there, "utf8")).toBe("# By main\n");
    const beside = "shared/human-notes.TASK-001.md";
    expect(readFileSync(path(side, `tasks/${renamed}`, beside), "utf8")).toBe("# By side\n");
    expect(readFileSync(path(side, `tasks/${renamed}`, "agents/out.TASK-001.log"), "utf8")).toBe("1\n");
    expect(existsSync(path(side, "tasks/TASK-001"))).toBe(false);
    expect(tree(path(other, "tasks"), { times: false })).toEqual(tree(path(side, "tasks"), { times: false }));
    expect(await side.repair.resolve()).toMatchObject({ changed: false, findings: [] });

    // The log has the text of main's folder, and reads the later one of the old folder once it stands there.
    writeFileSync(path(main, `tasks/${renamed}`, NOTES), "# Read\n");
    await ok(main, "tasks_note", { task: renamed, note: "reads it" });
    const again = clone(main, 6);
    bring(again, other, `tasks/${renamed}`, "tasks/TASK-777");
    writeFileSync(path(again, "tasks/TASK-777", NOTES), "# Not read\n");
    expect((await again.repair.resolve()).findings.map((f) => f.code)).toEqual(["FILE_TWICE"]);
    expect(readFileSync(path(again, `tasks/${renamed}`, NOTES), "utf8")).toBe("# Read\n");
    bring(again, again, `tasks/${renamed}`, "tasks/TASK-777");
    writeFileSync(path(again, `tasks/${renamed}`, NOTES), "# New\n");
    expect((await again.repair.resolve()).findings).toEqual([]);
    expect(readFileSync(path(again, `tasks/${renamed}`, NOTES), "utf8")).toBe("# New\n");
  });

  it("[RESOLVE-53] while lines are missing, both folders stay as they are", async () => {
    const { side, renamed } = await picked();
    const lines = logLines(side.root, renamed);
    const cut = lines.filter((line) => !line.includes('"task.rehomed"'));
    writeFileSync(logPath(side.root, renamed), `${cut.join("\n")}\n`);
    const before = tree(path(side, "tasks"));
    const { joined, findings } = await side.repair.resolve();
    expect(joined).toEqual([]);
    expect(findings.map((f) => f.code)).toEqual(expect.arrayContaining(["SAME_ROOT", "OP_HELD"]));
    expect(tree(path(side, "tasks"))).toEqual(before);
    writeFileSync(logPath(side.root, renamed), `${lines.join("\n")}\n`);
    expect((await side.repair.resolve()).joined).toEqual([renamed]);
  });

  it("[RESOLVE-53] until then no door takes a change to either, and the refusal names both", async () => {
    const { side, renamed } = await picked();
    const folders = [".coco/tasks/TASK-001", `.coco/tasks/${renamed}`];
    const before = tree(path(side, "tasks"));
    for (const task of ["TASK-001", renamed]) {
      const blocks = ["TASK-900", task].map((id) => ({
        tool: "tasks_block",
        args: { task: id, path: "s:0", reason: "it waits" },
      }));
      const calls: [string, JsonObject][] = [
        ["tasks_note", { task, note: "x" }],
        ["tasks_claim", { task, path: "s:0" }],
        ["tasks_claim_next", { task }],
        ["tasks_undo", { task }],
        ["tasks_archive", { task }],
        ["tasks_delete", { task }],
        ["tasks_batch", { atomic: true, operations: blocks }],
      ];
      for (const [tool, input] of calls) {
        const { error } = await side.callTool(tool, { workspace: "acme/repo", ...input });
        expect(error, tool).toMatchObject({ code: "LOG_TWO_FOLDERS" });
        for (const folder of folders) expect(error!.message).toContain(folder);
      }
      await expect(side.repair.adopt(task, { again: true })).rejects.toMatchObject({ code: "LOG_TWO_FOLDERS" });
    }
    expect(tree(path(side, "tasks"))).toEqual(before);
    await side.repair.resolve();
    expect((await call(side, "tasks_claim", { task: renamed, path: "s:0" })).error).toBeNull();
  });

  it("[RESOLVE-53] the original of a copy by hand takes changes and is offered, and lists call the copy one", async () => {
    const ws = openTemp();
    await newTask(ws);
    bring(ws, ws, "tasks/TASK-001", "tasks/by-hand");
    bring(ws, ws, "tasks/TASK-001", "tasks/second-copy");
    for (const one of [ws, openTemp({ root: ws.root })]) {
      const { result, warnings } = await call(one, "tasks_context", {});
      expect(warnings).toMatchObject([
        {
          code: "LOG_TWO_FOLDERS",
          message:
            ".coco/tasks/by-hand and .coco/tasks/second-copy are copies of .coco/tasks/TASK-001, and take no change.",
        },
      ]);
      const rows = result!["tasks"] as { id: string; log_warnings?: string[] }[];
      expect(rows.filter((row) => row.log_warnings).map((row) => row.id)).toEqual(["by-hand", "second-copy"]);
    }
    expect(await ok(ws, "tasks_claim_next", {})).toMatchObject({ task: "TASK-001" });
    expect((await call(ws, "tasks_radar", { task: "TASK-001" })).warnings).toEqual([]);
    await ok(ws, "tasks_note", { task: "TASK-001", note: "goes on" });
    expect(await ws.repair.resolve()).toMatchObject({ joined: ["TASK-001"], findings: [] });
    expect(notesOf(ws.root)).toEqual(["goes on"]);
  });

  it("[RESOLVE-53] a copy by hand takes no change, and neither does a folder whose entity is archived under another name", async () => {
    const ws = openTemp();
    await newTask(ws);
    bring(ws, ws, "tasks/TASK-001", "tasks/by-hand");
    expect(await code(ws, "tasks_note", { task: "by-hand", note: "x" })).toBe("LOG_TWO_FOLDERS");
    expect((await call(ws, "tasks_radar", { task: "by-hand" })).warnings).toMatchObject([
      {
        code: "LOG_TWO_FOLDERS",
        message: ".coco/tasks/by-hand is a copy of .coco/tasks/TASK-001, and takes no change.",
      },
    ]);
    const { main, side, renamed } = await picked();
    await ok(main, "tasks_complete", { task: renamed, status: "CANCELED" });
    await ok(main, "tasks_archive", { task: renamed });
    rmSync(path(side, `tasks/${renamed}`), { recursive: true });
    bring(side, main, `archive/${renamed}`);
    expect(await code(side, "tasks_note", { task: "TASK-001", note: "x" })).toBe("LOG_TWO_FOLDERS");
    expect(await code(side, "tasks_restore", { task: renamed })).toBe("LOG_TWO_FOLDERS");
    expect(existsSync(path(side, `archive/${renamed}`))).toBe(true);
  });

  it("[RESOLVE-53] [LEASE-7] reads and lists say it, and no list offers it", async () => {
    const { side, renamed } = await picked();
    for (const ws of [side, clone(side, 5)]) {
      const radar = await call(ws, "tasks_radar", { task: renamed });
      expect(radar.warnings.find((w) => w.code === "LOG_TWO_FOLDERS")?.message).toMatch(/; neither takes a change\.$/);
      const list = await call(ws, "tasks_context", {});
      expect(list.warnings).toMatchObject([{ code: "LOG_TWO_FOLDERS" }]);
      for (const id of ["TASK-001", renamed]) expect(list.warnings[0]!.message).toContain(`.coco/tasks/${id}`);
      const rows = list.result!["tasks"] as { id: string; log_warnings?: string[] }[];
      expect(rows.filter((row) => row.log_warnings).map((row) => row.id)).toEqual(["TASK-001", renamed]);
      expect((await ok(ws, "tasks_claim_next", {}))["task"]).toBe("TASK-900");
    }
  });

  it("[RESOLVE-3] where git took the move for another's lines, each of two entities goes to the folder that its log names", async () => {
    const { main, side, renamed } = await picked();
    await side.repair.resolve();
    await ok(main, "tasks_note", { task: "TASK-001", note: "of the first" });
    // What a merge leaves that takes the folder of the one for the new name of the other.
    appendFileSync(logPath(side.root, renamed), readFileSync(logPath(main.root)));
    expect(await code(side, "tasks_note", { task: renamed, note: "x" })).toBe("LOG_TWO_ROOTS");
    const taken = clone(side, 6);
    bring(taken, main, "tasks/TASK-001");
    bring(taken, main, "tasks/TASK-900", "tasks/not-free");
    for (const ws of [side, taken]) {
      const report = await ws.repair.resolve();
      expect(report.entities).toMatchObject([{ id: renamed, split: [{ id: "TASK-001" }] }]);
      expect(report.findings.filter((f) => f.file.includes("TASK-001"))).toEqual([]);
      expect(notesOf(ws.root)).toEqual(["of the first"]);
      expect(readFileSync(logPath(ws.root))).toEqual(readFileSync(logPath(main.root)));
      expect(notesOf(ws.root, renamed).toSorted()).toEqual(["of main", "of side"]);
    }
    expect(side.verify().findings).toEqual([]);
  });

  it("[TOOL-2] the name before a split leads to its entity while no other has it", async () => {
    const { main, side, renamed } = await picked();
    await side.repair.resolve();
    expect(await ok(side, "tasks_claim", { task: "TASK-001", path: "s:0" })).toMatchObject({ task: renamed });
    expect(await ok(side, "tasks_undo", { task: "TASK-001" })).toMatchObject({ task: renamed });
    expect(await ok(main, "tasks_radar", { task: "TASK-001" })).toMatchObject({ target: { id: "TASK-001" } });
    // Digits alone make no such name.
    await newTask(side, "TASK-002-abcdef");
    expect(await code(side, "tasks_note", { task: "TASK-002", note: "x" })).toBe("UNKNOWN_ID");
  });

  it("[TOOL-3] the focus follows its entity to the name that a split gives it, and back", async () => {
    const { main, side, renamed } = await renamedTask();
    await ok(side, "tasks_focus_set", { task: "TASK-001" });
    const before = clone(side, 5);
    const checkout = (from: Workspace): void => {
      rmSync(path(side, "tasks"), { recursive: true });
      cpSync(path(from, "tasks"), path(side, "tasks"), { recursive: true });
    };
    checkout(main);
    expect(await ok(side, "tasks_focus_get", {})).toMatchObject({ focus: renamed });
    expect(await ok(side, "tasks_note", { note: "x" })).toMatchObject({ task: renamed });
    checkout(before);
    expect(await ok(side, "tasks_note", { note: "y" })).toMatchObject({ task: "TASK-001" });
    checkout(main);
    await ok(side, "tasks_focus_set", { task: "TASK-001" });
    expect(await ok(side, "tasks_focus_get", {})).toMatchObject({ focus: "TASK-001" });
  });
});
