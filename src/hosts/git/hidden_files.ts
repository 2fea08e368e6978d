/** Ignore rules that no commit holds, and the files that they alone hide: after a run such a rule could hide what changed (PROOF-47). */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { contentNames, fullPath } from "./content_names.ts";
import { entriesOf } from "./entries.ts";
import { anchored, readRules } from "./ignore_rules.ts";
import { MAX_LISTED } from "./limits.ts";
import { wholeTree } from "./repository.ts";
import type { Repository } from "./repository.ts";
import { waitedFor } from "./steps.ts";
import { excludesFile } from "./user_settings.ts";

const NAME = ".gitignore";

/** SHA-256 over the rules that no commit holds; undefined where there are none. `excludes`: the setting `core.excludesFile`. `hidden`: paths of `.gitignore` that a rule hides. */
export function ignoresDigest(
  repository: Repository,
  excludes: string | undefined,
  hidden: readonly string[],
): string | undefined {
  const files = [join(repository.common, "info/exclude"), excludesFile(repository, excludes)];
  const shared = files.map((path) => anchored("", (path && readRules(path)) || ""));
  const own = hidden.map((path) => anchored(path.slice(0, -NAME.length), readRules(fullPath(repository, path)) ?? ""));
  const rules = [...shared, ...own].join("");
  return rules === "" ? undefined : createHash("sha256").update(rules, "latin1").digest("hex");
}

/** New files that the rules of commits do not hide, and that are not listed: as in a listing. */
export function hiddenFiles(
  repository: Repository,
  how: {
    hidden: readonly string[];
    isListed: (path: string) => boolean;
    settings: readonly string[];
    newMode: string | undefined;
  },
): Map<string, string> {
  const args = ["ls-files", "-z", "--others", `--exclude-per-directory=${NAME}`, ...wholeTree(repository)];
  const said = entriesOf(repository.git(args, { most: MAX_LISTED }));
  const paths = [...new Set([...said.filter((path) => !path.endsWith("/")), ...how.hidden])].filter(
    (path) => !how.isListed(path),
  );
  const names = waitedFor(contentNames(repository, new Map(paths.map((path) => [path, how.newMode])), how.settings));
  return new Map([...names].flatMap(([path, name]) => (name === null ? [] : [[path, name]])));
}
