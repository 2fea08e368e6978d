// @ts-check
/**
 * `npm run e2e:start [-- --json] [--clients] [--only WAY]...` goes each way in from nothing to a closed step, with the package as npm
 * packs it. For each way it says how many seconds it took and how many bytes were installed. `--clients` also installs agents' clients
 * from the registry. Each has to find the server in the files that `onboard` wrote. It has to connect, too, if its list tries that.
 * The answer has the line that the client printed. Needs npm's registry and `npm run build`.
 */
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { parseArgs, stripVTControlCharacters } from "node:util";
import { tempRoot } from "../../support/temp_root.mjs";

const ROOT = join(import.meta.dirname, "../../..");
const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    clients: { type: "boolean", default: false },
    only: { type: "string", multiple: true },
  },
});
const room = mkdtempSync(join(tempRoot(), "taskfold-start-"));
/** Nothing of the checkout is on the PATH: npm puts its commands there for a script. */
const PATH = (process.env["PATH"] ?? "")
  .split(delimiter)
  .filter((folder) => !folder.includes("node_modules"))
  .join(delimiter);
/** No program of a way takes so long. One that waits for a person is ended, and its way fails. */
const LONGEST_MS = 600_000;
/** @type {NodeJS.ProcessEnv} */
const ENV = {
  ...process.env,
  PATH,
  npm_config_update_notifier: "false",
  npm_config_fund: "false",
  npm_config_audit: "false",
};

/**
 * A program has to end with 0, unless `may` takes another status.
 * @param {string} cwd @param {string[]} argv @param {{ env?: NodeJS.ProcessEnv, may?: (status: number | null) => boolean, input?: string }} [how]
 */
function ran(cwd, [program = "", ...argv], { env = ENV, may = (status) => status === 0, input = "" } = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, argv, {
    cwd,
    env,
    input,
    encoding: "utf8",
    timeout: LONGEST_MS,
  });
  if (error) throw error;
  if (!may(status)) throw new Error(`${program} ${argv.join(" ")} ended with ${status}: ${stdout}${stderr}`);
  return { stdout, stderr };
}

/** @param {string} folder @returns {number} */
function bytesIn(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((total, { parentPath, name }) => total + statSync(join(parentPath, name)).size, 0);
}

/** An empty repository. @param {string} name */
function repository(name) {
  const folder = join(room, name);
  mkdirSync(folder, { recursive: true });
  ran(folder, ["git", "init", "-q", "-b", "main"]);
  ran(folder, ["git", "config", "user.name", "Ada"]);
  ran(folder, ["git", "config", "user.email", "ada@example.com"]);
  return folder;
}

/** @param {string} folder */
function installed(folder) {
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
  const { stderr } = ran(folder, ["npm", "install", "--no-audit", "--no-fund", "-D", tarball]);
  // Such as EBADENGINE of an optional package, for the Node that is here.
  if (/npm warn/i.test(stderr)) throw new Error(`expected an install without a warning, found ${stderr}`);
  return bytesIn(join(folder, "node_modules"));
}

/** @param {string} folder */
function committed(folder) {
  writeFileSync(join(folder, ".gitignore"), "node_modules/\n");
  ran(folder, ["git", "add", "-A"]);
  ran(folder, ["git", "commit", "-q", "-m", "Start"]);
}

/** The lines of a person at a prompt, from `init` to a closed step. @param {string} folder @param {string[]} command @param {NodeJS.ProcessEnv} [env] */
function byCommands(folder, command, env = ENV) {
  const lines = [
    ["init", "--workspace", "acme/repo"],
    ["plan", "add", "Version 2"],
    [
      "add",
      "A parser",
      "--plan",
      "PLAN-001",
      "--step",
      "Write the grammar",
      "--criteria",
      "samples parse",
      "--test",
      "git --version",
    ],
    ["claim", "1", "grammar"],
    ["run", "1", "grammar", "--for", "tests", "--", "git", "--version"],
    ["done", "1", "grammar", "--confirm", "gate"],
  ];
  for (const [n, line] of lines.entries()) {
    if (n === lines.length - 1) expectOffered(folder, command, env);
    ran(folder, [...command, ...line], { env });
  }
  expectClosed(folder, command, env);
}

