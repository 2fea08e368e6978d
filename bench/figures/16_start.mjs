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
  const { ratio, a, b } = await paired(start([CLI, "list"]), start(["-e", "0"]), {
    rounds: setting.quick ? 9 : 25,
    na: 2,
    nb: 2,
  });
  const told = `${(a / 1000).toFixed(0)} ms, node -e 0 ${(b / 1000).toFixed(0)} ms`;
  return [
    row({
      figure: 16,
      name: `taskfold list, ${TASKS} tasks`,
      unit: "x node -e 0",
      spread: ratio,
      better: "lower",
      must: 2.5,
      aim: 1.6,
      told,
    }),
  ];
}
