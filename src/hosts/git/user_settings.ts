/** Which rules of the user hide new files, by the configuration of the system, the user and the repository. */
import { join, resolve } from "node:path";
import { nodeDisk } from "../../disk.ts";
import { signOf } from "../../files/file_sign.ts";
import { errnoOf } from "../../files/storage_error.ts";
import type { Repository } from "./repository.ts";

export interface UserSettings {
  ignoreCase: boolean;
  /** The file of rules that stands beside those of the repository; it need not be there. */
  excludes: string | undefined;
  /** The folder of hooks that the configuration names; undefined where it names none. */
  hooks: string | undefined;
}

/** Asks git again only if a file of the configuration has changed since: the start of a process costs more than all of these looks. */
export function userSettings(repository: Repository): () => UserSettings {
  let known: { settings: UserSettings; files: string[]; marks: string } | undefined;
  return () => {
    if (known && marksOf(known.files) === known.marks) return known.settings;
    known = undefined;
    const { values, files, includes } = configured(repository);
    const excludes = excludesFile(repository, values.get("core.excludesfile"));
    const hooks = hooksFolder(repository, values.get("core.hookspath"));
    const settings = { ignoreCase: isTrue(values.get("core.ignorecase")), excludes, hooks };
    // A file that is included need not be there yet, and a branch may decide whether it counts.
    if (!includes) known = { settings, files, marks: marksOf(files) };
    return settings;
  };
}

interface Configured {
  /** The last value of each name; an empty text where a name stands alone. */
  values: Map<string, string>;
  files: string[];
  includes: boolean;
}

const FILE = "file:";

function configured(repository: Repository): Configured {
  const values = new Map<string, string>();
  const files = new Set([join(repository.common, "config"), ...usersFiles()]);
  let includes = false;
  const said = repository.git(["config", "-z", "--list", "--show-origin"]).toString("utf8").split("\0");
  for (let at = 0; at + 1 < said.length; at += 2) {
    const [origin, entry] = [said[at]!, said[at + 1]!];
    // Settings that each call of git here gets are none of the user's.
    if (origin.startsWith("command line:")) continue;
    const end = entry.indexOf("\n");
    const name = end === -1 ? entry : entry.slice(0, end);
    values.set(name, end === -1 ? "true" : entry.slice(end + 1));
    if (origin.startsWith(FILE)) files.add(resolve(repository.root, origin.slice(FILE.length)));
    includes ||= name.startsWith("include");
  }
  return { values, files: [...files], includes };
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

function isTrue(value = "false"): boolean {
  return !/^(?:false|no|off|0|)$/i.test(value);
}

function marksOf(files: readonly string[]): string {
  return files.map((file) => markOf(file)).join("\n");
}

function markOf(file: string): string {
  try {
    return signOf(nodeDisk.outside.stat(file));
  } catch (e) {
    if (errnoOf(e) === undefined) throw e;
    return signOf(undefined);
  }
}
