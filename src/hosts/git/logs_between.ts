/** The logs that differ between two commits, or between a commit and the work tree, each once by the entity's id. */
import { join } from "node:path";
import { nodeRuntime } from "../../node_runtime.ts";
import { nodeDisk } from "../../disk.ts";
import { leavesOut, SparseCheckout } from "../../engine/core/sparse_checkout.ts";
import { TaskfoldError } from "../../errors.ts";
import { commitNamed } from "./commits_named.ts";
import { inIndex } from "./staging.ts";
import { versionsIn } from "./history.ts";
import type { PathSelection } from "./history.ts";
import { MAX_OBJECT } from "./limits.ts";
import { blobName, wholeBlobs } from "./objects.ts";
import { readPlain } from "./read_file.ts";
import type { Repository } from "./repository.ts";
import { isShallow } from "./repository.ts";
import { objectMissing } from "./object_missing.ts";
import { tooLarge } from "./run_git.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

export interface LogPair {
  id: string;
  before: Buffer | undefined;
  after: Buffer | undefined;
}

const PARTS = ["tasks", "archive"];
const LOGS: PathSelection = { paths: PARTS.map((part) => `.coco/${part}/*/events.jsonl`), patterns: true };

/** The commit of a name. INVALID_INPUT, in one line that helps, where there is none. */
export function commitAsked(repository: Repository, name: string): string {
  const commit = name.startsWith("-") ? undefined : commitNamed(repository, name);
  if (commit !== undefined) return commit;
  if (name === "HEAD")
    throw new TaskfoldError(
      "INVALID_INPUT",
      "Expected a commit to compare with, found a branch without one.",
      remedy`${TASKFOLD} delta tells what happened without git; git commit makes the first commit.`,
    );
  throw new TaskfoldError(
    "INVALID_INPUT",
    `Expected a branch, a tag or a commit of this clone, found ${JSON.stringify(name)}.`,
    {
      recovery: isShallow(repository)
        ? "This clone is shallow: git fetch --unshallow (in CI: fetch-depth: 0) brings the rest of the history."
        : "git fetch brings branches of others; git branch -a lists those that are here.",
    },
  );
}

/** The commit that both came from. INVALID_INPUT where this clone has none. */
export function mergeBase(repository: Repository, one: string, other: string): string {
  const commit = repository.says(["merge-base", one, other]);
  if (commit !== undefined) return commit;
  throw new TaskfoldError("INVALID_INPUT", "Expected both to come from one commit, found none in this clone.", {
    recovery:
      "git fetch --unshallow (in CI: fetch-depth: 0) brings the rest of the history; or leave --merge-base out.",
  });
}

/** `to` undefined: the work tree. Logs above a limit are refused (CONTENT_TOO_LARGE). */
export function* logsBetween(repository: Repository, from: string, to: string | undefined): Generator<LogPair> {
  const pairs = new Map<string, { before: string[]; after: (string | Buffer)[] }>();
  const pairOf = (path: string): { before: string[]; after: (string | Buffer)[] } => {
    const id = path.split("/").at(-2)!;
    const known = pairs.get(id) ?? { before: [], after: [] };
    pairs.set(id, known);
    return known;
  };
  if (to === undefined) {
    const had = new Map(
      versionsIn(repository, from, LOGS).flatMap(({ path, after }) => (after ? [[path, after]] : [])),
    );
    const hidden = leftOutObjects(repository);
    for (const path of new Set([...had.keys(), ...logsInWorkTree(repository.root), ...hidden.keys()])) {
      const bytes = logAt(repository.root, path);
      const before = had.get(path);
      // One that a sparse checkout leaves out is as the index has it.
      const now = bytes ?? hidden.get(path);
      if (now !== undefined && (typeof now === "string" ? now : blobName(repository, now)) === before) continue;
      if (before !== undefined) pairOf(path).before.push(before);
      if (now !== undefined) pairOf(path).after.push(now);
    }
  } else {
    for (const { path, before, after } of versionsIn(repository, to, LOGS, from)) {
      if (before !== undefined) pairOf(path).before.push(before);
      if (after !== undefined) pairOf(path).after.push(after);
    }
  }
  for (const [id, { before, after }] of pairs)
    yield { id, before: joined(repository, before), after: joined(repository, after) };
}

/** Logs that a sparse checkout leaves out, and their objects. */
function leftOutObjects(repository: Repository): Map<string, string> {
  if (!leavesOut(new SparseCheckout({ disk: nodeDisk, runtime: nodeRuntime }, repository.root).look()))
    return new Map();
  const entries = [
    ...inIndex(
      repository,
      PARTS.map((part) => `.coco/${part}`),
    ),
  ];
  return new Map(
    entries.flatMap(([path, { object, sparse }]) => (sparse && path.endsWith("/events.jsonl") ? [[path, object]] : [])),
  );
}

function logsInWorkTree(root: string): string[] {
  return PARTS.flatMap((part) => {
    const folder = join(root, ".coco", part);
    if (nodeDisk.lstat(folder)?.kind !== "folder") return [];
    return nodeDisk.readFolders(folder).map((id) => `.coco/${part}/${id}/events.jsonl`);
  });
}

function logAt(root: string, path: string): Buffer | undefined {
  const bytes = readPlain(root, path, MAX_OBJECT);
  if (typeof bytes === "string")
    throw tooLarge(`Expected ${path} to be a log of at most ${MAX_OBJECT} bytes, but ${bytes}.`);
  return bytes;
}

/** A log that stands in both folders is one. */
function joined(repository: Repository, versions: readonly (string | Buffer)[]): Buffer | undefined {
  const bytes = versions.flatMap((one) => {
    if (typeof one !== "string") return [one];
    const blob = wholeBlobs(repository, [one]).get(one);
    if (blob) return [blob];
    throw objectMissing(repository, `the object ${one}`);
  });
  return bytes.length === 0 ? undefined : Buffer.concat(bytes);
}
