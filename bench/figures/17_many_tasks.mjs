import { workspaceOf } from "../lib/many_tasks.mjs";
import { paired } from "../lib/measure.mjs";
import { row } from "../lib/report.mjs";
import { call, note } from "../lib/workspaces.mjs";

const MANY = 10_000;
const FEW = 10;

/** The cost of a change must not depend on the number of tasks beside it. @param {import("../run.mjs").Setting} setting */
export async function run(setting) {
  const [many, few] = [await workspaceOf(setting.folder(), MANY), await workspaceOf(setting.folder(), FEW)];
  const noting = (ws) => async (times) => {
    for (let i = 0; i < times; i++) await note(ws);
  };
  const creating = (ws) => async (times) => {
    for (let i = 0; i < times; i++) await call(ws, "tasks_create", { kind: "task", title: "One more" });
  };
  const rounds = setting.quick ? 11 : 31;
  const notes = await paired(noting(many), noting(few), { rounds, na: 200, nb: 200, warm: 3 });
  const creates = await paired(creating(many), creating(few), { rounds, na: 5, nb: 5, warm: 2 });
  await many.close();
  await few.close();
  const told = ({ a, b }) => `${a.toFixed(1)} us with ${MANY} tasks, ${b.toFixed(1)} us with ${FEW}`;
  const both = { figure: 17, unit: "x", better: "lower", must: 1.3, aim: 1.1 };
  return [
    row({ ...both, name: "mutation without sync, 10k tasks to 10", spread: notes.ratio, told: told(notes) }),
    row({ ...both, name: "creation without sync, 10k tasks to 10", spread: creates.ratio, told: told(creates) }),
  ];
}
