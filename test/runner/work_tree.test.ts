// @module-tag long
// @module-tag rotating
/** What changes in a work tree, and whether a diff fits it: real files, real git. */
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Layout } from "../../src/files/layout.ts";
import { openGit } from "../../src/hosts/git/git_port.ts";
import { RootedDisk } from "../../src/rooted_disk.ts";
import { KeptWorkTrees } from "../../src/runner/kept_work_tree.ts";
import { changedSince, diffApplies, MAX_ENTRIES, readWorkTree } from "../../src/runner/work_tree.ts";
import { Clone } from "../support/git_clone.mjs";
import { newFile } from "./servants/answers.mjs";
import { tempFolder } from "../support/temp.ts";
import { Tree } from "./tree.ts";

const KINDS: [string, boolean][] = [
  ["in git", true],
  ["without git", false],
];

describe.each(KINDS)("changed files %s", (_name, git) => {
  function prepared(): Tree {
    const tree = new Tree(tempFolder(), { git });
    for (const path of ["src/a.ts", "src/b.ts", "src/deep/c.ts", "d e.txt", "ä.txt", "gone.ts"]) tree.write(path);
    tree.repo?.commit("first");
    tree.write("new.ts");
    return tree;
  }

  it("[PACKET-105] are those that were written, made, removed, renamed, or replaced by a link", () => {
    const tree = prepared();
    expect(tree.after(() => undefined)).toEqual([]);
    const paths = tree.after(() => {
      tree.write("src/a.ts", "other");
      tree.write("made/x.ts");
      rmSync(join(tree.root, "gone.ts"));
      renameSync(join(tree.root, "d e.txt"), join(tree.root, "f g.txt"));
      rmSync(join(tree.root, "ä.txt"));
      symlinkSync("src/a.ts", join(tree.root, "ä.txt"));
      appendFileSync(join(tree.root, "new.ts"), "x");
    });
    expect(paths).toEqual(["d e.txt", "f g.txt", "gone.ts", "made/x.ts", "new.ts", "src/a.ts", "ä.txt"]);
  });

  it("[PACKET-105] are told also where size and time were set back", () => {
    const tree = prepared();
    const path = join(tree.root, "src/b.ts");
    const { atime, mtime } = statSync(path);
    expect(
      tree.after(() => {
        tree.write("src/b.ts", "src/B.ts\n");
        utimesSync(path, atime, mtime);
      }),
    ).toEqual(["src/b.ts"]);
  });

  it("[PACKET-105] follow no link out of the root, and wait for no pipe", () => {
    const tree = prepared();
    const outside = tempFolder();
    writeFileSync(join(outside, "secret"), "x");
    symlinkSync(outside, join(tree.root, "link"));
    expect(tree.after(() => appendFileSync(join(outside, "secret"), "y"))).toEqual([]);
  });

  it("[PACKET-106] are none of .git and node_modules, and none that belongs to the machine", () => {
    const tree = prepared();
    expect(
      tree.after(() => {
        for (const path of [
          ".coco/registry/machine-1/index/x",
          ".coco/locks/x",
          "node_modules/a/index.js",
          "src/deep/node_modules/b.js",
          ".git/x",
        ])
          tree.write(path);
      }),
    ).toEqual([]);
  });

  it("[PACKET-370] can be told by a second process, from what the first kept on this machine", () => {
    const tree = prepared();
    const layout = new Layout(tree.root, () => "machine-0");
    const kept = new KeptWorkTrees(tree.disk, layout);
    const carried = new Map([
      ["b", { was: null, left: [1, 2, 3, 4] as const, commit: "0".repeat(40), recorded: null }],
    ]);
    const failed = { before: { patterns: "a\n", ignoreCase: false }, left: null };
    const before = tree.look();
    const own = new Map([["log", "1:2"]]);
    kept.keep("TASK-001", "0123abcd", { tree: before, commit: null, carried, failed, own });
    tree.write("src/a.ts", "other");
    const again = new KeptWorkTrees(new RootedDisk(tree.root), layout);
    const read = again.read("TASK-001", "0123abcd")!;
    expect(read).toEqual({ tree: before, commit: null, carried, failed, own });
    expect(changedSince(read.tree!, tree.around)).toEqual({ paths: ["src/a.ts"], staged: [], complete: true });
    const file = layout.machineFile("packet", "TASK-001.0123abcd.json");
    const whole = JSON.parse(readFileSync(file, "utf8")) as { tree: object };
    const damaged = [
      { v: 4 },
      { own: [["log", 1]] },
      { tree: 1 },
      { tree: { ...whole.tree, marks: [["a", [1]]] } },
      { tree: { ...whole.tree, index: [["a", 1]] } },
      { tree: { ...whole.tree, rules: { patterns: "" } } },
      { tree: { ...whole.tree, denied: [1] } },
      { tree: { ...whole.tree, complete: null } },
      { commit: 1 },
      { carried: [["a", { was: null }]] },
      { failed: { before: null } },
    ];
    expect(again.read("TASK-001", "0123abcd")).toBeDefined();
    for (const text of ["{", "null", ...damaged.map((part) => JSON.stringify({ ...whole, ...part }))]) {
      writeFileSync(file, text);
      expect(again.read("TASK-001", "0123abcd"), text).toBeUndefined();
    }
    again.drop("TASK-001", "0123abcd");
    again.drop("TASK-001", "0123abcd");
    expect(existsSync(file)).toBe(false);
    expect(again.read("TASK-001", "0123abcd")).toBeUndefined();
  });
});

