/** Repositories for tests: clones with nothing installed, by the git that is on the machine. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Clone } from "./git_clone.mjs";
import { tempFolder } from "./temp.ts";

/** A new repository with one commit, and a function that clones it. */
export function repository(): { ada: Clone; cloneOf: (clone: Clone, name: string) => Clone } {
  const folder = tempFolder();
  mkdirSync(join(folder, "ada"));
  return { ada: Clone.init(join(folder, "ada")), cloneOf: (clone, name) => Clone.of(join(folder, name), clone) };
}
