/** The questions that the engine asks git. A host implements it: the engine starts no processes. Paths are relative to the workspace root, with `/`. */
import type { Bytes } from "../../global_types.ts";

export interface GitPort {
  /** Files that a stopped merge, rebase or cherry-pick left open. */
  unmerged: () => string[];
  /**
   * Versions of a log that must all be in the merged one. These are the sides of an open file, and the versions of the commits
   * merged last (or just now), where they differ. None where nothing was merged. CONTENT_TOO_LARGE when they are more than is read.
   */
  versions: (path: string) => GitVersion[];
  /**
   * Every line that these logs ever had in a commit to which a ref, a reflog or an unfinished operation leads. Lines may
   * repeat. The latest commit comes first, and of a version its last line. `left` is told of everything that a limit leaves out.
   */
  everHeld: (paths: readonly string[], left: (limit: GitLimit) => void) => Iterable<LoggedLine>;
  /**
   * Answers for each text by a branch or a tag that has it, else by a stash. At last come commits that a reflog or an operation
   * under way has alone, and with `unreachable` objects that nothing leads to. Undefined: nothing has it. Null: there is more than is read.
   */
  heldBy: (texts: readonly HeldText[], options?: { unreachable?: boolean }) => (GitHeld | undefined | null)[];
  /** HEAD, and all branches, tags and remote branches with their commits, as one text. */
  refs: () => string;
  /**
   * Lines of any log that the branch had in a commit, and that a later one or the work tree has not. The order is that of
   * `everHeld`, and lines may repeat. With `base` (a branch, a tag, a commit) only of commits that it does not lead to. INVALID_INPUT when there is none.
   */
  takenAway: (base: string | undefined, left: (limit: GitLimit) => void) => Iterable<LoggedLine>;
  /** Of these lines those that a commit had lost by itself, as texts of one character for each byte, without blanks at the end. */
  lostBy: (base: string, lines: Iterable<Bytes>, left: (limit: GitLimit) => void) => Set<string>;
  /** By path the value of each attribute, as git prints it: `set`, `unset`, `unspecified` or a word. */
  attributes: (paths: readonly string[], names: readonly string[]) => Map<string, ReadonlyMap<string, string>>;
  /** Files of attributes that count more than the one of this folder: those below it, and that of the clone. */
  attributeFilesOver: (folder: string) => string[];
  /** Files below a folder that differ from the index, are gone or are new; ignored ones are left out. Null: of the whole work tree. */
  changed: (folder: string | null) => string[];
  /** Files below `.coco` that a sparse checkout leaves out of the work tree. Asked where the index alone does not tell. */
  leftOut?: () => string[];
  /** Stages files as they are now; one that is gone is staged as gone. Gives those that only `git add` can stage, by its filters. */
  add: (paths: string[]) => string[];
  /**
   * Files of the work tree that are tracked, or new and not ignored; those outside of the root begin with `../`. Without `rules` the rules of now decide which new
   * files are ignored. New files in folders with one of the names in `leftOut` may be missing: git then need not walk these folders. `/` before a name stands
   * for the root. Paths are texts of `name_bytes.ts`, here and where the index or a commit is compared.
   */
  workTree: (leftOut: readonly string[], rules?: IgnoreRules) => GitTree;
  /**
   * Of these paths, those that kept rules ignore. For what git does not list: pipes, and folders that this user may not read. `/` at the end stands for a
   * folder.
   */
  ignored: (paths: readonly string[], rules: IgnoreRules) => Set<string>;
  /**
   * Files of git itself that say what it lists and executes, such as `.git/config`: their paths and digests. `.git/core.excludesFile`
   * stands for the user's own ignore rules, `.git/core.hooksPath/` for the folder of hooks that the configuration names, and `.git/include.path/` for files that it
   * includes. `inner`: folders with a `.git` of their own.
   */
  controlFiles: (inner: readonly string[]) => { path: string; sha256: string }[];
  /** Whether a diff could be applied to the work tree as it is, or was already; paths are relative to the root. */
  diffApplies: (diff: string) => "applies" | "applied" | "neither";
  /** Whether the repository has this commit; `id` is hexadecimal, at least seven digits. */
  hasCommit: (id: string) => boolean;
  /** Whether HEAD leads to this commit; null where the clone lacks the history that would tell. */
  leadsTo: (id: string) => boolean | null;
  /** The commit that is checked out; undefined where there is none yet. */
  head: () => string | undefined;
  /**
   * Paths of the work tree for which the index or HEAD has another file than a commit, with the files of both.
   * Null: compared with nothing. CONTENT_TOO_LARGE when they are more than is read.
   */
  recordedSince: (commit: string | null) => Map<string, string>;
  /** Paths of the work tree for which the commit that is checked out has another file than a commit. Null: every path that it has. */
  committedSince: (commit: string | null) => string[];
  /** The work tree by content, as it is now. No program that the repository names runs for it. */
  listing: () => GitListing;
  /** The same while this process goes on. */
  listingBeside: () => Promise<GitListing>;
  /** Every file of a commit, as in a listing. OBJECT_MISSING or STORAGE_FAILED where it is not there. */
  listingOf: (commit: string) => ReadonlyMap<string, string>;
  /** The last commit since another one that changed one of these paths of a listing; undefined where none did. */
  lastChange: (paths: readonly string[], since: string) => string | undefined;
  /** The branch that work is compared with; a text says why there is none. */
  base: () => GitBranch | string;
  /** The bytes that a file had last in any commit that a ref or a reflog leads to; undefined where none has it. */
  lastVersion: (path: string) => Bytes | undefined;
  /** Name of the bytes that a file has in a commit, by which they may be kept; undefined where it is not in it. */
  find: (commit: string, path: string) => string | undefined;
  /** The bytes of that name. */
  read: (object: string) => Bytes;
}