describe("changed files as git lists them", () => {
  it("[PACKET-105] leave out what is ignored, and tell what was listed before and is ignored by now", () => {
    const tree = new Tree();
    tree.write(".gitignore", "dist/\n");
    tree.write("dist/x.js");
    tree.write("seen.ts");
    const paths = tree.after(() => {
      tree.write("dist/y.js");
      tree.write(".gitignore", "dist/\nseen.ts\n");
      tree.write("seen.ts", "other");
    });
    expect(paths).toEqual([".gitignore", "seen.ts"]);
  });

  it("[PACKET-105] [PACKET-382] have those of another repository in the folder, and paths from the root of the workspace on", () => {
    const top = new Tree();
    top.write("above.ts");
    top.write("pkg/own.ts");
    top.repo!.commit("first");
    const tree = new Tree(join(top.root, "pkg"), { git: false });
    Clone.init(join(tree.root, "inner"));
    tree.write("inner/x.ts");
    expect(
      tree.after(() => {
        top.write("above.ts", "other");
        tree.write("own.ts", "other");
        tree.write("inner/x.ts", "other");
      }),
    ).toEqual(["../above.ts", "inner/x.ts", "own.ts"]);
  });

  it("[PACKET-382] tell of the files of git that hide other files, or run programs", () => {
    const tree = new Tree();
    tree.write("src/a.ts");
    tree.repo!.commit("first");
    const config = readFileSync(join(tree.root, ".git/config"));
    expect(
      tree.after(() => {
        appendFileSync(join(tree.root, ".git/info/exclude"), "evil*\n");
        tree.write("evil.txt");
        tree.write(".git/hooks/pre-commit", "#!/bin/sh\n");
        tree.write(".git/hooks/pre-push.sample", "#!/bin/sh\n");
        // The same again is no change.
        rmSync(join(tree.root, ".git/config"));
        writeFileSync(join(tree.root, ".git/config"), config);
      }),
    ).toEqual([".git/hooks/pre-commit", ".git/info/exclude", "evil.txt"]);
    expect(tree.after(() => chmodSync(join(tree.root, ".git/hooks/pre-commit"), 0o755))).toEqual([
      ".git/hooks/pre-commit",
    ]);
    expect(tree.after(() => tree.repo!.git("config", "core.excludesFile", "x"))).toEqual([".git/config"]);
    expect(tree.after(() => rmSync(join(tree.root, ".git/hooks/pre-commit")))).toEqual([".git/hooks/pre-commit"]);
    const elsewhere = join(tempFolder(), "objects");
    mkdirSync(elsewhere);
    expect(tree.after(() => tree.write(".git/objects/info/alternates", `${elsewhere}\n`))).toEqual([
      ".git/objects/info/alternates",
    ]);
  });

  it("[PACKET-382] tell of no branch, tag or folder without files that a stage makes", () => {
    const tree = new Tree();
    tree.write("src/a.ts");
    tree.repo!.commit("first");
    const made = tree.after(() => {
      tree.repo!.git("branch", "evil");
      tree.repo!.git("tag", "v1");
      tree.repo!.git("update-ref", "refs/evil/x", "HEAD");
      mkdirSync(join(tree.root, "empty/er"), { recursive: true });
      chmodSync(join(tree.root, "src"), 0o700);
    });
    expect(made).toEqual([]);
  });

  it("[PACKET-382] tell of what git runs for submodules, and of the folder of hooks that the configuration names", () => {
    const tree = new Tree();
    tree.write("a.ts");
    tree.repo!.commit("first");
    const inner = new Tree();
    inner.write("b.ts");
    inner.repo!.commit("first");
    const add = ["-c", "protocol.file.allow=always", "submodule", "add", "-q", "--name", "libs/lib", inner.root, "lib"];
    tree.repo!.git(...add);
    tree.repo!.git("config", "core.hooksPath", ".husky/_");
    tree.write(".husky/_/.gitignore", "*");
    tree.write(".husky/_/pre-commit", "true");
    tree.repo!.commit("second");
    expect(tree.after(() => undefined)).toEqual([]);
    expect(
      tree.after(() => {
        tree.write(".git/modules/libs/lib/hooks/pre-commit", "x");
        appendFileSync(join(tree.root, ".git/modules/libs/lib/config"), "[core]\n\tfsmonitor = x\n");
        appendFileSync(join(tree.root, "lib/.git"), "\n");
        tree.write(".husky/_/pre-commit", "false");
      }),
    ).toEqual([
      ".git/core.hooksPath/pre-commit",
      ".git/modules/libs/lib/config",
      ".git/modules/libs/lib/hooks/pre-commit",
      "lib/.git",
    ]);
  });

  it("[PACKET-105] are told by the commit that is checked out, wherever git keeps its name", () => {
    const tree = new Tree();
    const repo = tree.repo!;
    const same = (root = tree.root): void => {
      const clone = new Clone(root);
      expect(openGit(root)!.head()).toBe(clone.tries("rev-parse", "HEAD") ? clone.head() : undefined);
    };
    same();
    tree.write("a");
    repo.commit("first");
    const port = openGit(tree.root)!;
    const first = port.head();
    same();
    tree.write("b");
    repo.commit("second");
    expect([port.head(), port.head()]).toEqual([repo.head(), repo.head()]);
    expect(port.head()).not.toBe(first);
    repo.git("pack-refs", "--all");
    same();
    repo.git("symbolic-ref", "refs/heads/alias", "refs/heads/main");
    repo.git("symbolic-ref", "HEAD", "refs/heads/alias");
    same();
    repo.git("checkout", "-q", "--detach", "HEAD~1");
    same();
    const linked = join(tempFolder(), "linked");
    repo.git("worktree", "add", "-q", "-b", "side/branch", linked, "main");
    same(linked);
    repo.git("checkout", "-q", "--orphan", "none");
    same();
    writeFileSync(join(tree.root, ".git/refs/heads/none"), `${"0123456789".repeat(4)}\n`);
    expect(openGit(tree.root)!.head()).toBeUndefined();
  });

  it("[PACKET-106] are not complete where there are more than are looked at", () => {
    const tree = new Tree(tempFolder(), { git: false });
    const names = Array.from({ length: MAX_ENTRIES + 1 }, (_, n) => `f${n}`);
    const looksAll = (paths: string[]): boolean => {
      const listed = { paths, index: new Map(), rules: { patterns: "", ignoreCase: false } };
      const git = { ...openGit(new Tree().root)!, workTree: () => listed, controlFiles: () => [] };
      return readWorkTree({ ...tree.around, git }, { denied: [] }).complete;
    };
    expect(looksAll(names)).toBe(false);
    expect(looksAll(names.slice(1))).toBe(true);
  });

  it("[PACKET-382] name what no scope allows where a stage left more than are looked at", () => {
    const tree = new Tree(tempFolder(), { git: false });
    const repository = openGit(new Tree().root)!;
    const rules = { patterns: "", ignoreCase: false };
    let paths = Array.from({ length: MAX_ENTRIES }, (_, n) => `f${n}`);
    const git = { ...repository, workTree: () => ({ paths, index: new Map(), rules }), controlFiles: () => [] };
    const before = readWorkTree({ ...tree.around, git }, { denied: [] });
    expect(changedSince(before, { ...tree.around, git }).paths).toEqual([]);
    paths = [...paths, "one more"];
    expect(changedSince(before, { ...tree.around, git }).paths).toEqual([".git/too-many-files"]);
    const incomplete = { ...before, complete: false };
    expect(changedSince(incomplete, { ...tree.around, git }).paths).toEqual([]);
  });
});

