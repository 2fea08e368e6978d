/** A project that has no types of Node: a page in a browser, or an orchestrator on another runtime. */
import { encapsulationError, filterListing, findPackagesUnder, isEncapsulatedPath } from "taskfold/guard";
import { projectionsOf, replay } from "taskfold/replay";
import type { LogState, Step } from "taskfold/replay";

export const titleOf = (lines: Uint8Array): string => replay(lines).entity.title;

export function filesOf(lines: readonly string[]): Map<string, string> {
  const state: LogState = replay(lines, { id: "TASK-001" });
  const first: Step | undefined = [...state.entity.steps.values()][0];
  return first?.done ? projectionsOf(state) : new Map();
}

export async function mayDelete(path: string): Promise<boolean> {
  if (await isEncapsulatedPath(path, { cwd: "/repo" })) throw encapsulationError("delete", path);
  return (await findPackagesUnder(path)).length === 0 && filterListing([path]).length === 1;
}
