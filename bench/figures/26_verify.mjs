import { openWorkspace } from "../../dist/index.js";
import { workspaceOf } from "../lib/many_tasks.mjs";
import { paired } from "../lib/measure.mjs";
import { entityFiles, readAndHash } from "../lib/on_disk.mjs";
import { row } from "../lib/report.mjs";

/** Proving every log and every file, against reading and hashing the same bytes. @param {import("../run.mjs").Setting} setting */
export async function run(setting) {
  const tasks = setting.quick ? 1000 : 10_000;
  const folder = setting.folder();
  await (await workspaceOf(folder, tasks)).close();
  const ws = openWorkspace({ root: folder, durability: "os" });
  await ws.repair.rebuild();
  const paths = entityFiles(folder);
  const ours = (times) => {
    for (let i = 0; i < times; i++) {
      const { ok, entities } = ws.verify();
      if (!ok || entities !== tasks) throw new Error(`verified ${entities} of ${tasks} tasks, all well: ${ok}`);
    }
  };
  const bare = (times) => {
    for (let i = 0; i < times; i++) readAndHash(paths);
  };
  const { ratio, a, b } = await paired(ours, bare, { rounds: setting.quick ? 7 : 9, na: 1, nb: 1, warm: 1 });
  await ws.close();
  return [
    row({
      figure: 26,
      name: `verify of ${tasks} tasks`,
      unit: "x reading and hashing",
      spread: ratio,
      better: "lower",
      must: 2,
      aim: 1.3,
      told: `${(a / 1000).toFixed(0)} ms, reading and hashing ${paths.length} files ${(b / 1000).toFixed(0)} ms`,
    }),
  ];
}
