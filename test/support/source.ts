import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, posix } from "node:path";

export const ROOT = join(import.meta.dirname, "../..");

/** One source file of src/, as the tests about the code's shape see it. */
export interface SourceFile {
  /** From the root, with forward slashes: `src/log/order.ts`. */
  path: string;
  text: string;
  /** The text without comments and with empty string literals: what is left is code. */
  code: string;
  imports: Import[];
}

export interface Import {
  /** A path from the root for relative imports (`src/errors.ts`), else the package or builtin as written. */
  target: string;
  relative: boolean;
  /** `import type` or `export type`: gone after compilation. `import { type X }` is not, it leaves an empty import. */
  typeOnly: boolean;
  /** `import("...")`: loaded when it is asked for. */
  lazy: boolean;
  /** What it names there (`writeAtomic`, also of `writeAtomic as write`); `*` stands for all of it. */
  names: string[];
}

/** Every file below a folder of the project, sorted, as paths from the root; none when there is no such folder. */
export function filesBelow(folder: string, suffix = ""): string[] {
  if (!existsSync(join(ROOT, folder))) return [];
  return readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(suffix))
    .map((entry) =>
      posix.join(folder, posix.relative(toPosix(join(ROOT, folder)), toPosix(join(entry.parentPath, entry.name)))),
    )
    .toSorted();
}

/** The sources below `folder`, with their imports. Scans text: the compiler in use has no API to ask. */
export function sources(folder = "src"): SourceFile[] {
  return filesBelow(folder, ".ts").map((path) => readSource(path, readFileSync(join(ROOT, path), "utf8")));
}

export function readSource(path: string, text: string): SourceFile {
  const uncommented = text.replace(STRING_OR_COMMENT, (_all, string: string | undefined) => string ?? " ");
  const code = uncommented.replace(PLAIN_STRING, (_all, quote: string) => quote + quote);
  return { path, text, code, imports: importsOf(path, uncommented) };
}

const STRING_OR_COMMENT = /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
const PLAIN_STRING = /(["'])(?:\\.|(?!\1)[^\\\n])*\1/g;
const STATIC = /^[ \t]*(?:import|export)\b(\s+type\b(?!\s+from\b))?([^;"'`]*?\bfrom)?\s*["']([^"'\n]+)["']/gm;
const DYNAMIC = /\bimport\s*\(\s*["']([^"'\n]+)["']/g;
const REQUIRE = /\brequire\s*\(\s*["']([^"'\n]+)["']/g;

function importsOf(path: string, text: string): Import[] {
  const found: Import[] = [];
  const add = (specifier: string, typeOnly: boolean, names: string[], lazy = false): void => {
    const relative = specifier.startsWith(".");
    const target = relative ? posix.join(posix.dirname(path), specifier) : specifier;
    found.push({ target, relative, typeOnly, lazy, names });
  };
  for (const match of text.matchAll(STATIC)) add(match[3] ?? "", match[1] !== undefined, namesIn(match[2] ?? ""));
  for (const match of text.matchAll(DYNAMIC)) add(match[1] ?? "", false, ["*"], true);
  for (const match of text.matchAll(REQUIRE)) add(match[1] ?? "", false, ["*"]);
  return found;
}

/** Of what stands between `import` and the file: `{ a, type b as c } from`, `* as d from`, or nothing. */
function namesIn(clause: string): string[] {
  const [, named] = /\{([^}]*)\}/.exec(clause) ?? [];
  if (named === undefined) return clause.includes("*") ? ["*"] : [];
  return named.split(",").flatMap((one) => /^\s*(?:type\s+)?(\w+)/.exec(one)?.[1] ?? []);
}

function toPosix(path: string): string {
  return path.replaceAll("\\", "/");
}
