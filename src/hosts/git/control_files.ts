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

const MAX_BYTES = 4 * 1024 * 1024;
const SHARED = ["config", "info/exclude", "info/attributes", "info/sparse-checkout"];

/** Each that is there, as a path of `.git`, with a digest of its bytes and of whether it is executable. */
export function controlFiles(
  { root, folder, common }: Repository,
  user: UserSettings,
  inner: readonly string[],
): ControlFile[] {
  return [
    ...ownFiles(common, ".git"),
    ...fileOf(folder, "config.worktree", ".git"),
    ...(user.hooks === undefined ? [] : filesIn(user.hooks, "", ".git/core.hooksPath")),
    ...[...new Set([common, folder])].flatMap((one) => ofModules(one, "modules", 0)),
    ...inner.flatMap((path) => ofInner(join(root, path), `${path}/.git`)),
    ...userRules(user),
  ].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function ownFiles(folder: string, named: string): ControlFile[] {
  return [...SHARED.flatMap((path) => fileOf(folder, path, named)), ...filesIn(folder, "hooks/", named)];
}

/** Returns the files of a folder of hooks; git executes no samples. */
function filesIn(folder: string, part: string, named: string): ControlFile[] {
  return namesIn(join(folder, part))
    .filter((name) => !name.endsWith(".sample"))
    .flatMap((name) => fileOf(folder, `${part}${name}`, named));
}

const MAX_DEPTH = 32;

/** Git folders of submodules, whose names may have slashes, and of submodules of those. */
function ofModules(common: string, path: string, depth: number): ControlFile[] {
  if (depth > MAX_DEPTH) return [];
  return namesIn(join(common, path)).flatMap((name) => {
    const module = `${path}/${name}`;
    if (nodeDisk.lstat(join(common, module, "HEAD")) === undefined) return ofModules(common, module, depth + 1);
    return [
      ...ownFiles(join(common, module), `.git/${module}`),
      ...fileOf(join(common, module), "config.worktree", `.git/${module}`),
      ...ofModules(common, `${module}/modules`, depth + 1),
    ];
  });
}

/** The git folder of a submodule that has its own, or the file that says where it is. */
function ofInner(folder: string, named: string): ControlFile[] {
  const kind = nodeDisk.lstat(join(folder, ".git"))?.kind;
  if (kind === "folder") return ownFiles(join(folder, ".git"), named);
  return kind === undefined ? [] : fileOf(folder, ".git", named.slice(0, -"/.git".length));
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

function fileOf(folder: string, path: string, named: string): ControlFile[] {
  const bytes = readPlain(folder, path, MAX_BYTES);
  if (bytes === undefined) return [];
  const full = join(folder, path);
  const link = nodeDisk.lstat(full)?.kind === "link" ? nodeDisk.readlink(full) : "";
  const mode = nodeDisk.outside.isExecutable(full) ? "executable" : "";
  const sha256 = createHash("sha256").update(`${mode}\n${link}\n`).update(bytes).digest("hex");
  return [{ path: `${named}/${path}`, sha256 }];
}

function namesIn(folder: string): string[] {
  return nodeDisk.lstat(folder)?.kind === "folder" ? nodeDisk.readdir(folder) : [];
}
