/** Git's index as it is read here. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Clone } from "../support/git_clone.mjs";
import { eachEntry } from "../../src/files/git_index.ts";
import { tempFolder } from "../support/temp.ts";

it.each([2, 4])("[PROOF-47] an index of version %i that ends too early names no file that is none", (version) => {
  const { root } = Clone.init(tempFolder());
  mkdirSync(join(root, "d"));
  for (const name of ["a", "d/b", "d/c"]) writeFileSync(join(root, name), name);
  const git = (...args: string[]): string => execFileSync("git", args, { cwd: root, encoding: "utf8", env: Clone.env });
  git("add", "-A");
  git("update-index", `--index-version=${version}`, "--force-write-index");
  const bytes = readFileSync(join(root, ".git/index"));
  const namesIn = (index: Buffer): string[] => {
    const names: string[] = [];
    eachEntry(index, 20, ({ bytes, from, to }) => names.push(bytes.toString("utf8", from, to)));
    return names;
  };
  const all = namesIn(bytes);
  expect(all).toEqual(["a", "d/b", "d/c"]);
  const taken = new Set<string>();
  for (let end = 0; end < bytes.length; end++) {
    const cut = bytes.subarray(0, end);
    try {
      eachEntry(cut, 20, ({ bytes, from, to }) => taken.add(bytes.toString("utf8", from, to)));
    } catch (e) {
      if (!(e instanceof RangeError)) throw e;
    }
  }
  expect([...taken]).toEqual(all.slice(0, -1));
});
