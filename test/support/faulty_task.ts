/** A task on a disk that fails as told, for the tests of what a fault may cost. */
import { existsSync, readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { Disk } from "../../src/disk.ts";
import { nodeDisk } from "../../src/disk.ts";
import { machinePath } from "./machine.ts";
import { unsynced } from "./exchange.ts";
import { FaultyDisk } from "./faulty_disk.ts";
import { logPath, newTask, ok, openTemp } from "./workspace.ts";

export const LOG = "events.jsonl";

export const note = (text: string, key?: string) => ({
  task: "TASK-001",
  note: text,
  ...(key ? { idempotency_key: key } : {}),
});

export const quick = unsynced(nodeDisk);

/** TASK-001 with one note, "before". */
export async function withTask(inner: Disk = quick) {
  const disk = new FaultyDisk(inner);
  const ws = openTemp({ disk });
  await newTask(ws);
  await ok(ws, "tasks_note", note("before"));
  return { disk, ws, log: logPath(ws.root) };
}

/** Gives the marks of this process to one that is not there: a number above any that a system hands out. */
export function processIsGone(root: string): void {
  const folder = machinePath(root, "dirty");
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder))
    renameSync(join(folder, name), join(folder, name.replace(/^\d+/, "99999999")));
}