/** A refusal offers commands that begin as this one did (CLI-7). @param {string} folder @param {string[]} command @param {NodeJS.ProcessEnv} env */
function expectOffered(folder, command, env) {
  const { stderr } = ran(folder, [...command, "done", "1", "grammar"], { env, may: (code) => code === 1 });
  const words = command === NPX ? NPX.join(" ") : "taskfold";
  if (!stderr.includes(`try: ${words} `))
    throw new Error(`expected a command that begins with ${words}, found ${stderr}`);
}

/** The folders themselves and the command both say that the step is closed. @param {string} folder @param {string[]} command @param {NodeJS.ProcessEnv} [env] */
function expectClosed(folder, command, env = ENV) {
  const log = readFileSync(join(folder, ".coco/tasks/TASK-001/events.jsonl"), "utf8");
  if (!log.includes('"step.done"')) throw new Error(`expected a closed step in the log, found ${log}`);
  ran(folder, [...command, "verify"], { env });
}

/** The calls of an agent, over the server of an entry. @param {string} folder @param {{ command: string, args: string[] }} entry @param {NodeJS.ProcessEnv} [env] */
async function byEntry(folder, { command, args }, env = ENV) {
  const agent = new Client({ name: "start", version: "1.0.0" });
  /** @type {Record<string, string>} */
  const known = {};
  for (const [name, value] of Object.entries(env)) if (value !== undefined) known[name] = value;
  await agent.connect(new StdioClientTransport({ command, args, cwd: folder, env: known, stderr: "ignore" }));
  /** @param {string} name @param {Record<string, unknown>} input */
  const call = async (name, input) => {
    const { structuredContent } = await agent.callTool({ name, arguments: { workspace: "acme/repo", ...input } });
    const reply = /** @type {{ success?: boolean, error?: object }} */ (structuredContent);
    if (!reply?.success) throw new Error(`${name} is refused: ${JSON.stringify(reply?.error)}`);
  };
  const step = { title: "Write the grammar", success_criteria: ["samples parse"], tests: ["npm test"] };
  await call("tasks_create", { kind: "task", title: "A parser", steps: [step] });
  await call("tasks_claim_next", {});
  await call("tasks_close_step", { task: "TASK-001", path: "s:0", checkpoints: "gate" });
  await agent.close();
}

/** @param {string} folder @returns {{ command: string, args: string[] }} */
function entryOf(folder) {
  return JSON.parse(readFileSync(join(folder, ".mcp.json"), "utf8")).mcpServers.taskfold;
}

/** The start hook of Claude Code, as its shell starts it. @param {string} folder @param {NodeJS.ProcessEnv} [env] */
function hooked(folder, env = ENV) {
  const [{ hooks }] = JSON.parse(readFileSync(join(folder, ".claude/settings.json"), "utf8")).hooks.SessionStart;
  const input = JSON.stringify({ hook_event_name: "SessionStart", cwd: folder });
  return ran(folder, ["sh", "-c", hooks[0].command], { env, input }).stdout;
}

/** @param {string} folder @param {string[]} command @param {NodeJS.ProcessEnv} [env] */
function onboarded(folder, command, env = ENV) {
  ran(folder, [...command, "init", "--workspace", "acme/repo"], { env });
  ran(folder, [...command, "onboard", "--client", "claude-code", "--yes"], { env });
}

const NPX = ["npx", "--no", "--", "taskfold"];
const WORKER = `import { openWorkspace, unwrap } from "taskfold";

const workspace = openWorkspace({ root: process.cwd(), by: "agent:ada", workspace: "acme/repo" });
const steps = [{ title: "Write the grammar", success_criteria: ["samples parse"], tests: ["npm test"] }];
const task = unwrap(await workspace.call("tasks_create", { kind: "task", title: "A parser", steps }));
const refused = await workspace.call("tasks_done", { task: task.id, path: "s:0" });
if (refused.success) throw new Error("expected a refusal without confirmations");
unwrap(await workspace.call("tasks_close_step", { task: task.id, path: "s:0", checkpoints: "gate" }));
await workspace.close();
`;
const STRICT = {
  compilerOptions: {
    target: "es2022",
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    types: ["node"],
    typeRoots: [join(ROOT, "node_modules/@types")],
  },
  files: ["worker.ts"],
};

