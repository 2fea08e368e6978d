// @ts-check
/**
 * `npm run e2e:cli [-- --json] [-- --update] [-- --only NAME] [-- --program FILE]` runs every command in a terminal of 60 and of 120 columns and in
 * a pipe. It compares the screens with test/golden_screens, and gives each command bad input, which changes nothing. Needs `npm run
 * build` and tmux. `--program` names the single executable, which is then the command. With `--only` (again for each screen) the story is played
 * as far as these screens, and nothing else is compared or tried.
 */
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { BAD_INPUTS } from "./bad_inputs.mjs";
import { masked, withoutProgress } from "./masks.mjs";
import { FILES, STORY } from "./story.mjs";
import { Terminal } from "./terminal.mjs";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const BUILT = join(ROOT, "dist/cli.cjs");
const GOLDEN = join(ROOT, "test/golden_screens");
const { values: options } = parseArgs({
  options: {
    json: { type: "boolean" },
    update: { type: "boolean" },
    program: { type: "string" },
    only: { type: "string", multiple: true },
  },
});
const ALL = STORY.flatMap((entry) => ("name" in entry ? [entry.name] : []));
const names = options.only ?? ALL;

/** Widths of the terminals; null is a pipe. */
const MODES = [60, 120, null];
/** A path of one length on every machine: the width of a terminal decides where its lines break. */
const WORLDS = "/tmp/taskfold-e2e-cli-";
/** Short enough that a line with both programs fits into the narrow terminal. */
const PROGRAMS = "/tmp/tf-";

/** @typedef {{ folder: string, repo: string, env: NodeJS.ProcessEnv }} World */

/** @type {string[]} */
const failed = [];

needs(BUILT, existsSync(BUILT), "npm run build makes it");
needs("tmux", spawnSync("tmux", ["-V"]).status === 0, "install the Debian package tmux");
for (const shell of ["zsh", "fish"])
  needs(shell, spawnSync(shell, ["--version"]).status === 0, `install the Debian package ${shell}`);

for (const name of names) needs(`a screen ${name}`, ALL.includes(name), `the screens are ${ALL.join(", ")}`);

const { programs, NODE, PROGRAM } = placed();
/** The words that start Taskfold. */
const START = options.program === undefined ? [NODE, PROGRAM] : [executable(options.program)];
const worlds = MODES.map(() => world());
try {
  // All of them end, also if one fails: none leaves a terminal behind.
  const plays = await Promise.allSettled(MODES.map((width, i) => played(width, worlds[i] ?? world())));
  const columns = plays.map((play) => {
    if (play.status === "rejected") throw play.reason;
    return play.value;
  });
  const texts = new Map(names.map((name) => [name, pageOf(name, columns)]));
  if (options.update) write(texts);
  else compare(texts);
  const beside = options.only ? { commands: 0, bad_inputs: 0 } : await eachCommand(worlds[2] ?? world());
  report({ ...beside, screens: names.length * MODES.length, failed });
} finally {
  for (const folder of [programs, ...worlds.map((one) => one.folder)]) rmSync(folder, { recursive: true, force: true });
}

/** Every command has a screen and bad inputs, which it refuses. @param {World} at */
async function eachCommand(at) {
  const commands = commandsOf();
  for (const command of commands) {
    const isShown = STORY.some((entry) => "run" in entry && startsWith(entry.run, command));
    if (!isShown) failed.push(`no screen of taskfold ${command}`);
    if (!BAD_INPUTS[command]) failed.push(`no bad input for taskfold ${command}`);
  }
  for (const command of Object.keys(BAD_INPUTS))
    if (![...commands, "ls", "help"].includes(command)) failed.push(`taskfold ${command} is no command`);
  return { commands: commands.length, bad_inputs: await refusals(at) };
}

/** Node and the build at paths of one length, wherever Node and this checkout lie: screens show both. */
function placed() {
  const folder = mkdtempSync(PROGRAMS);
  for (const name of readdirSync(ROOT))
    if (name !== "dist" && !name.startsWith(".")) symlinkSync(join(ROOT, name), join(folder, name));
  cpSync(join(ROOT, "dist"), join(folder, "dist"), { recursive: true });
  const node = join(folder, "node");
  copyFileSync(process.execPath, node);
  return { programs: folder, NODE: node, PROGRAM: join(folder, "dist/cli.cjs") };
}

