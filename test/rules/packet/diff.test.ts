import fc from "fast-check";
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { diffIn, pathsInDiff } from "../../../src/rules/packet/diff.ts";
import { outOfScope } from "../../../src/rules/packet/scope.ts";
import { ANY_CHARACTER } from "../../support/any_character.ts";
import { repository } from "../../support/git.ts";

const HUNK = "@@ -1 +1 @@\n-a\n+b\n";

describe("the diff of an output", () => {
  const block = (info: string, text: string): string => `\`\`\`${info}\n${text}\n\`\`\`\n`;

  it.each([
    ["impl", block("diff", "a"), "a\n"],
    ["impl", block("Patch x", "a") + block("diff", "b"), "a\nb\n"],
    ["impl", block("diffs", "a") + block("x diff", "b") + block("js", "c"), null],
    ["impl", block("diff", "  "), null],
    ["impl", block("diff", "\na"), "\na\n"],
    ["impl", "--- a/x\n", "--- a/x\n"],
    ["impl", "+++ b/x\n", "+++ b/x\n"],
    ["impl", "text\n@@ -1 +1 @@\n", "text\n@@ -1 +1 @@\n"],
    ["impl", "text --- a/x\n", null],
    ["test_impl", "--- a/x\n", null],
    ["test_impl", `${block("diff", "a")}## Unified diff\n${block("diff", "b")}## Notes\n${block("diff", "c")}`, "b\n"],
    ["impl", `${block("diff", "a")}## Unified Diff\n${block("diff", "b")}`, "a\nb\n"],
    ["test_impl", `${block("diff", "a")}### Unified Diff\n${block("diff", "b")}`, "a\nb\n"],
    ["test_impl", `${block("diff", "a")}## Other\n${block("diff", "b")}`, "a\nb\n"],
    ["test_impl", `${block("diff", "a")}## Unified Diff\nnone\n## Notes\n${block("diff", "b")}`, "a\nb\n"],
  ])("[PACKET-56] of %s: %j", (role, out, diff) => {
    expect(diffIn(role, out)).toBe(diff);
  });
});

