// @ts-check
// Filters that a repository may have: Git LFS, and one that encrypts.
import { spawnSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";

/** @typedef {import("./git_clone.mjs").Clone} Clone */

/** The program of the filter that encrypts. */
const CIPHER = join(import.meta.dirname, "git_cipher.mjs");

export const LFS = "filter=lfs diff=lfs merge=lfs -text";
export const ENCRYPTED = "filter=cipher diff=cipher";

/** Whether there is a `git-lfs`. */
export function hasLfs() {
  return spawnSync("git", ["lfs", "version"], { stdio: "ignore" }).status === 0;
}

/** Settings of a clone alone, as `git lfs install --local` makes them. @param {Clone} clone */
export function useFilters(clone) {
  if (hasLfs()) clone.git("lfs", "install", "--local");
  for (const way of ["clean", "smudge"])
    clone.git("config", `filter.cipher.${way}`, `'${process.execPath}' '${CIPHER}' ${way}`);
  clone.git("config", "filter.cipher.required", "true");
}

/** Lines of attributes at the root of the repository. @param {Clone} clone @param {...string} lines */
export function setAttributes(clone, ...lines) {
  appendFileSync(join(clone.root, ".gitattributes"), lines.map((line) => `${line}\n`).join(""));
}
