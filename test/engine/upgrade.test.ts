import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../support/source.ts";
import { tempFolder } from "../support/temp.ts";
import { call, openTemp } from "../support/workspace.ts";

/** As renderer 1 wrote it for this very log, before there was another. */
const OLDER = readFileSync(join(ROOT, "test/data/renderer-1/TASK-001/task.yaml"), "utf8");

/** The golden workspace with the files of a task as an older release left them. */
function upgraded(files: Record<string, string> = {}) {
  const root = tempFolder();
  cpSync(join(ROOT, "test/golden/v1"), root, { recursive: true });
  for (const [name, text] of Object.entries({ "task.yaml": OLDER, ...files }))
    writeFileSync(join(root, ".coco/tasks/TASK-001", name), text);
  const ws = openTemp({ root });
  const write = async () => (await call(ws, "tasks_note", { task: "TASK-001", note: "x" })).warnings;
  const quarantine = join(root, ".coco/registry/quarantine");
  const kept = () => readdirSync(quarantine).map((name) => readFileSync(join(quarantine, name), "utf8"));
  return { ws, write, kept };
}

describe("files of an older renderer", () => {
  it("[PROJ-21] are written anew with one warning for the entity, and what stood there is kept", async () => {
    const readme = "# Write the parser, by an older release\n";
    const { ws, write, kept } = upgraded({ "README.md": readme });
    const [warning, ...more] = await write();
    expect([warning!.code, more]).toEqual(["RENDERER_OLDER", []]);
    expect(warning!.message).toContain("2 files");
    expect(kept().toSorted()).toEqual([OLDER, readme].toSorted());
    expect(await write()).toEqual([]);
    expect(ws.verify("TASK-001")).toMatchObject({ ok: true, findings: [] });
  });

  it("[PROJ-21] rebuild tells it as a note", async () => {
    const { ws, kept } = upgraded();
    const { rebuilt, findings } = await ws.repair.rebuild("TASK-001");
    expect(rebuilt).toEqual([{ id: "TASK-001", files: ["task.yaml"] }]);
    expect(findings).toMatchObject([{ code: "RENDERER_OLDER", info: true }]);
    expect(kept()).toEqual([OLDER]);
  });

  it("[PROJ-21] a text of the Taskdoc that no section ever had is a person's, whichever release wrote the rest", async () => {
    const { write, kept } = upgraded({ "taskdoc.tsk/goals.md": "mine\n" });
    expect((await write()).map((w) => w.code).toSorted()).toEqual(["PROJECTION_DRIFT", "RENDERER_OLDER"]);
    expect(kept().toSorted()).toEqual([OLDER, "mine\n"].toSorted());
  });

  it.each([
    ["names no moment of this log", OLDER.replace(/^head: "./m, 'head: "_')],
    ["names no renderer", OLDER.replace(/^renderer: 1\n/m, "")],
  ])("[PROJ-21] a task.yaml that %s is drift", async (_what, taskYaml) => {
    expect(taskYaml).not.toBe(OLDER);
    const { write, kept } = upgraded({ "task.yaml": taskYaml });
    expect((await write()).map((w) => w.code)).toEqual(["PROJECTION_DRIFT"]);
    expect(kept()).toEqual([taskYaml]);
  });
});
