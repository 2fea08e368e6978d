/**
 * Finds a text that the work tree has no more. The tips of branches are asked first, because most logs only grow: after a
 * switch one of them has it. Each version is read once. Many texts are asked for together: git may take many tasks away at once.
 */
import { join } from "node:path";
import { nodeDisk } from "../../disk.ts";
import type { GitHeld, HeldText } from "../../engine/core/git_port.ts";
import { isTaskfoldError } from "../../errors.ts";
import { commitNamed, commitsNamed, NOTED } from "./commits_named.ts";
import { words } from "./history.ts";
import { MAX_HELD_BY, MAX_VERSION } from "./limits.ts";
import { batchesOf, blobsOf, sizesOf } from "./objects.ts";
import type { PrivateFolder } from "./private_folder.ts";
import { privateFolder } from "./private_folder.ts";
import { readPlain } from "./read_file.ts";
import type { Repository } from "./repository.ts";
import { isShallow } from "./repository.ts";

const REFS = ["--exclude=refs/stash", "--all", "HEAD"];
const NAMES = ["HEAD", "refs/stash", ...NOTED, "MERGE_AUTOSTASH"];
/** A rebase keeps what it does here, and in `autostash` the name of its stash. */
const REBASES = ["rebase-merge", "rebase-apply"];
const MAX_COMMITS = 500;
const MAX_STASHES = 200;
/** Of the files that all commits of one question may have. */
const MAX_NAMES = 200_000;
/** So many names are told apart in characters. */
const NAME_LENGTH = 12;

export function heldBy(
  repository: Repository,
  texts: readonly HeldText[],
  { unreachable = false }: { unreachable?: boolean } = {},
): (GitHeld | undefined | null)[] {
  const search = new Search(repository, texts);
  try {
    const named = commitsNamed(repository, NAMES);
    const commits = (revisions: readonly string[]) =>
      named.has("HEAD") ? commitsOf(repository, revisions, search.paths()) : [];
    search.look("branch", tips(repository, named), () => "");
    search.look(
      "branch",
      () => commits(REFS),
      () => "",
    );
    if (named.has("refs/stash"))
      for (const [i, stash] of stashes(repository).entries()) search.look("stash", stash, () => `stash@{${i}}`);
    search.look(
      "commit",
      () => [...noted(repository, named), ...commits(["--reflog", "HEAD"])],
      (commit) => commit.slice(0, NAME_LENGTH),
    );
    if (unreachable) search.lookInUnreachable();
    return search.found();
  } finally {
    search.close();
  }
}

/** Another text where a branch may have lost what it had. */
export function refsOf(repository: Repository): string {
  const head = commitNamed(repository, "HEAD") ?? "";
  const refs = repository.git(["for-each-ref", "--format=%(objectname) %(refname)"]).toString("utf8").split("\n");
  return [head, ...refs.filter((line) => !line.endsWith(" refs/stash"))].join("\n");
}

class Search {
  /** False where a version was not read. */
  #isWhole = true;
  readonly #repository: Repository;
  readonly #texts: readonly HeldText[];
  readonly #folder: PrivateFolder;
  readonly #found = new Map<HeldText, GitHeld>();
  /** Of each text the versions without it. */
  readonly #lacking = new Map<HeldText, Set<string>>();
  readonly #asked = new Set<string>();
  readonly #isPassing: boolean;
  #read = 0;
  #names = 0;

  constructor(repository: Repository, texts: readonly HeldText[]) {
    this.#repository = repository;
    this.#texts = texts;
    this.#folder = privateFolder(repository);
    this.#isPassing = REBASES.some((name) => nodeDisk.lstat(join(repository.folder, name)) !== undefined);
  }

  found(): (GitHeld | undefined | null)[] {
    return this.#texts.map((text) => this.#found.get(text) ?? (this.#isWhole ? undefined : null));
  }

  close(): void {
    this.#folder.remove();
  }

  /** Files that may have the texts that are left. */
  paths(): string[] {
    return this.#left().flatMap(({ paths }) => paths);
  }

