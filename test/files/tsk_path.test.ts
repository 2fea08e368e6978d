import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { nodePathReader } from "../../src/disk.ts";
import type { PathReader } from "../../src/disk.ts";
import { isEncapsulatedPathLexical } from "../../src/state/tsk_name.ts";
import { isEncapsulatedPath, leadsIntoPackage } from "../../src/guard/tsk_path.ts";
import { takingNamesFor } from "../support/equivalent_names.ts";
import { tempFolder } from "../support/temp.ts";

/** A workspace with a package two folders down, and ordinary files beside it. */
function workspace(): string {
  const root = tempFolder();
  mkdirSync(join(root, "plans/alpha.tsk/ux"), { recursive: true });
  writeFileSync(join(root, "plans/alpha.tsk/goals.md"), "secret");
  mkdirSync(join(root, "plans/notes"));
  writeFileSync(join(root, "plans/notes/a.md"), "open");
  mkdirSync(join(root, "work"));
  return root;
}

/** Those of a list for which the guard does not say what is expected. */
async function wrong(cwd: string, expected: boolean, paths: readonly string[]): Promise<string[]> {
  const said = await Promise.all(paths.map((path) => isEncapsulatedPath(path, { cwd })));
  return paths.filter((_, i) => said[i] !== expected);
}

describe("the way to a package", () => {
  it("[GUARD-7] ordinary paths, links between ordinary folders included, are let through", async () => {
    const cwd = workspace();
    symlinkSync("../plans/notes", join(cwd, "work/lnk"));
    symlinkSync("a.md", join(cwd, "plans/notes/b.md"));
    symlinkSync(cwd, join(cwd, "work/top"));
    const paths = ["", ".", "plans", "plans/notes/a.md", "work/lnk/a.md", "work/lnk/b.md", "work/lnk/../notes/a.md"];
    const more = [
      "work/top/work/lnk",
      join(cwd, "plans/notes"),
      "new/deep/file.md",
      "plans/notes/a.md/x",
      "work/../plans",
    ];
    expect(await wrong(cwd, false, [...paths, ...more])).toEqual([]);
  });

  it("[GUARD-7] a link to a package, to what is in it, or to a link to it, is seen", async () => {
    const cwd = workspace();
    symlinkSync("../plans/alpha.tsk", join(cwd, "work/folder"));
    symlinkSync(join(cwd, "plans/alpha.tsk"), join(cwd, "work/absolute"));
    symlinkSync("../plans/alpha.tsk/goals.md", join(cwd, "work/file.md"));
    symlinkSync("folder", join(cwd, "work/second"));
    symlinkSync("../work/second/", join(cwd, "plans/third"));
    symlinkSync("plans", join(cwd, "p"));
    symlinkSync("p/alpha.tsk/../alpha.tsk", join(cwd, "round"));
    const paths = [
      "work/folder",
      "work/folder/goals.md",
      "work/absolute/new.md",
      "work/file.md",
      "work/second/ux/x.md",
    ];
    const more = [
      "plans/third/goals.md",
      "p/third",
      "round/goals.md",
      join(cwd, "work/second"),
      "work/./second//ux/..",
    ];
    expect(await wrong(cwd, true, [...paths, ...more])).toEqual([]);
  });

  it("[GUARD-7] links in cwd are followed, and a cwd inside a package is seen", async () => {
    const cwd = workspace();
    symlinkSync("../plans/alpha.tsk", join(cwd, "work/folder"));
    expect(await isEncapsulatedPath("goals.md", { cwd: join(cwd, "work/folder") })).toBe(true);
    expect(await isEncapsulatedPath("goals.md", { cwd: join(cwd, "plans/alpha.tsk") })).toBe(true);
    expect(await isEncapsulatedPath("goals.md", { cwd: relative(".", join(cwd, "work/folder")) })).toBe(true);
    expect(await isEncapsulatedPath(join(cwd, "work"), { cwd: join(cwd, "plans/alpha.tsk") })).toBe(false);
    expect(await isEncapsulatedPath("package.json")).toBe(false);
  });

  it("[GUARD-7] a dangling link counts by its target", async () => {
    const cwd = workspace();
    symlinkSync("../plans/alpha.tsk/new.md", join(cwd, "work/new.md"));
    symlinkSync("../plans/beta.tsk", join(cwd, "work/beta"));
    symlinkSync("new.md", join(cwd, "work/to-new.md"));
    symlinkSync("../nowhere/plain.md", join(cwd, "work/plain.md"));
    expect(await wrong(cwd, true, ["work/new.md", "work/beta/goals.md", "work/to-new.md"])).toEqual([]);
    expect(await wrong(cwd, false, ["work/plain.md"])).toEqual([]);
  });

  it("[GUARD-7] `..` behind a link is taken both ways", async () => {
    const cwd = workspace();
    mkdirSync(join(cwd, "work/inner"));
    symlinkSync("../plans/notes", join(cwd, "work/lnk"));
    symlinkSync("alpha.tsk", join(cwd, "plans/door"));
    symlinkSync("../../plans/alpha.tsk", join(cwd, "work/inner/door"));
    // The system climbs out of plans/notes and finds plans/door; taken by its letters this is work/door, which is not there.
    expect(await wrong(cwd, true, ["work/lnk/../door/goals.md", "work/nothing/../inner/door/goals.md"])).toEqual([]);
    // By its letters work/inner/door; the system climbs out of plans/notes to plans/inner/door, which is not there.
    expect(await wrong(cwd, true, ["work/lnk/../inner/door/goals.md"])).toEqual([]);
    expect(await wrong(cwd, false, ["work/lnk/../notes/a.md", "work/lnk/../x", "../x/../y"])).toEqual([]);
  });

  it("[GUARD-7] loops, names that are too long and folders that may not be read are encapsulated", async () => {
    const cwd = workspace();
    symlinkSync("loop-b", join(cwd, "loop-a"));
    symlinkSync("loop-a", join(cwd, "loop-b"));
    symlinkSync("self/x", join(cwd, "self"));
    const long = "x".repeat(300);
    expect(await wrong(cwd, true, ["loop-a", "loop-b/x", "self", long, `plans/${long}/x`, "y/".repeat(3000)])).toEqual(
      [],
    );
    const closed: PathReader = {
      ...nodePathReader,
      lstat: (path) =>
        path.endsWith("secret")
          ? Promise.reject(Object.assign(new Error("no"), { code: "EACCES" }))
          : nodePathReader.lstat(path),
    };
    expect(await leadsIntoPackage(closed, "plans/notes/a.md", cwd)).toBe(false);
    expect(await leadsIntoPackage(closed, "plans/secret/a.md", cwd)).toBe(true);
  });

  it("[GUARD-12] a hard link is not seen, which is why drift is looked for", async () => {
    const cwd = workspace();
    linkSync(join(cwd, "plans/alpha.tsk/goals.md"), join(cwd, "work/hard.md"));
    expect(await wrong(cwd, false, ["work/hard.md"])).toEqual([]);
  });
});

