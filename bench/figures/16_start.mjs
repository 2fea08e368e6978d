import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { openWorkspace } from "../../dist/index.js";
import { paired } from "../lib/measure.mjs";
import { row } from "../lib/report.mjs";
import { call } from "../lib/workspaces.mjs";

const TASKS = 100;
const CLI = join(import.meta.dirname, "../../dist/cli.cjs");

/** Node itself is the floor of any command. @param {import("../run.mjs").Setting} setting */
export async function run(setting) {
  const folder = setting.folder();
  const ws = openWorkspace({ root: folder, durability: "os" });
  for (let i = 0; i < TASKS; i++) await call(ws, "tasks_create", { kind: "task", title: `Task ${i}` });
  await ws.close();
  const start = (argv) => (times) => {
    for (let i = 0; i < times; i++) {
      const { status, stdout, stderr } = spawnSync(process.execPath, argv, { cwd: folder, encoding: "utf8" });
      if (status !== 0) throw new Error(`${argv.join(" ")}: exit ${status}\n${stdout}${stderr}`);
    }
  };
  const rows = [];
  for (const [name, must, ...argv] of [
    [`taskfold list, ${TASKS} tasks`, 1.6, "list"],
    [`taskfold radar, ${TASKS} tasks`, 1.6, "radar", "TASK-001"],
  ]) {
    const how = { rounds: setting.quick ? 9 : 25, na: 2, nb: 2 };
    const { ratio, a, b } = await paired(start([CLI, ...argv]), start(["-e", "0"]), how);
    const told = `${(a / 1000).toFixed(0)} ms, node -e 0 ${(b / 1000).toFixed(0)} ms`;
    rows.push(row({ figure: 16, name, unit: "x node -e 0", spread: ratio, better: "lower", must, aim: 1.6, told }));
  }
  return rows;
}
