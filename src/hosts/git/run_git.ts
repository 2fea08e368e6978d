/** Runs the `git` program: an argument list, never a shell; paths are taken as they are, without patterns unless asked for. */
import { execFileSync } from "node:child_process";
import { TaskfoldError } from "../../errors.ts";

const MOST_OUTPUT = 1024 * 1024 * 1024;
const FIXED = ["--literal-pathspecs", "--no-optional-locks"];
/** `*` stands for the name of one folder. */
const PATTERNS = ["--glob-pathspecs", "--no-optional-locks"];

/** Output of a git command in `folder`. STORAGE_FAILED with git's own words when it fails. */
export function git(folder: string, args: readonly string[], input?: string): Buffer {
  return run(folder, FIXED, args, input);
}

/** As `git`, with paths that are patterns. */
export function gitWithPatterns(folder: string, args: readonly string[]): Buffer {
  return run(folder, PATTERNS, args);
}

function run(folder: string, fixed: readonly string[], args: readonly string[], input?: string): Buffer {
  try {
    return execFileSync("git", [...fixed, ...args], {
      cwd: folder,
      maxBuffer: MOST_OUTPUT,
      stdio: ["pipe", "pipe", "pipe"],
      ...(input === undefined ? {} : { input }),
    });
  } catch (e) {
    // Settings may stand before it, as `-c name=value`.
    const command = args.find((word) => /^[a-z-]+$/.test(word) && !word.startsWith("-"));
    throw new TaskfoldError("STORAGE_FAILED", `Expected git ${command} to succeed, but it said: ${wordsOf(e)}.`, {
      cause: e,
      recovery: "Put the repository in order, then call again.",
    });
  }
}

/** Whether a git command succeeds; false also where git is not installed. */
export function gitSucceeds(folder: string, args: readonly string[]): boolean {
  try {
    execFileSync("git", [...FIXED, ...args], { cwd: folder, stdio: "ignore" });
    return true;
  } catch (e) {
    if (e instanceof Error) return false;
    throw e;
  }
}

/** One line that git says, or undefined when it fails or says nothing. */
export function gitSays(folder: string, args: readonly string[]): string | undefined {
  try {
    const stdio: ["ignore", "pipe", "ignore"] = ["ignore", "pipe", "ignore"];
    const said = execFileSync("git", [...FIXED, ...args], { cwd: folder, stdio, encoding: "utf8" }).trim();
    return said === "" ? undefined : said;
  } catch (e) {
    if (e instanceof Error) return undefined;
    throw e;
  }
}

function wordsOf(e: unknown): string {
  const stderr =
    e instanceof Error && "stderr" in e && Buffer.isBuffer(e.stderr) ? e.stderr.toString("utf8").trim() : "";
  const words = stderr === "" ? String(e) : stderr;
  return words.slice(0, 300).replaceAll("\n", "; ");
}
