/**
 * Files of one open workspace in the registry, named `<pid>-<start of the process>-<8 hex digits>...`. The name tells
 * whether the process that made the file is gone.
 */
import type { Disk } from "../../disk.ts";
import { isGone, ownStart } from "./lock_owner.ts";

/** Names of this process: in a container every process may have the same number. */
const OWN = new Set<string>();
const NAME = /^(\d+)-(\d*)-[^-]*/;

/** A name that no other process has now, and no other workspace of this one. `id`: random hex digits. */
export function ownName(disk: Disk, id: string): string {
  const name = `${process.pid}-${ownStart(disk)}-${id.slice(0, 8)}`;
  OWN.add(name);
  return name;
}

/** The workspace of that name is closed: nothing of it is left. */
export function disown(name: string): void {
  OWN.delete(name);
}

/** Whether a file was left by a process that is gone. */
export function isOrphan(disk: Disk, file: string): boolean {
  const [name, digits, started] = NAME.exec(file) ?? [];
  if (name === undefined || OWN.has(name)) return false;
  const pid = Number(digits);
  // Of this very process's number: from before, when it was another's, or another container's. With its start, too, it is of
  // another thread, which has this module for itself.
  if (pid === process.pid) return started === "" || started !== ownStart(disk);
  return isGone(disk, { pid, started: started! });
}
