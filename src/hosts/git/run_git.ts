/**
 * The only place that starts `git`: an argument list, never a shell, and nothing that the repository's configuration names is
 * executed (spec/decisions/0006-git-executes-nothing.md).
 */
import { spawn, spawnSync } from "node:child_process";
import type { SpawnSyncReturns } from "node:child_process";
import { isTaskfoldError, TaskfoldError } from "../../errors.ts";
import { programInPath } from "../program_in_path.ts";
import { MAX_OUTPUT, MAX_SECONDS } from "./limits.ts";

/** Where git runs, and which repository it is told to use; without variables it looks for one itself. */
export interface GitPlace {
  folder: string;
  variables?: Readonly<Record<string, string>>;
}

export interface GitInput {
  input?: string | Buffer;
  /** Paths are patterns, in which `*` stands for the name of one folder. */
  patterns?: boolean;
  /** Paths are as a user types them: some commands take no others. One that begins with `./` is literal. */
  plain?: boolean;
  /** How many bytes of output are taken at most. */
  most?: number;
  /** Settings of this call, as `name=value`. */
  settings?: readonly string[];
  /** Is told if git did what it was asked for, and complained all the same. No one reads what it said: that is in the user's language. */
  complained?: () => void;
}

/** Each of these beats what the repository, the user or the system configured. */
const SETTINGS = [
  // Every reader of an index with this extension starts the program. Empty means none in old releases and in new ones.
  "core.fsmonitor=",
  // No hook stands below a file.
  "core.hooksPath=/dev/null",
  // A folder that looks like a bare repository is no repository. Releases before 2.38 do not know it: openRepository looks, too.
  "safe.bareRepository=explicit",
];

/** The environment that git gets; releases that do not know a name pass over it. */
const ENVIRONMENT = {
  // No transport is allowed, so no ssh, no proxy, no remote helper, no credential helper and no askpass program starts.
  GIT_ALLOW_PROTOCOL: "none",
  GIT_PROTOCOL_FROM_USER: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  // Each object is read as it was written, whatever refs/replace puts in its place.
  GIT_NO_REPLACE_OBJECTS: "1",
};

/** Of the caller's GIT_* variables only those count that say where the user keeps git and the user's own settings. */
const KEPT = new Set([
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_SYSTEM",
  "GIT_CONFIG_NOSYSTEM",
  "GIT_EXEC_PATH",
  "GIT_CEILING_DIRECTORIES",
  "GIT_DISCOVERY_ACROSS_FILESYSTEM",
]);

const NO_GIT = "there is no git program in PATH";
const NOTHING = Buffer.alloc(0);
const NO_PROGRAM: SpawnSyncReturns<Buffer> = {
  pid: 0,
  output: [],
  stdout: NOTHING,
  stderr: NOTHING,
  status: null,
  signal: null,
  error: new Error(NO_GIT),
};

/** Output of a git command. STORAGE_FAILED with git's own words when it fails, CONTENT_TOO_LARGE at a limit. */
export function git(place: GitPlace, args: readonly string[], input: GitInput = {}): Buffer {
  const { status, stdout, stderr, error } = start(place, args, input);
  if (status === 0 && !error) {
    if (stderr.length > 0) input.complained?.();
    return stdout;
  }
  const command = `git ${args[0]}`;
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  if (code === "ENOBUFS") {
    const most = `${(input.most ?? MAX_OUTPUT) / 1024 / 1024} MiB`;
    throw tooLarge(`Expected ${command} to say at most ${most}, but it said more.`);
  }
  if (code === "ETIMEDOUT") throw tooLarge(`Expected ${command} to end within ${MAX_SECONDS} seconds.`);
  const words = stderr?.toString("utf8").trim() || (error?.message ?? `exit code ${status}`);
  throw new TaskfoldError(
    "STORAGE_FAILED",
    `Expected ${command} to succeed, but it said: ${words.slice(0, 300).replaceAll("\n", "; ")}.`,
    { cause: error, recovery: "Put the repository in order, then call again." },
  );
}

