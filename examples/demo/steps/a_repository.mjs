// @ts-check
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { FILES, REPORTED } from "../tiny_slug.mjs";

/** A git repository with a small package; two of its tests fail. @param {import("../stage.mjs").Stage} stage */
export async function aRepository(stage) {
  stage.section("A repository with a failing test");
  mkdirSync(stage.repo, { recursive: true });
  stage.git("init", "--quiet", "--initial-branch=main");
  write(stage.repo, FILES);
  stage.git("add", ".");
  stage.git("commit", "--quiet", "-m", "tiny-slug 1.0.0");
  write(stage.repo, REPORTED);
  stage.git("add", ".");
  stage.git("commit", "--quiet", "-m", "Tests for what users reported");
  stage.show(stage.git("log", "--oneline"));

  const tests = stage.run(process.execPath, ["--test", "--test-reporter=tap"]);
  const failing = tests.out.split("\n").filter((line) => line.startsWith("# fail") || line.startsWith("not ok"));
  stage.show(failing.join("\n"));
  stage.check(
    "node --test fails before the work",
    tests.code === 1 && tests.out.includes("# fail 2"),
    failing.join("\n"),
  );
}

/** @param {string} root @param {Record<string, string>} files */
function write(root, files) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}
