// @module-tag long
// @module-tag rotating
/** Files that git ignores: what a stage hides from git, the gate of its scope sees. Real files, real git. */
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openGit } from "../../src/hosts/git/git_port.ts";
import { afterFailure, baselineAfter, changedIn } from "../../src/runner/baseline.ts";
import type { Baseline } from "../../src/runner/baseline.ts";
import { changedSince } from "../../src/runner/work_tree.ts";
import { tempFolder } from "../support/temp.ts";
import { Tree } from "./tree.ts";
import { runsOf, SWEEP } from "../support/sweep.ts";

let home = "";

beforeEach(() => {
  home = tempFolder();
  vi.stubEnv("HOME", home);
  vi.stubEnv("XDG_CONFIG_HOME", "");
  vi.stubEnv("GIT_CONFIG_GLOBAL", undefined);
});
afterEach(() => void vi.unstubAllEnvs());

/** As the user calls it, with the user's own settings. */
function git(root: string, ...args: string[]): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8", env: { ...process.env, HOME: home } });
}

function put(path: string, text: string): void {
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
}

function prepared(): Tree {
  const tree = new Tree();
  for (const path of ["src/a.ts", "pkg/b.ts"]) tree.write(path);
  tree.write(".gitignore", "dist/\n*.log\n");
  tree.repo!.commit("first");
  for (const path of ["dist/x.js", "pkg/dist/y.js", "src/run.log", ".venv/lib/z.py", "tmp/cache/own/w"])
    tree.write(path);
  // Folders that hide themselves, as tools make them.
  for (const folder of [".venv", "tmp/cache/own"]) tree.write(`${folder}/.gitignore`, "*\n");
  return tree;
}

describe("new files that a stage hides from git", () => {
  const HIDING: [string, (tree: Tree) => void, string[]][] = [
    [
      "a rule beside them",
      (tree) => appendFileSync(join(tree.root, "src/.gitignore"), "secret/\n"),
      ["src/.gitignore"],
    ],
    ["a rule of the root", (tree) => appendFileSync(join(tree.root, ".gitignore"), "secret/\n"), [".gitignore"]],
    ["a folder that hides itself", (tree) => tree.write("src/secret/.gitignore", "*\n"), ["src/secret/.gitignore"]],
    [
      "a link to rules",
      (tree) => (
        tree.write("rules", "secret/\n"),
        rmSync(join(tree.root, ".git/info/exclude")),
        symlinkSync("../../rules", join(tree.root, ".git/info/exclude"))
      ),
      [".git/info/exclude", "rules"],
    ],
    [
      "rules of the repository",
      (tree) => appendFileSync(join(tree.root, ".git/info/exclude"), "secret/\n"),
      [".git/info/exclude"],
    ],
    [
      "a file that its configuration names",
      (tree) => (tree.write("rules", "secret/\n"), tree.repo!.git("config", "core.excludesFile", "rules")),
      [".git/config", ".git/core.excludesFile", "rules"],
    ],
    ["rules of the user", () => put(join(home, ".config/git/ignore"), "secret/\n"), [".git/core.excludesFile"]],
    [
      "a file that the user's configuration names",
      (tree) => (
        put(join(home, "rules"), "secret/\n"),
        git(tree.root, "config", "--global", "core.excludesFile", "~/rules")
      ),
      [".git/core.excludesFile"],
    ],
    [
      "rules that take any case",
      (tree) => (
        tree.write("src/.gitignore", "SECRET/\n"),
        git(tree.root, "config", "--global", "core.ignoreCase", "true")
      ),
      [".git/core.excludesFile", "src/.gitignore"],
    ],
  ];

  it.each(HIDING)("[PACKET-300] by %s are changed paths", (_name, hide, told) => {
    const tree = prepared();
    const paths = tree.after(() => {
      hide(tree);
      tree.write("src/secret/x");
    });
    // Git itself is deceived.
    expect(git(tree.root, "ls-files", "--others", "--exclude-standard", "src/secret")).toBe("");
    expect(paths).toEqual([...told, "src/secret/x"].toSorted());
  });

  it("[PACKET-300] [PACKET-382] in the root, by a rule of the user, are changed paths", () => {
    const tree = prepared();
    expect(
      tree.after(() => {
        put(join(home, ".config/git/ignore"), "other.txt\n");
        tree.write("other.txt");
      }),
    ).toEqual([".git/core.excludesFile", "other.txt"]);
  });

  it("[PACKET-382] are no change of the rules where another file says the same", () => {
    const tree = prepared();
    put(join(home, ".config/git/ignore"), "*~\n");
    put(join(home, "rules"), "*~\n");
    const change = (name: string) =>
      tree.after(() => void git(tree.root, "config", "--global", "core.excludesFile", name));
    expect(change("~/rules")).toEqual([]);
    expect(change("~/none")).toEqual([".git/core.excludesFile"]);
  });

  it("[PACKET-300] bear no name that stands for another file", () => {
    const tree = prepared();
    const [entry] = tree.repo!.git("ls-files", "--stage", "src/a.ts").split("\n");
    const odd = `${entry!.split("\t")[0]!}\tsrc`;
    expect(tree.after(() => tree.write(`${odd}/a.ts`))).toEqual([`${odd}/a.ts`]);
  });
});

