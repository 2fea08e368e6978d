import { spawnSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { paired } from "../lib/measure.mjs";
import { row } from "../lib/report.mjs";
import { listedWorkspace } from "../lib/scale_run.mjs";

const TASKS = 10_000;
const CLI = join(import.meta.dirname, "../../dist/cli.cjs");
const READ = `const fs = require("node:fs");
fs.readFileSync(process.argv[1]);
const lines = fs.readFileSync(process.argv[2], "utf8");
fs.writeSync(1, lines);`;

/** The floor: a process that reads the index and prints the same lines. @param {import("../run.mjs").Setting} setting */
export async function run(setting) {
  const root = setting.folder();
  await listedWorkspace(root, { tasks: TASKS, open: TASKS });
  const registry = join(root, ".coco", "registry");
  const machine = readdirSync(registry).find((name) => name.startsWith("machine-"));
  const index = join(registry, machine, "index", "listing.index");
  const printed = spawnSync(process.execPath, [CLI, "list"], { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 });
  if (printed.status !== 0) throw new Error(printed.stderr);
  const text = join(root, "printed.txt");
  writeFileSync(text, printed.stdout);
  const start = (argv) => (times) => {
    for (let i = 0; i < times; i++) {
      const { status, stderr } = spawnSync(process.execPath, argv, { cwd: root, stdio: ["ignore", "ignore", "pipe"] });
      if (status !== 0) throw new Error(String(stderr));
    }
  };
  const how = { rounds: setting.quick ? 7 : 21, na: 1, nb: 1, warm: 1 };
  const { ratio, a, b } = await paired(start([CLI, "list"]), start(["-e", READ, index, text]), how);
  return [
    row({
      figure: 21,
      name: `taskfold list of ${TASKS} tasks`,
      unit: "x reading the index and printing",
      spread: ratio,
      better: "lower",
      must: 2,
      aim: 1.3,
      told: `${(a / 1000).toFixed(0)} ms, reading and printing ${(b / 1000).toFixed(0)} ms`,
    }),
  ];
}
