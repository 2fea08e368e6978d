/** The words that start Taskfold in a repository, in the files that `onboard` writes (ONBOARD-2, ONBOARD-15). */
import { dirname, join, resolve } from "node:path";
import { isSea } from "node:sea";
import { nodeDisk } from "../../disk.ts";
import { errnoOf } from "../../files/storage_error.ts";
import { isWithin, programInPath } from "../program_in_path.ts";

/** `--no`: npx starts what is installed, and never fetches a package of that name. */
export const OF_PACKAGE = "npx --no -- taskfold";
/** The command of the machine: a global package, or the single executable. */
export const OF_MACHINE = "taskfold";

/**
 * The package where the repository has it, else the command of the machine where there is one. `isSingle`: this is the single
 * executable, so there may be no npx.
 */
export function startCommandOf(root: string, isSingle = isSea()): string {
  return hasPackage(root) || !(isSingle || isOnPath(root)) ? OF_PACKAGE : OF_MACHINE;
}

/** The words that start the program which runs, by the paths of its file. Packages of this folder and of those above are started by npx. */
export function commandOf(files: readonly string[], folder: string): string {
  const packages = foldersUp(folder).map((above) => join(above, "node_modules"));
  return files.some((file) => packages.some((one) => isWithin(one, file))) ? OF_PACKAGE : OF_MACHINE;
}

/** Whether the command of the machine is there. A command of `node_modules/.bin` does not count. */
export function isOnPath(root: string): boolean {
  return isStartable(root, OF_MACHINE);
}

/** Whether a program is there: at its path from the root, or on the PATH. */
export function isStartable(root: string, program: string): boolean {
  return /[\\/]/.test(program)
    ? isThere(resolve(root, program))
    : programInPath(program, root, WINDOWS_ENDINGS) !== undefined;
}

/** npm writes `.cmd` files, and the single executable is an `.exe`. */
const WINDOWS_ENDINGS = [".exe", ".cmd"];

/** Whether npx finds the command here or above. */
export function isInstalled(root: string): boolean {
  return foldersUp(root).some((folder) => isThere(join(folder, "node_modules/.bin/taskfold")));
}

/** Installed, or named by a `package.json` before `npm ci`. */
function hasPackage(root: string): boolean {
  return isInstalled(root) || foldersUp(root).some(namesPackage);
}

function namesPackage(folder: string): boolean {
  try {
    const text = nodeDisk.outside.readFile(join(folder, "package.json"), MAX_BYTES).toString("utf8");
    const named = JSON.parse(text) as Record<string, object | null | undefined> | null;
    return ["dependencies", "devDependencies", "optionalDependencies"].some((kind) =>
      Object.hasOwn(named?.[kind] ?? {}, "taskfold"),
    );
  } catch (e) {
    // A file that is no JSON, or is not there, names nothing.
    if (e instanceof SyntaxError || errnoOf(e) !== undefined) return false;
    throw e;
  }
}

const MAX_BYTES = 1024 * 1024;

function isThere(path: string): boolean {
  try {
    return nodeDisk.lstat(path) !== undefined;
  } catch (e) {
    if (errnoOf(e) === undefined) throw e;
    return false;
  }
}

function foldersUp(root: string): string[] {
  const above = dirname(root);
  return above === root ? [root] : [root, ...foldersUp(above)];
}

/** How a client starts a program: without a shell. */
export type Started = { command: string; args: string[] };

/**
 * The server of an entry. `words`: behind the command; none of them holds a double quote. npx looks in the packages of this folder and of those
 * above, then on the PATH, and asks no registry (`-c`).
 */
export function startedBy(command: string, words: readonly string[]): Started {
  if (command === OF_PACKAGE) {
    const line = words.map((word) => (/^[\w./:@-]+$/.test(word) ? word : `"${word}"`)).join(" ");
    return { command: "npx", args: ["-c", `taskfold ${line} || ${echoRemedy(command, "stderr")}`] };
  }
  const [first = command, ...rest] = command.split(" ");
  return { command: first, args: [...rest, ...words] };
}

/** A hook as a line for the shell of the client. `stream`: where the client looks for a sentence. */
export function hookLine(command: string, words: string, stream: "stdout" | "stderr"): string {
  const start = command === OF_PACKAGE ? `npx -c "taskfold ${words}"` : `${command} ${words}`;
  return `${start} || ${echoRemedy(command, stream)}`;
}

/** The same for PowerShell, whose releases before 7 know no `||`. */
export function powershellLine(command: string, words: string): string {
  const line = `${command === OF_PACKAGE ? "taskfold" : command} ${words} || ${echoRemedy(command, "stderr")}`;
  return `${command === OF_PACKAGE ? "npx -c" : "cmd /c"} "${line}"`;
}

/** Said by a shell without quotes, so it has no character that one of them reads as its own. */
function echoRemedy(command: string, stream: "stdout" | "stderr"): string {
  const remedy =
    command === OF_PACKAGE
      ? "run npm ci in this work tree or put the command taskfold on the PATH"
      : `make the command ${command} work in this folder`;
  return `echo Taskfold did not start: ${remedy}.${stream === "stderr" ? " 1>&2" : ""}`;
}
