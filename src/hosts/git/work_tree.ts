/** Lists the work tree by git, without looking at the bytes of a file: filters of the repository would run for them. */
import { join, posix } from "node:path";
import type { GitTree, IgnoreRules } from "../../engine/core/git_port.ts";
import { nodeDisk } from "../../disk.ts";
import { bytesOfName, textOfName } from "../../name_bytes.ts";
import { makeFolder, removeAll, written } from "./private_folder.ts";
import { escaped, ignoreRules, withRules } from "./ignore_rules.ts";
import { MAX_LISTED } from "./limits.ts";
import { names } from "./merged.ts";
import { topFrom } from "./repository.ts";
import type { Repository } from "./repository.ts";
import { git } from "./run_git.ts";
import type { UserSettings } from "./user_settings.ts";

/** By rules that were kept, or by those of now. */
export function workTree(repository: Repository, leftOut: readonly string[], by: IgnoreRules | UserSettings): GitTree {
  const at = escaped(`/${repository.prefix}`);
  const without = leftOut.map((name) => `--exclude=${name.startsWith("/") ? at + name.slice(1) : name}/`);
  return "patterns" in by ? listedBy(repository, without, by) : listedNow(repository, without, by);
}

/** Tags keep a new file with an odd name from being taken for an entry of the index. */
const LIST = ["ls-files", "-z", "-t", "--stage", "--cached", "--others"];

function listedBy(repository: Repository, without: readonly string[], rules: IgnoreRules): GitTree {
  const settings = [`core.ignoreCase=${rules.ignoreCase}`];
  const list = (more: readonly string[]) =>
    repository.git([...LIST, ...without, ...more, ...whole(repository)], { settings, most: MAX_LISTED });
  const output =
    rules.patterns === "" ? list([]) : withRules(rules.patterns, (file) => list([`--exclude-from=${file}`]));
  const { paths, index } = entriesOf(output);
  return { paths: [...paths], index, rules };
}

function listedNow(repository: Repository, without: readonly string[], user: UserSettings): GitTree {
  const hiding = [...without, "--exclude-standard"];
  const settings = [`core.excludesFile=${user.excludes ?? "/dev/null"}`];
  const asked = { settings, most: MAX_LISTED };
  const { paths, index } = entriesOf(repository.git([...LIST, "--directory", ...hiding, ...whole(repository)], asked));
  // Folders without a tracked file, also where all that they hold is hidden by rules of their own.
  const untracked = [...paths].filter((path) => path.endsWith("/"));
  const hidden: string[] = [];
  if (untracked.length > 0) {
    const below = [...new Set(untracked.map((path) => asArgument(path) || topFrom(repository)))];
    const others = (how: readonly string[]): string[] =>
      names(repository.git(["ls-files", "-z", "--others", ...how, ...hiding, "--", ...below], asked));
    hidden.push(...untracked, ...others(["--ignored", "--directory"]));
    for (const folder of untracked) paths.delete(folder);
    for (const path of others([])) paths.add(path);
  }
  const folders = foldersOf(repository, [...paths, ...hidden]);
  return { paths: [...paths], index, rules: ignoreRules(repository, user, folders) };
}

/** An argument of a program is UTF-8: of a path that is not, the folders above. */
function asArgument(path: string): string {
  const names = path.split("/");
  const odd = names.findIndex((name) => !name.isWellFormed());
  return odd < 0 ? path : names.slice(0, odd).join("/");
}

/** Also what lies beside a root below the top. */
function whole(repository: Repository): string[] {
  return repository.prefix === "" ? [] : ["--", topFrom(repository)];
}

/** Every folder on the way to one of the paths, from the top of the work tree on. */
function foldersOf({ prefix }: Repository, paths: readonly string[]): Set<string> {
  const folders = new Set<string>();
  for (const path of [prefix, ...paths.map((path) => inTree(prefix, path))]) {
    for (
      let end = path.lastIndexOf("/") + 1;
      !folders.has(path.slice(0, end));
      end = path.lastIndexOf("/", end - 2) + 1
    )
      folders.add(path.slice(0, end));
  }
  return folders;
}

function inTree(prefix: string, path: string): string {
  return prefix === "" ? path : posix.normalize(`${prefix}${path}`);
}

/** `H 100644 <object> 0`, a tab and the path, or `? ` and the path of a new file. */
function entriesOf(output: Buffer): { paths: Set<string>; index: Map<string, string> } {
  const paths = new Set<string>();
  const index = new Map<string, string>();
  for (const entry of textOfName(output).split("\0")) {
    if (entry === "") continue;
    const start = entry.startsWith("? ") ? 2 : entry.indexOf("\t") + 1;
    const path = entry.slice(start);
    paths.add(path);
    if (start > 2) index.set(path, `${index.get(path) ?? ""}${entry.slice(2, start - 1)} `);
  }
  return { paths, index };
}

/** Those that the rules hide, of what git does not list: pipes, and folders that this user may not read. One with `/` at its end is a folder. */
export function ignored({ prefix }: Repository, paths: readonly string[], rules: IgnoreRules): Set<string> {
  const asked = paths.map((path) => `./${inTree(prefix, path.endsWith("/") ? `${path}x` : path)}`);
  const always = ".git-is-asked";
  return withRules(`${rules.patterns}\n/${always}\n`, (file) => {
    // A work tree with nothing in it: the files of rules in the present one may be written by the stage.
    const [folder, own] = [makeFolder(), makeFolder()];
    try {
      for (const name of ["refs", "objects"]) nodeDisk.mkdir(join(own, name));
      written(join(own, "HEAD"), [Buffer.from("ref: refs/heads/none\n")]);
      const none = { GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };
      const place = { folder, variables: { ...none, GIT_DIR: own, GIT_WORK_TREE: folder } };
      const input = Buffer.concat([...asked, always].map(nulBehind));
      const settings = [`core.excludesFile=${file}`, `core.ignoreCase=${rules.ignoreCase}`];
      const command = ["check-ignore", "--no-index", "-z", "--stdin"];
      const ignored = new Set(names(git(place, command, { input, settings, plain: true })));
      return new Set(paths.filter((_, n) => ignored.has(asked[n]!)));
    } finally {
      for (const one of [folder, own]) removeAll(one);
    }
  });
}

function nulBehind(path: string): Buffer {
  return Buffer.concat([bytesOfName(path), Buffer.of(0)]);
}
