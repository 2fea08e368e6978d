// @ts-check
// After the bundle: runs the commands that are typed most, and keeps what V8 compiled for them beside the code (spec/decisions/0012-compiled-code.md).
// Another Node, and a package from a registry, do without.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** @typedef {{ exports: unknown, script: import("node:vm").Script, compiled: string }} Part */
/** @typedef {{ runCli: (argv: string[], io: object) => Promise<number>, nodeIo: () => Record<string, unknown> }} Main */
const dist = join(import.meta.dirname, "../dist");
/** @type {{ load: (path: string) => unknown, parts: Map<string, Part>, COMPILED: string }} */
const { load, parts, COMPILED } = createRequire(import.meta.url)("../dist/cli.cjs");

const PROGRAM = join(dist, "program.cjs");
const main = /require\([`"](\.\/cli\/main-[^`"]*)[`"]\)/.exec(readFileSync(PROGRAM, "utf8"))?.[1];
if (main === undefined) throw new Error("dist/program.cjs names no part main");
const { runCli, nodeIo } = /** @type {{ main_exports: Main }} */ (load(join(dist, main))).main_exports;

const root = mkdtempSync(join(tmpdir(), "taskfold-compile-"));
const io = { ...nodeIo(), env: {}, cwd: root, stdout: () => {}, stderr: () => {} };

/** @param {string[]} argv */
async function run(...argv) {
  if ((await runCli(argv, io)) !== 0) throw new Error(`taskfold ${argv.join(" ")} failed`);
}

/** @type {Map<string, Buffer>} */
const kept = new Map();
/** Kept code stays: code that only a later command entered would make earlier ones slower to load. */
function keep() {
  for (const { script, compiled } of parts.values())
    if (!kept.has(compiled)) kept.set(compiled, script.createCachedData());
}

try {
  execFileSync(process.execPath, [join(dist, "cli.cjs"), "init", "--workspace", "acme/repo"], { cwd: root });
  execFileSync(process.execPath, [join(dist, "cli.cjs"), "add", "One", "--step", "First", "--criteria", "it works"], {
    cwd: root,
  });
  await run("list");
  await run("radar", "TASK-001");
  await run("show", "1");
  keep();
  for (const argv of [["status"], ["ready"], ["board"]]) await run(...argv);
  await run("claim", "1");
  await run("note", "1", "a note");
  await run("add", "Two");
  keep();
} finally {
  rmSync(root, { recursive: true, force: true });
}
rmSync(dirname(COMPILED), { recursive: true, force: true });
mkdirSync(COMPILED, { recursive: true });
for (const [path, bytes] of kept) writeFileSync(path, bytes);