/** Every rule by which git hides new files, in a form that outlasts the files they stand in. */
export interface IgnoreRules {
  /** One list for the top of the work tree, as `git ls-files --exclude-from` reads it; each character is one byte. */
  patterns: string;
  ignoreCase: boolean;
}

export interface GitTree {
  /** Another repository is one path with `/` at its end. */
  paths: string[];
  /** By path: mode and object that the index has, once for each side of an open file. */
  index: Map<string, string>;
  /** Those that decided. */
  rules: IgnoreRules;
}

/** Paths begin at the top of the work tree, and each of their characters is one byte. The workspace's own folder is left out. */
export interface GitListing {
  /** The commit that is checked out; undefined before the first. */
  commit: string | undefined;
  /**
   * Mode and name of the blob, such as `100644 8ab686...`. Another repository is one file, and its commit the name. Files in it that differ
   * from that commit stand beside it. Those that are gone have the mode `000000`.
   */
  files: ReadonlyMap<string, string>;
  /** A path as text, as it is from the root. */
  fromRoot: (path: string) => string;
  /** Files that are not as the commit has them; null for those that are gone. */
  changed: ReadonlyMap<string, string | null>;
  /** Mode and name of a file that is as its commit has it, in another repository: `files` lacks it. Undefined for any other path. */
  committedIn: (path: string) => string | undefined;
  /** Of files that a filter of git changes: mode and name of what git would store, where it is known. `files` has them by their bytes on disk. */
  stored: ReadonlyMap<string, string>;
  /** Folders and repositories in the work tree that cannot be looked into. `alsoHidden`: also folders that a rule hides. */
  closed: (alsoHidden: boolean) => readonly string[];
  /** SHA-256 over the ignore rules that no commit holds; undefined where there are none. */
  ignores: string | undefined;
  /** New files that such rules alone hide, as in `files`. */
  hidden: () => ReadonlyMap<string, string>;
  /** SHA-256 over the rules by which git converts content and that no commit holds; undefined where there are none. */
  attributes: string | undefined;
  /** `files` by their bytes on disk, whatever a rule makes of them. Each file is read. */
  raw: () => ReadonlyMap<string, string>;
  /**
   * Files that may have changed since a moment, in milliseconds, and are otherwise than in `files` by their content; null for what is gone. Each such file is
   * read, whatever the index says of it.
   */
  since: (ms: number) => ReadonlyMap<string, string | null>;
}

/** One version of a log in a merge. */
export interface GitVersion {
  bytes: Bytes;
  /** Whether all sides came from it. So the side that has it wrote nothing. */
  isBase: boolean;
}

/** One thing that git was not asked about, and why: a log, or with null all that is left of the history. */
export interface GitLimit {
  path: string | null;
  why: string;
  /** The way to bring what is not in this clone; none where a limit of reading was met. */
  recovery?: string;
}

/** A line of a log as a commit shows it. */
export interface LoggedLine {
  path: string;
  bytes: Bytes;
  commit: string;
  /** Whether the commit took the line out, or has it. */
  taken: boolean;
}

/** A text, and the files that may have it in a commit. */
export interface HeldText {
  paths: readonly string[];
  text: string;
}

export interface GitHeld {
  /** A branch or a tag, a stash, a commit to which neither leads, or an object to which nothing leads. */
  holder: "branch" | "stash" | "commit" | "object";
  /** `stash@{0}`, or the first digits of a commit or an object; empty for a branch. */
  name: string;
  /** Name of the bytes of the file that has it. */
  object: string;
  /** A rebase is under way: when it ends, the branch may have it no more. */
  isPassing: boolean;
  /** A commit has it in a shallow clone: a branch may have had it before the history of this clone begins. */
  isCut: boolean;
}

export interface GitBranch {
  /** The branch that is checked out; null where none is. */
  branch: string | null;
  /** The base branch as people call it, and its commit. */
  base: string;
  commit: string;
  /** Why that one is the base. */
  source: string;
}
