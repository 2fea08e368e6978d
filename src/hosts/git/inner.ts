/** Other repositories in a work tree: each has a listing of its own, which is part of that of the work tree (PROOF-47). */
import { createHash } from "node:crypto";
import type { GitListing } from "../../engine/core/git_port.ts";
import { fullPath, NO_CONTENT } from "./content_names.ts";
import { REPOSITORY } from "./index_files.ts";
import type { Repository } from "./repository.ts";
import { openRepository } from "./repository.ts";
import type { Steps } from "./steps.ts";

/** By path; undefined for those that cannot be looked into. */
export type Inner = ReadonlyMap<string, GitListing | undefined>;

/** A file of another repository that is gone: a list of this one has no other word for it. */
const GONE = `000000 ${NO_CONTENT}`;

/** Git itself would look into them by the configuration that they have. */
export function* listInner(
  repository: Repository,
  paths: Iterable<string>,
  list: (other: Repository) => Steps<GitListing>,
): Steps<Inner> {
  const inner = new Map<string, GitListing | undefined>();
  for (const path of paths) {
    const other = openRepository(fullPath(repository, path));
    inner.set(path, other?.prefix === "" ? yield* list(other) : undefined);
  }
  return inner;
}

/** Each counts by the commit that is checked out, and by the files that differ from it. */
export function innerFiles(inner: Inner): Map<string, string> {
  const commits = [...inner].map(([path, found]) => [path, `${REPOSITORY} ${found?.commit ?? NO_CONTENT}`] as const);
  return new Map([...commits, ...filesBelow(inner, ({ changed }) => changed)]);
}

export function closedIn(inner: Inner, alsoHidden: boolean): string[] {
  return [...inner].flatMap(([path, found]) => found?.closed(alsoHidden).map((below) => `${path}/${below}`) ?? [path]);
}

/** Asks each of them about its files. */
export function filesBelow(
  inner: Inner,
  ask: (listing: GitListing) => Iterable<readonly [string, string | null]>,
): Map<string, string> {
  const files = new Map<string, string>();
  for (const [path, found] of inner)
    if (found) for (const [below, file] of ask(found)) files.set(`${path}/${below}`, file ?? GONE);
  return files;
}

/** The mode and the name of a file that is as the commit of its repository has it, which is why no list has it. */
export function committedIn(inner: Inner): (path: string) => string | undefined {
  return (path) => {
    for (const [folder, found] of inner) {
      if (!path.startsWith(`${folder}/`)) continue;
      const below = path.slice(folder.length + 1);
      return found?.files.get(below) ?? found?.committedIn(below);
    }
    return undefined;
  };
}

/** A digest of this repository, with those that other ones have. */
export function withInner(
  own: string | undefined,
  inner: Inner,
  ask: (listing: GitListing) => string | undefined,
): string | undefined {
  const others = [...inner].flatMap(([path, found]) => {
    const digest = found && ask(found);
    return digest === undefined ? [] : [`${digest} ${path}\0`];
  });
  if (others.length === 0) return own;
  const lines = [own ?? "", ...others.toSorted()].join("\0");
  return createHash("sha256").update(lines, "latin1").digest("hex");
}