describe("files that git ignored before", () => {
  it("[PACKET-300] stay unseen when rules change, go, or let them be seen", () => {
    const tree = prepared();
    put(join(home, ".config/git/ignore"), "*~\n.idea/\n");
    for (const path of ["src/a.ts~", ".idea/workspace.xml"]) tree.write(path);
    expect(
      tree.after(() => {
        tree.write(".gitignore", "other/\n");
        tree.write("dist/new.js");
        tree.write("pkg/dist/new.js");
        tree.write("src/run.log", "more");
        tree.write("src/b.ts~");
        tree.write(".idea/workspace.xml", "other");
        tree.write(".venv/lib/new.py");
        rmSync(join(tree.root, ".venv/.gitignore"));
        tree.write("tmp/cache/own/new");
      }),
    ).toEqual([".gitignore"]);
  });

  it("[PACKET-300] are looked at where the workspace is a folder of the repository, too", () => {
    const top = prepared();
    const tree = new Tree(join(top.root, "pkg"), { git: false });
    expect(
      tree.after(() => {
        top.write(".gitignore", "secret\n");
        tree.write("dist/new.js");
        tree.write("secret");
      }),
    ).toEqual(["../.gitignore", "secret"]);
  });

  it("[PACKET-300] are changed paths below what the scope denies, whatever its case", () => {
    const tree = prepared();
    tree.denied = ["Dist", "./src/run.log", "gone/", "../out", "node_modules"];
    for (const path of ["node_modules/a.js", "dist/node_modules/b.js"]) tree.write(path);
    expect(tree.after(() => undefined)).toEqual([]);
    expect(
      tree.after(() => {
        tree.write("dist/deep/new.js");
        rmSync(join(tree.root, "dist/x.js"));
        tree.write("src/run.log", "more");
        tree.write("pkg/dist/new.js");
        for (const path of ["node_modules/a.js", "dist/node_modules/b.js"]) tree.write(path, "other");
      }),
    ).toEqual(["dist/deep/new.js", "dist/node_modules/b.js", "dist/x.js", "node_modules/a.js", "src/run.log"]);
    tree.denied = ["."];
    expect(tree.after(() => tree.write("pkg/dist/new.js", "other"))).toEqual(["pkg/dist/new.js"]);
  });

  it("[PACKET-300] are changed paths in node_modules if git has them, and only then", () => {
    const tree = prepared();
    tree.write("node_modules/kept/index.js");
    tree.repo!.git("add", "-f", "node_modules/kept/index.js");
    tree.repo!.git("commit", "-qm", "kept");
    const write = (): void => {
      tree.write("node_modules/kept/index.js", "other");
      tree.write("node_modules/new/index.js", "other");
    };
    expect(tree.after(write)).toEqual(["node_modules/kept/index.js"]);
    const before = tree.look();
    tree.write("node_modules/staged/index.js");
    tree.repo!.git("add", "-f", "node_modules/staged/index.js");
    expect(changedSince(before, tree.around)).toMatchObject({ staged: ["node_modules/staged/index.js"] });
  });

  it("[PACKET-300] are not walked", () => {
    const tree = prepared();
    const before = tree.look();
    expect([...before.marks.keys()].filter((path) => !path.startsWith(".git/"))).toEqual([
      ".gitignore",
      "pkg/b.ts",
      "src/a.ts",
    ]);
  });
});

