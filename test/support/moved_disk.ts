/** A disk whose every path lies below a folder: what goes beside it finds nothing at the path, or leaves something there. */
import { nodeDisk } from "../../src/disk.ts";
import type { Disk } from "../../src/disk.ts";

type Calls = Record<string, (...given: unknown[]) => unknown>;

export function movedDisk(base: string): Disk {
  const moved = (given: unknown): unknown =>
    typeof given === "string" && given.startsWith("/") ? base + given : given;
  const all = <T extends object>(calls: T): T =>
    Object.fromEntries(
      Object.entries(calls as Calls).map(([name, call]) => [name, (...given: unknown[]) => call(...given.map(moved))]),
    ) as T;
  const { outside, ...disk } = nodeDisk;
  const realpath: Disk["outside"]["realpath"] = (path) => outside.realpath(base + path).slice(base.length);
  return { ...all(disk), outside: { ...all(outside), realpath } };
}
