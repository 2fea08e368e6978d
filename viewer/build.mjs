// @ts-check
// Builds the pages of `taskfold view` into `dist/view/`, or the folder that is named: classic scripts, because a module script does not load from disk.
import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { addLicences } from "../scripts/third_party.mjs";

const here = import.meta.dirname;
const out = process.argv[2] ?? join(here, "..", "dist", "view");

/** Loaded with the page, and chunks that the page loads when it needs them. */
const SCRIPTS = {
  app: "src/main.tsx",
  chinese: "src/lazy/chinese.ts",
  markdown: "src/lazy/markdown.ts",
  graph: "src/lazy/graph.ts",
};

mkdirSync(out, { recursive: true });
for (const [name, input] of Object.entries(SCRIPTS)) {
  const bundle = await rolldown({
    cwd: here,
    input,
    platform: "browser",
    tsconfig: join(here, "tsconfig.json"),
    transform: { define: { "process.env.NODE_ENV": '"production"' } },
  });
  const { output } = await bundle.write({
    file: join(out, `${name}.js`),
    format: "iife",
    minify: true,
    comments: { legal: true, annotation: false, jsdoc: false },
  });
  await bundle.close();
  if (process.argv[2] === undefined)
    addLicences(output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : [])));
}

const sheets = readdirSync(join(here, "src/css")).toSorted();
const css = sheets.map((name) => readFileSync(join(here, "src/css", name), "utf8")).join("\n");
// Comments and indents are for authors; no text of ours stands in quotes over two lines.
writeFileSync(join(out, "app.css"), css.replace(/\/\*[^]*?\*\//g, "").replace(/\n\s*/g, "\n"));
copyFileSync(join(here, "index.html"), join(out, "index.html"));
