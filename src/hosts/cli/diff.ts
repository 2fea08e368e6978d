/** `taskfold diff`: what changed in plans and tasks between two commits, or a commit and the work tree. */
import { logDiff } from "../../engine/query/task_diff.ts";
import { EXIT, TaskfoldError } from "../../errors.ts";
import { commitNamed, logsBetween, mergeBase } from "../git/logs_between.ts";
import type { Repository } from "../git/repository.ts";
import { openRepository } from "../git/repository.ts";
import type { NamedDiff } from "./text/diff_text.ts";
import { diffMarkdown, diffText, plain } from "./text/diff_text.ts";
import type { CliResult } from "./cli_result.ts";
import { reportReply } from "./cli_result.ts";
import type { Session } from "./session.ts";

interface Options {
  markdown?: boolean;
  /** Against the commit that both came from. */
  mergeBase?: boolean;
}

export interface Compared {
  from: string;
  /** Null: the work tree. */
  to: string | null;
  tasks: NamedDiff[];
}

export function diff(
  session: Session,
  one: string | undefined,
  other: string | undefined,
  options: Options,
): Promise<CliResult> {
  const repository = openRepository(session.workspaceRoot());
  if (!repository)
    throw new TaskfoldError(
      "INVALID_INPUT",
      "Expected a folder inside a git work tree; this one is in none, or there is no git program.",
      {
        recovery: "taskfold delta tells what happened without git.",
      },
    );
  const { from, to, tasks } = compare(repository, one ?? "HEAD", other, options);
  return Promise.resolve({
    exit: EXIT.ok,
    json: reportReply("diff", {
      from,
      to,
      tasks: tasks.map((task) => ({ ...task, sentences: task.sentences.map(plain) })),
    }),
    human: () => ({ out: options.markdown ? diffMarkdown(tasks) : diffText(tasks, session), err: "" }),
  });
}

export function compare(
  repository: Repository,
  one: string,
  other: string | undefined,
  { mergeBase: isFromBase = false }: Pick<Options, "mergeBase"> = {},
): Compared {
  const to = other === undefined ? null : commitNamed(repository, other);
  const named = commitNamed(repository, one);
  const from = isFromBase ? mergeBase(repository, named, to ?? commitNamed(repository, "HEAD")) : named;
  const tasks: NamedDiff[] = [];
  for (const { id, before, after } of logsBetween(repository, from, to ?? undefined)) {
    const found = logDiff(before, after);
    if (found) tasks.push({ id, ...found });
  }
  return { from, to, tasks: tasks.toSorted((a, b) => compareNames(a.id, b.id)) };
}

function compareNames(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}
