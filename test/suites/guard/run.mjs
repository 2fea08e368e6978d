// @ts-check
/**
 * `npm run guard -- [--runs 2000] [--seed 1] [--dir DIR] [--json]`: attacks the guard that stands before general file tools. In
 * folders with real links, it opens real paths as the system does, and calls ordinary file tools (examples/) with them. A
 * fuzzed grammar spells the names of packages. Exit code 1 for any way in.
 *
 * - `--dir` is a folder on the file system to try: one that ignores letter case shows more.
 * - `--weaken PART` takes a part of the guard away, and the run has to find that.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { guardedFileTools } from "../../../examples/guarded_file_tools.mjs";
import { anyPath, plainPath, spelledOther, spelledPackage } from "./paths.mjs";
import { WEAKENED, WHOLE } from "./weak.mjs";
import { abilitiesOf, INSIDE, pick, SECRET, World } from "./world.mjs";
import { randomFrom } from "../../support/random_calls.mjs";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "2000" },
    seed: { type: "string", default: "1" },
    dir: { type: "string", default: tmpdir() },
    weaken: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const runs = count(values.runs);
const seed = count(values.seed);
const { weaken } = values;
if (weaken !== undefined && !Object.hasOwn(WEAKENED, weaken))
  throw new Error(`--weaken is one of ${Object.keys(WEAKENED).join(", ")}`);

/** Paths that are tried in one folder before another one is made. */
const EACH = 50;
/** Faults that are told; the rest is counted. */
const TOLD = 10;

const random = randomFrom(seed);
/** @type {import("./weak.mjs").Guard} */
const guard = { ...WHOLE, ...(weaken === undefined ? {} : WEAKENED[weaken]) };
// By its real path: what is judged by where it leads must not begin behind a link.
const base = mkdtempSync(join(realpathSync(values.dir), "taskfold-guard-"));
const abilities = abilitiesOf(base);
const report = {
  runs,
  seed,
  worlds: 0,
  paths: 0,
  /** Paths by which the system really comes to a package. */
  reaching: 0,
  refused: 0,
  tool_calls: 0,
  tool_calls_refused: 0,
  spellings: 0,
  /** Ways in: the guard let a path, a spelling or a tool through to a package. */
  bypasses: 0,
  /** Ordinary paths that were refused. */
  overblocked: 0,
  /** @type {string[]} */
  faults: [],
  not_available: Object.keys(abilities).filter((name) => abilities[name] !== true),
};

try {
  for (let left = runs; left > 0; left -= EACH) await attackOneWorld(Math.min(left, EACH));
  for (let i = 0; i < runs; i++) trySpellings();
} finally {
  rmSync(base, { recursive: true, force: true });
}
if (values.json) console.log(JSON.stringify(report, null, 2));
else tell();
process.exitCode = report.bypasses + report.overblocked > 0 || report.reaching === 0 ? 1 : 0;

/** @param {number} tries */
async function attackOneWorld(tries) {
  const root = join(base, `world-${report.worlds++}`);
  mkdirSync(root);
  let world = new World(root, random, abilities["links"] === true);
  for (let i = 0; i < tries; i++) {
    await tryPath(world);
    await tryPlainPath(world);
    await tryTool(world);
    const damage = world.damage();
    if (damage === undefined) continue;
    fault("bypasses", `a tool changed a package: ${damage}`);
    rmSync(root, { recursive: true });
    mkdirSync(root);
    world = new World(root, random, abilities["links"] === true);
  }
  rmSync(root, { recursive: true });
}

/** @param {World} world */
async function tryPath(world) {
  const { path, cwd } = anyPath(world, random);
  report.paths++;
  const refused = await guard.isEncapsulatedPath(path, { cwd });
  if (refused) report.refused++;
  if (!world.reaches(path, cwd)) return;
  report.reaching++;
  if (!refused)
    fault("bypasses", `${JSON.stringify(path)} from ${cwd.slice(world.root.length) || "/"} reaches a package`);
}

/** @param {World} world */
async function tryPlainPath(world) {
  const { path, cwd } = plainPath(world, random);
  if (await guard.isEncapsulatedPath(path, { cwd })) fault("overblocked", `${JSON.stringify(path)} is refused`);
}

/**
 * One call of one tool, with any paths. Its answer and its remains have nothing of a package but its name.
 * @param {World} world
 */
async function tryTool(world) {
  const tools = guardedFileTools({ root: world.root, guard });
  const path = toolPath(world);
  const to = toolPath(world);
  const [name, call] = pick(random, [
    ["read_file", () => tools.read_file({ path })],
    ["list_dir", () => tools.list_dir({ path })],
    ["grep", () => tools.grep({ path, text: random.chance(0.5) ? SECRET : "e" })],
    ["write_file", () => tools.write_file({ path, content: "overwritten" })],
    ["move", () => tools.move({ from: path, to })],
    ["delete", () => tools.delete({ path })],
  ]);
  report.tool_calls++;
  /** @type {unknown} */
  let answer;
  try {
    answer = await call();
  } catch (error) {
    // Refused by the guard, or by the system for its own reasons: whatever was done shows in the folder.
    if (error instanceof Error && "code" in error && error.code === "TASKDOC_ENCAPSULATED") report.tool_calls_refused++;
  }
  const text = JSON.stringify(answer ?? "");
  if (text.includes(SECRET) || text.includes(INSIDE))
    fault("bypasses", `${name} ${JSON.stringify(path)} shows ${text}`);
  for (const entry of Array.isArray(answer) ? answer : [])
    if (/\.tsk$/i.test(entry.name) && "size" in entry)
      fault("bypasses", `${name} ${path} shows the size of ${entry.name}`);
}

/** @param {World} world */
function toolPath(world) {
  // Never the folder itself with all the rest, and nothing out of it: the tools leave that to others.
  for (;;) {
    const { path } = random.chance(0.3) ? plainPath(world, random) : anyPath(world, random);
    const names = path.startsWith(world.root) ? path.slice(world.root.length).split("/") : path.split("/");
    let depth = 0;
    const inside = names.every((name) => (depth += name === ".." ? -1 : name === "." || name === "" ? 0 : 1) >= 0);
    if (inside && depth > 0 && world.staysInside(resolve(world.root, path))) return path;
  }
}

function trySpellings() {
  report.spellings += 2;
  const closed = spelledPackage(random);
  if (!guard.isEncapsulatedPathLexical(closed))
    fault("bypasses", `${JSON.stringify(closed)} is not taken for a package`);
  const open = spelledOther(random);
  if (guard.isEncapsulatedPathLexical(open)) fault("overblocked", `${JSON.stringify(open)} is taken for a package`);
}

/** @param {"bypasses" | "overblocked"} kind @param {string} what */
function fault(kind, what) {
  report[kind]++;
  if (report.faults.length < TOLD) report.faults.push(what);
}

function tell() {
  console.log(
    `${report.paths} paths in ${report.worlds} folders, ${report.reaching} of them lead into a package; ${report.refused} refused`,
  );
  console.log(
    `${report.tool_calls} calls of file tools, ${report.tool_calls_refused} refused; ${report.spellings} spellings`,
  );
  console.log(`${report.bypasses} bypasses, ${report.overblocked} ordinary paths refused`);
  if (report.not_available.length > 0)
    console.log(`not tried, this file system has none: ${report.not_available.join("; ")}`);
  for (const what of report.faults) console.log(`- ${what}`);
}

/** @param {string} text */
function count(text) {
  const n = Number(text);
  if (Number.isSafeInteger(n) && n > 0) return n;
  throw new Error(`expected a whole number from 1, found ${text}`);
}