const DIFF = `--- a/src/a.ts
+++ b/src/a.ts
@@ -1,3 +1,3 @@
 one
-two
+2
 three
`;

describe("a diff", () => {
  function withFile(): Tree {
    const tree = new Tree();
    tree.write("src/a.ts", "one\ntwo\nthree\n");
    tree.repo!.commit("first");
    return tree;
  }
  const fits = ({ root }: Tree, diff: string) => diffApplies(openGit(root), diff);

  it("[PACKET-56] applies, is applied, fits neither way, or has no git to ask", () => {
    const tree = withFile();
    expect(fits(tree, DIFF)).toBe("applies");
    expect(fits(tree, DIFF.trimEnd())).toBe("applies");
    expect(fits(tree, `Here it is:\n\n${DIFF}`)).toBe("applies");
    tree.write("src/a.ts", "one\n2\nthree\n");
    expect(fits(tree, DIFF)).toBe("applied");
    tree.write("src/a.ts", "four\n");
    expect(fits(tree, DIFF)).toBe("neither");
    expect(fits(tree, newFile("made.txt"))).toBe("applies");
    tree.write("made.txt", "made by codex\n");
    expect(fits(tree, newFile("made.txt"))).toBe("applied");
    for (const text of ["", "no diff at all\n", "--- a/x\n+++ b/x\n", "@@ -1 +1 @@\n-a\n+b\n"])
      expect(fits(tree, text)).toBe("neither");
    expect(fits(new Tree(tempFolder(), { git: false }), DIFF)).toBe("no_git");
  });

  it("[PACKET-56] changes nothing, in the work tree and in the index", () => {
    const tree = withFile();
    expect(tree.after(() => void fits(tree, DIFF))).toEqual([]);
    expect(tree.repo!.git("status", "--porcelain")).toBe("");
  });

  it("[PACKET-56] has its paths from the root of the workspace on, and none outside of it", () => {
    const top = withFile();
    top.write("pkg/src/a.ts", "one\ntwo\nthree\n");
    const tree = new Tree(join(top.root, "pkg"), { git: false });
    expect(fits(tree, DIFF)).toBe("applies");
    expect(fits(tree, newFile("../escape.txt"))).toBe("neither");
    symlinkSync(tempFolder(), join(tree.root, "out"));
    expect(fits(tree, newFile("out/escape.txt"))).toBe("neither");
  });

  it("[PACKET-56] is looked at without a filter, a monitor or a hook of the repository", () => {
    const tree = withFile();
    const sang = join(tempFolder(), "sang");
    const program = join(tempFolder(), "canary.sh");
    writeFileSync(program, `#!/bin/sh\necho "$0" >> ${sang}\ncat\n`);
    chmodSync(program, 0o755);
    tree.write(".gitattributes", "* filter=evil diff=evil merge=evil\n");
    tree.repo!.git("config", "filter.evil.clean", program);
    tree.repo!.git("config", "filter.evil.smudge", program);
    tree.repo!.git("config", "core.fsmonitor", program);
    // Plain git does start it.
    tree.write("diff", DIFF);
    tree.repo!.tries("apply", "--check", "diff");
    expect(existsSync(sang)).toBe(true);
    rmSync(sang);
    expect(fits(tree, DIFF)).toBe("applies");
    tree.look();
    expect(existsSync(sang)).toBe(false);
  });

  it("[PACKET-56] is refused above 16 MiB, and so is one of a file above 32 MiB", () => {
    const tree = withFile();
    expect(() => fits(tree, "x".repeat(16 * 1024 * 1024 + 1))).toThrow(/Expected a diff of at most/);
    truncateSync(join(tree.root, "src/a.ts"), 33 * 1024 * 1024);
    expect(() => fits(tree, DIFF)).toThrow(/found a larger one at src\/a\.ts/);
  });
});
