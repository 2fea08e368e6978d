// @ts-check
/** The files that the English lint reads, and the list of those that do not conform yet. */
import { readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { englishFindings } from "./english.mjs";

/** The number of findings that each file still has. The list only shrinks. */
export const ENGLISH_LIST = "test/data/english.json";

/** Folders whose pages and programs are read. Titles of tests have a rule of their own. */
const FOLDERS = [
  ".github",
  "action",
  "bench",
  "docs",
  "examples",
  "scripts",
  "spec",
  "src",
  "test/sim",
  "test/suites",
  "viewer",
];

/** Pages and programs. */
const READ = /\.(md|ts|tsx|js|mjs)$/;

/** Pages that a generator writes from texts of `src`, and the page that quotes other documents word for word. */
const NOT_READ = ["docs/commands.md", "docs/tools.md", "spec/coverage.md"];

/** Paths of the files that the lint reads, sorted. @param {string} root */
export function englishFiles(root) {
  const below = (/** @type {string} */ folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && READ.test(entry.name))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
      .filter((path) => !path.includes("/node_modules/") && !path.includes("/generated/") && !NOT_READ.includes(path));
  const pages = readdirSync(root).filter((name) => name.endsWith(".md"));
  return [...pages, ...FOLDERS.flatMap((folder) => below(folder))].toSorted();
}

/** What the lint finds in the files of the project. @param {string} root @param {readonly string[]} paths */
export function projectFindings(root, paths) {
  return paths.flatMap((path) =>
    englishFindings(path, readFileSync(join(root, path), "utf8").replaceAll("\r\n", "\n")),
  );
}

/** @param {string} root @returns {Record<string, number>} */
export function listedCounts(root) {
  return JSON.parse(readFileSync(join(root, ENGLISH_LIST), "utf8"));
}

/** How many findings each file has. @param {readonly { path: string }[]} findings @returns {Record<string, number>} */
export function findingCounts(findings) {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const { path } of findings) counts[path] = (counts[path] ?? 0) + 1;
  return counts;
}
