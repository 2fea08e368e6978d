/** git replaces its index or HEAD whenever it changes files of ours: the cheapest sign that logs may have been swapped. */
import { join } from "node:path";
import { areSettled, signOf } from "../../files/file_sign.ts";
import { gitFolder } from "../../files/git_folder.ts";
import type { EngineContext } from "./context.ts";

type Machine = Pick<EngineContext, "disk" | "runtime">;

/**
 * Returns a sign that tells one state of the work tree that `folder` lies in from another. It is empty while git
 * changed it so lately that a further change might not show, or no reader may look. "none" where there is no git.
 */
export function gitSign(machine: Machine, folder: string): string {
  try {
    return lookAt(machine, folder);
  } catch {
    // A `.git` that leads in a circle, or names no path at all: a hint that is not there. Every log is looked at then.
    return "";
  }
}

function lookAt(machine: Machine, folder: string): string {
  const { disk } = machine;
  const git = gitFolder(disk.outside, folder)?.folder;
  const index = git && disk.outside.stat(join(git, "index"));
  if (!index) return "none";
  const stats = [index, disk.outside.stat(join(git, "HEAD"))].filter((stat) => stat !== undefined);
  return areSettled(machine, stats) ? stats.map(signOf).join(" ") : "";
}
