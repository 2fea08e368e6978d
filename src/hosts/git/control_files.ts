/** Files of git that say what it lists and what it executes: a stage that changes them hides files, or has a program run later. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { nodeDisk } from "../../disk.ts";
import { isTaskfoldError } from "../../errors.ts";
import { readRules } from "./ignore_rules.ts";
import { readPlain } from "./read_file.ts";
import type { Repository } from "./repository.ts";
import type { UserSettings } from "./user_settings.ts";

interface ControlFile {
  path: string;
  sha256: string;
}

const MOST_BYTES = 4 * 1024 * 1024;
const SHARED = ["config", "info/exclude", "info/attributes", "info/sparse-checkout"];

/** Each that is there, as a path of `.git`, with a digest of its bytes and of whether it is executable. */
export function controlFiles({ folder, common }: Repository, user: UserSettings): ControlFile[] {
  const hooks = namesIn(join(common, "hooks")).map((name) => `hooks/${name}`);
  return [
    ...[...SHARED, ...hooks].flatMap((path) => fileOf(common, path)),
    ...fileOf(folder, "config.worktree"),
    ...userRules(user),
  ].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** The user's own file of rules lies anywhere, and hides files of every repository. */
function userRules({ ignoreCase, excludes }: UserSettings): ControlFile[] {
  const text = excludes && textOf(excludes);
  if (!ignoreCase && !text) return [];
  const sha256 = createHash("sha256")
    .update(`${ignoreCase}\n${text ?? ""}`, "latin1")
    .digest("hex");
  return [{ path: ".git/core.excludesFile", sha256 }];
}

function textOf(path: string): string | undefined {
  try {
    return readRules(path);
  } catch (e) {
    if (isTaskfoldError(e) && e.code === "CONTENT_TOO_LARGE") return e.message;
    throw e;
  }
}

function fileOf(folder: string, path: string): ControlFile[] {
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