  look(
    holder: GitHeld["holder"],
    commits: readonly string[] | (() => readonly string[]),
    nameOf: (commit: string) => string,
  ): void {
    if (this.#left().length === 0) return;
    const some = typeof commits === "function" ? commits() : commits;
    const fresh = [...new Set(some)].filter((commit) => !this.#asked.has(commit));
    for (const commit of fresh) this.#asked.add(commit);
    if (fresh.length >= MAX_COMMITS) this.#isWhole = false;
    // The first of them have it mostly, and each further one costs a name for each text.
    for (let at = 0, size = 1; at < fresh.length && this.#left().length > 0; at += size, size *= 4)
      this.#lookIn(holder, fresh.slice(at, at + size), nameOf);
  }

  #lookIn(holder: GitHeld["holder"], commits: readonly string[], nameOf: (commit: string) => string): void {
    const { prefix } = this.#repository;
    const places = commits.flatMap((commit) =>
      this.#left().flatMap((text) => text.paths.map((path) => ({ commit, text, name: `${commit}:${prefix}${path}` }))),
    );
    if ((this.#names += places.length) > MAX_NAMES) {
      this.#isWhole = false;
      return;
    }
    const blobs = this.#blobsAt(places.map(({ name }) => name));
    const sizes = new Map([...blobs.values()].map(({ object, size }) => [object, size]));
    const wanted = new Map<string, typeof places>();
    for (const place of places) {
      const object = blobs.get(place.name)?.object;
      if (object === undefined || this.#lacking.get(place.text)?.has(object)) continue;
      wanted.set(object, [...(wanted.get(object) ?? []), place]);
    }
    const order = new Map(commits.map((commit, i) => [commit, i]));
    const having = new Map<HeldText, { commit: string; object: string }>();
    for (const [object, bytes] of this.#bytesOf(wanted.keys(), sizes)) {
      for (const { commit, text } of wanted.get(object)!) {
        if (!bytes.includes(text.text)) {
          this.#lacking.set(text, (this.#lacking.get(text) ?? new Set()).add(object));
          if (isFiltered(bytes)) this.#isWhole = false;
          continue;
        }
        const before = having.get(text);
        if (!before || order.get(commit)! < order.get(before.commit)!) having.set(text, { commit, object });
      }
    }
    const isCut = holder === "commit" && having.size > 0 && isShallow(this.#repository);
    for (const [text, { commit, object }] of having)
      this.#found.set(text, {
        holder,
        name: nameOf(commit),
        object,
        isPassing: this.#isPassing,
        isCut,
      });
  }

  /** Versions that were stashed or staged, and that no commit and no reflog leads to any more. git walks all of its history for that. */
  lookInUnreachable(): void {
    if (this.#left().length === 0) return;
    try {
      const output = this.#repository.git(["fsck", "--unreachable", "--connectivity-only", "--no-progress"]);
      const blobs = words(output).flatMap((line) => /^unreachable blob ([0-9a-f]+)$/.exec(line)?.[1] ?? []);
      const sizes = sizesOf(this.#folder, blobs);
      for (const [object, bytes] of this.#bytesOf(sizes.keys(), sizes)) {
        for (const text of this.#left()) {
          if (!bytes.includes(text.text)) continue;
          const name = object.slice(0, NAME_LENGTH);
          this.#found.set(text, { holder: "object", name, object, isPassing: false, isCut: false });
        }
      }
    } catch (e) {
      // A repository that is not whole, or too large to be walked.
      if (!isTaskfoldError(e)) throw e;
      this.#isWhole = false;
    }
  }

  #left(): HeldText[] {
    return this.#texts.filter((text) => !this.#found.has(text));
  }

  /** Object and size by name; those that are not there are left out. */
  #blobsAt(names: readonly string[]): Map<string, { object: string; size: number }> {
    const found = new Map<string, { object: string; size: number }>();
    if (names.length === 0) return found;
    const input = `${names.join("\n")}\n`;
    const output = this.#folder.git(["cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)"], { input });
    for (const [i, line] of output.toString("utf8").split("\n").entries()) {
      const [object = "", type, size] = line.split(" ");
      if (type === "blob" && names[i] !== undefined) found.set(names[i], { object, size: Number(size) });
    }
    return found;
  }

  /** Those that the limits allow, in their order. */
  *#bytesOf(objects: Iterable<string>, sizes: ReadonlyMap<string, number>): Generator<[string, Buffer]> {
    const some = [...objects].map((object) => [object, sizes.get(object) ?? 0] as const);
    const small = some.filter(([, size]) => size <= MAX_VERSION);
    if (small.length < some.length) this.#isWhole = false;
    for (const batch of batchesOf(small)) {
      const size = batch.reduce((sum, [, bytes]) => sum + bytes, 0);
      if ((this.#read += size) > MAX_HELD_BY) {
        this.#isWhole = false;
        return;
      }
      yield* blobsOf(
        this.#folder,
        batch.map(([object]) => object),
        size,
      );
    }
  }
}

/** Whether a filter of git wrote it in place of the log, such as a pointer of Git LFS. It may hold any line. */
function isFiltered(bytes: Buffer): boolean {
  return bytes.length > 0 && !bytes.includes('"hash":"');
}

function tips(repository: Repository, named: ReadonlyMap<string, string>): string[] {
  const output = repository.git([
    "for-each-ref",
    `--count=${MAX_COMMITS}`,
    "--sort=-creatordate",
    "--format=%(objectname)",
  ]);
  const [head, stash] = [named.get("HEAD"), named.get("refs/stash")];
  return [...(head === undefined ? [] : [head]), ...words(output).filter((commit) => commit !== stash)];
}

function commitsOf(repository: Repository, revisions: readonly string[], paths: readonly string[]): string[] {
  return words(
    repository.git(["rev-list", "--full-history", `--max-count=${MAX_COMMITS}`, ...revisions, "--", ...paths]),
  );
}

/** Each with its parents: new files that were stashed lie in the third one. */
function stashes(repository: Repository): string[][] {
  if (!repository.succeeds(["reflog", "exists", "refs/stash"])) return [];
  const output = repository.git(["rev-list", "-g", "--parents", `--max-count=${MAX_STASHES}`, "refs/stash", "--"]);
  return words(output).map((line) => line.split(" "));
}

function noted(repository: Repository, named: ReadonlyMap<string, string>): string[] {
  const known = [...NOTED, "MERGE_AUTOSTASH"].flatMap((name) => named.get(name) ?? []);
  const kept = REBASES.flatMap((name) => {
    const bytes = readPlain(repository.folder, `${name}/autostash`, 256);
    return Buffer.isBuffer(bytes) ? [bytes.toString("latin1").trim()] : [];
  });
  return [...known, ...kept.filter((word) => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(word))];
}