/** @typedef {{ bytes: number, said?: string }} Way */
/** Each gives the bytes that it installed. @type {Record<string, () => Promise<number>>} */
const WAYS = {
  "the library in TypeScript": async () => {
    const folder = repository("library");
    const bytes = installed(folder);
    writeFileSync(join(folder, "worker.ts"), WORKER);
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(STRICT));
    ran(folder, [process.execPath, join(ROOT, "node_modules/typescript/bin/tsc"), "-p", "."]);
    ran(folder, [process.execPath, "worker.js"]);
    expectClosed(folder, NPX);
    return bytes;
  },
  "the command line": async () => {
    const folder = repository("commands");
    const bytes = installed(folder);
    byCommands(folder, NPX);
    return bytes;
  },
  "an agent's client": async () => {
    const folder = repository("client");
    const bytes = installed(folder);
    onboarded(folder, NPX);
    if (!hooked(folder).includes("agent:claude-code")) throw new Error("the start hook says nothing of the agent");
    await byEntry(folder, entryOf(folder));
    expectClosed(folder, NPX);
    return bytes;
  },
  "a work tree beside the repository": async () => {
    const folder = repository("trees");
    const bytes = installed(folder);
    onboarded(folder, NPX);
    committed(folder);
    const tree = join(room, "trees-beside");
    ran(folder, ["git", "worktree", "add", "-q", tree]);
    // Before npm ci a hook ends well, with one sentence.
    const said = hooked(tree).trim();
    if (!said.includes("npm ci") || said.includes("\n"))
      throw new Error(`expected one sentence of npm ci, found ${said}`);
    ran(tree, ["npm", "ci", "--no-audit", "--no-fund"]);
    if (!hooked(tree).includes("agent:claude-code")) throw new Error("the start hook says nothing of the agent");
    await byEntry(tree, entryOf(tree));
    expectClosed(tree, NPX);
    return bytes;
  },
  "a repository without Node": async () => {
    const folder = repository("no-node");
    writeFileSync(join(folder, "main.go"), "package main\n");
    const machine = join(room, "machine");
    ran(room, ["npm", "install", "--no-audit", "--no-fund", "-g", "--prefix", machine, tarball]);
    const env = { ...ENV, PATH: [join(machine, "bin"), PATH].join(delimiter) };
    onboarded(folder, ["taskfold"], env);
    await byEntry(folder, entryOf(folder), env);
    expectClosed(folder, ["taskfold"], env);
    if (!hooked(folder, env).includes("agent:claude-code")) throw new Error("the start hook says nothing of the agent");
    return bytesIn(machine);
  },
  "the single executable": async () => {
    const folder = repository("executable");
    const file = join(room, "bin/taskfold");
    ran(ROOT, ["npm", "run", "-s", "build:sea", "--", "--out", file]);
    // Nothing else is there: neither Node nor npm.
    const git = ran(folder, ["sh", "-c", "command -v git"]).stdout.trim();
    const env = { ...ENV, PATH: [dirname(file), dirname(git)].join(delimiter) };
    byCommands(folder, [file], env);
    return statSync(file).size;
  },
};

/**
 * Clients of the registry, and what each says of a server that it found. Claude Code, Gemini CLI and OpenCode connect to it. Where a
 * client only lists, `entry` prints the entry as the client read it, and a step is closed over the server of that entry.
 * @typedef {{ package: string, argv: string[], found: RegExp, entry?: { argv: string[], of: (told: any) => { command: string, args: string[] } } }} OfRegistry
 * @type {Record<string, OfRegistry>}
 */
const CLIENTS = {
  "claude-code": {
    package: "@anthropic-ai/claude-code",
    argv: ["claude", "mcp", "list"],
    found: /taskfold.*Connected/,
  },
  codex: {
    package: "@openai/codex",
    argv: ["codex", "mcp", "list"],
    found: /taskfold.*enabled/,
    entry: { argv: ["codex", "mcp", "get", "taskfold", "--json"], of: (told) => told.transport },
  },
  gemini: { package: "@google/gemini-cli", argv: ["gemini", "mcp", "list"], found: /taskfold.*Connected/ },
  opencode: { package: "opencode-ai", argv: ["opencode", "mcp", "list"], found: /taskfold connected/ },
  copilot: {
    package: "@github/copilot",
    argv: ["copilot", "mcp", "list"],
    found: /^\s*taskfold\b/m,
    entry: { argv: ["copilot", "mcp", "get", "taskfold", "--json"], of: (told) => told.taskfold },
  },
};

