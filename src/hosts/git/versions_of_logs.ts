/**
 * Versions of logs in pairs, each pair read once and only as many at a time as fit. The differences of two versions are
 * told by line.
 */
import type { GitLimit } from "../../engine/core/git_port.ts";
import { linesOnlyIn } from "./line_difference.ts";
import { BATCH, MAX_LINES_BYTES, MAX_READ, MAX_VERSION } from "./limits.ts";
import { howToGet } from "./object_missing.ts";
import { blobsOf, sizesOf } from "./objects.ts";
import type { PrivateFolder } from "./private_folder.ts";
import { privateFolder } from "./private_folder.ts";
import type { Repository } from "./repository.ts";

/** Two versions of one log; no name stands for a log that is not there. */
export interface Pair {
  path: string;
  commit: string;
  /** The version whose lines are told, where the other one has not got them. */
  has: string | undefined;
  lacks: string | undefined | (() => Buffer | undefined);
}

export interface PairLine {
  path: string;
  commit: string;
  bytes: Buffer;
}

/** How many pairs are looked at before their bytes are read. */
const MAX_PAIRS = 2000;

/** Reads pairs in the order given. `left` gets the pairs that a limit leaves out; one question shares one of these. */
export class VersionReader {
  readonly #repository: Repository;
  readonly #left: (limit: GitLimit) => void;
  /** Asked of git once. */
  #howToGet: string | undefined;
  #read = 0;
  #received = 0;
  /** A version that stays in memory, because the next pair mostly has it, too. */
  #kept = new Map<string, Buffer>();

  constructor(repository: Repository, left: (limit: GitLimit) => void) {
    this.#repository = repository;
    this.#left = left;
  }

  /** Lines that the one version has and the other has not, the last one of a version first. */
  *linesOf(pairs: Iterable<Pair>): Generator<PairLine> {
    const folder = privateFolder(this.#repository);
    try {
      for (const some of chunksOf(pairs)) {
        const sizes = sizesOf(folder, [...new Set(some.flatMap(versionsOf))]);
        for (const batch of this.#batches(some, sizes)) {
          const versions = this.#load(folder, batch, sizes);
          if (!versions) return;
          for (const pair of batch) {
            for (const bytes of this.#different(pair, versions)) {
              this.#received += bytes.length;
              if (this.#received > MAX_LINES_BYTES) {
                this.#left({ path: pair.path, why: `more than ${MAX_LINES_BYTES} bytes of lines were read of git` });
                return;
              }
              yield { path: pair.path, commit: pair.commit, bytes };
            }
          }
        }
      }
    } finally {
      this.#kept = new Map();
      folder.remove();
    }
  }

  #different({ path, has, lacks }: Pair, versions: Map<string, Buffer>): Buffer[] {
    const one = versions.get(has ?? "");
    if (!one) return [];
    const lines = linesOnlyIn(one, typeof lacks === "function" ? lacks() : versions.get(lacks ?? ""));
    if (lines) return lines;
    this.#left({ path, why: "two versions of it differ in too many lines" });
    return [];
  }

  /** Pairs whose versions are small together; one with a version that is too large is left out. */
  *#batches(pairs: readonly Pair[], sizes: Map<string, number>): Generator<Pair[]> {
    let [batch, names]: [Pair[], Set<string>] = [[], new Set()];
    let size = 0;
    for (const pair of pairs) {
      const both = versionsOf(pair);
      const missing = both.find((name) => !sizes.has(name));
      const large = both.find((name) => sizes.get(name)! > MAX_VERSION);
      if (missing !== undefined)
        this.#left({
          path: pair.path,
          why: `its version ${missing} is not in this clone`,
          recovery: (this.#howToGet ??= howToGet(this.#repository)),
        });
      else if (large !== undefined)
        this.#left({ path: pair.path, why: `its version ${large} has more than ${MAX_VERSION} bytes` });
      if ((missing ?? large) !== undefined) continue;
      const more = both.filter((name) => !names.has(name)).reduce((sum, name) => sum + sizes.get(name)!, 0);
      if (batch.length > 0 && size + more > BATCH) {
        yield batch;
        [batch, names, size] = [[], new Set(), 0];
      }
      batch.push(pair);
      for (const name of both) {
        if (!names.has(name)) size += sizes.get(name)!;
        names.add(name);
      }
    }
    if (batch.length > 0) yield batch;
  }

  #load(folder: PrivateFolder, batch: readonly Pair[], sizes: Map<string, number>): Map<string, Buffer> | undefined {
    const names = new Set(batch.flatMap(versionsOf));
    const versions = new Map([...this.#kept].filter(([name]) => names.has(name)));
    const unread = [...names].filter((name) => !versions.has(name));
    const size = unread.reduce((sum, name) => sum + sizes.get(name)!, 0);
    this.#read += size;
    if (this.#read > MAX_READ) {
      this.#left({ path: batch[0]!.path, why: `more than ${MAX_READ} bytes of logs would be read of git` });
      return undefined;
    }
    // Let go before more is read: two large versions are the most that is held.
    this.#kept = new Map();
    // Output of git stands in memory twice for a moment, so large ones are read one by one.
    for (const some of size > BATCH ? unread.map((name) => [name]) : [unread]) {
      const bytes = some.reduce((sum, name) => sum + sizes.get(name)!, 0);
      for (const [name, blob] of blobsOf(folder, some, bytes)) versions.set(name, blob);
    }
    for (const name of versionsOf(batch.at(-1)!)) if (versions.has(name)) this.#kept.set(name, versions.get(name)!);
    return versions;
  }
}

function versionsOf({ has, lacks }: Pair): string[] {
  return [has, lacks].filter((name) => typeof name === "string");
}

function* chunksOf(pairs: Iterable<Pair>): Generator<Pair[]> {
  let chunk: Pair[] = [];
  for (const pair of pairs) {
    chunk.push(pair);
    if (chunk.length < MAX_PAIRS) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
