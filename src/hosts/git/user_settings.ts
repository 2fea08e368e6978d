/** The configuration of the system, the user and the repository, and which of their rules hide new files. */
import { dirname, join, resolve } from "node:path";
import { nodeDisk } from "../../disk.ts";
import type { FileStat } from "../../disk.ts";
import { isSettled, signOf } from "../../files/file_sign.ts";
import { unlessRefused } from "../../files/storage_error.ts";
import { textOfName } from "../../name_bytes.ts";
import { nodeRuntime } from "../../node_runtime.ts";
import { entriesOf } from "./entries.ts";
import type { Repository } from "./repository.ts";
import type { Steps } from "./steps.ts";

export interface UserSettings {
  ignoreCase: boolean;
  /** The file of rules that stands beside those of the repository; it need not be there. */
  excludes: string | undefined;
  /** The folder of hooks that the configuration names; undefined where it names none. */
  hooks: string | undefined;
  /** The last value of each setting, `true` where a name stands alone. Of names each character is one byte. */
  values: ReadonlyMap<string, string>;
  /** Of these, those that the repository itself sets, or a file that it includes. */
  own: ReadonlyMap<string, string>;
}

interface Known {
  settings: UserSettings;
  files: readonly string[];
  marks: string;
}

/** Each call opens git anew, and most of them find the files as the one before did. */
const read = new Map<string, Known>();
const MAX_READ = 16;

function keep(place: string, known: Known): void {
  read.delete(place);
  if (read.size === MAX_READ) read.delete(read.keys().next().value!);
  read.set(place, known);
}

/** Asks git again only if a file of the configuration has changed since: the start of a process costs more than all of these looks. */
export function userSettings(repository: Repository): () => Steps<UserSettings> {
  const place = placeOf(repository);
  let known = read.get(place);
  return function* ask(): Steps<UserSettings> {
    if (known && marksOf(known.files) === known.marks) return known.settings;
    known = undefined;
    const { values, own, files, includes } = yield* configured(repository);
    const excludes = excludesFile(repository, values.get("core.excludesfile"));
    const hooks = hooksFolder(repository, values.get("core.hookspath"));
    const settings = { ignoreCase: isTrue(values.get("core.ignorecase")), excludes, hooks, values, own };
    // A file that is included need not be there yet, and a branch may decide whether it counts.
    if (includes) return settings;
    known = { settings, files, marks: marksOf(files) };
    if (files.every(isOld)) keep(place, known);
    return settings;
  };
}

/** By this git chooses the files that it reads. */
function placeOf({ root, top, folder, common }: Repository): string {
  const { GIT_CONFIG_NOSYSTEM, GIT_EXEC_PATH, HOME, XDG_CONFIG_HOME } = process.env;
  const variables = [GIT_CONFIG_NOSYSTEM, GIT_EXEC_PATH, HOME, XDG_CONFIG_HOME];
  return [root, top, folder, common, ...variables, ...usersFiles()].join("\0");
}

interface Configured extends Pick<UserSettings, "values" | "own"> {
  files: string[];
  includes: boolean;
}

const FILE = "file:";

function* configured(repository: Repository): Steps<Configured> {
  const [output] = yield [{ repository, args: ["config", "-z", "--list", "--show-origin"] }];
  const words = entriesOf(output!);
  const usual = usersFiles();
  const files = new Set([join(repository.common, "config"), join(repository.folder, "config.worktree"), ...usual]);
  const settings: { name: string; value: string; isOwn: boolean; isUsual: boolean }[] = [];
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [origin, entry] = [text(words[at]!), words[at + 1]!];
    // Settings that each call of git here gets are none of the user's.
    if (origin.startsWith("command line:")) continue;
    const end = entry.indexOf("\n");
    const [name, value] = end === -1 ? [entry, "true"] : [entry.slice(0, end), text(entry.slice(end + 1))];
    const file = origin.startsWith(FILE) ? resolve(repository.root, origin.slice(FILE.length)) : undefined;
    if (file !== undefined) files.add(file);
    const isOwn = file !== undefined && [repository.folder, repository.common].includes(dirname(file));
    settings.push({ name, value, isOwn, isUsual: file !== undefined && usual.includes(file) });
  }
  const isInclude = (name: string): boolean => name.startsWith("include");
  // A file that the repository includes may lie anywhere.
  const hasIncluded = settings.some(({ name, isOwn }) => isOwn && isInclude(name));
  const counted = settings.filter(({ isOwn, isUsual }) => isOwn || (hasIncluded && !isUsual));
  return {
    values: new Map(settings.map(({ name, value }) => [name, value])),
    own: new Map(counted.map(({ name, value }) => [name, value])),
    files: [...files],
    includes: settings.some(({ name }) => isInclude(name)),
  };
}

function text(latin1: string): string {
  return textOfName(Buffer.from(latin1, "latin1"));
}

/** Those that may be made later. */
function usersFiles(): string[] {
  const { GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM = "/etc/gitconfig", HOME } = process.env;
  const own = GIT_CONFIG_GLOBAL
    ? [GIT_CONFIG_GLOBAL]
    : [...(HOME ? [join(HOME, ".gitconfig")] : []), ...inXdg("config")];
  return [GIT_CONFIG_SYSTEM, ...own];
}

function inXdg(name: string): string[] {
  const { XDG_CONFIG_HOME, HOME } = process.env;
  const folder = XDG_CONFIG_HOME || (HOME && join(HOME, ".config"));
  return folder ? [join(folder, "git", name)] : [];
}

/** The file of ignore rules that the setting `core.excludesFile` names, else the one that git looks for. */
export function excludesFile(repository: Repository, value: string | undefined): string | undefined {
  return fileOfSetting(repository, "core.excludesFile", value, "ignore");
}

/** The same for `core.attributesFile`. */
export function attributesFile(repository: Repository, value: string | undefined): string | undefined {
  return fileOfSetting(repository, "core.attributesFile", value, "attributes");
}

function fileOfSetting(
  repository: Repository,
  setting: string,
  value: string | undefined,
  usual: string,
): string | undefined {
  if (value === undefined) return inXdg(usual)[0];
  const { HOME } = process.env;
  const named = HOME ? value.replace(/^~(?=\/)/, () => HOME) : value;
  // Only git knows the folders of other users and its own.
  const path = /^[~%]/.test(named) ? repository.says(["config", "--type=path", "--get", setting]) : named;
  return path === undefined || path === "" ? undefined : resolve(repository.top, path);
}

/** Git itself cannot be asked here, because each call of it is told to run no hooks. */
function hooksFolder({ top }: Repository, value = ""): string | undefined {
  const { HOME = "" } = process.env;
  return value === "" ? undefined : resolve(top, value.replace(/^~(?=\/|$)/, HOME));
}

export function isTrue(value = "false"): boolean {
  return !/^(?:false|no|off|0|)$/i.test(value);
}

function marksOf(files: readonly string[]): string {
  return files.map((file) => markOf(file)).join("\n");
}

function markOf(file: string): string {
  return signOf(statOf(file));
}

/** Whether a change since git read the file would show. */
function isOld(file: string): boolean {
  const stat = statOf(file);
  return stat === undefined || isSettled({ runtime: nodeRuntime }, stat);
}

function statOf(file: string): FileStat | undefined {
  return unlessRefused(() => nodeDisk.outside.stat(file));
}