describe("names that a file system takes for others", () => {
  /** Every spelling that the guard's own folding does not know, so that only the disk can tell. */
  const OWN: Record<string, string> = { "alpha~1": "alpha.tsk", "\u16C6lpha": "alpha.tsk", "not\u00E9s": "notes" };
  const same = (name: string): string => OWN[name] ?? name;
  const strange = Object.keys(OWN)
    .slice(0, 2)
    .map((name) => `plans/${name}/goals.md`);

  it("[GUARD-7] what is found is compared with the packages of its folder", async () => {
    const cwd = workspace();
    const disk = takingNamesFor(same, false);
    for (const path of strange) {
      expect(isEncapsulatedPathLexical(path)).toBe(false);
      expect(await leadsIntoPackage(disk, path, cwd)).toBe(true);
    }
    expect(await leadsIntoPackage(disk, "plans/not\u00E9s/a.md", cwd)).toBe(false);
    expect(await leadsIntoPackage(nodePathReader, strange[0]!, cwd)).toBe(false);
  });

  it("[GUARD-7] the name that the system itself gives is looked at, also where a plain name stands for it", async () => {
    const cwd = workspace();
    const disk = takingNamesFor((name) => (name === "drive" ? "alpha.tsk" : name), true);
    expect(await leadsIntoPackage(disk, "plans/drive", cwd)).toBe(true);
    expect(await leadsIntoPackage(disk, "plans/drive/not/there.md", cwd)).toBe(true);
    expect(await leadsIntoPackage(disk, "plans/notes/a.md", cwd)).toBe(false);
  });
});
