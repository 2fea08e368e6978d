/**
 * Lets Node load the sources. Vitest's own loader takes 10 ms for a file, and every use of an import through it is a call. The types are
 * removed once for all files, in less than a second. Test files stay with Vitest.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, join, relative, sep } from "node:path";
import { transformSync } from "rolldown/utils";
import type { Vite } from "vitest/node";
import { ROOT } from "./source.ts";

const SOURCES = join(ROOT, "src");
/** As deep as `src`: some files look for the package from where they lie. */
const COMPILED = join(ROOT, ".compiled");

/** Returns the code of a source file without types; no import but those of types goes. */
function compiled(path: string) {
  return transformSync(path, readFileSync(path, "utf8"), {
    sourcemap: true,
    target: "es2023",
    typescript: { onlyRemoveTypeImports: true, rewriteImportExtensions: "rewrite" },
  });
}

function outputOf(path: string): string {
  return join(COMPILED, relative(SOURCES, path).replace(/\.ts$/, ".js"));
}

/** Makes the folder what the sources are now. Another run may use it: each file changes at once, and only if it differs. */
function compileAll(): void {
  const wanted = new Set<string>();
  for (const name of readdirSync(SOURCES, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".ts") || name.endsWith(".d.ts")) continue;
    const { code, errors } = compiled(join(SOURCES, name));
    if (errors.length > 0) throw new Error(`${name} cannot be compiled: ${errors.map((e) => e.message).join("; ")}`);
    const output = outputOf(join(SOURCES, name));
    wanted.add(output);
    if (existsSync(output) && readFileSync(output, "utf8") === code) continue;
    mkdirSync(dirname(output), { recursive: true });
    writeFileSync(`${output}.${process.pid}`, code);
    renameSync(`${output}.${process.pid}`, output);
  }
  for (const name of readdirSync(COMPILED, { recursive: true, encoding: "utf8" })) {
    const path = join(COMPILED, name);
    if (name.endsWith(".js") && !wanted.has(path)) rmSync(path, { force: true });
  }
}

/** Vitest itself loads the sources where it has to know them: to run what a change concerns, and to count what ran. */
export function compiledSources(): Vite.Plugin {
  let active = false;
  return {
    name: "taskfold:compiled-sources",
    enforce: "pre",
    configureVitest({ vitest: { config } }) {
      active = !config.watch && !config.coverage.enabled && !config.changed && !config.related;
      if (active) compileAll();
    },
    resolveId(source, importer) {
      if (!active || importer === undefined || !/^\..*\.ts$/.test(source)) return undefined;
      const path = join(dirname(importer), source);
      if (!path.startsWith(SOURCES + sep)) return undefined;
      return { id: outputOf(path), external: true };
    },
  };
}

/** What Vitest passes to Node. */
export const EXTERNAL = [/\/\.compiled\//];

/** Returns a stack with the places in the sources, instead of those in the compiled files. */
export function inSources(stack: string): string {
  return stack.replaceAll(
    /(?:file:\/\/)?([^\s()]+\.js):(\d+):(\d+)/g,
    (whole, file: string, line: string, column: string) => {
      if (!file.startsWith(COMPILED + sep)) return whole;
      const path = join(SOURCES, relative(COMPILED, file).replace(/\.js$/, ".ts"));
      const { map } = compiled(path);
      const entry =
        map &&
        new SourceMap({ ...map, file: path, sourceRoot: "" } as never).findEntry(Number(line) - 1, Number(column) - 1);
      return entry && "originalLine" in entry ? `${path}:${entry.originalLine + 1}:${entry.originalColumn + 1}` : whole;
    },
  );
}
