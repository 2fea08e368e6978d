/** A workspace to plant things in, and what lies outside of it and must stay as it is. */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempFolder } from "./temp.ts";
import { newTask, ok, openTemp } from "./workspace.ts";

/** Files outside, by name. */
export const OUTSIDE_FILES = { secret: "what nobody may read", other: "more of it" } as const;

export function outsideFolder(): string {
  const out = join(tempFolder(), "out");
  mkdirSync(join(out, "inner"), { recursive: true });
  for (const [name, text] of Object.entries(OUTSIDE_FILES)) writeFileSync(join(out, name), text);
  writeFileSync(join(out, "inner/file"), "inner");
  return out;
}

/** A pipe that no process holds the other end of. */
export function makePipe(path: string): void {
  const made = spawnSync("sh", ["-c", `mkfifo "$0"`, path]);
  if (made.status !== 0) throw new Error(`no pipe at ${path}: ${made.stderr.toString()}`);
}

/** The root of a closed workspace with TASK-001, which has a note and an open Taskdoc section. */
export async function busyWorkspace(): Promise<string> {
  const ws = openTemp();
  await newTask(ws);
  await ok(ws, "tasks_note", { task: "TASK-001", note: "first" });
  await ok(ws, "change_mind", { task: "TASK-001", selector: "goals", content: "- one\n" });
  await ws.close();
  return ws.root;
}
