import { existsSync } from "node:fs";
import { join } from "node:path";
import { durableAppends } from "../lib/limits.mjs";
import { inverse, paired } from "../lib/measure.mjs";
import { row } from "../lib/report.mjs";
import { lastLine, note, taskWorkspace } from "../lib/workspaces.mjs";
import { Writers } from "../lib/writers.mjs";

/** Where there are no OS locks. @param {import("../run.mjs").Setting} setting */
export async function run(setting) {
  if (!existsSync(join(import.meta.dirname, "../../dist/engine/locks/lockfile_lock.js"))) return [];
  const writers = await Writers.start(setting.folder(), 3, "lockfile");
  await writers.write(setting.quick ? 300 : 1500);
  await writers.end();
  const folder = setting.folder();
  const ws = await taskWorkspace(folder, { projections: "manual", lock: "lockfile" });
  await note(ws);
  const limit = durableAppends(folder, lastLine(folder));
  const ours = async (count) => {
    for (let i = 0; i < count; i++) await note(ws);
  };
  const { ratio, a, b } = await paired(ours, limit.run, { rounds: setting.quick ? 9 : 31, na: 100, nb: 100 });
  limit.close();
  await ws.close();
  return [
    row({
      figure: 14,
      name: "durable mutation under lock files, no other writer",
      unit: "L",
      spread: inverse(ratio),
      better: "higher",
      must: 0.3,
      aim: 0.8,
      told: `${a.toFixed(0)} us a mutation, L ${b.toFixed(0)} us; with three processes none lost, torn or doubled`,
    }),
  ];
}
