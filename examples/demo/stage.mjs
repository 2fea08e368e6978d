// @ts-check
// The parts that the steps of the demo share: places, runs of real programs, output, checks.
import { spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { openWorkspace } from "taskfold";
import { openGit } from "taskfold/git";

const PACKAGE = join(import.meta.dirname, "../..");
export const CLI = join(PACKAGE, "dist/cli.cjs");

/** Variables of the caller's environment that would change the programs: his git, his name, the mark of a test run. */
const FOREIGN = /^(GIT_.*|TASKFOLD_.*|NODE_TEST_CONTEXT|NODE_OPTIONS|FORCE_COLOR)$/;
const ENV = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !FOREIGN.test(name))),
  LC_ALL: "C",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "Demo",
  GIT_AUTHOR_EMAIL: "demo@example.com",
  GIT_COMMITTER_NAME: "Demo",
  GIT_COMMITTER_EMAIL: "demo@example.com",
  GIT_EDITOR: "true",
  NO_COLOR: "1",
};

/** @typedef {{ name: string, ok: boolean, evidence: string }} Check */
/** @typedef {{ code: number, out: string, err: string }} Ran */
/** @typedef {import("taskfold").ToolName} ToolName */
/** The members that the demo reads of an event. @typedef {{ event_id: string, type: string, task: string, by: string, message: string, content?: string, items: { title: string, exit_code: number | null }[] }} Event */
/** The output of an agent for a call. @typedef {{ tool: string, revision?: number, ids: string[], error: import("taskfold").ReplyError | null, warnings: string[] }} Line */
/**
 * With every member that only a budget may cut: nothing here asks for one.
 * @template T
 * @typedef {{ [K in keyof T]-?: K extends "event" ? Event : T[K] extends string[] | undefined ? string[] : K extends "events" ? Event[] : Whole<T[K]> }} Whole
 */
/**
 * An answer whose result is that of success: a step that expects a refusal looks at nothing but `error`.
 * @template {ToolName} N
 * @typedef {Omit<import("taskfold").Reply, "result"> & { result: Whole<import("taskfold").ToolOutput<N>> }} Answer
 */

export class Stage {
  /** @type {Check[]} */
  checks = [];
  /** Ids that later steps need. */
  task = "";
  plan = "";
  #section = 0;

  /** @param {{ repo: string, temporary: string, quiet: boolean }} options */
  constructor({ repo, temporary, quiet }) {
    this.repo = repo;
    this.temporary = temporary;
    this.quiet = quiet;
  }

  /** @param {string} title @param {string} [why] */
  section(title, why) {
    this.print(`\n${++this.#section}. ${title}\n${why === undefined ? "" : `   ${why}\n`}`);
  }

  /** @param {string} text */
  print(text) {
    if (!this.quiet) console.log(text);
  }

  /** Text as it came, set in; long output is cut and says so. @param {string} text @param {number} [most] */
  show(text, most = 14) {
    const lines = text.trimEnd().split("\n");
    const kept = lines.slice(0, most).map((line) => `     ${line}`.trimEnd());
    if (lines.length > most) kept.push(`     ... ${lines.length - most} more lines`);
    this.print(kept.join("\n"));
  }

  /**
   * Something that has to be so. The evidence is what was really seen.
   * @param {string} name @param {boolean} ok @param {unknown} evidence
   */
  check(name, ok, evidence) {
    const text = (typeof evidence === "string" ? evidence : JSON.stringify(evidence)).trim();
    this.checks.push({ name, ok, evidence: text });
    this.print(ok ? `   ok  ${name}` : `   NOT OK  ${name}\n${text}`);
  }

  /** A program in the repository, its output and its exit code. @param {string} program @param {string[]} args @returns {Ran} */
  run(program, args, cwd = this.repo) {
    const { status, signal, stdout, stderr, error } = spawnSync(program, args, { cwd, env: ENV, encoding: "utf8" });
    if (error) throw error;
    if (status === null) throw new Error(`${program} ${args.join(" ")} was ended by ${signal}`);
    return { code: status, out: stdout, err: stderr };
  }

