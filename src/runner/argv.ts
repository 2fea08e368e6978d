/** From the command of a servant's configuration to what the system is given: arguments filled in, and the program's path. */
import { delimiter, isAbsolute, join, relative, resolve } from "node:path";
import type { Disk } from "../disk.ts";
import { TaskfoldError } from "../errors.ts";
import { errnoOf } from "../files/storage_error.ts";
import { SHELL } from "../runtime.ts";
import { ARGUMENT_BYTES } from "./stage_executor.ts";
import type { StageRequest } from "./stage_executor.ts";

/** The arguments that start a text as a command of the shell. */
export function shellArgv(command: string): string[] {
  return [SHELL, "-c", command];
}

const PLACEHOLDER = /\{(model|prompt_file|stage|role|task_dir)\}/g;

/** Values of the placeholders of a command. */
export type ArgvParts = Pick<StageRequest, "command" | "model" | "stage" | "role" | "task_dir" | "cwd"> & {
  prompt: Pick<StageRequest["prompt"], "path">;
};

/**
 * Arguments without the prompt, placeholders filled in once: what a value holds in braces stays as it is. Paths start at the servant's
 * working folder: the arguments reach the log, which knows no path of this machine.
 */
export function commandOf({ command, model, stage, role, task_dir, cwd, prompt }: ArgvParts): string[] {
  const fromCwd = (path: string): string => relative(cwd, path) || ".";
  const values: Record<string, string> = {
    model,
    stage,
    role,
    task_dir: fromCwd(task_dir),
    prompt_file: fromCwd(join(task_dir, prompt.path)),
  };
  return command.map((part) => part.replace(PLACEHOLDER, (_all, name: string) => values[name]!));
}

export function argvOf(request: StageRequest): string[] {
  const { command, prompt } = request;
  const argv = commandOf(request);
  if (prompt.mode === "argument") argv.push(argumentOf(prompt.text));
  const odd = argv.find((part) => part.includes("\0"));
  if (argv[0] === undefined || argv[0] === "" || odd !== undefined)
    throw new TaskfoldError(
      "INVALID_INPUT",
      `Expected a command as a list of arguments without NUL, found ${JSON.stringify(odd?.slice(0, 80) ?? command)}.`,
      { recovery: 'Give command as in ["codex", "exec", "--model", "{model}", "-"].' },
    );
  return argv;
}

function argumentOf(text: string): string {
  const bytes = Buffer.byteLength(text);
  if (bytes <= ARGUMENT_BYTES) return text;
  throw new TaskfoldError(
    "CONTENT_TOO_LARGE",
    `Expected a prompt of at most ${ARGUMENT_BYTES} bytes where it is an argument, found ${bytes}.`,
    { recovery: "Set prompt to stdin or file for this servant, or digest_policy to aggressive for this packet." },
  );
}

export interface Program {
  /** Undefined where there is none that can be executed. */
  path?: string;
  exit_code: 126 | 127;
  /** Why it cannot be executed. */
  sentence: string;
}

/**
 * The program by its path. Looks for a name without a slash in absolute folders of PATH alone. An empty or relative entry would find a program of the
 * repository that the servant works on.
 */
export function findProgram(disk: Disk, name: string, cwd: string, searched: string): Program {
  const candidates = name.includes("/")
    ? [resolve(cwd, name)]
    : searched
        .split(delimiter)
        .filter(isAbsolute)
        .map((folder) => join(folder, name));
  const files = candidates.filter((path) => isFile(disk, path));
  const path = files.find((file) => disk.outside.isExecutable(file));
  const shown = JSON.stringify(name);
  if (path !== undefined) return { path, exit_code: 126, sentence: `The system could not execute ${shown}.` };
  if (files.length > 0) return { exit_code: 126, sentence: `Expected ${shown} to be executable, but it is not.` };
  const where = name.includes("/") ? "" : " in an absolute folder of PATH";
  return { exit_code: 127, sentence: `Expected the command ${shown}${where}, but it is not there.` };
}

function isFile(disk: Disk, path: string): boolean {
  try {
    return disk.outside.stat(path)?.kind === "file";
  } catch (e) {
    // A folder that this user may not search has no program for that user.
    if (errnoOf(e) === undefined) throw e;
    return false;
  }
}
