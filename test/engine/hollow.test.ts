import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import type { JsonObject } from "../../src/state/schema.ts";
import { repository } from "../support/git.ts";
import { call, code, newTask, ok, openTemp, ticking } from "../support/workspace.ts";

const folderOf = (ws: Workspace, part: string, id: string): string => join(ws.root, ".coco", part, id);

async function idsOf(ws: Workspace): Promise<unknown[]> {
  const { tasks } = (await ok(ws, "tasks_context", {})) as { tasks: JsonObject[] };
  return tasks.map((row) => row["id"]);
}

describe("a folder that holds no file", () => {
  /** TASK-002 is on `side` only, and git has just gone from there to main; with the workspace that saw it there. */
  async function elsewhere() {
    const { ada } = repository();
    const ws = openTemp({ root: ada.root, durability: "os" });
    await newTask(ws);
    ada.commit("begin");
    ada.git("checkout", "-q", "-b", "side");
    await newTask(ws, "TASK-002");
    await ok(ws, "tasks_note", { task: "TASK-002", note: "n" });
    ada.commit("more");
    ada.git("checkout", "-q", "main");
    const left = folderOf(ws, "tasks", "TASK-002");
    expect(readdirSync(left)).toContain("agents");
    expect(existsSync(join(left, "events.jsonl"))).toBe(false);
    const later = openTemp({ root: ada.root, durability: "os", now: ticking(Date.UTC(2026, 5, 1)) });
    return { ada, ws, later };
  }

  it("[DIR-30] is not there for any tool or check, in a process that knew the entity and in another", async () => {
    const { ws, later } = await elsewhere();
    for (const one of [later, ws]) {
      const context = await call(one, "tasks_context", {});
      expect(context.warnings).toEqual([]);
      expect(await idsOf(one)).toEqual(["TASK-001"]);
      expect(await code(one, "tasks_radar", { task: "TASK-002" })).toBe("UNKNOWN_ID");
      expect(await code(one, "tasks_edit", { task: "TASK-001", depends_on: ["TASK-002"] })).toBe("UNKNOWN_ID");
      const { events } = (await ok(one, "tasks_delta", {})) as { events: JsonObject[] };
      expect(new Set(events.map((e) => e["task"]))).toEqual(new Set(["TASK-001"]));
      expect(one.verify()).toMatchObject({ ok: true, entities: 1, findings: [] });
      expect(() => one.verify("TASK-002")).toThrow(/TASK-002/);
      expect((await one.repair.resolve()).findings).toEqual([]);
    }
  });

  it("[DIR-30] is not there for the first change of a process that knew the entity either", async () => {
    const { ada, ws } = await elsewhere();
    expect(await code(ws, "tasks_note", { task: "TASK-002", note: "lost" })).toBe("UNKNOWN_ID");
    ada.git("checkout", "-q", "side");
    await ok(ws, "tasks_note", { task: "TASK-002", note: "back" });
  });

  it("[DIR-30] [ID-1] an entity of its id can be made; by itself its number is not given", async () => {
    const { ada, ws, later } = await elsewhere();
    expect((await ok(later, "tasks_create", { kind: "task", title: "By itself" }))["id"]).toBe("TASK-003");
    await newTask(later, "TASK-002", ["Another"]);
    for (const one of [later, ws]) {
      await ok(one, "tasks_note", { task: "TASK-002", note: "n" });
      expect(await idsOf(one)).toEqual(["TASK-001", "TASK-002", "TASK-003"]);
      expect(one.verify()).toMatchObject({ ok: true, findings: [] });
    }
    ada.commit("made anew");
    expect(await code(later, "tasks_create", { kind: "task", id: "TASK-002", title: "T" })).toBe("ID_TAKEN");
  });

  it("[DIR-30] the process that knew the entity can make it anew, and reads it again when git brings it back", async () => {
    const { ada, ws } = await elsewhere();
    ada.git("checkout", "-q", "side");
    expect(await idsOf(ws)).toEqual(["TASK-001", "TASK-002"]);
    ada.git("checkout", "-q", "main");
    await newTask(ws, "TASK-002", ["Another"]);
    await ok(ws, "tasks_note", { task: "TASK-002", note: "n" });
    expect(((await ok(ws, "tasks_radar", { task: "TASK-002" })) as { steps: JsonObject }).steps["total"]).toBe(1);
  });

  it("[DIR-30] in the archive does not keep what is deleted from moving there", async () => {
    const ws = openTemp({ durability: "os" });
    await newTask(ws);
    mkdirSync(join(folderOf(ws, "archive", "TASK-001"), "shared", "evidence"), { recursive: true });
    const reply = await call(ws, "tasks_delete", { task: "TASK-001" });
    expect(reply.warnings).toEqual([]);
    expect(existsSync(join(folderOf(ws, "archive", "TASK-001"), "events.jsonl"))).toBe(true);
    expect(ws.verify()).toMatchObject({ ok: true, entities: 1 });
  });

  it("[DIR-30] [VERIFY-9] one file or link in it, however deep, and it is there", async () => {
    const ws = openTemp({ durability: "os" });
    await newTask(ws);
    for (const id of ["TASK-002", "TASK-003"])
      mkdirSync(join(folderOf(ws, "tasks", id), "agents", "w1"), { recursive: true });
    writeFileSync(join(folderOf(ws, "tasks", "TASK-002"), "agents", "w1", "out.log"), "");
    mkdirSync(join(ws.root, "empty"));
    symlinkSync(join(ws.root, "empty"), join(folderOf(ws, "tasks", "TASK-003"), "agents", "w1", "link"));
    for (const id of ["TASK-002", "TASK-003"]) {
      expect(ws.verify(id).findings.map((f) => f.code)).toEqual(["FOLDER_WITHOUT_LOG"]);
      expect(await code(ws, "tasks_create", { kind: "task", id, title: "T" })).toBe("ID_TAKEN");
      expect(existsSync(join(folderOf(ws, "tasks", id), "agents", "w1"))).toBe(true);
    }
  });
});