/** @param {string} name @param {OfRegistry} client @returns {Promise<Way>} */
async function readBy(name, client) {
  const folder = repository(`read-by-${name}`);
  const bytes = installed(folder);
  ran(folder, [...NPX, "init", "--workspace", "acme/repo"]);
  ran(folder, [...NPX, "onboard", "--client", name, "--yes"]);
  // A person agrees to the server of Claude Code by this file, or at its question.
  if (name === "claude-code")
    writeFileSync(join(folder, ".claude/settings.local.json"), '{ "enabledMcpjsonServers": ["taskfold"] }\n');
  const home = join(room, `home-of-${name}`);
  mkdirSync(home);
  ran(home, ["npm", "install", "--no-audit", "--no-fund", "--prefix", home, client.package]);
  const bin = join(home, "node_modules/.bin");
  // Codex and Copilot read the files of a folder that its user trusts.
  const trusted = `[projects.${JSON.stringify(folder)}]\ntrust_level = "trusted"\n`;
  mkdirSync(join(home, ".codex"));
  writeFileSync(join(home, ".codex/config.toml"), trusted);
  mkdirSync(join(home, ".copilot"));
  writeFileSync(join(home, ".copilot/config.json"), JSON.stringify({ trusted_folders: [folder] }));
  const env = {
    ...ENV,
    HOME: home,
    PATH: [bin, PATH].join(delimiter),
    CODEX_HOME: join(home, ".codex"),
    GEMINI_CLI_TRUST_WORKSPACE: "true",
  };
  const { stdout, stderr } = ran(folder, client.argv, { env, may: () => true });
  const told = stripVTControlCharacters(stdout + stderr);
  const [said] = client.found.exec(told) ?? [];
  const { version } = JSON.parse(readFileSync(join(home, "node_modules", client.package, "package.json"), "utf8"));
  if (said === undefined) throw new Error(`${client.package} ${version} does not list the server so: ${told}`);
  if (client.entry === undefined) return { bytes, said: `${version}: ${said}` };
  await byEntry(folder, client.entry.of(JSON.parse(ran(folder, client.entry.argv, { env }).stdout)), env);
  expectClosed(folder, NPX, env);
  return { bytes, said: `${version}: ${said.trim()}; the entry that it prints closes a step` };
}

/** Bytes of files as a person reads them. @param {number} bytes */
function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

const ways = [
  ...Object.entries(WAYS),
  ...(options.clients
    ? Object.entries(CLIENTS).map(
        ([name, client]) => /** @type {const} */ ([`as ${name} reads it`, () => readBy(name, client)]),
      )
    : []),
];
const unknown = options.only?.filter((name) => !ways.some(([way]) => way === name)) ?? [];
if (unknown.length > 0)
  throw new Error(
    `expected --only with one of ${ways.map(([way]) => JSON.stringify(way)).join(", ")}; found ${unknown.join()}`,
  );
/** @type {{ way: string, seconds: number, bytes: number, said?: string, fault?: string }[]} */
const results = [];
let tarball = "";
try {
  const packed = ran(ROOT, ["npm", "pack", "--ignore-scripts", "--json", "--pack-destination", room]).stdout;
  const [{ filename }] = JSON.parse(packed);
  tarball = join(room, filename);
  for (const [way, go] of ways) {
    if (options.only && !options.only.includes(way)) continue;
    const begun = performance.now();
    const went = await go().then(
      (done) => (typeof done === "number" ? { bytes: done } : done),
      (/** @type {unknown} */ e) => ({ bytes: 0, fault: String(e) }),
    );
    const seconds = Number(((performance.now() - begun) / 1000).toFixed(1));
    results.push({ way, seconds, ...went });
    const more = "fault" in went ? `\n${went.fault}` : "said" in went ? `, ${went.said}` : "";
    const line = `${"fault" in went ? "FAIL" : "ok  "}  ${way}: ${seconds} s, ${megabytes(went.bytes)}${more}`;
    // A person sees how far it is also where a program reads the answer.
    (options.json ? console.error : console.log)(line);
  }
} finally {
  rmSync(room, { recursive: true, force: true });
}
const failed = results.filter(({ fault }) => fault !== undefined).length;
if (options.json) console.log(JSON.stringify({ ways: results, failed }, null, 2));
else console.log(`${results.length - failed} ways in, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
