/** Refusals of a log from which no plan or task can be read, or in which a filter of git wrote. */
import { basename, dirname } from "node:path";
import { TaskfoldError } from "../../errors.ts";
import { LOG_FILE } from "../../files/layout.ts";
import type { LogReport } from "../../log/report.ts";
import { counted } from "../../state/counted.ts";
import { shellQuote } from "../../state/shell_quote.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";
import type { Remedy } from "../../remedy.ts";

interface Named {
  id: string;
  /** Any path that ends in `tasks/ID` or `archive/ID`. */
  folder: string;
}

/** How many lines of pointers of Git LFS a log has, and how many events beside them. */
interface Pointers {
  pointers: number;
  events: number;
}

/** @internal */
export function pointersIn({ problems, events }: Pick<LogReport, "problems" | "events">): Pointers {
  return { pointers: problems.filter(({ code }) => code === "LINE_LFS_POINTER").length, events };
}

/** Of a log from which no plan or task can be read. @internal */
export function noEntity(named: Named, report: Pick<LogReport, "events" | "problems" | "moreProblems">): TaskfoldError {
  const { id } = named;
  const found = pointersIn(report);
  if (found.pointers > 0) return pointerError(named, found);
  const bad = report.problems.length + report.moreProblems;
  const lines = bad > 0 ? ` in ${counted(bad, "line")}` : "";
  return new TaskfoldError(
    "LOG_UNREADABLE",
    `Expected the log of ${id} to begin with task.created, found none that could be read${lines}.`,
    remedy`${TASKFOLD} verify ${id} names the lines; ${TASKFOLD} resolve ${id} or git brings the log back. If a filter of git encrypts it, unlock that filter first.`,
  );
}

/** LOG_LFS_POINTER, with the way out. @internal */
export function pointerError({ id, folder }: Named, found: Pointers): TaskfoldError {
  // One pointer has two such lines, and stands for a whole log: Git LFS has its bytes.
  const isOne = found.pointers <= 2 && found.events === 0;
  return new TaskfoldError("LOG_LFS_POINTER", pointerMessage(id, found), {
    ...(isOne ? FETCH : mergeAgain(`.coco/${basename(dirname(folder))}/${id}/${LOG_FILE}`)),
  });
}

/** @internal */
export function pointerMessage(id: string, { pointers, events }: Pointers): string {
  const beside = events > 0 ? " beside them" : "";
  return `Expected events in the log of ${id}, found ${counted(pointers, "line")} of pointers of Git LFS${beside}.`;
}

/** The file of attributes may be new, and `--renormalize` stages no new file. */
const RENORMALIZE = "git add .coco/.gitattributes && git add --renormalize .coco";

/** @internal */
export const KEEP_OUT = remedy`${TASKFOLD} doctor --fix and ${RENORMALIZE} keep logs out of Git LFS: commit what they changed.`;

const FETCH = remedy`git lfs pull brings its events. Then ${KEEP_OUT}`;

/**
 * A filter of the repository reached a log, and git merged what that filter wrote. `file`: from the root. Git takes no merge back
 * over a file that its filter writes in another way, so that file goes first. @internal
 */
export function mergeAgain(file: string): Remedy {
  const back = `git checkout HEAD -- ${shellQuote(file)} && git merge --abort`;
  return remedy`${back} takes a merge under way back, and git reset --hard ORIG_HEAD one that is committed. Then on each of both branches call ${TASKFOLD} doctor --fix and ${RENORMALIZE}, commit, and merge again.`;
}
