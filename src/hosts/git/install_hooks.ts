/**
 * Hooks of this clone. Where git looks into its own folder, a hook that stands there is renamed and called by ours. Where the
 * configuration names another folder (husky does), that folder stays as it is: git is led to one of ours, whose hooks call those.
 */
import { join, resolve } from "node:path";
import { shellQuote } from "../../state/shell_quote.ts";
import { writeAtomic } from "../../files/atomic.ts";
import { makeExecutable, nodeDisk } from "../../disk.ts";
import { TaskfoldError } from "../../errors.ts";
import { effectivePath, ownSetting, setSetting, unsetSetting } from "./clone_settings.ts";
import { hasForeignLine, hookScript, KEPT, MARK, OURS, PASSED_ON } from "./hook_scripts.ts";
import { readPlain } from "./read_file.ts";
import type { Repository } from "./repository.ts";

const HOOKS_PATH = "core.hooksPath";
const OWN_FOLDER = "taskfold-hooks";
/** The folder that was configured before, as hooks find it, and as the clone's own configuration had it. */
const BEFORE = "taskfold.hooksPath";
const BEFORE_OWN = "taskfold.ownHooksPath";
const MAX_SCRIPT = 1024 * 1024;

export interface HooksState {
  state: "installed" | "not installed" | "partly";
  /** Names of hooks that ours call first. */
  kept: string[];
}

/** Repeating it changes nothing. INVALID_INPUT where a hook cannot be kept. */
export function installHooks(repository: Repository, program: readonly string[]): void {
  refuseChanged(repository);
  const other = otherFolder(repository);
  if (other === undefined) return installInFolder(repository, program);
  const folder = ownFolder(repository);
  if (other.scope === "worktree")
    throw new TaskfoldError(
      "INVALID_INPUT",
      `Expected ${HOOKS_PATH} to be set for the whole clone, found it set for this work tree alone.`,
      {
        recovery: `Run git config --worktree --unset ${HOOKS_PATH}, or install without --hooks.`,
      },
    );
  const own = ownSetting(repository, HOOKS_PATH);
  if (own !== folder) {
    setSetting(repository, BEFORE, other.path);
    if (own === undefined) unsetSetting(repository, BEFORE_OWN);
    else setSetting(repository, BEFORE_OWN, own);
  }
  if (!nodeDisk.lstat(folder)) nodeDisk.mkdir(folder);
  for (const name of new Set([...OURS, ...PASSED_ON, ...hookNames(repository, other.path)]))
    write(folder, name, hookScript(name, shellQuote(`${other.path}/${name}`), isOurs(name) ? program : undefined));
  setSetting(repository, HOOKS_PATH, folder);
}

/** True when there was something to take away. */
export function uninstallHooks(repository: Repository): boolean {
  refuseChanged(repository);
  const folder = ownFolder(repository);
  let removed = false;
  if (ownSetting(repository, HOOKS_PATH) === folder) {
    const own = ownSetting(repository, BEFORE_OWN);
    if (own === undefined) unsetSetting(repository, HOOKS_PATH);
    else setSetting(repository, HOOKS_PATH, own);
    removed = true;
  }
  if (nodeDisk.lstat(folder)?.kind === "folder") {
    for (const name of nodeDisk.readdir(folder)) nodeDisk.unlink(join(folder, name));
    nodeDisk.rmdir(folder);
    removed = true;
  }
  const hooks = join(repository.common, "hooks");
  for (const name of OURS) {
    if (!isScriptOfOurs(repository, name)) continue;
    nodeDisk.unlink(join(hooks, name));
    if (nodeDisk.lstat(join(hooks, name + KEPT))) nodeDisk.rename(join(hooks, name + KEPT), join(hooks, name));
    removed = true;
  }
  return removed;
}

export function hooksState(repository: Repository): HooksState {
  const other = otherFolder(repository);
  const folder = ownFolder(repository);
  if (ownSetting(repository, BEFORE) !== undefined) {
    const isLed = effectivePath(repository, HOOKS_PATH)?.path === folder;
    const isWhole = isLed && changedScript(repository) === undefined;
    return { state: isWhole ? "installed" : "partly", kept: hookNames(repository, other?.path ?? "") };
  }
  const hooks = join(repository.common, "hooks");
  const ours = OURS.filter((name) => isScriptOfOurs(repository, name));
  const kept = OURS.filter((name) => nodeDisk.lstat(join(hooks, name + KEPT)));
  if (ours.length === 0) return { state: "not installed", kept };
  const isWhole = ours.length === OURS.length && other === undefined && changedScript(repository) === undefined;
  return { state: isWhole ? "installed" : "partly", kept };
}

