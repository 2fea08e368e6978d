/**
 * The program that git runs for a file of `.coco` that both sides changed (GIT rules). A merge driver writes its answer
 * over our version.
 */
import { bindingIn } from "../../engine/entity/binding.ts";
import { nodeDisks } from "../../disks.ts";
import { keepEdited } from "../../engine/repair/keep_edited.ts";
import { mergeAgain } from "../../engine/entity/no_entity.ts";
import { foldedFile, isFilteredSide, joinedLog } from "../../engine/repair/merge_sides.ts";
import { writeAtomic } from "../../files/atomic.ts";
import { nodeDisk } from "../../disk.ts";
import { join } from "node:path";
import { MAX_OBJECT } from "./limits.ts";
import { entityPath, mergeSides, workspaceYaml } from "./merge_trees.ts";
import { openRepository } from "./repository.ts";
import type { Repository } from "./repository.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";
import type { Remedy } from "../../remedy.ts";
import { attributesOf } from "./attributes.ts";

/** Paths of the three versions as git hands them over, and the path of the file in the work tree. */
export interface DriverCall {
  base: string;
  ours: string;
  theirs: string;
  path: string;
}

/** `merged` false: git is told of a conflict, and our version stays. */
export interface Driven {
  merged: boolean;
  /** Git must not join the sides in its own way either. */
  stops?: true;
  /** Messages for people. */
  messages: Remedy[];
}

/** Joins both sides of a log. */
export function mergeLogs(cwd: string, { ours, theirs, path: file }: DriverCall): Driven {
  const sides = [ours, theirs].map((path) => version(cwd, path));
  if (isFilteredSide(sides)) {
    const message = remedy`${file} stays as it was on our side: a filter of git, such as Git LFS, wrote one of the sides. ${mergeAgain(file)}`;
    return { merged: false, stops: true, messages: [message] };
  }
  const log = joinedLog(sides);
  if (log === null) return { merged: false, messages: [] };
  writeAtomic(nodeDisk, join(cwd, ours), log);
  return { merged: true, messages: [] };
}

/** Folds a file anew from the joined log. `cwd`: the top of the work tree. */
export function mergeFolded(cwd: string, env: Readonly<Record<string, string | undefined>>, call: DriverCall): Driven {
  const conflict = (why: string): Driven => ({
    merged: false,
    messages: [remedy`${call.path} stays as it was on our side, because ${why}. Next: ${TASKFOLD} resolve --stage`],
  });
  const at = entityPath(call.path);
  const repository = openRepository(cwd);
  if (!at || !repository) return conflict("git names no file of a plan or task in this repository");
  const [base, ours, theirs] = [call.base, call.ours, call.theirs].map((path) => version(cwd, path));
  const sides = mergeSides(repository, env, { path: call.path, base: base!, ours: ours!, theirs: theirs! });
  if (!sides) return conflict("no commit was found that has the other side");
  const yaml = workspaceYaml(repository, at.prefix);
  if (yaml === undefined) return conflict("there is no workspace.yaml on our side");
  const { workspace } = bindingIn(yaml);
  const folded = foldedFile({ id: at.id, name: at.name, workspace }, sides);
  if (!folded) return conflict("the joined log needs a look first");
  // Git stores the answer as it is, and would keep a text that a filter was to encrypt.
  if (folded.edited.length > 0 && isConverted(repository, call.path)) return conflict("a filter of git reaches it");
  const messages = folded.edited.map((bytes) => {
    const kept = keepEdited(nodeDisks(), join(cwd, at.prefix), at, bytes);
    return remedy`${call.path} was edited by hand on one side; that text is kept in ${at.prefix}${kept}.`;
  });
  writeAtomic(nodeDisk, join(cwd, call.ours), folded.text);
  return { merged: true, messages };
}

function isConverted(repository: Repository, path: string): boolean {
  const filter = attributesOf(repository, [path], ["filter"]).get(path)?.get("filter");
  return filter !== undefined && filter !== "unset" && filter !== "unspecified";
}

function version(cwd: string, path: string): Buffer {
  return nodeDisk.readFile(join(cwd, path), MAX_OBJECT);
}
