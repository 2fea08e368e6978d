/** Ignore rules that no commit holds, and the files that they alone hide: after a run such a rule could hide what changed (PROOF-47). */
import { createHash } from "node:crypto";
import { textOfName } from "../../name_bytes.ts";
import { contentNames } from "./content_names.ts";
import { entriesOf } from "./entries.ts";
import { ownRules, RULES, sharedRules, withRules } from "./ignore_rules.ts";
import { MAX_LISTED } from "./limits.ts";
import { wholeTree } from "./repository.ts";
import type { Repository } from "./repository.ts";
import { waitedFor } from "./steps.ts";
import { excludesFile } from "./user_settings.ts";

/** SHA-256 over the rules that no commit holds; undefined where there are none. `excludes`: the setting `core.excludesFile`. `hidden`: paths of `.gitignore` that a rule hides. */
export function ignoresDigest(
  repository: Repository,
  excludes: string | undefined,
  hidden: readonly string[],
): string | undefined {
  const rules = sharedRules(repository, excludesFile(repository, excludes)) + rulesOf(repository, hidden);
  return rules === "" ? undefined : createHash("sha256").update(rules, "latin1").digest("hex");
}

interface Hidden {
  /** As in a listing. */
  files: Map<string, string>;
  /** Other repositories. */
  inner: string[];
}

/**
 * The rules of commits do not hide these files, and no listing has them. `rules`: paths of `.gitignore` that a rule hides. Each stands for all that it
 * hides. `files`: paths that are listed.
 */
export function hiddenFiles(
  repository: Repository,
  how: {
    rules: readonly string[];
    files: Iterable<string>;
    isListed: (path: string) => boolean;
    settings: readonly string[];
    newMode: string | undefined;
  },
): Hidden {
  const { rules, settings } = how;
  const list = (hiding: string): string[] => {
    const args = ["ls-files", "-z", "--others", hiding, ...wholeTree(repository)];
    return entriesOf(repository.git(args, { settings, most: MAX_LISTED })).filter((path) => !how.isListed(path));
  };
  // A folder that another rule hides may have rules, by which it hides these rules as well.
  const known = rulesOf(repository, [...[...how.files].filter((path) => RULES.test(path)), ...rules]);
  const below = withRules(known, (file) => list(`--exclude-from=${file}`)).filter((path) => RULES.test(path));
  const paths = [...new Set([...list(`--exclude-per-directory=.gitignore`), ...rules, ...below])];
  const inner = paths.filter((path) => path.endsWith("/"));
  const modes = paths.filter((path) => !path.endsWith("/")).map((path) => [path, how.newMode] as const);
  const names = waitedFor(contentNames(repository, new Map(modes), settings));
  return {
    files: new Map([...names].flatMap(([path, name]) => (name === null ? [] : [[path, name]]))),
    inner: inner.map((path) => path.slice(0, -1)),
  };
}

/** `paths`: of `.gitignore`, each character one byte. */
function rulesOf({ top }: Repository, paths: readonly string[]): string {
  return ownRules(
    top,
    paths.map((path) => textOfName(Buffer.from(path.replace(RULES, ""), "latin1"))),
  );
}
