/** Compares the work tree that a captured run saw with the one of now, for the length of one call (PROOF-51). */
import { phrased } from "../../sentence.ts";
import type { Sentence } from "../../sentence.ts";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { isTaskfoldError } from "../../errors.ts";
import { readRegular } from "../../files/atomic.ts";
import { outOfScope } from "../../rules/packet/scope.ts";
import { changedSinceRun, changesIn, treeDigest, withChanges } from "../../rules/staleness.ts";
import type { Changes, Files } from "../../rules/staleness.ts";
import type { KeptBytes } from "../../state/evidence.ts";
import { shorten } from "../../state/code_points.ts";
import type { Scope, Seen, Staleness } from "../../state/staleness.ts";
import type { EngineContext } from "./context.ts";
import type { GitListing, GitPort } from "./git_port.ts";

const BLOBS = "shared/evidence/blobs";
const MAX_KEPT = 16 * 1024 * 1024;
const NO_CHANGES: Changes = new Map();
const NO_FILES: Files = new Map();

export type TreeContext = Pick<EngineContext, "disk" | "git">;

interface Now {
  port: GitPort;
  listing: GitListing;
  digest: string;
}

export class TreeLook {
  readonly #context: TreeContext;
  /** A sentence says why git could not list the files; null: there is no git. */
  #now: Now | Sentence | null | undefined;
  readonly #commits = new Map<string, Files | undefined>();

  constructor(context: TreeContext) {
    this.#context = context;
  }

  /** `folder`: of the task, with the lists that its runs kept. */
  since(folder: string, seen: Seen, scope: Scope): Staleness {
    return unlessGitFails(
      () => this.#compared(folder, seen, scope),
      (why) => unknown(why),
    );
  }

  #compared(folder: string, seen: Seen, scope: Scope): Staleness {
    if (this.#now === undefined) this.#now = this.#look();
    if (this.#now && "text" in this.#now) return unknown(this.#now);
    // A run of a place without git recorded nothing that could be compared.
    if (!this.#now) return seen.tree === undefined && seen.git_commit === undefined ? FRESH : { is: "unasked" };
    if (seen.left === "unknown") return unknown(phrased`the files that it left otherwise are not known`);
    const { listing, digest } = this.#now;
    const isIn = (path: string, of: Scope): boolean => of === null || outOfScope(path, of) === null;
    const isInScope = (path: string): boolean =>
      [scope, seen.scope ?? null].some((of) => isIn(listing.fromRoot(path), of));
    const isAsHidden = isHiddenAsThen(seen, listing);
    const closed = listing.closed(!isAsHidden).find(isInScope);
    if (closed !== undefined)
      return unknown(phrased`the folder ${named(listing.fromRoot(closed))} cannot be looked into`);
    const hidden = isAsHidden ? NO_FILES : listing.hidden();
    // Rules that came since may convert a file to what the run found.
    const isConvertedAsThen = seen.attributes === listing.attributes;
    const touched = isConvertedAsThen ? listing.since(Date.parse(seen.started_at ?? "")) : NO_CHANGES;
    const isAsListed = hidden.size === 0 && touched.size === 0 && isConvertedAsThen;
    if (seen.tree === digest && isAsListed && !seen.wrote) return FRESH;
    if (seen.git_commit === undefined) return unknown(phrased`it recorded no commit`);
    const commit = this.#filesOf(this.#now, seen.git_commit);
    if (!commit) return unknown(phrased`its commit ${short(seen.git_commit)} is not in this clone`);
    const [changes, wrote] = [this.#kept(folder, seen.changes), this.#kept(folder, seen.wrote)];
    const found = changes && withChanges(commit, changes);
    if (!found || (seen.tree !== undefined && treeDigest(found) !== seen.tree))
      return unknown(phrased`the list of files that it saw is not there as it was`);
    const listed = isConvertedAsThen ? withChanges(listing.files, touched) : listing.raw();
    const files: Files = new Map([...listed, ...hidden]);
    const now = { files, stored: isConvertedAsThen ? listing.stored : NO_FILES };
    const paths = changedSinceRun(found, wrote ?? NO_CHANGES, now, isInScope);
    if (paths.length === 0) return FRESH;
    const by = this.#now.port.lastChange(paths, seen.git_commit) ?? null;
    const during = paths.every((path) => wrote?.has(path) === true && found.has(path));
    return { is: "stale", paths: paths.map((path) => listing.fromRoot(path)), commit: by, during };
  }

  #look(): Now | Sentence | null {
    const port = this.#context.git?.();
    if (!port) return null;
    return unlessGitFails(
      (): Now | Sentence => {
        const listing = port.listing();
        return { port, listing, digest: treeDigest(listing.files) };
      },
      (why) => why,
    );
  }

  /** Undefined where the clone does not have the commit. */
  #filesOf({ port }: Now, commit: string): Files | undefined {
    if (!this.#commits.has(commit)) {
      this.#commits.set(commit, port.hasCommit(commit) ? port.listingOf(commit) : undefined);
    }
    return this.#commits.get(commit);
  }

  /** Undefined where the bytes are not there, or are others. */
  #kept(folder: string, kept: KeptBytes | undefined): Changes | undefined {
    if (!kept) return NO_CHANGES;
    if (!/^[0-9a-f]{64}$/.test(kept.sha256)) return undefined;
    const bytes = readRegular(this.#context.disk, join(folder, BLOBS, kept.sha256), MAX_KEPT);
    const isIt = bytes && createHash("sha256").update(bytes).digest("hex") === kept.sha256;
    return isIt ? changesIn(bytes) : undefined;
  }
}

/**
 * Rules that no commit holds may have come since, to hide a file. They are those of one clone. A clean checkout has none of them, and its run is proof of
 * the commit, in which no hidden file is.
 */
function isHiddenAsThen({ tree, ignores, checkout }: Seen, listing: GitListing): boolean {
  return tree === undefined || checkout === "clean" || ignores === listing.ignores;
}

function unlessGitFails<T>(ask: () => T, otherwise: (why: Sentence) => T): T {
  try {
    return ask();
  } catch (e) {
    if (isTaskfoldError(e)) return otherwise(phrased`git could not list the files (${e.message})`);
    throw e;
  }
}

const FRESH: Staleness = { is: "fresh" };
const unknown = (why: Sentence): Staleness => ({ is: "unknown", why });
/** A path that the system takes no more is too long for a sentence. */
const named = (path: string): string => JSON.stringify(shorten(path.toWellFormed(), 80));
const short = (commit: string): string => commit.slice(0, 12);
