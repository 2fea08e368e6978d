/** Why git would never commit what `init` makes in a folder (CLI-10). */
import { dirname, join } from "node:path";
import { nodeDisk } from "../../disk.ts";
import { TaskfoldError } from "../../errors.ts";
import { openRepository } from "./repository.ts";
import type { Repository } from "./repository.ts";
import { shellQuote } from "../../state/shell_quote.ts";
import { gitSays, unlessGitRefuses } from "./run_git.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

/** INVALID_INPUT in the folder that git keeps its own files in. `folder`: one that is there. */
export function refuseGitFolder(folder: string): void {
  if (!isInGitFolder(folder)) return;
  throw new TaskfoldError(
    "INVALID_INPUT",
    "Expected a folder of a work tree, found one in which git keeps its own files. Git commits nothing of it.",
    remedy`Run ${TASKFOLD} init in a work tree: git worktree add makes one of a bare repository.`,
  );
}

/** Git is not asked: it is told to take no folder for a repository that merely looks like one. */
function isInGitFolder(folder: string): boolean {
  const kind = (name: string): string | undefined => nodeDisk.stat(join(folder, name))?.kind;
  if (kind(".git") !== undefined) return false;
  if (kind("HEAD") === "file" && kind("objects") === "folder" && kind("refs") === "folder") return true;
  return dirname(folder) !== folder && isInGitFolder(dirname(folder));
}

/** How git treats files of a root. */
export interface Committable {
  /** Why no commit, or another one than a person expects, carries them. Nothing is said outside of a repository. */
  hints: readonly string[];
  ignored: readonly string[];
  /** A bare repository is one, too. */
  isInRepository: boolean;
  /** The top of the work tree, if the root lies below it. */
  top?: string;
}

export function committable(root: string, files: readonly string[]): Committable {
  const repository = openRepository(root);
  if (!repository) {
    const isBare = gitSays({ folder: root }, ["rev-parse", "--is-bare-repository"]) === "true";
    const hint = "this repository is bare and has no work tree here, so no commit carries the tasks.";
    return { hints: isBare ? [hint] : [], ignored: [], isInRepository: isBare };
  }
  const above = repository.says(["rev-parse", "--show-superproject-working-tree"]);
  const ignored = ignores(repository, [], files);
  const hints = [
    ...(above === undefined
      ? []
      : [
          `this folder lies in a submodule of ${above}. Its commits carry the tasks, and ${above} has them when it takes in such a commit.`,
        ]),
    ...(ignored.length === 0 ? [] : [ignoredHint(ignores(repository, ["-v"], ignored.slice(0, 1))[0], ignored, files)]),
  ];
  return { hints, ignored, isInRepository: true, ...(repository.prefix === "" ? {} : { top: repository.top }) };
}

/** The command by which a person takes these files in. Git refuses it while it ignores one of them, so it says when it works. */
export function addCommand(files: readonly string[], { ignored, isInRepository }: Committable): string {
  const add = `${isInRepository ? "" : "git init && "}git add ${files.map(shellQuote).join(" ")}`;
  return files.some((file) => ignored.includes(file)) ? `once git ignores none of them: ${add}` : add;
}

/** Git fails where it ignores none of them. */
function ignores(repository: Repository, options: readonly string[], paths: readonly string[]): string[] {
  const ask = (): Buffer => repository.git(["check-ignore", ...options, "--no-index", "--", ...paths], { plain: true });
  return unlessGitRefuses(ask)?.toString("utf8").trimEnd().split("\n") ?? [];
}

const MAX_NAMED = 4;

/** `rule`: as git prints it: file, line, pattern, and behind a tab the path. */
function ignoredHint(rule: string | undefined, paths: readonly string[], all: readonly string[]): string {
  const [, file, line, pattern] = /^(.*):(\d+):(.*)\t/.exec(rule ?? "") ?? [];
  const by = file === undefined ? "" : ` by the rule ${pattern} in line ${line} of ${file}`;
  // Git takes in nothing below an ignored folder, so the line helps only where the rule names the folder itself.
  const isOfCoco = /^(?:\*\*\/|\/)?\.coco\/?$/.test(pattern ?? "");
  const elsewhere = paths.length === all.length ? ", or run init in a folder that git does not ignore" : "";
  const or = isOfCoco ? ", or write !.coco behind it" : elsewhere;
  const named = [
    ...paths.slice(0, MAX_NAMED),
    ...(paths.length > MAX_NAMED ? [`${paths.length - MAX_NAMED} more`] : []),
  ];
  return `git ignores ${named.join(", ")}${by}, so no commit carries them. Take the rule out${or}.`;
}
