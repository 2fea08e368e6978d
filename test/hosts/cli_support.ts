import { execFileSync, spawnSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { TaskfoldError } from "../../src/errors.ts";
import { runCli } from "../../src/hosts/cli/run.ts";
import { ROOT } from "../support/source.ts";
import { tempFolder } from "../support/temp.ts";
import { tree } from "../support/workspace.ts";

/** The built program, for what only a process of its own can show. */
export const PROGRAM = join(ROOT, "dist/cli.cjs");

export interface Ran {
  code: number;
  out: string;
  err: string;
}

interface Setting {
  cwd: string;
  env?: Record<string, string>;
  stdin?: string | Buffer;
  color?: boolean;
  /** What a person typed to start the program. */
  command?: string;
  /** The terminal that stdout is. */
  screen?: { columns: number; rows: number };
  /** The terminal that stderr is. */
  terminal?: { columns: number };
  /** What a person on the terminal answers to each question. */
  answer?: string | ((question: string) => string);
  /** Asks the command to end, as SIGTERM does. */
  stop?: AbortSignal;
}

function answerTo(answer: NonNullable<Setting["answer"]>, question: string): string {
  return typeof answer === "string" ? answer : answer(question);
}

/** Runs the command line in this process; everything below it is real. */
export async function run(setting: Setting, ...argv: string[]): Promise<Ran> {
  const ran: Ran = { code: -1, out: "", err: "" };
  ran.code = await runCli(argv, {
    env: setting.env ?? {},
    cwd: setting.cwd,
    color: setting.color ?? false,
    ...(setting.command === undefined ? {} : { command: setting.command }),
    ...(setting.screen ? { screen: () => setting.screen! } : {}),
    ...(setting.terminal ? { terminal: { columns: () => setting.terminal!.columns } } : {}),
    ...(setting.answer === undefined
      ? {}
      : { ask: (question) => Promise.resolve(answerTo(setting.answer!, question)) }),
    ...(setting.stop ? { interruption: () => ({ signal: setting.stop!, end: () => undefined }) } : {}),
    stdout: (text) => {
      ran.out += text;
    },
    stderr: (text) => {
      ran.err += text;
    },
    stdin: (limit) => {
      const bytes = Buffer.from(setting.stdin ?? "");
      if (bytes.length > limit) return Promise.reject(new TaskfoldError("CONTENT_TOO_LARGE", "too much"));
      return Promise.resolve(bytes);
    },
  });
  return ran;
}

/** The document that --json prints. Fails when stdout holds anything else, or stderr anything at all. */
export async function json(setting: Setting, ...argv: string[]): Promise<{ code: number; doc: Document }> {
  const { code, out, err } = await run(setting, "--json", ...argv);
  if (err !== "") throw new Error(`stderr is not empty: ${err}`);
  return { code, doc: JSON.parse(out) as Document };
}

/** As loose as a shell script sees it. */
export type Document = { [key: string]: unknown; error: { code: string; message: string } | null; result: never };

/** A bound folder with a plan and a task of two steps, as a copy of the folder has it. */
export async function workspace(): Promise<string> {
  const cwd = tempFolder();
  if (made.size === 0) for (const [path, bytes] of await madeFiles()) made.set(path, bytes);
  for (const [path, bytes] of made) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), bytes);
  }
  return cwd;
}

/** The files of such a folder by their paths: making it takes ten times as long as writing them. */
const made = new Map<string, Buffer>();

async function madeFiles(): Promise<[path: string, bytes: Buffer][]> {
  const cwd = tempFolder();
  await run({ cwd }, "init", "--workspace", "acme/repo");
  await run({ cwd }, "call", "tasks_create", '{"title":"Version 2"}');
  const steps = ["Write the grammar", "Write the parser"].map((title) => ({
    title,
    success_criteria: ["samples parse"],
    tests: ["npm test"],
  }));
  await run({ cwd }, "call", "tasks_create", JSON.stringify({ parent: "PLAN-001", title: "A parser", steps }));
  return readdirSync(cwd, { recursive: true, encoding: "utf8" })
    .filter((path) => !OF_ONE_ROOT.test(path) && lstatSync(join(cwd, path)).isFile())
    .map((path) => [path, readFileSync(join(cwd, path))]);
}

/** What the engine keeps for one root alone. */
const OF_ONE_ROOT = /^\.coco.registry./;

const GIT_ENV = {
  // Not the repository of a hook that may have started the tests.
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_"))),
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "Test",
  GIT_AUTHOR_EMAIL: "test@example.com",
  GIT_COMMITTER_NAME: "Test",
  GIT_COMMITTER_EMAIL: "test@example.com",
};

/** git with nobody's configuration; throws when it fails. */
export function git(cwd: string, ...args: string[]): string {
  return execFileSync("git", args, { cwd, env: GIT_ENV, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** git that may fail. */
export function gitCode(cwd: string, ...args: string[]): number | null {
  return spawnSync("git", args, { cwd, env: GIT_ENV }).status;
}

/** The built program as a process of its own; who acts does not depend on the machine. */
export function real(cwd: string, argv: string[], env: Record<string, string> = {}): Ran {
  const { TASKFOLD_BY: _by, ...own } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...argv], {
    cwd,
    encoding: "utf8",
    env: { ...own, GIT_CONFIG_GLOBAL: "/dev/null", ...env },
  });
  return { code: status ?? -1, out: stdout, err: stderr };
}

type Result = Record<string, never>;

export async function result(cwd: string, ...argv: string[]): Promise<Result> {
  const { doc } = await json({ cwd }, ...argv);
  expect(doc.error).toBeNull();
  return doc.result as Result;
}

/** Refused with this code and exit code, a line on what would work, and nothing changed. */
export async function refused(cwd: string, code: string, exit: number, ...argv: string[]): Promise<string> {
  const before = contents(cwd);
  const ran = await run({ cwd }, ...argv);
  expect({ argv, code: ran.code, out: ran.out }).toEqual({ argv, code: exit, out: "" });
  expect(ran.err).toMatch(new RegExp(`^${code}: .+\n +\\S`));
  expect(contents(cwd)).toEqual(before);
  return ran.err;
}

/** Every file of the workspace with its time, but the empty ones of locks that no call needed before. */
function contents(cwd: string): string[] {
  return tree(join(cwd, ".coco")).filter((line) => !/^locks(?: folder|\/\S+ file e3b0c44298fc) /.test(line));
}
