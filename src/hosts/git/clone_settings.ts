/** Settings of this clone alone: what stands in its `.git/config`, read and written by git, which executes nothing for that. */
import type { Repository } from "./repository.ts";

/** Every value that the clone itself has, by its name in small letters; of a name with several values the last. One call of git gives all. */
export function ownSettings(repository: Repository): Map<string, string> {
  const settings = new Map<string, string>();
  // Git needs no file of settings, but fails to list one that is not there.
  for (const entry of (repository.says(["config", "--local", "-z", "--list"]) ?? "").split("\0")) {
    const [name = "", ...value] = entry.split("\n");
    settings.set(name, value.join("\n").trim());
  }
  return settings;
}

/** A value that the clone itself has. */
export function ownSetting(repository: Repository, name: string): string | undefined {
  return ownSettings(repository).get(name.toLowerCase()) || undefined;
}

/** A path as it counts, and where it is set; settings of our own command line are passed over. */
export function effectivePath(repository: Repository, name: string): { path: string; scope: string } | undefined {
  const output = repository.says(["config", "--show-scope", "--type=path", "-z", "--get-all", name]) ?? "";
  const parts = output.split("\0");
  let found: { path: string; scope: string } | undefined;
  for (let at = 0; at + 1 < parts.length; at += 2)
    if (parts[at] !== "command") found = { scope: parts[at]!, path: parts[at + 1]! };
  return found;
}

/** `known`: what `ownSettings` gave, for one who sets several. */
export function setSetting(
  repository: Repository,
  name: string,
  value: string,
  known: ReadonlyMap<string, string> = ownSettings(repository),
): void {
  if (known.get(name.toLowerCase()) !== value) repository.git(["config", "--local", name, value]);
}

export function unsetSetting(repository: Repository, name: string): void {
  if (repository.succeeds(["config", "--local", "--get", name]))
    repository.git(["config", "--local", "--unset-all", name]);
}

export function removeSection(repository: Repository, name: string): boolean {
  return repository.succeeds(["config", "--local", "--remove-section", name]);
}
