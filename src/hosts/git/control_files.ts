/** Files by which git lists files, finds objects and runs programs: a stage that changes them hides files, or has a program run later. */
import { createHash } from "node:crypto";
import { basename, dirname, join, resolve } from "node:path";
import { nodeDisk } from "../../disk.ts";
import { isTaskfoldError } from "../../errors.ts";
import { unlessRefused } from "../../files/storage_error.ts";
import { readRules } from "./ignore_rules.ts";
import { readPlain } from "./read_file.ts";
import type { Repository } from "./repository.ts";
import type { UserSettings } from "./user_settings.ts";

interface ControlFile {
  path: string;
  sha256: string;
}

const MAX_BYTES = 4 * 1024 * 1024;
const SHARED = ["info/exclude", "info/attributes", "info/sparse-checkout", "info/grafts", "objects/info/alternates"];

/** Each that is there, as a path of `.git`, with a digest of its bytes and of whether it is executable. */
export function controlFiles(repository: Repository, user: UserSettings, inner: readonly string[]): ControlFile[] {
  const { root, folder, common } = repository;
  return [
    ...ownFiles(repository, common, ".git"),
    ...(folder === common ? [] : configOf(repository, folder, "config.worktree", ".git")),
    ...(user.hooks === undefined ? [] : filesIn(user.hooks, "", ".git/core.hooksPath")),
    ...[...new Set([common, folder])].flatMap((one) => ofModules(repository, one, "modules", 0)),
    ...inner.flatMap((path) => ofInner(repository, join(root, path), `${path}/.git`)),
    ...userRules(user),
  ].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function ownFiles(repository: Repository, folder: string, named: string): ControlFile[] {
  return [
    ...["config", "config.worktree"].flatMap((path) => configOf(repository, folder, path, named)),
    ...SHARED.flatMap((path) => fileOf(folder, path, named)),
    ...filesIn(folder, "hooks", named),
  ];
}

const MAX_INCLUDED = 100;

/** A file of settings, and every file that it includes, whether or not the condition for that holds now. */
function configOf(repository: Repository, folder: string, path: string, named: string): ControlFile[] {
  const files = fileOf(folder, path, named);
  const seen = new Set<string>();
  const left = files.length > 0 ? [join(folder, path)] : [];
  for (let file = left.pop(); file !== undefined && seen.size < MAX_INCLUDED; file = left.pop()) {
    for (const included of includedBy(repository, file)) {
      if (seen.has(included)) continue;
      seen.add(included);
      left.push(included);
      files.push(...fileAt(included, `${named}/include.path/${namedBy(folder, included)}`));
    }
  }
  return files;
}

/** A file outside of the git folder goes by its last name, behind digits that tell it from others. Its path belongs to this machine. */
function namedBy(folder: string, path: string): string {
  if (path.startsWith(`${folder}/`)) return path.slice(folder.length + 1);
  return `${createHash("sha256").update(path).digest("hex").slice(0, 8)}/${basename(path)}`;
}

/** Absolute. Git alone knows how its settings are written. */
function includedBy(repository: Repository, file: string): string[] {
  const text = readPlain(dirname(file), basename(file), MAX_BYTES);
  if (!Buffer.isBuffer(text) || !/include/i.test(text.toString("latin1"))) return [];
  const asked = ["config", "-z", "--file", file, "--no-includes", "--get-regexp", String.raw`^include(if\..*)?\.path$`];
  const output = repository.says(asked) ?? "";
  return output.split("\0").flatMap((entry) => {
    const [, path = ""] = entry.split("\n");
    return path === "" ? [] : [resolve(dirname(file), path.replace(/^~(?=\/|$)/, process.env["HOME"] ?? "~"))];
  });
}

/** Returns the files of a folder of hooks, and of folders in it; git executes no samples. A link in the place of the folder is one of them. */
function filesIn(folder: string, part: string, named: string, depth = 0): ControlFile[] {
  const at = join(folder, part);
  const below = part === "" ? "" : `${part}/`;
  const kind = nodeDisk.lstat(at)?.kind;
  const link = kind === "link" ? [control(`${named}/${part}`, nodeDisk.readlink(at))] : [];
  if (kind === undefined || depth > MAX_DEPTH || nodeDisk.outside.stat(at)?.kind !== "folder") return link;
  const entries = unlessRefused(() => nodeDisk.entries(at));
  if (!entries) return [...link, control(`${named}/${part}`, "refused")];
  const files = entries.flatMap((entry) => {
    if (entry.name.endsWith(".sample")) return [];
    const path = `${below}${entry.name}`;
    return entry.kind === "folder" ? filesIn(folder, path, named, depth + 1) : fileOf(folder, path, named);
  });
  return [...link, ...files];
}

const MAX_DEPTH = 32;

/** Git folders of submodules, whose names may have slashes, and of submodules of those. */
function ofModules(repository: Repository, common: string, path: string, depth: number): ControlFile[] {
  if (depth > MAX_DEPTH) return [];
  return namesIn(join(common, path)).flatMap((name) => {
    const module = `${path}/${name}`;
    if (nodeDisk.lstat(join(common, module, "HEAD")) === undefined)
      return ofModules(repository, common, module, depth + 1);
    return [
      ...ownFiles(repository, join(common, module), `.git/${module}`),
      ...ofModules(repository, common, `${module}/modules`, depth + 1),
    ];
  });
}

/** The git folder that a folder of the work tree has, or the file or link that says where it is. */
function ofInner(repository: Repository, folder: string, named: string): ControlFile[] {
  const own = join(folder, ".git");
  const kind = nodeDisk.lstat(own)?.kind;
  if (kind === undefined) return [];
  if (kind !== "folder") return fileOf(folder, ".git", named.slice(0, -"/.git".length));
  // One that git takes for none of its own is a folder like any other, but for git, which lists nothing of it.
  const isOfGit = nodeDisk.lstat(join(own, "HEAD")) !== undefined;
  return [control(named, kind), ...(isOfGit ? ownFiles(repository, own, named) : filesIn(own, "", named))];
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
  return fileAt(join(folder, path), `${named}/${path}`);
}

function fileAt(full: string, named: string): ControlFile[] {
  const bytes = readPlain(dirname(full), basename(full), MAX_BYTES);
  if (bytes === undefined) return [];
  const link = nodeDisk.lstat(full)?.kind === "link" ? nodeDisk.readlink(full) : "";
  const mode = nodeDisk.outside.isExecutable(full) ? "executable" : "";
  return [control(named, `${mode}\n${link}\n`, bytes)];
}

function control(path: string, ...parts: readonly (string | Buffer)[]): ControlFile {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return { path, sha256: hash.digest("hex") };
}

function namesIn(folder: string): string[] {
  return nodeDisk.lstat(folder)?.kind === "folder" ? nodeDisk.readdir(folder) : [];
}