/** The single executable beside them. @param {string} file */
function executable(file) {
  const path = join(programs, "taskfold");
  copyFileSync(file, path);
  return path;
}

/** @param {string} what @param {boolean} isThere @param {string} advice */
function needs(what, isThere, advice) {
  if (isThere) return;
  const said = `e2e:cli needs ${what}: ${advice}.`;
  if (options.json) console.log(JSON.stringify({ commands: 0, screens: 0, bad_inputs: 0, failed: [said] }));
  console.error(said);
  process.exit(1);
}

/** @param {{ commands: number, screens: number, bad_inputs: number, failed: string[] }} result */
function report(result) {
  if (options.json) console.log(JSON.stringify(result, null, 2));
  else {
    for (const one of result.failed) console.log(`FAIL  ${one}`);
    const { commands, screens, bad_inputs } = result;
    console.log(`${commands} commands, ${screens} screens, ${bad_inputs} bad inputs, ${result.failed.length} failed`);
  }
  process.exitCode = result.failed.length > 0 ? 1 : 0;
}

/** A folder with a home, the program, and a repository to be. @returns {World} */
function world() {
  const folder = mkdtempSync(WORLDS);
  const repo = join(folder, "repo");
  for (const name of ["home", "bin", "repo"]) mkdirSync(join(folder, name));
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  cpSync(join(ROOT, "test/runner/servants"), join(folder, "servants"), { recursive: true });
  const sample = "task-2f61da5b5ec7488eb79fc983790aa10c";
  cpSync(join(ROOT, "test/data/coco", sample), join(folder, "coco", sample), { recursive: true });
  const program = join(folder, "bin/taskfold");
  writeFileSync(program, `#!/bin/sh\nexec ${START.map((path) => `"${path}"`).join(" ")} "$@"\n`);
  chmodSync(program, 0o755);
  writeFileSync(join(folder, "home/.gitconfig"), "[user]\n\tname = Ada Lovelace\n\temail = ada@example.com\n");
  const env = {
    PATH: `${join(folder, "bin")}:${process.env["PATH"]}`,
    HOME: join(folder, "home"),
    SHELL: "/bin/bash",
    GIT_CONFIG_NOSYSTEM: "1",
    LANG: "C.UTF-8",
    TZ: "UTC",
    TERM: "xterm-256color",
  };
  return { folder, repo, env };
}

/** Plays the story; the text of each screen by its name. @param {number | null} width @param {World} at */
async function played(width, { folder, repo, env }) {
  const terminal = width === null ? undefined : new Terminal(folder, env);
  /** @type {Map<string, string>} */
  const screens = new Map();
  if (width !== null) await terminal?.open(width, repo);
  try {
    const last = STORY.findLastIndex((entry) => "name" in entry && names.includes(entry.name));
    for (const entry of STORY.slice(0, last + 1)) {
      if ("shell" in entry) {
        if (entry.only && !terminal) continue;
        const { code, err } = await piped(entry.shell, repo, env);
        if (code !== 0) throw new Error(`expected to pass: ${entry.shell}\n${err}`);
        continue;
      }
      const { run, dialog, pipe = run, name } = entry;
      if (terminal) {
        const { text, code, wraps } = await terminal.run(run, repo, dialog);
        const note = wraps ? ", a line is wider than the terminal" : "";
        screens.set(name, `=== ${width} columns, exit ${code}${note}\n${text}\n`);
      } else {
        const { code, out, err: told } = await piped(pipe, repo, env);
        const err = withoutProgress(told);
        if ((out + err).includes("\u001b")) failed.push(`${name}: an escape sequence in a pipe`);
        const said = err === "" ? out : `${out}--- stderr\n${err}`;
        screens.set(name, `=== pipe, exit ${code}${pipe === run ? "" : `\n$ ${pipe}`}\n${said}`);
      }
    }
  } finally {
    await terminal?.close();
  }
  return screens;
}

/** @param {string} line @param {string} cwd @param {NodeJS.ProcessEnv} env @returns {Promise<{ code: number, out: string, err: string }>} */
function piped(line, cwd, env) {
  return new Promise((done) => {
    const child = execFile("sh", ["-c", line], { cwd, env, maxBuffer: 1 << 26 }, (_error, out, err) =>
      done({ code: child.exitCode ?? -1, out, err }),
    );
    child.stdin?.end();
  });
}

