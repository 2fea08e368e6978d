/**
 * Where the two sides of a merge under way stand. git gives a merge driver three versions of one file and no commit,
 * but a folded file follows from a log. So the driver looks for the trees that have these versions, and reads the logs
 * beside them (GIT-3).
 */
import type { MergeSide } from "../../engine/repair/merge_sides.ts";
import { changesOf, words } from "./history.ts";
import { MAX_OBJECT } from "./limits.ts";
import { blobName, wholeBlobs } from "./objects.ts";
import { objectMissing } from "./object_missing.ts";
import { readPlain } from "./read_file.ts";
import type { Repository } from "./repository.ts";

/** The versions that git hands to a merge driver. */
export interface Versions {
  /** From the top of the work tree. */
  path: string;
  base: Buffer;
  ours: Buffer;
  theirs: Buffer;
}

/** A file below `.coco`, as far as its path tells. */
export interface EntityPath {
  /** From the top of the work tree to the workspace: nothing, or folders with `/` at the end. */
  prefix: string;
  part: string;
  id: string;
  name: string;
}

const INDEX = "";
const HEX = /^[0-9a-f]{7,64}$/;
const MAX_NOTE = 1024 * 1024;

export function entityPath(path: string): EntityPath | undefined {
  const [, prefix, part, id, name] = /^((?:.*?\/)?)\.coco\/(tasks|archive)\/([^/\n]+)\/([^\n]+)$/.exec(path) ?? [];
  return prefix === undefined ? undefined : { prefix, part: part!, id: id!, name: name! };
}

/** Both sides with their logs; undefined where a side stands in no tree that is found. */
export function mergeSides(
  repository: Repository,
  env: Readonly<Record<string, string | undefined>>,
  versions: Versions,
): [MergeSide, MergeSide] | undefined {
  const at = entityPath(versions.path);
  if (!at) return undefined;
  const [base, ours, theirs] = [versions.base, versions.ours, versions.theirs].map((b) => blobName(repository, b));
  const mine = sideAt(repository, at, ours!, [INDEX, "HEAD"]);
  if (!mine) return undefined;
  const other =
    sideAt(repository, at, theirs!, [...named(env), ...noted(repository)]) ??
    sideAt(repository, at, theirs!, inHistory(repository, at, { base: base!, theirs: theirs! }));
  if (!other) return undefined;
  const read = sideReader(repository, [mine, other]);
  return [read(mine, versions.ours), read(other, versions.theirs)];
}

/** The text of workspace.yaml on our side. */
export function workspaceYaml(repository: Repository, prefix: string): string | undefined {
  const path = `${prefix}.coco/workspace.yaml`;
  const [object] = objectsAt(repository, [INDEX, "HEAD"], [path]).flat().filter(Boolean);
  return object && wholeBlobs(repository, [object]).get(object)?.toString("utf8");
}

/** Objects of one side. */
interface Found {
  log: string;
  taskYaml: string | undefined;
}

/** In the first of these trees that has this version of the file, live or archived. */
function sideAt(
  repository: Repository,
  { prefix, id, name }: EntityPath,
  file: string,
  trees: readonly string[],
): Found | undefined {
  const folders = ["tasks", "archive"].map((part) => `${prefix}.coco/${part}/${id}`);
  const paths = folders.flatMap((folder) => [name, "events.jsonl", "task.yaml"].map((one) => `${folder}/${one}`));
  for (const objects of objectsAt(repository, trees, paths)) {
    for (let at = 0; at < objects.length; at += 3) {
      const [found, log, taskYaml] = objects.slice(at, at + 3);
      if (found === file && log !== undefined) return { log, taskYaml };
    }
  }
  return undefined;
}

