/**
 * Tells which parts of `.coco` git leaves out of the work tree. The index has them, marked as not to be there by a sparse
 * checkout or by hand. The look is at files of git, because a library that was opened without git must give no id twice either.
 * While the index stays as it is, a look costs one stat, and so does a question about a file that was asked before.
 */
import { join, relative, sep } from "node:path";
import type { Runtime } from "../../runtime.ts";
import type { Disk, FileStat, OutsideReader } from "../../disk.ts";
import { WHOLE_FILE_BYTES } from "../../disk.ts";
import type { Warning } from "../../errors.ts";
import { TaskfoldError } from "../../errors.ts";
import { isSettled, signOf } from "../../files/file_sign.ts";
import type { GitFolder } from "../../files/git_folder.ts";
import { commonFolder, gitFolder } from "../../files/git_folder.ts";
import type { SkippedEntries } from "../../files/git_index.ts";
import { HEADER_BYTES, maySkip, skippedEntries } from "../../files/git_index.ts";
import { errnoOf, unlessRefused } from "../../files/storage_error.ts";
import { counted } from "../../state/counted.ts";
import { shellQuote } from "../../state/shell_quote.ts";

export const PARTS = ["tasks", "archive"] as const;
export type Part = (typeof PARTS)[number];

/** The configuration of a repository fits. */
const MAX_CONFIG = 1024 * 1024;

interface PartLeftOut {
  /** Ids of folders of which git leaves files out, and whether the log is among them. */
  ids: ReadonlyMap<string, boolean>;
  /** Files of these folders that git leaves out, as paths in `.coco`; a folder ends with a slash. */
  files: ReadonlySet<string>;
  /** A sparse index says no more than that the whole folder is left out, so other ids may be taken. */
  isWhole: boolean;
}

type Clocks = Pick<Runtime, "now" | "uptime">;

/** The index as it was found, and where it lies. */
interface IndexSeen {
  git: GitFolder & { below: string };
  sign: string;
}

/** The entries of a folder or a file, from the top, that are marked; undefined where the index cannot be read. */
type Marked = (below: string) => SkippedEntries | undefined;

/** The parts that were left out at one look. */
export interface LeftOut {
  /** Another one where it may differ; empty where nothing is left out. */
  sign: string;
  /** Whether `.coco/workspace.yaml` is left out; perhaps, where that is known only of a folder above `.coco`. */
  binding: "yes" | "perhaps" | "no";
  tasks: PartLeftOut;
  archive: PartLeftOut;
  /** The command that brings all of `.coco`. */
  command: string;
}

const NO_PART: PartLeftOut = { ids: new Map(), files: new Set(), isWhole: false };
const NOTHING: LeftOut = { sign: "", binding: "no", tasks: NO_PART, archive: NO_PART, command: "" };

export class SparseCheckout {
  readonly #outside: OutsideReader;
  readonly #root: string;
  readonly #runtime: Clocks;
  /** Asks git itself for what an index does not tell; undefined where there is no git. */
  readonly #ask: () => readonly string[] | undefined;
  #found: (GitFolder & { below: string }) | undefined;
  #known: LeftOut = NOTHING;
  /** Answers about single files, while the index has this sign. */
  #hidden = { sign: "", of: new Map<string, boolean>() };
  /** An index may be as large as the repository has files: what was read of it may be let go of at any time. */
  #read: { sign: string; marked: WeakRef<Marked> } | undefined;

  /** `ask`: files below `.coco` that git leaves out, as paths from the root. */
  constructor(
    { disk, runtime }: { disk: Pick<Disk, "outside">; runtime: Clocks },
    root: string,
    ask: () => readonly string[] | undefined = noGit,
  ) {
    this.#outside = disk.outside;
    this.#runtime = runtime;
    this.#root = root;
    this.#ask = ask;
  }

  look(): LeftOut {
    const index = this.#index();
    return index ? this.#lookAt(index) : NOTHING;
  }

