// @ts-check
// Taskfold itself: the file that was named, or the release of this action from npm, outside of the work tree.
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A file of the pull request is no program of ours: it is looked for outside of the work tree. @param {NodeJS.ProcessEnv} env */
export function findProgram(env) {
  if (env["TASKFOLD_PROGRAM"]) return env["TASKFOLD_PROGRAM"];
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "..", "package.json"), "utf8"));
  const folder = join(env["RUNNER_TEMP"] ?? "/tmp", "taskfold");
  const npm = [
    "install",
    "--prefix",
    folder,
    "--no-save",
    "--no-audit",
    "--no-fund",
    "--ignore-scripts",
    `taskfold@${version}`,
  ];
  execFileSync("npm", npm, { cwd: env["RUNNER_TEMP"] ?? "/tmp", stdio: ["ignore", "ignore", "inherit"] });
  return join(folder, "node_modules/taskfold/dist/cli.cjs");
}

const MAX_OUTPUT = 64 * 1024 * 1024;

/** @typedef {{ code: string, file: string, message: string, info?: boolean }} Finding */
/**
 * The members that the action reads from the documents of `verify`, `diff` and `resolve`.
 * @typedef {{ findings?: Finding[], tasks?: { id: string, conflicts: object[] }[], error?: { message: string, recovery?: string } | undefined }} Printed
 */

export class Taskfold {
  /** @param {string} file @param {string} folder */
  constructor(file, folder) {
    this.file = file;
    this.folder = folder;
    /** The exit code of the last command. @type {number | null} */
    this.code = null;
  }

  /** Its output for people. @param {...string} args */
  says(...args) {
    return this.#run(args).stdout;
  }

  /** The document that it prints; `error` where it was refused. @param {...string} args @returns {Printed} */
  json(...args) {
    const { stdout, stderr } = this.#run(["--json", ...args]);
    if (stdout.trim() === "") throw new Error(`taskfold ${args[0]} said nothing: ${stderr}`);
    const document = JSON.parse(stdout);
    return document.error ? document : { ...document, error: undefined };
  }

  /** @param {...string} args */
  git(...args) {
    const { status, stdout, stderr } = spawnSync("git", args, {
      cwd: this.folder,
      encoding: "utf8",
      maxBuffer: MAX_OUTPUT,
    });
    return { isDone: status === 0, out: stdout.trim(), err: stderr.trim() };
  }

  /** @param {string[]} args */
  #run(args) {
    const ran = spawnSync(process.execPath, [this.file, ...args], {
      cwd: this.folder,
      encoding: "utf8",
      maxBuffer: MAX_OUTPUT,
    });
    this.code = ran.status;
    return ran;
  }
}
