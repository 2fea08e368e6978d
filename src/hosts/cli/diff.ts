/** `taskfold diff`: what changed in plans and tasks between two commits, or a commit and the work tree. */
import { KEEP_OUT } from "../../engine/entity/no_entity.ts";
import { filteredLines, logDiff } from "../../engine/query/task_diff.ts";
import type { Warning } from "../../errors.ts";
import { EXIT, TaskfoldError } from "../../errors.ts";
import { counted } from "../../state/counted.ts";
import { commitAsked, logsBetween, mergeBase } from "../git/logs_between.ts";
import type { Repository } from "../git/repository.ts";
import { openRepository } from "../git/repository.ts";
import type { NamedDiff } from "./text/diff_text.ts";
import { diffMarkdown, diffText, plain } from "./text/diff_text.ts";
import type { CliResult } from "./cli_result.ts";
import { reportReply } from "./cli_result.ts";
import { warningsText } from "./text/reply_text.ts";
import type { Session } from "./session.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

interface Options {
  markdown?: boolean;
  /** The address below which the files of the workspace stand. */
  links?: string;
  /** Against the commit that both came from. */
  mergeBase?: boolean;
}

export interface Compared {
  from: string;
  /** Null: the work tree. */
  to: string | null;
  tasks: NamedDiff[];
  /** Of logs that cannot be compared. */
  warnings: Warning[];
}

export function diff(
  session: Session,
  one: string | undefined,
  other: string | undefined,
  options: Options,
): Promise<CliResult> {
  if (options.links !== undefined && !options.markdown)
    throw new TaskfoldError(
      "INVALID_INPUT",
      "Expected --markdown beside --links, found no --markdown: only Markdown has links.",
      remedy`${TASKFOLD} diff --markdown --links ${options.links}`,
    );
  const repository = openRepository(session.workspaceRoot());
  if (!repository)
    throw new TaskfoldError(
      "INVALID_INPUT",
      "Expected a folder inside a git work tree; this one is in none, or there is no git program.",
      remedy`${TASKFOLD} delta tells what happened without git.`,
    );
  const { from, to, tasks, warnings } = compare(repository, one ?? "HEAD", other, options);
  return Promise.resolve({
    exit: EXIT.ok,
    json: reportReply(
      "diff",
      { from, to, tasks: tasks.map((task) => ({ ...task, sentences: task.sentences.map(plain) })) },
      warnings,
    ),
    human: () => ({
      out: options.markdown ? diffMarkdown(tasks, warnings, options.links) : diffText(tasks, session, warnings.length),
      err: warningsText(warnings, session),
    }),
  });
}

export function compare(
  repository: Repository,
  one: string,
  other: string | undefined,
  { mergeBase: isFromBase = false }: Pick<Options, "mergeBase"> = {},
): Compared {
  const to = other === undefined ? null : commitAsked(repository, other);
  const named = commitAsked(repository, one);
  const from = isFromBase ? mergeBase(repository, named, to ?? commitAsked(repository, "HEAD")) : named;
  const tasks: NamedDiff[] = [];
  const warnings: Warning[] = [];
  for (const { id, before, after } of logsBetween(repository, from, to ?? undefined)) {
    const sides = [
      { where: from.slice(0, 12), log: before },
      { where: to?.slice(0, 12) ?? "the work tree", log: after },
    ];
    const unread = sides.flatMap(({ where, log }) => notCompared(id, where, log));
    warnings.push(...unread);
    if (unread.length > 0) continue;
    const found = logDiff(before, after);
    if (found) tasks.push({ id, ...found });
  }
  return { from, to, tasks: tasks.toSorted((a, b) => compareNames(a.id, b.id)), warnings };
}

/** The warning about a side that has something else in the place of its events. */
function notCompared(id: string, where: string, log: Buffer | undefined): Warning[] {
  const filtered = log && filteredLines(log);
  if (!filtered) return [];
  const { pointers, unreadable } = filtered;
  const [code, found, next] =
    pointers > 0
      ? (["LOG_LFS_POINTER", `${counted(pointers, "line")} of pointers of Git LFS`, KEEP_OUT] as const)
      : (["LOG_DAMAGED", `${counted(unreadable, "line")} that cannot be read`, UNLOCK] as const);
  const message = `Expected events in the log of ${id} in ${where}, found ${found}: it is not compared.`;
  return [{ code, message, ...next }];
}

const UNLOCK = remedy`If a filter of git encrypts the log, unlock that filter; ${TASKFOLD} verify names the lines.`;

function compareNames(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}
