import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { openWorkspace } from "../../dist/index.js";
import { workspaceOf } from "../lib/many_tasks.mjs";
import { paired } from "../lib/measure.mjs";
import { readIndex } from "../lib/read_index.mjs";
import { row } from "../lib/report.mjs";
import { call } from "../lib/workspaces.mjs";

const TASKS = 10_000;

/**
 * The list from an index, and from memory. Both look at every log, so that no answer is older than the logs are: that
 * look is most of what they cost. @param {import("../run.mjs").Setting} setting
 */
export async function run(setting) {
  const folder = setting.folder();
  await (await workspaceOf(folder, TASKS)).close();
  const before = openWorkspace({ root: folder });
  await call(before, "tasks_context", {});
  await before.close();
  const registry = join(folder, ".coco", "registry");
  const machine = readdirSync(registry).find((name) => name.startsWith("machine-"));
  const index = join(registry, machine, "index", "listing.index");
  const tasks = join(folder, ".coco", "tasks");
  const cold = async (times) => {
    for (let i = 0; i < times; i++) await call(openWorkspace({ root: folder }), "tasks_context", {});
  };
  const reading = (times) => {
    for (let i = 0; i < times; i++) readIndex(index);
  };
  const open = openWorkspace({ root: folder });
  const warm = async (times) => {
    for (let i = 0; i < times; i++) await call(open, "tasks_context", {});
  };
  const looking = (times) => {
    for (let i = 0; i < times; i++) for (const id of readdirSync(tasks)) lstatSync(join(tasks, id, "events.jsonl"));
  };
  const how = { rounds: setting.quick ? 9 : 21, na: 2, nb: 2, warm: 2 };
  const fromIndex = await paired(cold, reading, how);
  const fromMemory = await paired(warm, looking, how);
  await open.close();
  const told = ({ a, b }, what) => `${(a / 1000).toFixed(0)} ms, ${what} ${(b / 1000).toFixed(0)} ms`;
  const both = { figure: 12, better: "lower", aim: 1.3 };
  return [
    row({
      ...both,
      name: `list of ${TASKS} tasks from an index`,
      unit: "x reading the index",
      spread: fromIndex.ratio,
      must: 2,
      told: told(fromIndex, "reading the index"),
    }),
    row({
      ...both,
      name: `list of ${TASKS} tasks from memory`,
      unit: "x looking at their logs",
      spread: fromMemory.ratio,
      must: 2,
      told: told(fromMemory, "looking at the logs"),
    }),
  ];
}
