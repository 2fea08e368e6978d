import { durableAppends } from "../lib/limits.mjs";
import { inverse, paired } from "../lib/measure.mjs";
import { row } from "../lib/report.mjs";
import { lastLine, note, taskWorkspace } from "../lib/workspaces.mjs";

/** Durable mutations by a lone caller, against L. @param {import("../run.mjs").Setting} setting */
export async function durable(setting, projections, { figure, name, must, aim, n, warm = 1 }) {
  const folder = setting.folder();
  const ws = await taskWorkspace(folder, { projections });
  await note(ws);
  const limit = durableAppends(folder, lastLine(folder));
  const ours = async (count) => {
    for (let i = 0; i < count; i++) await note(ws);
  };
  const { ratio, a, b } = await paired(ours, limit.run, { rounds: setting.quick ? 11 : 41, na: n, nb: n, warm });
  limit.close();
  await ws.close();
  const told = `${a.toFixed(0)} us a mutation, L ${b.toFixed(0)} us`;
  return [row({ figure, name, unit: "L", spread: inverse(ratio), better: "higher", must, aim, told })];
}

/** @param {import("../run.mjs").Setting} setting */
export function run(setting) {
  return durable(setting, "manual", { figure: 1, name: "durable mutation, log only", must: 0.5, aim: 0.8, n: 100 });
}
