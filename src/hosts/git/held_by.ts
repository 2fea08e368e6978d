/**
 * Which commit has a text that the work tree has no more. The tips of branches are asked first, because most logs only grow: after a
 * switch one of them has it. Each version is read once.
 */
import type { GitHeld } from "../../engine/core/git_port.ts";
import { words } from "./history.ts";
import { BATCH, MOST_HELD_BY, MOST_VERSION } from "./limits.ts";
import { blobsOf } from "./objects.ts";
import type { PrivateFolder } from "./private_folder.ts";
import { privateFolder } from "./private_folder.ts";
import { readPlain } from "./read_file.ts";
import type { Repository } from "./repository.ts";

const REFS = ["--exclude=refs/stash", "--all", "HEAD"];
/** Commits that an operation of git left behind, or is about to take in, and that no ref has. */
const NOTED = [
  "MERGE_HEAD",
  "CHERRY_PICK_HEAD",
  "REVERT_HEAD",
  "REBASE_HEAD",
  "ORIG_HEAD",
  "FETCH_HEAD",
  "MERGE_AUTOSTASH",
];
/** A rebase keeps the name of its stash here. */
const AUTOSTASHES = ["rebase-merge/autostash", "rebase-apply/autostash"];
const MOST_COMMITS = 500;
const MOST_STASHES = 200;

export function heldBy(repository: Repository, paths: readonly string[], text: string): GitHeld | undefined | null {
  const versions = new Versions(repository, paths, text);
  try {
    if (versions.firstWith(tips(repository)) !== undefined) return {};
    if (versions.firstWith(commits(repository, REFS, paths)) !== undefined) return {};
    for (const [i, stash] of stashes(repository).entries())
      if (versions.firstWith(stash) !== undefined) return { stash: `stash@{${i}}` };
    const commit = versions.firstWith([...noted(repository), ...commits(repository, ["--reflog"], paths)]);
    if (commit !== undefined) return { commit: commit.slice(0, 12) };
    return versions.isWhole ? undefined : null;
  } finally {
    versions.close();
  }
}

class Versions {
  /** False where a version was not read. */
  isWhole = true;
  readonly #repository: Repository;
  readonly #paths: readonly string[];
  readonly #text: Buffer;
  readonly #folder: PrivateFolder;
  readonly #lacking = new Set<string>();
  readonly #asked = new Set<string>();
  #read = 0;

  constructor(repository: Repository, paths: readonly string[], text: string) {
    this.#repository = repository;
    this.#paths = paths;
    this.#text = Buffer.from(text);
    this.#folder = privateFolder(repository);
  }

  firstWith(some: readonly string[]): string | undefined {
    const fresh = some.filter((commit) => !this.#asked.has(commit));
    for (const commit of fresh) this.#asked.add(commit);
    if (fresh.length >= MOST_COMMITS) this.isWhole = false;
    const { prefix } = this.#repository;
    const names = fresh.flatMap((commit) => this.#paths.map((path) => `${commit}:${prefix}${path}`));
    const blobs = this.#blobsAt(names);
    return fresh.find((commit) => this.#paths.some((path) => this.#has(blobs.get(`${commit}:${prefix}${path}`))));
  }

  close(): void {
    this.#folder.remove();
  }

  /** Object and size by name; those that are not there are left out. */
  #blobsAt(names: readonly string[]): Map<string, { object: string; size: number }> {
    const found = new Map<string, { object: string; size: number }>();
    if (names.length === 0) return found;
    const input = `${names.join("\n")}\n`;
    const said = this.#folder.git(["cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)"], { input });
    for (const [i, line] of said.toString("utf8").split("\n").entries()) {
      const [object = "", type, size] = line.split(" ");
      if (type === "blob" && names[i] !== undefined) found.set(names[i], { object, size: Number(size) });
    }
    return found;
  }

  #has(blob: { object: string; size: number } | undefined): boolean {
    if (!blob || this.#lacking.has(blob.object)) return false;
    if (blob.size > MOST_VERSION || (this.#read += blob.size) > MOST_HELD_BY) {
      this.isWhole = false;
      return false;
    }
    const has = blobsOf(this.#folder, [blob.object], Math.max(blob.size, BATCH)).get(blob.object)?.includes(this.#text);
    if (has !== true) this.#lacking.add(blob.object);
    return has === true;
  }
}

function tips(repository: Repository): string[] {
  const said = repository.git([
    "for-each-ref",
    `--count=${MOST_COMMITS}`,
    "--sort=-creatordate",
    "--format=%(objectname)",
  ]);
  const head = repository.says(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  const stash = repository.says(["rev-parse", "--verify", "--quiet", "refs/stash"]);
  return [...(head === undefined ? [] : [head]), ...words(said).filter((commit) => commit !== stash)];
}

function commits(repository: Repository, revisions: readonly string[], paths: readonly string[]): string[] {
  if (!repository.succeeds(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])) return [];
  return words(
    repository.git(["rev-list", "--full-history", `--max-count=${MOST_COMMITS}`, ...revisions, "--", ...paths]),
  );
}

/** Each with its parents: new files that were stashed lie in the third one. */
function stashes(repository: Repository): string[][] {
  if (!repository.succeeds(["reflog", "exists", "refs/stash"])) return [];
  const said = repository.git(["rev-list", "-g", "--parents", `--max-count=${MOST_STASHES}`, "refs/stash", "--"]);
  return words(said).map((line) => line.split(" "));
}

function noted(repository: Repository): string[] {
  const named = NOTED.flatMap(
    (name) => repository.says(["rev-parse", "--verify", "--quiet", `${name}^{commit}`]) ?? [],
  );
  const kept = AUTOSTASHES.flatMap((path) => {
    const bytes = readPlain(repository.folder, path, 256);
    return Buffer.isBuffer(bytes) ? [bytes.toString("latin1").trim()] : [];
  });
  return [...named, ...kept.filter((word) => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(word))];
}
