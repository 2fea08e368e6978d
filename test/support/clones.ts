/** Clones of a workspace without git: the same files, and what `merge=union` or a pick does to them. */
import { appendFileSync, cpSync } from "node:fs";
import { join } from "node:path";
import type { Workspace } from "../../src/engine/workspace.ts";
import { tempFolder } from "./temp.ts";
import { counting, logLines, logPath, newTask, ok, openTemp, ticking } from "./workspace.ts";

/** Another clone: the same files, a workspace of its own, a clock of its own. */
export function clone(ws: Workspace, hour: number): Workspace {
  const root = tempFolder();
  cpSync(ws.root, root, { recursive: true });
  return openTemp({ root, now: ticking(Date.UTC(2026, 1, 1, hour)), newId: counting(`clone ${hour}`) });
}

/** What `merge=union` does to a log: the lines of both sides. */
export function union(into: Workspace, from: Workspace, id = "TASK-001"): void {
  const have = new Set(logLines(into.root, id));
  const more = logLines(from.root, id).filter((line) => !have.has(line));
  appendFileSync(logPath(into.root, id), more.map((line) => `${line}\n`).join(""));
}

/** Copies a folder of `.coco` from one clone to another, as a checkout, a pick or a person does. */
export function bring(into: Workspace, from: Workspace, folder: string, as = folder): void {
  cpSync(join(from.root, ".coco", folder), join(into.root, ".coco", as), { recursive: true });
}

/** One task under two names: `renamed` by the merge of `main`, while `side` still has it as TASK-001. */
export async function renamedTask(): Promise<{ main: Workspace; side: Workspace; renamed: string }> {
  const base = openTemp();
  await newTask(base, "TASK-900");
  const [first, side] = [clone(base, 1), clone(base, 2)];
  await newTask(first, "TASK-001", ["Of the first"]);
  await newTask(side, "TASK-001", ["Of the second", "Another"]);
  const main = clone(first, 3);
  union(main, side);
  const renamed = (await main.repair.resolve()).entities[0]!.split[0]!.id;
  await ok(main, "tasks_note", { task: renamed, note: "of main" });
  return { main, side, renamed };
}
