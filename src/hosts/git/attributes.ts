/** The attributes of files as git answers. `check-attr` reads files of attributes and starts no program. */
import { join, relative, sep } from "node:path";
import { nodeDisk } from "../../disk.ts";
import { names } from "./merged.ts";
import type { Repository } from "./repository.ts";

/** Paths that one call is given, so that its answer stays far below what is read of git. */
const AT_ONCE = 5000;

/** By path the value of each attribute: `set`, `unset`, `unspecified` or a word. */
export function attributesOf(
  repository: Repository,
  paths: readonly string[],
  attributes: readonly string[],
): Map<string, Map<string, string>> {
  const answers = new Map<string, Map<string, string>>();
  for (let at = 0; at < paths.length; at += AT_ONCE) {
    const input = paths
      .slice(at, at + AT_ONCE)
      .map((path) => `${path}\0`)
      .join("");
    const words = repository
      .git(["check-attr", "-z", "--stdin", ...attributes], { input })
      .toString("utf8")
      .split("\0");
    for (let n = 0; n + 2 < words.length; n += 3) {
      const [path = "", attribute = "", value = ""] = words.slice(n, n + 3);
      const values = answers.get(path) ?? new Map<string, string>();
      answers.set(path, values.set(attribute, value));
    }
  }
  return answers;
}

/** Files of attributes that count more than the one in `folder`: those below it, and that of the clone. */
export function attributeFilesOver(repository: Repository, folder: string): string[] {
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const below = names(repository.git([...list, "--", `${folder}/**/.gitattributes`], { patterns: true }));
  const own = join(repository.common, "info/attributes");
  const isThere = nodeDisk.lstat(own) !== undefined;
  return [
    ...below.filter((path) => path !== `${folder}/.gitattributes`).toSorted(),
    ...(isThere ? [relative(repository.root, own).replaceAll(sep, "/")] : []),
  ];
}
