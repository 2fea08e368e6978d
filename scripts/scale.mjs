/**
 * Prints the cost of a large workspace, row by row.
 *
 * - `npm run scale -- [--tasks 100000] [--open 1000] [--dir FOLDER] [--json]`
 *
 * Makes the workspace below node_modules/.cache (or in FOLDER), and removes it at the end. Each command and call runs in a
 * process of its own.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { scaleSteps } from "../bench/lib/scale_run.mjs";
import { scaleWorkspace } from "../bench/lib/scale_workspace.mjs";

const here = import.meta.dirname;
const CLI = join(here, "../dist/cli.cjs");
const { values: options } = parseArgs({
  options: {
    tasks: { type: "string", default: "100000" },
    open: { type: "string", default: "1000" },
    dir: { type: "string", default: join(here, "../node_modules/.cache") },
    json: { type: "boolean", default: false },
  },
});
const tasks = count("tasks", options.tasks, 1);
const open = count("open", options.open, 0);
if (open > tasks) throw new Error(`expected --open of at most ${tasks}, found ${open}`);

mkdirSync(options.dir, { recursive: true });
const root = mkdtempSync(join(resolve(options.dir), "taskfold-scale-"));
try {
  console.error(`making ${tasks} tasks, ${open} of them open ...`);
  await scaleWorkspace(root, { tasks, open });
  const first = scaleSteps(root);
  const rows = [
    ...rowsOf("no index yet", first),
    ...rowsOf("from the index", scaleSteps(root)),
    ...["list", "radar"].map((command) => commandRow(command)),
  ];
  if (options.json) console.log(JSON.stringify({ tasks, open, rows }, null, 2));
  else
    for (const { what, ms, mb } of rows)
      console.log(`${what.padEnd(44)} ${ms === undefined ? `${mb} MB` : `${ms} ms`}`);
} finally {
  rmSync(root, { recursive: true, force: true });
}

/** @param {string} how @param {{ took: Record<string, number>, memory: number }} measured */
function rowsOf(how, { took, memory }) {
  const steps = Object.entries(took).map(([what, ms]) => ({ what: `${what}, ${how}`, ms: rounded(ms) }));
  return [...steps, { what: `memory, ${how}`, mb: Math.round(memory) }];
}

/** A whole command, the start of node included. @param {string} command */
function commandRow(command) {
  const argv = [CLI, command, ...(command === "radar" ? ["TASK-001"] : [])];
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, argv, { cwd: root, stdio: ["ignore", "ignore", "pipe"] });
  if (status !== 0) throw new Error(`${argv.slice(1).join(" ")}: exit ${status}\n${String(stderr)}`);
  return { what: `taskfold ${argv.slice(1).join(" ")}`, ms: rounded(performance.now() - start) };
}

/** @param {number} ms */
function rounded(ms) {
  return Number(ms.toPrecision(3));
}

/** @param {string} name @param {string} text @param {number} least */
function count(name, text, least) {
  const n = Number(text);
  if (!Number.isSafeInteger(n) || n < least)
    throw new Error(`expected --${name} to be a whole number from ${least}, found ${text}`);
  return n;
}
