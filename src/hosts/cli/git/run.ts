/** `taskfold git run -- ARGS`: git with the user's own settings, while every writer of the work tree's workspaces waits (GIT-100). */
import { internalsOf } from "../../../engine/groups/internals.ts";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { constants } from "node:os";
import { dirname, join, resolve } from "node:path";
import { isatty } from "node:tty";
import type { WorkspaceHold } from "../../../engine/core/lock.ts";
import { HOLD_VARIABLE } from "../../../engine/core/lock.ts";
import { TaskfoldError } from "../../../errors.ts";
import { shellQuote } from "../../../state/shell_quote.ts";
import { openRepository } from "../../git/repository.ts";
import type { CliResult } from "../cli_result.ts";
import type { Session } from "../session.ts";
import { workspaceAbove } from "../session.ts";
import { remedy, TASKFOLD } from "../../../remedy.ts";

/** `behind`: how many of the words stand behind `--`. */
export async function runGit(session: Session, words: readonly string[], behind: number): Promise<CliResult> {
  if (behind === 0 || behind < words.length) throw misused(words);
  const roots = workspacesOf(session, words);
  // Outside of a workspace there is nothing to hold, and the command was meant for another folder.
  const [first = session.workspaceRoot(), ...more] = roots;
  const token = session.io.env[HOLD_VARIABLE] || randomUUID();
  const command = ["git", ...words].map(shellQuote).join(" ");
  const holds: { root: string; hold: WorkspaceHold }[] = [];
  // In one order, so that no two commands wait for each other.
  const held = ([root, ...others]: readonly string[]): Promise<number> =>
    root === undefined
      ? started(session, words, token)
      : session.within(
          async (workspace) => {
            const hold = await internalsOf(workspace).hold(command, token);
            holds.push({ root, hold });
            try {
              return await held(others);
            } finally {
              if (!hold.isThere()) session.io.stderr(cleared(root));
              hold.release();
            }
          },
          { root },
        );
  return { exit: await held([first, ...more]), json: {}, human: () => ({ out: "", err: "" }), silent: true };
}

/** The workspace of the folder, and those that git has in the work tree that it is about to change. */
function workspacesOf(session: Session, words: readonly string[]): string[] {
  const folder = folderOf(session.here, words);
  const repository = openRepository(folder);
  const top = repository && openRepository(repository.top);
  const listed =
    top?.git(["ls-files", "-z", "--", "**/.coco/workspace.yaml"], { patterns: true }).toString("utf8") ?? "";
  const tracked = listed.split("\0").flatMap((path) => (path === "" ? [] : dirname(dirname(join(top!.root, path)))));
  const nearest = [workspaceAbove(folder), workspaceAbove(session.root)].filter((root) => root !== undefined);
  return [...new Set([...nearest, ...tracked].map((root) => resolve(root)))]
    .filter((root) => workspaceAbove(root) === root)
    .toSorted();
}

/** Where git goes by the options before its command. */
function folderOf(from: string, words: readonly string[]): string {
  let folder = from;
  for (let i = 0; words[i]?.startsWith("-"); i++) {
    if (words[i] === "-C") folder = resolve(folder, words[i + 1] ?? "");
    if (VALUED.has(words[i]!)) i++;
  }
  return folder;
}

/** Options of git before its command whose value is the next word. */
const VALUED = new Set(["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--attr-source"]);
const ENDING = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Nothing between git and the person: its input and output are this process's own. */
async function started(session: Session, words: readonly string[], token: string): Promise<number> {
  const child = spawn("git", words, {
    cwd: session.here,
    stdio: "inherit",
    env: { ...process.env, [HOLD_VARIABLE]: token },
  });
  // This process ends after git. A terminal sends Ctrl-C to both of them.
  const passed = ENDING.map((name) => ({
    name,
    pass: () => void (name === "SIGINT" && isatty(0) ? undefined : child.kill(name)),
  }));
  for (const { name, pass } of passed) process.on(name, pass);
  try {
    return await new Promise<number>((done, fail) => {
      child.on("error", fail);
      child.on("exit", (status, signal) => done(status ?? 128 + (signal ? constants.signals[signal] : 0)));
    });
  } catch (e) {
    throw new TaskfoldError("INVALID_INPUT", "Expected a git program in PATH, found none that starts.", { cause: e });
  } finally {
    for (const { name, pass } of passed) process.off(name, pass);
  }
}

function cleared(root: string): string {
  const folder = join(root, ".coco/locks");
  return `taskfold: git removed ${folder}, and with it the hold: writers may have written meanwhile. git clean -x -e .coco/locks leaves it.\n`;
}

function misused(words: readonly string[]): TaskfoldError {
  return new TaskfoldError(
    "INVALID_INPUT",
    "Expected the arguments of git behind --, and nothing before it.",
    remedy`${TASKFOLD} git run -- ${words.length === 0 ? "stash" : words.map(shellQuote).join(" ")}`,
  );
}
