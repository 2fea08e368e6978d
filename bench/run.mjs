// The project's figures, each a ratio against bare work on the same machine in the same run (bench/README.md).
//   npm run bench [-- --quick] [--json | --markdown] [--only 1,2] [--strict] [--dir FOLDER]
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { cpus } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { markdown, table } from "./lib/report.mjs";
import { warmUp } from "./lib/workspaces.mjs";

/** @typedef {{ quick: boolean, folder: () => string }} Setting `folder` gives a new empty folder on the disk that is measured. */

const TMPFS = 0x01021994;
const here = import.meta.dirname;

const { values: options } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    markdown: { type: "boolean", default: false },
    strict: { type: "boolean", default: false },
    only: { type: "string" },
    dir: { type: "string", default: join(here, "../node_modules/.cache") },
  },
});

if (!existsSync(join(here, "../dist/index.js"))) throw new Error("expected a build in dist; run `npm run build`");

const only = options.only?.split(",").map(Number);
const files = readdirSync(join(here, "figures")).toSorted();
const chosen = files.filter((name) => !only || only.includes(Number.parseInt(name, 10)));
const unknown = only?.filter((n) => !files.some((name) => Number.parseInt(name, 10) === n)) ?? [];
if (unknown.length > 0)
  throw new Error(
    `expected figures of ${files.map((name) => Number.parseInt(name, 10)).join(", ")}; found ${unknown.join(", ")}`,
  );

mkdirSync(options.dir, { recursive: true });
const temp = mkdtempSync(join(resolve(options.dir), "taskfold-bench-"));
const say = (text) => (options.json ? undefined : console.error(text));
if (statfsSync(temp).type === TMPFS)
  say("Warning: this folder is in memory, where a sync costs nothing; use --dir for one on a disk.");

/** Figures of single mutations in this process. */
const WARM = /^0[1-5]_|^17_/;

const rows = [];
try {
  if (chosen.some((name) => WARM.test(name))) await warmUp(mkdtempSync(join(temp, "warm-")));
  for (const name of chosen) {
    // A disk still busy with what was written before is up to ten times slower.
    if (process.platform !== "win32") execFileSync("sync");
    say(`${name} ...`);
    const { run } = await import(pathToFileURL(join(here, "figures", name)).href);
    const folder = () => mkdtempSync(join(temp, "root-"));
    rows.push(...(await run({ quick: options.quick, folder })));
  }
} finally {
  rmSync(temp, { recursive: true, force: true });
}

if (options.json) console.log(JSON.stringify(rows, null, 2));
else {
  console.log(
    `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${cpus().length} x ${cpus()[0]?.model ?? "unknown CPU"}\n`,
  );
  console.log(options.markdown ? markdown(rows) : table(rows));
}
if (options.strict && rows.some((r) => !r.ok)) process.exitCode = 1;
