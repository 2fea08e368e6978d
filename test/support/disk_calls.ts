/** Calls of the file interface, and how a test says which of them it means. */
import type { Disk } from "../../src/disk.ts";

export type Kind = keyof Disk;

export interface Call {
  kind: Kind;
  /** The path it names, or the one its descriptor was opened by. */
  path: string;
}

/** Which calls are meant: of this kind (or one of these), on a path that ends with or matches this. */
export interface Which {
  kind: Kind | readonly Kind[];
  path?: string | RegExp;
}

/** Calls that leave something on disk: what a crash falls between. */
export const CHANGES: readonly Kind[] = [
  "write",
  "truncate",
  "fdatasyncSync",
  "fdatasync",
  "fsync",
  "syncFolder",
  "mkdir",
  "rename",
  "exchange",
  "unlink",
  "rmdir",
];

/** Whether a call is one of those meant. */
export function fits({ kind, path }: Which, call: Call): boolean {
  const kinds: readonly string[] = typeof kind === "string" ? [kind] : kind;
  if (!kinds.includes(call.kind)) return false;
  if (path === undefined) return true;
  return typeof path === "string" ? call.path.endsWith(path) : path.test(call.path);
}
