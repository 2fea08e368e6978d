/** The merge driver, which git calls. Its exit code is the answer, and what it says goes to stderr. */
import { basename, dirname, join } from "node:path";
import { counted } from "../../../state/counted.ts";
import { EXIT, TaskfoldError } from "../../../errors.ts";
import { commitNamed } from "../../git/commits_named.ts";
import { foldIndex } from "../../git/fold_index.ts";
import { OURS } from "../../git/hook_scripts.ts";
import type { Driven, DriverCall } from "../../git/merge_driver.ts";
import { mergeFolded, mergeLogs } from "../../git/merge_driver.ts";
import { openRepository } from "../../git/repository.ts";
import type { CliResult } from "../cli_result.ts";
import { withCommands } from "../everyday_command.ts";
import { safeLine } from "../text/safe_text.ts";
import type { Session } from "../session.ts";

export function mergeDriver(session: Session, kind: string, call: DriverCall): Promise<CliResult> {
  const { io } = session;
  return Promise.resolve(driverResult(session, driven(kind, call)));

  function driven(of: string, given: DriverCall): Driven {
    if (of === "log") return mergeLogs(io.cwd, given);
    if (of === "folded") return mergeFolded(io.cwd, io.env, given);
    throw new TaskfoldError("INVALID_INPUT", `Expected log or folded, found ${JSON.stringify(of)}.`);
  }
}

/** The driver of logs answers with one of these, and git joins line by line only for the second (GIT-1, GIT-9). */
function driverResult(session: Session, { merged, stops, messages }: Driven): CliResult {
  return {
    exit: merged ? EXIT.ok : stops ? EXIT.conflict : EXIT.refused,
    json: { merged, said: messages.map(({ recovery }) => recovery) },
    human: () => ({ out: "", err: linesOf(messages.map((one) => withCommands(session, one))) }),
  };
}

/** A hook never stops git. It says what it could not do. */
export function hook(session: Session, name: string, args: readonly string[]): Promise<CliResult> {
  const messages =
    (name === "post-rewrite" && args[0] !== "rebase") || !isHook(name) ? [] : hookMessages(session, name);
  return Promise.resolve({
    exit: EXIT.ok,
    json: { said: messages },
    human: () => ({ out: "", err: linesOf(messages) }),
  });
}

/** Git prints what its own commands say on the same terminal. */
function linesOf(messages: readonly string[]): string {
  return messages.map((line) => `taskfold: ${safeLine(line)}\n`).join("");
}

function isHook(name: string): boolean {
  return (OURS as readonly string[]).includes(name);
}

function hookMessages({ io, program }: Session, name: string): string[] {
  const { cwd, env } = io;
  const index = env["GIT_INDEX_FILE"] || undefined;
  const repository = openRepository(cwd, index);
  if (!repository) return [];
  const from = name === "pre-commit" ? "HEAD" : "ORIG_HEAD";
  const since = commitNamed(repository, from);
  if (since === undefined && name !== "pre-commit") return [];
  const { staged, left, kept } = foldIndex(repository, since ?? null);
  // A commit of some paths alone has an index of its own; the file that becomes git's index afterwards lies beside it.
  if (staged.length > 0 && /^next-index-\d+\.lock$/.test(basename(repository.index))) {
    const next = openRepository(cwd, join(dirname(repository.index), "index.lock"));
    if (next) foldIndex(next, since ?? null);
  }
  const commit = name === "pre-commit" ? "the commit has them" : "commit them";
  return [
    ...(staged.length === 0
      ? []
      : [`${counted(staged.length, "file was", "files were")} folded anew from their logs and staged; ${commit}.`]),
    ...kept.map(({ path, where }) => `${path} was edited by hand; that text is kept in ${where}.`),
    ...left.map((folder) => `${folder} needs a look: ${program} resolve --stage`),
  ];
}