describe("rules that an attempt changed before it failed", () => {
  function failed(tree: Tree, work: () => void): Baseline {
    const baseline = baselineAfter(undefined, tree.around, []);
    work();
    return afterFailure(baseline, changedIn(baseline, tree.around), tree.around);
  }
  function next(tree: Tree, last: Baseline, work: () => void): string[] {
    const baseline = baselineAfter(last, tree.around, []);
    work();
    return changedIn(baseline, tree.around).paths;
  }
  function hidden(tree: Tree): void {
    tree.write("src/.gitignore", "secret/\n");
    tree.write("src/secret/x");
  }

  it("[PACKET-300] hide nothing from the next attempt", () => {
    const tree = prepared();
    const last = failed(tree, () => hidden(tree));
    expect(
      next(tree, last, () => {
        rmSync(join(tree.root, "src/secret/x"));
        tree.write("src/secret/y");
      }),
    ).toEqual(["src/.gitignore", "src/secret/y"]);
  });

  it("[PACKET-300] count once a person has changed the rules", () => {
    const tree = prepared();
    const last = failed(tree, () => hidden(tree));
    rmSync(join(tree.root, "src/secret/x"));
    tree.write("src/.gitignore", "# of generated files\nsecret/\nmore/\n");
    expect(next(tree, last, () => tree.write("src/secret/y"))).toEqual([]);
  });
});

describe("the rules of git, kept as one list", () => {
  const FOLDERS = ["", "a/", "a/b/", "c d/", "x[1]/", "s*/", "a/b/ä/"];
  const FILES = ["f", "g.ts", "x.o", "#f", "!f", "f ", "b"];
  const RULES = [
    ..."*|**|f|/f|f/|b/|b/f|/b|**/f|a/**|/a/b/|a/*/f|!f|!*.ts|!/b/|!|/|//|!/|*.o|[f]|[!f]|f?|?|x[[]1]|\\#f|\\!f|#f|f\\ |f |f\\|[f|**/|/**/|/**|b/**/f|ä|B/|F".split(
      "|",
    ),
    "   ",
    "/   ",
    "f\r",
    "\r",
    "\uFEFFf",
  ];
  const rules = fc.array(fc.constantFrom(...RULES), { maxLength: 4 });
  const places = [...FOLDERS.map((folder) => `${folder}.gitignore`), ".git/info/exclude", "home"];

  it("[PACKET-300] keep a byte order mark that stands in no first line", () => {
    const tree = new Tree();
    put(join(tree.root, ".gitignore"), "\r\n\uFEFFf\n");
    tree.write("f");
    tree.write("\uFEFFf");
    const port = openGit(tree.root)!;
    const now = port.workTree([]);
    expect(now.paths.toSorted()).toEqual([".gitignore", "f"]);
    expect(port.workTree([], now.rules).paths.toSorted()).toEqual([".gitignore", "f"]);
  });

  it("[PACKET-300] hides what git hides", SWEEP, () => {
    fc.assert(
      fc.property(fc.tuple(...places.map(() => rules)), fc.boolean(), (texts, ignoreCase) => {
        const tree = new Tree();
        tree.repo!.git("config", "core.ignoreCase", String(ignoreCase));
        rmSync(join(home, ".config"), { recursive: true, force: true });
        // `b` is a folder of `a`.
        for (const folder of FOLDERS) for (const file of FILES) tree.write(`${folder}${file === "b" ? "b1" : file}`);
        for (const [n, lines] of texts.entries()) {
          const to = places[n] === "home" ? join(home, ".config/git/ignore") : join(tree.root, places[n]!);
          if (lines.length > 0) put(to, lines.join("\n"));
        }
        const port = openGit(tree.root)!;
        const now = port.workTree([]);
        const plain = git(tree.root, "ls-files", "-z", "--others", "--exclude-standard").split("\0").filter(Boolean);
        expect(now.paths.toSorted()).toEqual(plain.toSorted());
        expect(port.workTree([], now.rules).paths.toSorted()).toEqual(plain.toSorted());
      }),
      runsOf(20),
    );
  });
});
