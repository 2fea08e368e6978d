// @ts-check
/**
 * `npm run e2e:onboard` plays back an agent that knew only the files that `onboard` wrote. For each client the command of its
 * own file starts the server, and the calls are those of the section in AGENTS.md. Every filled-in value stood in an answer
 * before. The run fails if an answer is not as recorded (test/suites/onboard/recorded.json). Then an agent works in a linked work tree that has no
 * packages, and the characters of an agent's whole day are counted.
 *
 * - `node test/suites/onboard/run.mjs [--json] [--client NAME]...`
 */
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { isDeepStrictEqual, parseArgs } from "node:util";

/** @typedef {{ tool: string, input: Record<string, unknown> }} Call */
/** @typedef {{ sent: Call, answer: object }} Recorded */

const { values: options } = parseArgs({
  options: { json: { type: "boolean" }, client: { type: "string", multiple: true } },
});
const PROGRAM = resolve(import.meta.dirname, "../../../dist/cli.cjs");
/** @type {{ session: Recorded[], day: Recorded[] }} */
const { session: RECORDED, day: DAY } = JSON.parse(readFileSync(join(import.meta.dirname, "recorded.json"), "utf8"));
/** Characters that an agent reads and writes from its start to the hand-over, with three steps. */
const DAY_CHARS = 24_000;
/** Characters of the list of tools, which a client puts before its model at each start: beside the day. */
const LIST_CHARS = 24_000;
/** The values that an agent invents. */
const OWN_WORDS = ["note", "exit_code", "stdout"];
// npx must find the command in the repository and ask no registry.
/** @type {NodeJS.ProcessEnv} */
const ENV = { ...process.env, npm_config_offline: "true", npm_config_update_notifier: "false" };

/** How each client reads its own file. @type {Record<string, (root: string) => { command: string, args: string[] }>} */
const SERVERS = {
  "claude-code": (root) => readJson(root, ".mcp.json").mcpServers.taskfold,
  codex: (root) => {
    const text = readFileSync(join(root, ".codex/config.toml"), "utf8");
    const table = text.slice(text.indexOf("[mcp_servers.taskfold]"));
    const [, command = ""] = /^command = (.*)$/m.exec(table) ?? [];
    const [, args = ""] = /^args = (.*)$/m.exec(table) ?? [];
    return { command: JSON.parse(command), args: JSON.parse(args) };
  },
  gemini: (root) => readJson(root, ".gemini/settings.json").mcpServers.taskfold,
  cursor: (root) => readJson(root, ".cursor/mcp.json").mcpServers.taskfold,
  vscode: (root) => readJson(root, ".vscode/mcp.json").servers.taskfold,
  copilot: (root) => readJson(root, ".github/mcp.json").mcpServers.taskfold,
  opencode: (root) => {
    const [command, ...args] = readJson(root, "opencode.json").mcp.taskfold.command;
    return { command, args };
  },
};
/** Where a client keeps its start hook. @type {Record<string, string>} */
const HOOKS = {
  "claude-code": ".claude/settings.json",
  codex: ".codex/hooks.json",
  gemini: ".gemini/settings.json",
  cursor: ".cursor/hooks.json",
  copilot: ".github/hooks/taskfold.json",
};

/** @type {{ check: string, ok: boolean }[]} */
const checks = [];

/** @param {string} check @param {unknown} ok @param {unknown} [seen] what was found, told when it is wrong */
function expect(check, ok, seen) {
  checks.push({ check, ok: Boolean(ok) });
  if (!options.json) console.log(`${ok ? "ok  " : "FAIL"}  ${check}${ok ? "" : `: ${JSON.stringify(seen)}`}`);
}

for (const client of options.client ?? Object.keys(SERVERS)) {
  await inFolder(async (root) => {
    prepare(client, root);
    await play(client, root);
  });
}
await inFolder(async (folder) => playInWorkTree(options.client?.[0] ?? "claude-code", folder));
const day = await inFolder((root) => charsOfDay("claude-code", root));
expect(`a day takes at most ${DAY_CHARS} characters`, day.all <= DAY_CHARS, day);
expect(`the list of tools takes at most ${LIST_CHARS} characters`, day.list <= LIST_CHARS, day);
const failed = checks.filter(({ ok }) => !ok).length;
if (options.json) console.log(JSON.stringify({ passed: checks.length - failed, failed, day, checks }, null, 2));
else
  console.log(
    `${checks.length - failed} passed, ${failed} failed; a day takes ${day.all} characters, and the list of tools ${day.list}`,
  );
process.exitCode = failed > 0 ? 1 : 0;

