import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { nodePathReader } from "../../src/disk.ts";
import type { PathReader } from "../../src/disk.ts";
import { findPackagesUnder, packagesUnder } from "../../src/guard/tsk_find.ts";
import { filterListing, TSK_EXCLUDE_GLOBS } from "../../src/guard/tsk_listing.ts";
import { tempFolder } from "../support/temp.ts";

function fill(root: string, paths: readonly string[]): void {
  for (const path of paths) {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), path);
  }
}

describe("packages below a folder", () => {
  it("[GUARD-13] all are named, sorted, in any letter case, and nothing inside of them", async () => {
    const root = tempFolder();
    fill(root, [
      "b/z.tsk/goals.md",
      "b/z.tsk/in.tsk/x.md",
      "a/deep/er/Y.TSK/goals.md",
      "a/x.md",
      "b.tsk",
      "c.tsk.bak/x",
    ]);
    expect(await findPackagesUnder(root)).toEqual(["a/deep/er/Y.TSK", "b.tsk", "b/z.tsk"]);
    expect(await findPackagesUnder("a", { cwd: root })).toEqual(["deep/er/Y.TSK"]);
    expect(await findPackagesUnder("c.tsk.bak", { cwd: root })).toEqual([]);
  });

  it("[GUARD-13] a file and what is not there hold none; a package is its own", async () => {
    const root = tempFolder();
    fill(root, ["b/z.tsk/goals.md", "a/x.md"]);
    symlinkSync("b/z.tsk", join(root, "lnk"));
    expect(await findPackagesUnder("a/x.md", { cwd: root })).toEqual([]);
    expect(await findPackagesUnder("nothing", { cwd: root })).toEqual([]);
    expect(await findPackagesUnder("b/z.tsk/", { cwd: root })).toEqual(["."]);
    expect(await findPackagesUnder("lnk", { cwd: root })).toEqual(["."]);
  });

  it("[GUARD-13] the folder may be a link; links below it are not followed", async () => {
    const root = tempFolder();
    fill(root, ["b/z.tsk/goals.md", "a/x.md"]);
    symlinkSync("../b", join(root, "a/to-b"));
    symlinkSync("..", join(root, "a/up"));
    symlinkSync("b", join(root, "lnk"));
    expect(await findPackagesUnder("a", { cwd: root })).toEqual([]);
    expect(await findPackagesUnder("lnk", { cwd: root })).toEqual(["z.tsk"]);
  });

  it("[GUARD-13] a folder that cannot be read is an error, since nobody can say what it holds", async () => {
    const root = tempFolder();
    fill(root, ["a/closed/x.md"]);
    const closed: PathReader = {
      ...nodePathReader,
      readdir: (path) =>
        path.endsWith("closed")
          ? Promise.reject(Object.assign(new Error("no"), { code: "EACCES" }))
          : nodePathReader.readdir(path),
    };
    await expect(packagesUnder(closed, "a", root)).rejects.toMatchObject({
      code: "STORAGE_FAILED",
      message: 'Could not look for Taskdoc packages in "closed": the system said EACCES.',
      details: { path: "closed" },
    });
    chmodSync(join(root, "a/closed"), 0o755);
    expect(await packagesUnder(nodePathReader, "a", root)).toEqual([]);
  });

  it("[GUARD-13] a folder whose name is no UTF-8 is an error too", async () => {
    const root = tempFolder();
    const strange: PathReader = {
      ...nodePathReader,
      readdir: async (path) => (path === root ? [{ name: "a\uFFFD", isFolder: true }] : nodePathReader.readdir(path)),
    };
    await expect(packagesUnder(strange, ".", root)).rejects.toMatchObject({ code: "STORAGE_FAILED" });
  });
});

describe("listings", () => {
  it("[GUARD-14] of a package only the name is shown", () => {
    const entries = [
      { name: "a.md", size: 5 },
      { name: "b.tsk", size: 4096, count: 7, mtime: 3 },
      { name: "C.TSK", size: 1 },
      { name: "d", size: 2 },
    ];
    expect(filterListing(entries)).toEqual([
      { name: "a.md", size: 5 },
      { name: "b.tsk", encapsulated: true },
      { name: "C.TSK", encapsulated: true },
      { name: "d", size: 2 },
    ]);
    expect(filterListing(["b.tsk", "a", "x/b.tsk/"])).toEqual(["b.tsk", "a", "x/b.tsk/"]);
  });

  it("[GUARD-14] a recursive listing leaves out what is inside", () => {
    const root = tempFolder();
    fill(root, ["b/z.tsk/goals.md", "b/z.tsk/ux/x.md", "b/z.tsk/in.tsk/x.md", "a/x.md"]);
    const all = readdirSync(root, { recursive: true, encoding: "utf8" });
    expect(all).toContain(join("b/z.tsk/goals.md"));
    expect(filterListing(all).toSorted()).toEqual(["a", "b", join("a/x.md"), join("b/z.tsk")].toSorted());
    const entries = [
      { name: "b/z.tsk", size: 1 },
      { name: "./b/z.tsk/goals.md", size: 2 },
      { name: "b\\Z.tsk\\x", size: 3 },
    ];
    expect(filterListing(entries)).toEqual([{ name: "b/z.tsk", encapsulated: true }]);
  });
});

describe("searches", () => {
  it("[GUARD-14] the globs keep a real search out of every package, and out of nothing else", () => {
    const root = tempFolder();
    const inside = ["a.tsk/goals.md", "x/B.TSK/ux/c.md", "x/y/c.Tsk/in/d/e.md", "d.tsk"];
    const outside = ["a.md", "x/b.tsk.bak/c.md", "x/tsk/y.md", "taskdoc.md"];
    fill(root, [...inside, ...outside]);
    execFileSync("git", ["init", "-q"], { cwd: root });
    const list = (...more: string[]): string[] =>
      execFileSync("git", ["ls-files", "--others", ...more], { cwd: root, encoding: "utf8" })
        .trim()
        .split("\n");
    expect(list().toSorted()).toEqual([...inside, ...outside].toSorted());
    expect(list(...TSK_EXCLUDE_GLOBS.map((glob) => `--exclude=${glob}`)).toSorted()).toEqual(outside.toSorted());
    const pathspecs = TSK_EXCLUDE_GLOBS.map((glob) => `:(exclude,glob)${glob}`);
    expect(list("--", ".", ...pathspecs).toSorted()).toEqual(outside.toSorted());
  });
});