function installInFolder(repository: Repository, program: readonly string[]): void {
  const folder = join(repository.common, "hooks");
  if (nodeDisk.lstat(folder)?.kind === "link")
    throw new TaskfoldError(
      "INVALID_INPUT",
      `Expected ${folder} to be a folder of this clone, found a link: the files behind it belong to others.`,
      {
        recovery: `Name the folder behind it by git config ${HOOKS_PATH} FOLDER, and remove the link; then call again.`,
      },
    );
  if (!nodeDisk.lstat(folder)) nodeDisk.mkdir(folder);
  const foreign = OURS.filter((name) => nodeDisk.lstat(join(folder, name)) && !isScriptOfOurs(repository, name));
  // Before the first is renamed: a refusal changes nothing.
  const twice = foreign.find((name) => nodeDisk.lstat(join(folder, name + KEPT)));
  if (twice !== undefined)
    throw new TaskfoldError("INVALID_INPUT", `Expected one hook ${twice} to keep, found it and ${twice}${KEPT}.`, {
      recovery: `Put both into one file in ${folder}, then call again.`,
    });
  for (const name of foreign) nodeDisk.rename(join(folder, name), join(folder, name + KEPT));
  for (const name of OURS) write(folder, name, hookScript(name, `"$0${KEPT}"`, program));
}

/** Lines of others in a script of ours would be lost with it. */
function refuseChanged(repository: Repository): void {
  const path = changedScript(repository);
  if (path === undefined) return;
  throw new TaskfoldError(
    "INVALID_INPUT",
    `Expected the hook ${path} as Taskfold wrote it, found lines of another program in it. Nothing was changed.`,
    { recovery: `Move these lines to ${path}${KEPT}, which the hook calls first, then call again.` },
  );
}

/** A script of ours with lines that are not ours, by its path. */
function changedScript(repository: Repository): string | undefined {
  const { common } = repository;
  const folder = ownFolder(repository);
  const own = nodeDisk.lstat(folder)?.kind === "folder" ? nodeDisk.readdir(folder) : [];
  const places = [...OURS.map((name) => `hooks/${name}`), ...own.map((name) => `${OWN_FOLDER}/${name}`)];
  const changed = places.find((place) => {
    const bytes = readPlain(common, place, MAX_SCRIPT);
    return Buffer.isBuffer(bytes) && bytes.includes(MARK) && hasForeignLine(bytes.toString("utf8"));
  });
  return changed === undefined ? undefined : join(common, changed);
}

/** The folder that the configuration names, other than ours; undefined where git looks into its own. */
function otherFolder(repository: Repository): { path: string; scope: string } | undefined {
  const found = effectivePath(repository, HOOKS_PATH);
  if (found?.path !== ownFolder(repository)) return found;
  const before = ownSetting(repository, BEFORE);
  return before === undefined ? undefined : { path: before, scope: "local" };
}

function ownFolder(repository: Repository): string {
  return join(repository.common, OWN_FOLDER);
}

function isOurs(name: string): boolean {
  return (OURS as readonly string[]).includes(name);
}

function isScriptOfOurs(repository: Repository, name: string): boolean {
  const bytes = readPlain(repository.common, `hooks/${name}`, MAX_SCRIPT);
  return Buffer.isBuffer(bytes) && bytes.includes(MARK);
}

/** Files that git would take for hooks; samples and helpers have other names. It takes a path from the top of the work tree. */
function hookNames({ root, prefix }: Repository, path: string): string[] {
  const top = join(
    root,
    ...prefix
      .split("/")
      .slice(1)
      .map(() => ".."),
  );
  const folder = resolve(top, path);
  if (path === "" || nodeDisk.stat(folder)?.kind !== "folder") return [];
  return nodeDisk
    .readdir(folder)
    .filter((name) => /^[a-z][a-z0-9-]*$/.test(name) && nodeDisk.stat(join(folder, name))?.kind === "file");
}

function write(folder: string, name: string, text: string): void {
  const path = join(folder, name);
  if (nodeDisk.lstat(path)?.kind === "file" && nodeDisk.readFile(path).toString("utf8") === text) return;
  writeAtomic(nodeDisk, path, text);
  makeExecutable(path);
}