/** @template T @param {(folder: string) => Promise<T>} work @returns {Promise<T>} */
async function inFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), "taskfold-onboard-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A work tree beside a repository without packages is served by the files that `onboard` wrote there. @param {string} client @param {string} folder */
async function playInWorkTree(client, folder) {
  const [root, other] = [join(folder, "repo"), join(folder, "beside")];
  mkdirSync(root);
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin/taskfold"), `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`, {
    mode: 0o755,
  });
  const git = (/** @type {string[]} */ ...argv) =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.com", ...argv], { cwd: root });
  git("init", "-q");
  ENV["PATH"] = `${join(folder, "bin")}:${process.env["PATH"]}`;
  tasks(root, ["Write the grammar"]);
  taskfold(root, "onboard", "--client", client, "--stop-hook", "--yes");
  git("add", ".");
  git("commit", "-qm", "Tasks");
  git("worktree", "add", "-q", other);
  await play(client, other, `${client} in a work tree`);
  ENV["PATH"] = process.env["PATH"];
}

/** @param {string} client @param {string} root */
async function charsOfDay(client, root) {
  prepare(client, root, ["Write the grammar", "Write the parser", "Write the printer"]);
  const agent = await connected(client, root);
  const hook = execFileSync(commandOf(readJson(root, HOOKS[client] ?? "").hooks), {
    cwd: root,
    shell: true,
    env: ENV,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  /** @type {Record<string, number>} */
  const chars = {
    "AGENTS.md": readFileSync(join(root, "AGENTS.md"), "utf8").length,
    instructions: agent.getInstructions()?.length ?? 0,
    "start hook": hook.length,
  };
  for (const { sent, answer } of DAY) {
    const { content, structuredContent } = await agent.callTool({ name: sent.tool, arguments: sent.input });
    const reply = /** @type {{ success?: boolean, result?: object }} */ (structuredContent);
    expect(`a day: ${sent.tool} is answered as recorded`, reply?.success && holds(reply.result, answer), reply);
    const [text] = /** @type {{ text?: string }[]} */ (content);
    chars[sent.tool] = (chars[sent.tool] ?? 0) + JSON.stringify(sent).length + (text?.text?.length ?? 0);
  }
  const list = JSON.stringify(await agent.listTools()).length;
  await agent.close();
  return { all: Object.values(chars).reduce((sum, n) => sum + n, 0), list, chars };
}

/** The server that the client's own file starts. @param {string} client @param {string} root */
async function connected(client, root) {
  const server = SERVERS[client];
  if (!server) throw new Error(`expected one of ${Object.keys(SERVERS).join(", ")}, found ${client}`);
  const { command, args } = server(root);
  const given = args.map((one) => one.replaceAll("${workspaceFolder}", root));
  const agent = new Client({ name: client, version: "1.0.0" });
  await agent.connect(new StdioClientTransport({ command, args: given, cwd: root, env: known(ENV), stderr: "ignore" }));
  return agent;
}

/** @param {string} client @param {string} root @param {string} [name] */
async function play(client, root, name = client) {
  const hook = HOOKS[client];
  if (hook) expectHook(client, root, commandOf(readJson(root, hook).hooks));
  const told = callsOf(readFileSync(join(root, "AGENTS.md"), "utf8"));
  expect(`${name}: the section names as many calls as were recorded`, told.length === RECORDED.length, told);

  const agent = await connected(client, root);
  const listed = (await agent.listTools()).tools.map((tool) => tool.name);
  let heard = "npm test";
  for (const [i, { sent, answer }] of RECORDED.entries()) {
    const call = `${name}: ${i + 1}. ${sent.tool}`;
    const filled = fills(told[i], sent);
    expect(`${call} is the call of the section`, filled !== undefined && listed.includes(sent.tool), {
      told: told[i],
      sent,
    });
    const unheard = (filled ?? []).filter(([field, value]) => !OWN_WORDS.includes(field) && !heard.includes(value));
    expect(`${call} says nothing that the agent was not told`, unheard.length === 0, unheard);
    const { structuredContent } = await agent.callTool({ name: sent.tool, arguments: sent.input });
    const reply = /** @type {{ success?: boolean, result?: object }} */ (structuredContent);
    expect(`${call} is answered as recorded`, reply?.success && holds(reply.result, answer), reply);
    heard += JSON.stringify(reply);
    if (sent.tool === "tasks_claim") expectStop(client, root, (said) => said.includes("run TASK-001 s:0"));
  }
  expectStop(client, root, (said) => said === "");
  await agent.close();
  const log = readFileSync(join(root, ".coco/tasks/TASK-001/events.jsonl"), "utf8");
  expect(`${name}: the log says who did it`, log.includes(`"by":"agent:${client}"`), log);
  expect(`${name}: verify finds nothing`, isClean(JSON.parse(taskfold(root, "verify", "--json"))));
}

/** A repository in which the package is installed, and which has tasks. @param {string} client @param {string} root @param {string[]} [steps] */
function prepare(client, root, steps = ["Write the grammar"]) {
  mkdirSync(join(root, "node_modules/.bin"), { recursive: true });
  const command = `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`;
  writeFileSync(join(root, "node_modules/.bin/taskfold"), command, { mode: 0o755 });
  tasks(root, steps);
  taskfold(root, "onboard", "--client", client, "--stop-hook", "--yes");
}

/** A task whose steps ask for proof. @param {string} root @param {string[]} titles */
function tasks(root, titles) {
  taskfold(root, "init", "--workspace", "acme/repo");
  const gate = { success_criteria: ["samples parse"], tests: ["npm test"], proof: { tests: "require" } };
  const steps = titles.map((title) => ({ title, ...gate }));
  taskfold(root, "call", "tasks_create", JSON.stringify({ kind: "plan", title: "Version 2" }));
  taskfold(root, "call", "tasks_create", JSON.stringify({ parent: "PLAN-001", title: "A parser", steps }));
}

/** The command of a start hook in each form of a file. @param {Record<string, any>} hooks @returns {string} */
function commandOf({ SessionStart: groups, sessionStart: flat }) {
  return groups ? groups[0].hooks[0].command : (flat[0].command ?? flat[0].bash);
}

/**
 * The text that the client gives its agent at the start.
 * @param {string} client
 * @param {string} root
 * @param {string} command
 */
function expectHook(client, root, command) {
  const said = JSON.parse(
    execFileSync(command, { cwd: root, shell: true, env: ENV, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }),
  );
  const { hookSpecificOutput: common } = said;
  const text =
    { cursor: said.additional_context, copilot: said.additionalContext }[client] ?? common?.additionalContext;
  expect(`${client}: the start hook shows the ready step`, text?.includes('TASK-001 s:0 "Write the grammar"'), said);
  expect(`${client}: and who the agent is`, text?.includes(`You are agent:${client}.`), said);
}

/**
 * The answer of the client's stop hook, if it has one.
 * @param {string} client
 * @param {string} root
 * @param {(said: string) => boolean} isRight
 */
function expectStop(client, root, isRight) {
  const recorded = join(import.meta.dirname, "../../data/stop_hook", `${client}.json`);
  if (!existsSync(recorded)) return;
  const { Stop: groups, stop: flat } = readJson(root, HOOKS[client] ?? "").hooks;
  const command = groups ? groups[0].hooks[0].command : flat[0].command;
  const input = readFileSync(recorded, "utf8");
  const said = execFileSync(command, { cwd: root, shell: true, env: ENV, encoding: "utf8", input });
  expect(`${client}: the stop hook keeps an agent with a claim, and no other`, isRight(said), said);
}

/** @param {string} root @param {string[]} argv */
function taskfold(root, ...argv) {
  return execFileSync(process.execPath, [PROGRAM, ...argv], { cwd: root, env: ENV, encoding: "utf8" });
}

/** @param {string} root @param {string} path */
function readJson(root, path) {
  return JSON.parse(readFileSync(join(root, path), "utf8"));
}

/** The numbered calls, in order. @param {string} text @returns {Call[]} */
function callsOf(text) {
  return [...text.matchAll(/^\d+\. [^`]*`(\w+) (\{.*\})`$/gm)].map(([, tool = "", input = ""]) => ({
    tool,
    // The place of a number has no quotes.
    input: JSON.parse(input.replaceAll(/(?<=:)<[^>]*>/g, '"$&"')),
  }));
}

/**
 * The value in the place of each `<...>`, by field; undefined where the rest differs.
 * @param {Call | undefined} told
 * @param {Call} sent
 * @returns {[string, string][] | undefined}
 */
function fills(told, sent) {
  return told?.tool === sent.tool ? filled("", told.input, sent.input) : undefined;
}

/**
 * @param {string} field
 * @param {unknown} want
 * @param {unknown} have
 * @returns {[string, string][] | undefined}
 */
function filled(field, want, have) {
  if (typeof want === "object" && want !== null && typeof have === "object" && have !== null) {
    if (!isDeepStrictEqual(Object.keys(want), Object.keys(have))) return undefined;
    const name = (/** @type {string} */ key) => (Array.isArray(want) ? field : key);
    const parts = Object.entries(want).map(([key, one]) => filled(name(key), one, /** @type {any} */ (have)[key]));
    return parts.some((part) => part === undefined) ? undefined : parts.flatMap((part) => part ?? []);
  }
  const [, head, tail = ""] = /^([^<]*)<[^>]+>(.*)$/.exec(String(want)) ?? [];
  if (head === undefined) return isDeepStrictEqual(want, have) ? [] : undefined;
  const text = String(have);
  if (!text.startsWith(head) || !text.endsWith(tail)) return undefined;
  return [[field, text.slice(head.length, text.length - tail.length)]];
}

/** Whether all of `part` stands in `whole`. @param {unknown} whole @param {unknown} part @returns {boolean} */
function holds(whole, part) {
  if (part === null || typeof part !== "object") return whole === part;
  if (whole === null || typeof whole !== "object") return false;
  if (Array.isArray(part) && (!Array.isArray(whole) || whole.length !== part.length)) return false;
  return Object.entries(part).every(([key, value]) => holds(/** @type {any} */ (whole)[key], value));
}

/** @param {{ ok: boolean, findings: unknown[] }} report */
function isClean({ ok, findings }) {
  return ok && findings.length === 0;
}

/** @param {NodeJS.ProcessEnv} env @returns {Record<string, string>} */
function known(env) {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