/** The same without waiting for it here: git works beside this process. */
export function gitBeside(place: GitPlace, args: readonly string[], input: GitInput = {}): Promise<Buffer> {
  const program = programInPath("git", place.folder);
  if (program === undefined) return Promise.reject(new TaskfoldError("STORAGE_FAILED", NO_GIT));
  const most = input.most ?? MAX_OUTPUT;
  return new Promise((done, fail) => {
    const child = spawn(program, argumentsOf(args, input), {
      cwd: place.folder,
      env: environmentOf(place),
      stdio: "pipe",
      timeout: MAX_SECONDS * 1000,
      killSignal: "SIGKILL",
      windowsHide: true,
    });
    const parts: Buffer[] = [];
    let size = 0;
    child.stdout.on("data", (part: Buffer) => {
      size += part.length;
      if (size > most) child.kill("SIGKILL");
      else parts.push(part);
    });
    child.stderr.once("data", () => input.complained?.());
    child.stderr.resume();
    // A program that reads no input closes it.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input.input ?? "");
    child.on("error", fail);
    child.on("close", (status) => {
      if (status === 0 && size <= most) done(Buffer.concat(parts));
      else fail(new TaskfoldError("STORAGE_FAILED", `Expected git ${args[0]} to succeed, but it did not.`));
    });
  });
}

/** Whether a git command succeeds; false also where git is not installed. */
export function gitSucceeds(place: GitPlace, args: readonly string[]): boolean {
  const { status, error } = start(place, args, {});
  return status === 0 && !error;
}

/** Returns git's output without blanks around it, or undefined when it fails or says nothing. */
export function gitSays(place: GitPlace, args: readonly string[]): string | undefined {
  const { status, stdout, error } = start(place, args, {});
  const output = status === 0 && !error ? stdout.toString("utf8").trim() : "";
  return output === "" ? undefined : output;
}

/** Returns git's output without its last line feed: a path may end in blanks. */
export function gitLine(place: GitPlace, args: readonly string[]): string | undefined {
  const { status, stdout, error } = start(place, args, {});
  return status === 0 && !error ? stdout.toString("utf8").replace(/\n$/, "") : undefined;
}

export function tooLarge(message: string): TaskfoldError {
  return new TaskfoldError("CONTENT_TOO_LARGE", message, {
    recovery: "Look at the repository with git itself; the limits are in spec/decisions/0006-git-executes-nothing.md.",
  });
}

function start(place: GitPlace, args: readonly string[], input: GitInput): SpawnSyncReturns<Buffer> {
  const program = programInPath("git", place.folder);
  if (program === undefined) return NO_PROGRAM;
  return spawnSync(program, argumentsOf(args, input), {
    cwd: place.folder,
    env: environmentOf(place),
    input: input.input ?? "",
    maxBuffer: input.most ?? MAX_OUTPUT,
    timeout: MAX_SECONDS * 1000,
    killSignal: "SIGKILL",
    windowsHide: true,
  });
}

function argumentsOf(args: readonly string[], { patterns = false, plain = false, settings = [] }: GitInput): string[] {
  const paths = plain ? [] : [patterns ? "--glob-pathspecs" : "--literal-pathspecs"];
  const configured = [...SETTINGS, ...settings].flatMap((setting) => ["-c", setting]);
  return [...configured, "--no-pager", "--no-optional-locks", ...paths, ...args];
}

function environmentOf({ variables = {} }: GitPlace): NodeJS.ProcessEnv {
  return { ...inherited(), ...ENVIRONMENT, ...variables };
}

/** The caller's environment without what would lead git to another repository, configuration or program. */
function inherited(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => {
      const upper = name.toUpperCase();
      return !upper.startsWith("GIT_") || KEPT.has(upper);
    }),
  );
}

/** Git says no by an exit code; a limit is no answer. */
export function unlessGitRefuses(ask: () => Buffer): Buffer | undefined {
  try {
    return ask();
  } catch (e) {
    if (isTaskfoldError(e) && e.code === "STORAGE_FAILED") return undefined;
    throw e;
  }
}