/** Names of the objects at each of these paths, by tree. */
function objectsAt(
  repository: Repository,
  trees: readonly string[],
  paths: readonly string[],
): (string | undefined)[][] {
  if (trees.length === 0) return [];
  const input = trees.flatMap((tree) => paths.map((path) => `${tree}:${path}\n`)).join("");
  const output = repository.git(["cat-file", "--batch-check=%(objecttype) %(objectname)"], { input }).toString("utf8");
  const objects = output.split("\n").map((line) => /^blob ([0-9a-f]+)$/.exec(line)?.[1]);
  return trees.map((_, n) => objects.slice(n * paths.length, (n + 1) * paths.length));
}

/** An empty log in its place would fold to a file without the changes of that side. */
function lacking(repository: Repository, log: string): never {
  throw objectMissing(repository, `the log ${log}`);
}

function sideReader(repository: Repository, sides: readonly Found[]): (side: Found, file: Buffer) => MergeSide {
  const objects = new Set(sides.flatMap(({ log, taskYaml }) => [log, ...(taskYaml === undefined ? [] : [taskYaml])]));
  const blobs = wholeBlobs(repository, [...objects], 2 * MAX_OBJECT);
  return ({ log, taskYaml }, file) => ({
    log: blobs.get(log) ?? lacking(repository, log),
    taskYaml: taskYaml === undefined ? undefined : blobs.get(taskYaml),
    file,
  });
}

/** `git merge` and `git pull` name what they merge to every program that they start. */
function named(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(env).flatMap((name) => /^GITHEAD_([0-9a-f]{40,64})$/.exec(name)?.[1] ?? []);
}

/** Returns the commit that a rebase, a cherry-pick, a revert or a stash names as its own. */
function noted(repository: Repository): string[] {
  const read = (path: string): string => {
    const bytes = readPlain(repository.folder, path, MAX_NOTE);
    return Buffer.isBuffer(bytes) ? bytes.toString("utf8").trim() : "";
  };
  // A rebase moves each line of its list to `done` before it picks; a cherry-pick takes it off its list afterwards.
  const done = read("rebase-merge/done").split("\n").at(-1) ?? "";
  const next = read("sequencer/todo").split("\n")[0] ?? "";
  const single = [
    "rebase-apply/original-commit",
    "rebase-merge/autostash",
    "rebase-apply/autostash",
    "MERGE_AUTOSTASH",
  ];
  return [
    ...picked(done),
    ...picked(next),
    ...single.map(read).filter((commit) => HEX.test(commit)),
    "refs/stash",
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD^",
  ];
}

/** The commits that one line of such a list names: that of a revert is the one before it, a merge also names a label. */
function picked(line: string): string[] {
  const [command = "", ...rest] = line.split(" ");
  const commits = rest.filter((word) => HEX.test(word)).map((word) => (command === "revert" ? `${word}^` : word));
  const label = command === "merge" ? rest.slice(0, 3).map((word) => `refs/rewritten/${word}`) : [];
  return [...label, ...commits];
}

/**
 * Returns commits that made this version out of the base, as a pick brings them. Those that went back from it follow,
 * as a revert does, then all that have it. Refs, reflogs and the stash lead to them.
 */
function inHistory(
  repository: Repository,
  { prefix, id, name }: EntityPath,
  { base, theirs }: { base: string; theirs: string },
): string[] {
  const paths = ["tasks", "archive"].map((part) => `${prefix}.coco/${part}/${id}/${name}`);
  const first: string[] = [];
  const back: string[] = [];
  const rest: string[] = [];
  for (const { commit, before, after } of changesOf(
    repository,
    ["--all", "--reflog"],
    { paths, patterns: false },
    () => undefined,
  )) {
    if (after === theirs) (before === base ? first : rest).push(commit);
    if (before === theirs && after === base) back.push(`${commit}^`);
  }
  const tips = words(
    repository.git(["for-each-ref", "--count=200", "--sort=-committerdate", "--format=%(objectname)"]),
  );
  return [...first, ...back, ...rest, ...tips].slice(0, 1000);
}
