import { describe, expect, it } from "vitest";
import { readEntity } from "../../src/engine/entity/entity_on_disk.ts";
import { readFileSync } from "node:fs";
import { logLines, logPath, newTask, ok, openTemp } from "../support/workspace.ts";
import { ROTATING } from "../support/sweep.ts";

describe("undo of an op that no process has in mind any more", () => {
  it("[UNDO-30] [LOG-23] is read alike by who wrote it, by who was there, and from the start", ROTATING, async () => {
    const ws = openTemp();
    const task = await newTask(ws);
    await ok(ws, "tasks_edit", { task, title: "far back" });
    const op = (JSON.parse(logLines(ws.root).at(-1)!) as { hash: string }).hash;
    for (let i = 0; i < 200; i++) await ok(ws, "tasks_edit", { task, description: `d${i}` });
    const other = openTemp({ root: ws.root });
    const title = async (of: typeof ws): Promise<unknown> =>
      ((await ok(of, "tasks_radar", { task }))["target"] as { title: string }).title;
    expect(await title(other)).toBe("far back");
    await ok(ws, "tasks_undo", { task, op });
    for (const of of [ws, other]) expect(await title(of)).toBe(`Task ${task}`);
    await ok(other, "tasks_undo", { task });
    await ok(ws, "tasks_edit", { task, priority: "P" });
    await ok(ws, "tasks_undo", { task });
    await ok(other, "tasks_redo", { task });
    const { entity, noEffect } = readEntity(readFileSync(logPath(ws.root)), () => false);
    expect(noEffect).toEqual([]);
    expect([entity!.title, entity!.description, entity!.priority]).toEqual([`Task ${task}`, "d198", "P"]);
    for (const of of [ws, other]) {
      expect(await title(of)).toBe(await title(ws));
      expect(of.verify().findings).toEqual([]);
    }
  });
});