  /**
   * Whether git leaves out a file beside a log that it leaves there, or one outside of `.coco`. An index that does not tell says of no file
   * that it is gone. `path`: from the root, with `/`.
   */
  hides(path: string): boolean {
    const index = this.#index();
    if (!index) return false;
    if (this.#hidden.sign !== index.sign) this.#hidden = { sign: index.sign, of: new Map() };
    const { of } = this.#hidden;
    const isHidden = of.get(path) ?? this.#isHidden(index, path);
    of.set(path, isHidden);
    return isHidden;
  }

  #isHidden(index: IndexSeen, path: string): boolean {
    if (path.startsWith(".coco/")) return isFileLeftOut(this.#lookAt(index), path.slice(".coco/".length));
    const file = index.git.below.slice(0, -".coco/".length) + path;
    const entries = this.#marked(index, file);
    return !entries || entries.isSplit || entries.folders.length > 0 || entries.files.includes(file);
  }

  #index(): IndexSeen | undefined {
    const git = this.#inGit();
    const stat = git && this.#stat(join(git.folder, "index"));
    return git && stat && { git, sign: this.#sign(stat) };
  }

  #sign(stat: FileStat): string {
    const isRacy = !isSettled({ runtime: this.#runtime }, stat);
    const now = isRacy ? [this.#runtime.uptime()] : [];
    return [signOf(stat), ...now].join(" ");
  }

  #lookAt(index: IndexSeen): LeftOut {
    if (this.#known.sign !== index.sign) this.#known = this.#leftOut(index);
    return this.#known;
  }

  #leftOut(index: IndexSeen): LeftOut {
    const { git, sign } = index;
    const { below } = git;
    const entries = this.#marked(index, below);
    if (entries && !entries.isSplit && pathsOf(entries).length === 0) return { ...NOTHING, sign };
    const isEntityOrRoot = (path: string): boolean => path === below || entityOf(path, below) !== undefined;
    const paths =
      entries && !entries.isSplit && entries.folders.every(isEntityOrRoot) ? pathsOf(entries) : this.#asked(below);
    const known = paths ?? [...(entries ? pathsOf(entries) : []), ...(entries?.isSplit === false ? [] : [below])];
    return leftOut(known, { below, sign, command: () => commandFor(below, settingsOf(this.#outside, git)) });
  }

  #marked({ git, sign }: IndexSeen, below: string): SkippedEntries | undefined {
    let marked = this.#read?.sign === sign ? this.#read.marked.deref() : undefined;
    if (!marked) {
      marked = markedIn(this.#outside, git);
      this.#read = { sign, marked: new WeakRef(marked) };
    }
    return marked(below);
  }

  #asked(below: string): string[] | undefined {
    return this.#ask()?.map((path) => below.slice(0, -".coco/".length) + path);
  }

  #inGit(): (GitFolder & { below: string }) | undefined {
    // A `.git` that leads in a circle, or that this user may not look into, belongs to no work tree of ours.
    return unlessRefused(() => (this.#found ??= this.#find()));
  }

  #find(): (GitFolder & { below: string }) | undefined {
    if (!this.#outside.stat(this.#root)) return undefined;
    // By its path without links: the root may be a link into a work tree.
    const root = this.#outside.realpath(this.#root);
    const found = gitFolder(this.#outside, root);
    return (
      found && { ...found, below: [...relative(found.top, root).split(sep).filter(Boolean), ".coco", ""].join("/") }
    );
  }

  #stat(path: string): FileStat | undefined {
    return unlessRefused(() => this.#outside.stat(path));
  }
}

const noGit = (): undefined => undefined;

/** Reads the index once, for any number of questions. */
function markedIn(outside: OutsideReader, git: GitFolder): Marked {
  const index = ifWhole(() => {
    const names = outside.namesIn(git.folder).map((name) => name.toString("latin1"));
    const files = ["index", ...names.filter((name) => name.startsWith("sharedindex."))];
    const heads = files.map((name) => outside.head(join(git.folder, name), HEADER_BYTES));
    if (!heads.some(maySkip)) return "no marks";
    const hash = settingsOf(outside, git).isSha256 ? 32 : 20;
    return { hash, bytes: outside.readFile(join(git.folder, "index"), WHOLE_FILE_BYTES) };
  });
  if (index === "no marks") return () => ({ files: [], folders: [], isSplit: false });
  return (below) => index && ifWhole(() => skippedEntries(index.bytes, below, index.hash));
}

/** Undefined for an index that is cut off, too large or not to be read: it tells of no file that it is there. */
function ifWhole<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (e) {
    if (errnoOf(e) === undefined && !(e instanceof RangeError)) throw e;
    return undefined;
  }
}

const pathsOf = ({ files, folders }: SkippedEntries): string[] => [...files, ...folders];

/** Whether a look found anything of `.coco` that may be left out. */
export function leavesOut({ command }: LeftOut): boolean {
  return command !== "";
}

/** `tasks/TASK-001` of any path in its folder; undefined for other paths, and for folders above those of entities. */
function entityOf(path: string, below: string): { part: Part; id: string; file: string } | undefined {
  const [part, id = "", ...names] = path.startsWith(below) ? path.slice(below.length).split("/") : [];
  const known = PARTS.find((one) => one === part);
  return known && id !== "" && names.length > 0 ? { part: known, id, file: names.join("/") } : undefined;
}

function leftOut(paths: readonly string[], of: { below: string; sign: string; command: () => string }): LeftOut {
  const { below, sign, command } = of;
  const parts = { tasks: new Map<string, boolean>(), archive: new Map<string, boolean>() };
  const files = { tasks: new Set<string>(), archive: new Set<string>() };
  const whole: Record<Part, boolean> = { tasks: false, archive: false };
  let binding: LeftOut["binding"] = "no";
  for (const path of paths) {
    const entity = entityOf(path, below);
    if (entity) {
      const ids = parts[entity.part];
      // A folder that is left out whole has its log in it.
      files[entity.part].add(path.slice(below.length));
      ids.set(entity.id, ids.get(entity.id) === true || ["", "events.jsonl"].includes(entity.file));
      continue;
    }
    const isAbove = below.startsWith(path);
    if (path === below || path === `${below}workspace.yaml`) binding = "yes";
    else if (isAbove) binding = "perhaps";
    for (const part of PARTS) whole[part] ||= isAbove || path === `${below}${part}/`;
  }
  const isNone = binding === "no" && PARTS.every((part) => parts[part].size === 0 && !whole[part]);
  if (isNone) return { ...NOTHING, sign };
  const partOf = (part: Part): PartLeftOut => ({ ids: parts[part], files: files[part], isWhole: whole[part] });
  return { sign, binding, tasks: partOf("tasks"), archive: partOf("archive"), command: command() };
}

interface Settings {
  /** Whether git was told to make a sparse checkout: bits that were set by hand, or that one left behind, are there without. */
  isSparse: boolean;
  isCone: boolean;
  isSha256: boolean;
}

function settingsOf(outside: OutsideReader, git: GitFolder): Settings {
  const files = [join(commonFolder(outside, git), "config"), join(git.folder, "config.worktree")];
  // The later file counts, and in it the last line. Other files of the user are not looked at.
  const text = files.map((path) => (outside.stat(path)?.kind === "file" ? textOf(outside, path) : "")).join("\n");
  const value = (name: string): string | undefined =>
    [...text.matchAll(new RegExp(`^[ \\t]*${name}(?![-A-Za-z0-9])[ \\t]*(?:=[ \\t]*"?([^\\s"#;]*))?`, "gim"))]
      .at(-1)
      ?.slice(1)[0];
  const isOn = (name: string): boolean => /^(?:true|yes|on|1)$/i.test(value(name) ?? "");
  return {
    isSparse: isOn("sparseCheckout"),
    isCone: isOn("sparseCheckoutCone"),
    isSha256: value("objectFormat")?.toLowerCase() === "sha256",
  };
}

function textOf(outside: OutsideReader, path: string): string {
  return outside.readFile(path, MAX_CONFIG).toString("utf8");
}

/** Cones are folders. Of patterns a later one beats those before, if it names the files themselves. */
function commandFor(below: string, { isSparse, isCone }: Settings): string {
  if (!isSparse) return BITS_OFF;
  const up = below
    .split("/")
    .slice(2)
    .map(() => "..")
    .join("/");
  // The name of a folder may have characters that a pattern takes for others.
  const pattern = `/${below.replaceAll(/[\\*?[]/g, String.raw`\$&`)}**`;
  return `git ${up === "" ? "" : `-C ${up} `}sparse-checkout add ${shellQuote(isCone ? below.slice(0, -1) : pattern)}`;
}

/** Takes back bits that were set by hand below `.coco`, and no others. Files that are there stay as they are. */
const BITS_OFF =
  "git ls-files -z .coco | git update-index -z --no-skip-worktree --stdin && git ls-files -z --deleted .coco | git checkout-index -uz --stdin";

/** The way out, in one sentence. */
export function bringsBack({ command }: LeftOut): string {
  return `In the folder of the workspace: ${command}`;
}

/** `path`: from `.coco` on. A sparse index may name no more than a folder above it. */
function isFileLeftOut(left: LeftOut, path: string): boolean {
  const part = PARTS.find((one) => path.startsWith(`${one}/`));
  if (part === undefined) return false;
  const { files, isWhole } = left[part];
  return isWhole || files.has(path) || foldersAbove(path).some((folder) => files.has(folder));
}

/** Each with a slash at its end. */
function foldersAbove(path: string): string[] {
  const names = path.split("/").slice(0, -1);
  return names.map((_name, i) => `${names.slice(0, i + 1).join("/")}/`);
}

/** NOT_CHECKED_OUT for a plan or task that git has and the work tree has not. */
export function notCheckedOut(left: LeftOut, id: string): TaskfoldError {
  return new TaskfoldError(
    "NOT_CHECKED_OUT",
    `Expected ${id} in this work tree; git has it, and a sparse checkout leaves it out.`,
    { recovery: bringsBack(left), details: { id } },
  );
}

/** NOT_CHECKED_OUT where the names are not known among which a new id has to be free. */
export function namesLeftOut(left: LeftOut): TaskfoldError {
  const folders = PARTS.filter((part) => left[part].isWhole).map((part) => `.coco/${part}`);
  return new TaskfoldError(
    "NOT_CHECKED_OUT",
    `Expected to see every id that is taken; a sparse checkout leaves out ${folders.join(" and ")}, and git's index does not say what is there.`,
    {
      recovery: `${bringsBack(left)}; git sparse-checkout reapply --no-sparse-index makes the names known without the files.`,
      details: { folders },
    },
  );
}

/** NO_WORKSPACE where git has the file that binds this root, and the work tree has not. */
export function bindingLeftOut(left: LeftOut): TaskfoldError {
  return new TaskfoldError(
    "NO_WORKSPACE",
    "Expected .coco/workspace.yaml in this work tree; git has .coco, and a sparse checkout leaves it out.",
    { recovery: bringsBack(left) },
  );
}

/** The warning of an answer about many that does not know all of them. */
export function leftOutWarnings(left: LeftOut, part: Part, ids: readonly string[]): Warning[] {
  const { isWhole } = left[part];
  if (ids.length === 0 && !isWhole) return [];
  const some = ids.slice(0, 3).join(", ");
  const names = ids.length === 0 ? "" : ` (${ids.length > 3 ? `${some} and ${ids.length - 3} more` : some})`;
  const what = isWhole ? `all of .coco/${part}` : counted(ids.length, "plan or task", "plans and tasks");
  const message = `A sparse checkout leaves out ${what}${isWhole ? "" : names}: this answer knows nothing of that.`;
  return [{ code: "NOT_CHECKED_OUT", message, recovery: bringsBack(left) }];
}
