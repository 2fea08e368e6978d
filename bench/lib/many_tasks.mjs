// Workspaces of many tasks: the first by the engine, the others as git would bring them.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readEntity, subjectOf } from "../../dist/engine/entity/entity_on_disk.js";
import { sealOp } from "../../dist/log/envelope.js";
import { taskYaml } from "../../dist/projections/task_yaml.js";
import { creation } from "./creation.mjs";
import { taskWorkspace } from "./workspaces.mjs";

/** @param {string} folder @param {number} tasks */
export async function workspaceOf(folder, tasks) {
  const ws = await taskWorkspace(folder, { projections: "manual", durability: "os" });
  for (let n = 2; n <= tasks; n++) {
    const id = `TASK-${String(n).padStart(3, "0")}`;
    const { bytes } = sealOp({
      taskId: id,
      by: "agent:w1",
      ts: "2026-01-01T00:00:00.000Z",
      tool: "tasks_create",
      opId: n.toString(16).padStart(16, "0"),
      heads: [],
      seq: 0,
      drafts: [creation(`Task ${n}`)],
    });
    const path = join(folder, ".coco", "tasks", id);
    mkdirSync(path);
    writeFileSync(join(path, "events.jsonl"), bytes);
    const { entity, report } = readEntity(bytes, () => false);
    writeFileSync(join(path, "task.yaml"), taskYaml(subjectOf(id, "acme/repo", entity, report)));
  }
  return ws;
}