describe("paths of a diff", () => {
  it.each([
    ["both names", `--- a/src/x.js\n+++ b/src/x.js\n${HUNK}`, ["src/x.js"]],
    ["CRLF", `--- a/src/x.js\r\n+++ b/src/x.js\r\n@@ -1 +1 @@\r\n`, ["src/x.js"]],
    ["times", `--- a/x.js\t2026-01-01 00:00:00\n+++ b/x.js\t2026-01-01 00:00:01\n${HUNK}`, ["x.js"]],
    ["a new file", `--- /dev/null\n+++ b/x.js\n${HUNK}`, ["x.js"]],
    ["a deleted file", `--- a/x.js\n+++ /dev/null\n${HUNK}`, ["x.js"]],
    ["no prefix", `--- ./src/x.js\n+++ ./src/x.js\n${HUNK}`, ["src/x.js"]],
    ["a folder called a", `--- a/x.js\n+++ a/x.js\n${HUNK}`, ["a/x.js"]],
    ["other prefixes", `--- i/x.js\n+++ w/x.js\n${HUNK}`, ["x.js"]],
    ["quotes", `--- "a/\\303\\244 \\"b\\".js"\n+++ "b/\\303\\244 \\"b\\".js"\n${HUNK}`, ['ä "b".js']],
    ["a mode alone", "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n", ["run.sh"]],
    ["a name with blanks", "diff --git a/a b/c.js b/a b/c.js\nold mode 100644\n", ["a b/c.js"]],
    [
      "a binary file",
      "diff --git a/x.png b/x.png\nindex 1..2 100644\nBinary files a/x.png and b/x.png differ\n",
      ["x.png"],
    ],
    ["a rename", "diff --git a/a b b/c d\nsimilarity index 100%\nrename from a b\nrename to c d\n", ["a b", "c d"]],
    ["a merge", `diff --cc src/x.js\nindex 1,2..3\n`, ["src/x.js"]],
    ["a way out", `--- a/../../etc/passwd\n+++ b/../../etc/passwd\n${HUNK}`, ["../../etc/passwd"]],
    ["one name alone", "+++ b/src/x.js\n", ["src/x.js"]],
    [
      "a second file behind a counted hunk",
      `--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\n\\ No newline\n c\n--- a/y\n+++ b/y\n`,
      ["x", "y"],
    ],
    ["an empty line of a hunk", `--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n-a\n+b\n\n--- a/y\n+++ b/y\n`, ["x"]],
    [
      "a rename of two names with blanks",
      "diff --git a/a b/b/c d\nsimilarity index 90%\nrename from a b\nrename to c d\n--- a/a b\n+++ b/c d\n",
      ["a b", "c d"],
    ],
    ["names that nothing tells apart", "diff --git a/a b b/c d\nold mode 100644\n", ["a/a b b/c d"]],
    [
      "names that only a far line tells apart",
      `diff --git a/a b b/c d\n${"x\n".repeat(6)}--- a/y\n+++ b/y\n`,
      ["a/a b b/c d", "y"],
    ],
    ["a line that ends in another header", "diff --git a/a b b/c d\nx --- a/y\nx rename from y\n", ["a/a b b/c d"]],
    ["a copy", "diff --git a/a b/c\ncopy from a\ncopy to c\n", ["a", "c"]],
    ["one quoted name", 'diff --git "a/\\ta" "b/\\ta"\nold mode 100644\n', ["\ta"]],
    ["a quoted name behind a plain one", 'diff --git a/x "b/\\tb"\nold mode 100644\n', ["\tb", "x"]],
    ["every escape", 'diff --git "a/\\a\\b\\t\\n\\v\\f\\r\\\\" "b/x"\n', ["\x07\b\t\n\v\f\r\\", "x"]],
    ["a quote that does not end", '--- "a/x\n+++ "b/x\n', ["x"]],
    ["a combined diff", "diff --combined src/x.js\n", ["src/x.js"]],
    ["blanks and folders before a name", `--- ././a.js \n+++ ././a.js \n${HUNK}`, ["a.js"]],
    ["a name without its partner", "--- src/x.js\n text\n--- a/y.js\n", ["y.js"]],
    ["a mark in the middle of a line", "a diff --git a/x b/x\nx @@ -1 +1 @@\n", []],
    ["prose", "# Diff\n---\nsome text\n--- a heading ---\n+++\nrename from x\n", []],
  ])("[PACKET-58] reads %s", (_, text, paths) => {
    expect(pathsInDiff(text)).toEqual(paths);
  });

  it("[PACKET-58] drops one folder of each name that git drops one of", () => {
    const text = `--- src/a/x.js\n+++ src/a/x.js\n${HUNK}`;
    expect([pathsInDiff(text), pathsInDiff(text, true)]).toEqual([["src/a/x.js"], ["a/x.js"]]);
  });

  it("[PACKET-58] takes no line of a hunk for a name", () => {
    const text = `--- a/x.sql\n+++ b/x.sql\n@@ -1,3 +1,2 @@\n--- a/old comment\n-x\n y\n+++ b/new\n`;
    expect(pathsInDiff(text)).toEqual(["x.sql"]);
  });

  it("[PACKET-58] a hunk that announces too many lines hides no file", () => {
    const text = `--- a/x\n+++ b/x\n@@ -1,999 +1,999 @@\n-a\n+b\n--- a/hidden\n+++ b/hidden\n${HUNK}`;
    expect(pathsInDiff(text)).toEqual(["hidden", "x"]);
    expect(pathsInDiff(`--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\ndiff --git a/y b/y\nold mode 100644\n`)).toEqual(["x", "y"]);
  });

  it("[PACKET-58] names what git changes when it drops the first folder of a diff without prefixes", () => {
    const text = `--- src/secret.js\n+++ src/secret.js\n${HUNK}`;
    expect([pathsInDiff(text), pathsInDiff(text, true)]).toEqual([["src/secret.js"], ["secret.js"]]);
  });

  it("[PACKET-58] agrees with git about real changes", () => {
    const { ada } = repository();
    const write = (path: string, text: string): void => {
      mkdirSync(dirname(join(ada.root, path)), { recursive: true });
      writeFileSync(join(ada.root, path), text);
    };
    const long = Array.from({ length: 30 }, (_, i) => `line ${i}\n`).join("");
    const names = [
      "src/a.js",
      "src/with blank.js",
      "ümlaut/ä.js",
      'quo"te.js',
      "tab\there.js",
      "run.sh",
      "moved from.js",
    ];
    for (const name of names) write(name, `-- ${name}\n++ x\n${long}`);
    write("gone.js", `${long}`);
    write("x.bin", "\0one");
    ada.commit("before");
    for (const name of names.slice(0, 5)) write(name, `++ x\n-- b/y\n${long}-- a/z\n`);
    chmodSync(join(ada.root, "run.sh"), 0o755);
    renameSync(join(ada.root, "moved from.js"), join(ada.root, "moved to.js"));
    rmSync(join(ada.root, "gone.js"));
    write("new file.js", "x\n");
    write("empty", "");
    write("x.bin", "\0two");
    ada.git("add", "-A");
    const list = ada
      .git("diff", "--cached", "--name-only", "--no-renames", "-z")
      .split("\0")
      .filter(Boolean)
      .toSorted();
    expect(list).toHaveLength(12);
    for (const option of [
      "--find-renames",
      "--no-renames",
      "--binary",
      "--unified=0",
      "--src-prefix=i/",
      "--no-prefix",
    ]) {
      expect(pathsInDiff(ada.git("diff", "--cached", option)), option).toEqual(list);
    }
  });

  it("[PACKET-58] never throws", () => {
    const part = fc.constantFrom(
      "--- a/x",
      "+++ b/y",
      "@@ -1,2 +3 @@",
      '--- "a/\\3',
      "diff --git ",
      'diff --git "a',
      "rename to q",
      "-x",
      " ",
      "\\",
    );
    const pathsAreText = (text: string): boolean =>
      pathsInDiff(text).every((path) => path !== "" && path !== "/dev/null");
    expect(() => {
      fc.assert(fc.property(fc.array(part, { maxLength: 12 }), (parts) => pathsAreText(parts.join("\n"))));
      const hostile = fc.string({ unit: ANY_CHARACTER }).map((text) => `--- "${text}\n+++ ${text}\ndiff --git ${text}`);
      fc.assert(fc.property(hostile, pathsAreText));
    }).not.toThrow();
  });
});

