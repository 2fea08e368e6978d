/** Files of git that say what it lists and what it executes: a stage that changes them hides files, or has a program run later. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { nodeDisk } from "../../disk.ts";
import { readPlain } from "./read_file.ts";
import type { Repository } from "./repository.ts";

const MOST_BYTES = 4 * 1024 * 1024;
const SHARED = ["config", "info/exclude", "info/attributes", "info/sparse-checkout"];

/** Each that is there, as a path of `.git`, with a digest of its bytes and of whether it is executable. */
export function controlFiles({ folder, common }: Repository): { path: string; sha256: string }[] {
  const hooks = namesIn(join(common, "hooks")).map((name) => `hooks/${name}`);
  return [
    ...[...SHARED, ...hooks].flatMap((path) => fileOf(common, path)),
    ...fileOf(folder, "config.worktree"),
  ].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function fileOf(folder: string, path: string): { path: string; sha256: string }[] {
  const bytes = readPlain(folder, path, MOST_BYTES);
  if (bytes === undefined) return [];
  const full = join(folder, path);
  const link = nodeDisk.lstat(full)?.kind === "link" ? nodeDisk.readlink(full) : "";
  const mode = nodeDisk.outside.isExecutable(full) ? "executable" : "";
  const sha256 = createHash("sha256").update(`${mode}\n${link}\n`).update(bytes).digest("hex");
  return [{ path: `.git/${path}`, sha256 }];
}

/** Git executes no samples. */
function namesIn(folder: string): string[] {
  if (nodeDisk.lstat(folder)?.kind !== "folder") return [];
  return nodeDisk.readdir(folder).filter((name) => !name.endsWith(".sample"));
}
