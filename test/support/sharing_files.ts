/** Test files of the engine that open a workspace: `npm run test:shared` runs them over a shared log as well. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { ROOT } from "./source.ts";

const FOLDERS = ["engine", "files", "laws", "packet", "projections", "rules", "runner", "tools", "views"];
const FILES = ["fuzz_found.test.ts", "independent_reader.test.ts", "model.test.ts"];
const TESTS = join(ROOT, "test");
const OPENS = join(TESTS, "support/open.ts");

/** Returns paths from the root of the project. A file that opens none says nothing of a shared log, and each costs its start twice. */
export function sharingFiles(): string[] {
  const known = new Map<string, boolean>();
  const opens = (file: string): boolean => {
    if (file === OPENS) return true;
    const before = known.get(file);
    if (before !== undefined) return before;
    // A circle of imports leads to nothing new.
    known.set(file, false);
    const found = importsOf(file).some(opens);
    known.set(file, found);
    return found;
  };
  const inFolders = FOLDERS.flatMap((folder) =>
    readdirSync(join(TESTS, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  );
  return [...inFolders, ...FILES]
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => join(TESTS, name))
    .filter(opens)
    .map((file) => relative(ROOT, file));
}

/** The files of test/ that a file imports. */
function importsOf(file: string): string[] {
  return [...readFileSync(file, "utf8").matchAll(/(?:from|import) "(\.{1,2}\/[^"]+)"/g)]
    .map(([, path]) => join(dirname(file), path!))
    .filter((path) => path.startsWith(TESTS) && existsSync(path));
}
