import { plainAppends } from "../lib/limits.mjs";
import { paired } from "../lib/measure.mjs";
import { row } from "../lib/report.mjs";
import { lastLine, note, taskWorkspace } from "../lib/workspaces.mjs";

/** The cost of the engine itself: no sync, no projections. @param {import("../run.mjs").Setting} setting */
export async function run(setting) {
  const folder = setting.folder();
  const ws = await taskWorkspace(folder, { projections: "manual", durability: "os" });
  await note(ws);
  const limit = plainAppends(folder, lastLine(folder));
  const ours = async (count) => {
    for (let i = 0; i < count; i++) await note(ws);
  };
  const { ratio, a, b } = await paired(ours, limit.run, {
    rounds: setting.quick ? 15 : 41,
    na: 500,
    nb: 2000,
    warm: 4,
  });
  limit.close();
  await ws.close();
  const told = `${a.toFixed(1)} us a mutation, writeSync ${b.toFixed(1)} us`;
  return [
    row({
      figure: 3,
      name: "mutation without sync",
      unit: "x writeSync",
      spread: ratio,
      better: "lower",
      must: 35,
      aim: 7,
      told,
    }),
  ];
}