describe("the diff of an output", () => {
  it("[PACKET-56] is in the blocks of an implementation, or all of it", () => {
    expect(diffIn("impl", "Here:\n```diff\n--- a/x\n```\nand\n~~~patch\n--- a/y\n~~~\n")).toBe("--- a/x\n--- a/y\n");
    expect(diffIn("impl", "--- a/x\n+++ b/x\n")).toBe("--- a/x\n+++ b/x\n");
    expect(diffIn("impl", "nothing")).toBeNull();
  });

  it("[PACKET-56] is below its heading in proposed tests", () => {
    const out =
      "```diff\n--- a/sample\n```\n## Unified Diff\n```diff\n--- a/x\n```\n## Rationale\n```diff\n--- a/no\n```\n";
    expect(diffIn("test_impl", out)).toBe("--- a/x\n");
    expect(diffIn("test_impl", "## Unified Diff\n--- a/x\n")).toBeNull();
    expect(diffIn("test_impl", "## Unified Diff\n```diff\n\n```\n")).toBeNull();
  });
});

describe("scope", () => {
  const scope = { allow: ["src/", "./test", "README.md", "a//b"], deny: ["src/secret", "test/x.js"] };

  it.each([
    "src/x.js",
    "src/a/b.js",
    "./src/x.js",
    "src",
    "test/y.js",
    "README.md",
    "a/b/c",
    "src/secrets.js",
    "src/./x",
  ])("[PACKET-57] allows %s", (path) => {
    expect(outOfScope(path, scope)).toBeNull();
  });

  it.each([
    "srcs/x.js",
    "README.md.bak",
    "src/secret",
    "src/secret/x.js",
    "./src/secret/x.js",
    "src//secret/x.js",
    "test/x.js",
    "src/../package.json",
    "../src/x.js",
    "src/..",
    "src\\..\\x",
    "/src/x.js",
    "C:\\src\\x.js",
    "",
    ".",
  ])("[PACKET-57] refuses %s", (path) => {
    expect(outOfScope(path, scope)).not.toBeNull();
  });

  it("[PACKET-57] takes the root for everything", () => {
    for (const entry of [".", "./"]) {
      expect(outOfScope("src/x.js", { allow: [entry], deny: [] })).toBeNull();
      expect(outOfScope("src/x.js", { allow: ["src"], deny: [entry] })?.text).toContain("scope.deny");
      expect(outOfScope("../x.js", { allow: [entry], deny: [] })).not.toBeNull();
    }
  });

  it("[PACKET-57] reads an entry literally: patterns and what lies outside match nothing", () => {
    for (const entry of ["src/**", "*", "", "/", "..", "/src"]) {
      expect(outOfScope("src/x.js", { allow: [entry], deny: [] })?.text, entry).toContain("scope.allow");
      expect(outOfScope("src/x.js", { allow: ["src"], deny: [entry] }), entry).toBeNull();
    }
    expect(outOfScope("src/x.js", { allow: [], deny: [] })?.text).toContain("scope.allow");
    expect(outOfScope("src/**/x", { allow: ["src/**"], deny: [] })).toBeNull();
  });
});
