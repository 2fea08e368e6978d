/**
 * Questions to git, by the `git` program: the open parts of a stopped merge, the content of commits, staging, and the
 * base branch.
 */
import type { GitPort } from "../../engine/repair/resolve.ts";
import { attributeFilesOver, attributesOf } from "./attributes.ts";
import { baseOf } from "./base_branch.ts";
import { heldBy, refsOf } from "./held_by.ts";
import { everHeld, lostBy, takenAway } from "./logged_lines.ts";
import type { Sides } from "./merged.ts";
import { lastChange, listingOf, listingsOf } from "./listing.ts";
import { sidesOf, unmerged, versionsOf } from "./merged.ts";
import { lastVersion } from "./last_version.ts";
import { wholeBlobs, findObject } from "./objects.ts";
import { committedSince, recordedSince } from "./recorded_since.ts";
import { isShallow, openRepository } from "./repository.ts";
import { controlFiles } from "./control_files.ts";
import { diffApplies } from "./diff_applies.ts";
import { headReader } from "./head.ts";
import { objectMissing } from "./object_missing.ts";
import { add, changed, leftOut } from "./staging.ts";
import { waitedFor } from "./steps.ts";
import { userSettings } from "./user_settings.ts";
import { ignored, workTree } from "./work_tree.ts";

const NO_SIDES: Sides = new Map();

/**
 * Returns the port for a workspace root inside a git work tree. Undefined outside of one, where there is no git, and
 * where `.git` leads to a repository that does not name this work tree.
 */
export function openGit(root: string): GitPort | undefined {
  const repository = openRepository(root);
  if (!repository) return undefined;
  const user = userSettings(repository);
  let sides: Map<string, Sides> | undefined;
  return {
    unmerged: () => unmerged(repository),
    versions: (path) => {
      sides ??= sidesOf(repository);
      return versionsOf(repository, path, sides.get(path) ?? NO_SIDES);
    },
    heldBy: (texts, options) => heldBy(repository, texts, options),
    refs: () => refsOf(repository),
    everHeld: (paths, left) => everHeld(repository, paths, left),
    takenAway: (base, left) => takenAway(repository, base, left),
    lostBy: (base, lines, left) => lostBy(repository, base, lines, left),
    leftOut: () => leftOut(repository),
    attributes: (paths, wanted) => attributesOf(repository, paths, wanted),
    attributeFilesOver: (folder) => attributeFilesOver(repository, folder),
    add: (paths) => add(repository, paths),
    workTree: (leftOut, rules) => workTree(repository, leftOut, rules ?? waitedFor(user())),
    ignored: (paths, rules) => ignored(repository, paths, rules),
    controlFiles: (inner) => controlFiles(repository, waitedFor(user()), inner),
    diffApplies: (diff) => diffApplies(repository, diff),
    hasCommit: (id) => repository.succeeds(["cat-file", "-e", `${id}^{commit}`]),
    leadsTo: (id) =>
      /^[0-9a-f]{7,64}$/.test(id) && repository.succeeds(["merge-base", "--is-ancestor", id, "HEAD"])
        ? true
        : isShallow(repository)
          ? null
          : false,
    head: headReader(repository),
    recordedSince: (commit) => recordedSince(repository, commit),
    committedSince: (commit) => committedSince(repository, commit),
    changed: (folder) => changed(repository, folder),
    ...listingsOf(repository, user),
    listingOf: (commit) => listingOf(repository, commit),
    lastChange: (paths, since) => lastChange(repository, paths, since),
    base: () => baseOf(repository),
    lastVersion: (path) => lastVersion(repository, path),
    find: (commit, path) => findObject(repository, commit, path),
    read: (object) => {
      const bytes = wholeBlobs(repository, [object]).get(object);
      if (bytes) return bytes;
      throw objectMissing(repository, `the object ${object}`);
    },
  };
}