/** One golden file: what is typed, and what is seen. @param {string} name @param {Map<string, string>[]} columns */
function pageOf(name, columns) {
  const entry = STORY.find((one) => "name" in one && one.name === name);
  const text = columns.map((screens) => screens.get(name)).join("\n");
  const [first = "", second] = START;
  const shown = masked(
    text,
    second === undefined ? { [first]: "<node> <program>" } : { [first]: "<node>", [second]: "<program>" },
  );
  return `$ ${entry && "run" in entry ? entry.run : ""}\n\n${shown}`;
}

/** @param {Map<string, string>} texts */
function write(texts) {
  if (!options.only) rmSync(GOLDEN, { recursive: true, force: true });
  mkdirSync(GOLDEN, { recursive: true });
  for (const [name, text] of texts) writeFileSync(join(GOLDEN, `${name}.txt`), text);
}

/** @param {Map<string, string>} texts */
function compare(texts) {
  const there = existsSync(GOLDEN) ? readdirSync(GOLDEN).map((file) => file.replace(/\.txt$/, "")) : [];
  for (const name of options.only ? [] : there)
    if (!texts.has(name)) failed.push(`${name}.txt is the screen of nothing`);
  for (const [name, text] of texts) {
    const golden = there.includes(name) ? readFileSync(join(GOLDEN, `${name}.txt`), "utf8") : "";
    if (golden !== text) failed.push(`${name}: ${firstDifference(golden, text)}`);
  }
}

/** @param {string} golden @param {string} text */
function firstDifference(golden, text) {
  const [before, now] = [golden.split("\n"), text.split("\n")];
  const at = now.findIndex((line, i) => line !== before[i]);
  const line = at === -1 ? now.length : at;
  return `line ${line + 1}: expected ${JSON.stringify(before[line] ?? "")}, found ${JSON.stringify(now[line] ?? "")}; -- --update writes it anew`;
}

/** Every command of the program, a command of a group by both words. */
function commandsOf() {
  /** @param {string[]} before */
  const after = (...before) =>
    execFileSync(join(worlds[0]?.folder ?? "", "bin/taskfold"), ["__complete", "--", ...before, ""], {
      cwd: "/",
      encoding: "utf8",
    })
      .split("\n")
      .flatMap((line) => (line === "" ? [] : [line.split("\t")[0] ?? ""]));
  return after().flatMap((name) => {
    const inner = ["plan", "taskdoc", "packet", "git"].includes(name) ? after(name) : [];
    return inner.length === 0 ? [name] : inner.map((one) => `${name} ${one}`);
  });
}

/** @param {string} line @param {string} command */
function startsWith(line, command) {
  return `${line.slice(line.indexOf("taskfold "))} `.startsWith(`taskfold ${command} `);
}

/** How many bad inputs were tried. @param {World} at */
async function refusals({ folder, repo, env }) {
  let tried = 0;
  for (const [command, lines] of Object.entries(BAD_INPUTS)) {
    for (const one of lines) {
      const [rest, exit] = typeof one === "string" ? [one, 2] : one;
      const line = `taskfold ${command} ${rest}`.trim();
      const before = digest(folder);
      const { code, out, err } = await piped(line, repo, env);
      const name = JSON.stringify(line).slice(1, -1);
      const [first = "", help = ""] = err.split("\n");
      if (code !== exit) failed.push(`${name}: expected exit ${exit}, found ${code}: ${out}${err}`.trim());
      else if (out !== "") failed.push(`${name}: expected nothing on stdout, found ${out}`);
      else if (!/^[A-Z_]+: \S/.test(first) || !/^ +\S/.test(help))
        failed.push(`${name}: expected CODE: message and a line that helps, found ${JSON.stringify(err)}`);
      if (digest(folder) !== before) failed.push(`${name}: changed something on disk`);
      tried++;
    }
  }
  return tried;
}

/** Of every name, link and byte below a folder, but the empty files of locks that no call needed before. @param {string} folder */
function digest(folder) {
  const hash = createHash("sha256");
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true }).toSorted((a, b) =>
    join(a.parentPath, a.name) < join(b.parentPath, b.name) ? -1 : 1,
  )) {
    const path = join(entry.parentPath, entry.name);
    if (path.includes("/.coco/locks/") && entry.isFile() && statSync(path).size === 0) continue;
    hash.update(`${path}\0`);
    if (entry.isFile()) hash.update(readFileSync(path));
    if (entry.isSymbolicLink()) hash.update(readlinkSync(path));
  }
  return hash.digest("hex");
}
