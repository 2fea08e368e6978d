import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openWorkspace } from "../../dist/index.js";
import { workspaceOf } from "../lib/many_tasks.mjs";
import { paired } from "../lib/measure.mjs";
import { row } from "../lib/report.mjs";
import { call } from "../lib/workspaces.mjs";

const TASKS = 10_000;

/** A process that knows nothing yet lists them all, against reading the task.yaml of each. @param {import("../run.mjs").Setting} setting */
export async function run(setting) {
  const folder = setting.folder();
  await (await workspaceOf(folder, TASKS)).close();
  const tasks = join(folder, ".coco", "tasks");
  const listing = async (times) => {
    // Not closed: that would leave an index, which is figure 12's.
    for (let i = 0; i < times; i++) await call(openWorkspace({ root: folder }), "tasks_context", {});
  };
  const reading = (times) => {
    for (let i = 0; i < times; i++)
      for (const id of readdirSync(tasks)) readFileSync(join(tasks, id, "task.yaml"), "utf8");
  };
  const { ratio, a, b } = await paired(listing, reading, { rounds: setting.quick ? 7 : 15, na: 1, nb: 1, warm: 2 });
  return [
    row({
      figure: 11,
      name: `list of ${TASKS} tasks, cold, no index`,
      unit: "x reading each task.yaml",
      spread: ratio,
      better: "lower",
      must: 1.8,
      aim: 1.3,
      told: `${(a / 1000).toFixed(0)} ms, reading each task.yaml ${(b / 1000).toFixed(0)} ms`,
    }),
  ];
}
