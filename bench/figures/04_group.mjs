import { durableAppends } from "../lib/limits.mjs";
import { inverse, paired } from "../lib/measure.mjs";
import { row } from "../lib/report.mjs";
import { concurrently, lastLine, note, taskWorkspace } from "../lib/workspaces.mjs";

/** Callers at once share writes and syncs. @param {import("../run.mjs").Setting} setting */
export async function group(setting, projections, { figure, name, goals, warm = 2 }) {
  const rows = [];
  for (const [callers, must, aim] of goals) {
    const folder = setting.folder();
    const ws = await taskWorkspace(folder, { projections });
    await note(ws);
    const limit = durableAppends(folder, lastLine(folder));
    const how = { rounds: setting.quick ? 11 : 31, na: callers * 16, nb: 100, warm };
    const { ratio, a, b } = await paired((count) => concurrently(ws, callers, count), limit.run, how);
    limit.close();
    await ws.close();
    const told = `${a.toFixed(1)} us a mutation, L ${b.toFixed(0)} us`;
    rows.push(
      row({
        figure,
        name: `${callers} callers, ${name}`,
        unit: "L",
        spread: inverse(ratio),
        better: "higher",
        must,
        aim,
        told,
      }),
    );
  }
  return rows;
}

/** @param {import("../run.mjs").Setting} setting */
export function run(setting) {
  return group(setting, "manual", {
    figure: 4,
    name: "log only",
    goals: [
      [16, 3.5, 8],
      [64, 6.5, 14],
    ],
  });
}