  /** git, which has to succeed. @param {string[]} args */
  git(...args) {
    const ran = this.run("git", args);
    if (ran.code !== 0) throw new Error(`git ${args.join(" ")} ended with ${ran.code}: ${ran.err}${ran.out}`);
    return ran.out;
  }

  /** The command line as a person uses it, shown with what it said. @param {string[]} args */
  taskfold(...args) {
    this.print(`   $ taskfold ${args.map(quote).join(" ")}`);
    const ran = this.run(process.execPath, [CLI, ...args]);
    this.show(ran.out + ran.err, 40);
    return ran;
  }

  /** The same for programs: the document that --json prints. @param {string[]} args */
  json(...args) {
    const ran = this.run(process.execPath, [CLI, "--json", ...args]);
    return { ...ran, json: JSON.parse(ran.out) };
  }

  /**
   * One tool call through the library, as a program makes it.
   * @template {ToolName} N
   * @param {string} by @param {N} tool @param {Omit<import("taskfold").ToolInput<N>, "workspace">} input
   */
  async call(by, tool, input) {
    const reply = await this.#within(by, (workspace) =>
      workspace.callTool(tool, {
        workspace: workspace.id ?? "",
        .../** @type {import("taskfold").JsonObject} */ (input),
      }),
    );
    return /** @type {Answer<N>} */ (/** @type {unknown} */ (reply));
  }

  /** Every event of a task, in replay order. @param {string} id @returns {Promise<Event[]>} */
  events(id) {
    return this.#within("human:mo", (workspace) => {
      const page = workspace.log(id, { limit: 200 });
      const events = [...page.events];
      for (let last = page; last.more > 0; events.push(...last.events)) {
        last = workspace.log(id, { limit: 200, since: last.cursor });
      }
      return /** @type {Event[]} */ (/** @type {unknown} */ (events));
    });
  }

  /** Everything that happened in the workspace since a cursor, and the cursor behind it. @param {string} [since] */
  async delta(since) {
    /** @type {Event[]} */
    const events = [];
    for (let cursor = since; ;) {
      const input = { limit: 200, ...(cursor === undefined ? {} : { since: cursor }) };
      const page = (await this.call("human:mo", "tasks_delta", input)).result;
      events.push(...page.events);
      cursor = page.cursor;
      if (page.next === 0) return { events, cursor };
    }
  }

  /**
   * A workspace of its own for one piece of work: nothing is carried over in memory.
   * @template T
   * @param {string} by
   * @param {(workspace: import("taskfold").Workspace) => T | Promise<T>} work
   */
  async #within(by, work) {
    const workspace = openWorkspace({ root: this.repo, by, git: () => openGit(this.repo) });
    try {
      return await work(workspace);
    } finally {
      await workspace.close();
    }
  }

  /**
   * Agents as processes of their own, all let go at the same moment. Each is told its job and prints one JSON line a
   * call; the lines come back in order. One with `kill_at` is killed when it says that it begins change n.
   * @param {{ kill_at?: number, [key: string]: unknown }[]} jobs
   * @returns {Promise<{ pid: number, code: number | null, signal: string | null, lines: Line[] }[]>}
   */
  agents(jobs) {
    let waiting = jobs.length;
    /** @type {(() => void)[]} */
    const start = [];
    return Promise.all(
      jobs.map(({ kill_at: killAt, ...job }) => {
        const argument = JSON.stringify({ root: this.repo, ...job });
        const child = spawn(process.execPath, [join(import.meta.dirname, "agent.mjs"), argument], {
          cwd: this.repo,
          env: ENV,
          stdio: ["pipe", "pipe", "inherit"],
        });
        start.push(() => child.stdin.end("go\n"));
        /** @type {Line[]} */
        const lines = [];
        createInterface({ input: child.stdout }).on("line", (line) => {
          const said = JSON.parse(line);
          if (said.ready) {
            if (--waiting === 0) for (const go of start) go();
          } else if (said.begins === undefined) lines.push(said);
          else if (said.begins === killAt) child.kill("SIGKILL");
        });
        return new Promise((done, fail) => {
          child.on("error", fail);
          child.on("close", (code, signal) => done({ pid: child.pid ?? 0, code, signal, lines }));
        });
      }),
    );
  }
}

/** @param {string} word */
function quote(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
