/** Ids as people write them: `TASK-1`, `task-001` and `1` for TASK-001 (CLI-112). */
import { join } from "node:path";
import { nodeRuntime } from "../../node_runtime.ts";
import { nodeDisk } from "../../disk.ts";
import { nearIds, sameIds } from "../../engine/core/input/near.ts";
import type { LeftOut } from "../../engine/core/sparse_checkout.ts";
import { notCheckedOut, PARTS, SparseCheckout } from "../../engine/core/sparse_checkout.ts";
import { TaskfoldError } from "../../errors.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

/** Which kinds a command takes. */
export type Wanted = "task" | "plan" | undefined;

/** The id of the one folder that fits. Returns a text that fits none as it is: the tool's refusal names the nearest ids. */
export function idMeant(root: string, text: string, kind?: Wanted): string {
  if (hasEntity(root, text)) return text;
  // Ids that a sparse checkout leaves out come last: their refusal says how to bring them.
  const names = [...foldersOf(root).map((folder) => fittingIn(folder, text)), sameIds(text, leftOutIn(root).ids)];
  const fitting = names.map((ids) => ids.filter((id) => mayBe(id, kind)));
  // A number alone is that of a task, archived or not: nearly every workspace has a plan of the same number. Ids that
  // Taskfold gave come first: an import brings other ones with the same numbers.
  const only = (fits: (id: string) => boolean): string[][] => fitting.map((ids) => ids.filter(fits));
  const isTask = (id: string): boolean => mayBe(id, "task");
  const ranks = /^\d+$/.test(text)
    ? [only((id) => isGiven(id) && isTask(id)), only(isGiven), only(isTask), fitting]
    : [only(isGiven), fitting];
  for (const same of ranks.flat()) {
    if (same.length === 1) return same[0]!;
    if (same.length > 1) throw ambiguous(text, same);
  }
  return text;
}

/** The same, where there has to be a folder of that name. */
export function knownId(root: string, text: string, kind: Wanted): string {
  const id = idMeant(root, text, kind);
  if (hasEntity(root, id)) return id;
  const { left, ids } = leftOutIn(root);
  if (ids.includes(id)) throw notCheckedOut(left, id);
  const known = foldersOf(root).flatMap((folder) => (isFolder(folder) ? nodeDisk.readFolders(folder) : []));
  if (known.includes(id)) return id;
  const near = nearIds(
    text,
    known.filter((one) => mayBe(one, kind)),
  );
  const meant = near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
  throw new TaskfoldError(
    "UNKNOWN_ID",
    `Expected the id of a ${kind ?? "plan or task"} of this workspace, found ${JSON.stringify(text.slice(0, 80))}.${meant}`,
    remedy`${TASKFOLD} list lists the ids that are there.`,
  );
}

function leftOutIn(root: string): { left: LeftOut; ids: string[] } {
  const left = new SparseCheckout({ disk: nodeDisk, runtime: nodeRuntime }, root).look();
  return { left, ids: PARTS.flatMap((part) => [...left[part].ids.keys()]) };
}

function isPlainName(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/.test(text);
}

function foldersOf(root: string): string[] {
  return ["tasks", "archive"].map((part) => join(root, ".coco", part));
}

function isFolder(path: string): boolean {
  return nodeDisk.lstat(path)?.kind === "folder";
}

/** Whether there is a plan or task with this very id. */
export function hasEntity(root: string, id: string): boolean {
  return isPlainName(id) && foldersOf(root).some((folder) => isFolder(join(folder, id)));
}

/** Only names that fit are looked at: to list the kind of each of very many takes half as long again. */
function fittingIn(folder: string, text: string): string[] {
  if (!isFolder(folder)) return [];
  return sameIds(text, nodeDisk.readdir(folder)).filter((id) => isFolder(join(folder, id)));
}

/** As Taskfold makes ids. */
function isGiven(id: string): boolean {
  return /^(?:TASK|PLAN)-\d/i.test(id);
}

/** Only an id that was made says what it names. */
function mayBe(id: string, kind: Wanted): boolean {
  return !(kind === "task" && /^PLAN-\d/i.test(id)) && !(kind === "plan" && /^TASK-\d/i.test(id));
}

function ambiguous(text: string, ids: string[]): TaskfoldError {
  const candidates = ids.toSorted();
  return new TaskfoldError(
    "TARGET_CONTRADICTION",
    `Expected an id that one plan or task has; ${JSON.stringify(text)} fits ${candidates.slice(0, 5).join(", ")}${candidates.length > 5 ? ` and ${candidates.length - 5} more` : ""}.`,
    { recovery: "Give the whole id.", details: { candidates: candidates.slice(0, 20) } },
  );
}
