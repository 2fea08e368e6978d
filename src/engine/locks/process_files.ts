/**
 * Files of one open workspace in the registry, named `<pid>-<start of the process>-<8 hex digits>...`. The name tells
 * whether the process that made the file is gone.
 */
import { isGone, ownStart } from "./lock_owner.ts";
import type { Machine } from "./lock_owner.ts";

/** Names of this process: in a container every process may have the same number. */
const OWN = new Set<string>();
const NAME = /^(\d+)-(\d*)-[^-]*/;

/** A name that no other process has now, and no other workspace of this one. `id`: random hex digits. */
export function ownName(machine: Machine, id: string): string {
  const name = `${machine.runtime.pid}-${ownStart(machine)}-${id.slice(0, 8)}`;
  OWN.add(name);
  return name;
}

/** The workspace of that name is closed: nothing of it is left. */
export function disown(name: string): void {
  OWN.delete(name);
}

/** Whether a file was left by a process that is gone. */
export function isOrphan(machine: Machine, file: string): boolean {
  const [name, digits, started] = NAME.exec(file) ?? [];
  if (name === undefined || OWN.has(name)) return false;
  const pid = Number(digits);
  // Of this very process's number: from before, when it was another's, or another container's. With its start, too, it is of
  // another thread, which has this module for itself.
  if (pid === machine.runtime.pid) return started === "" || started !== ownStart(machine);
  return isGone(machine, { pid, started: started! });
}
