// @ts-check
// Builds the pages of `taskfold view` into `dist/view/`, or the folder that is named: classic scripts, because a module script does not load from disk.
import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { addLicences } from "../scripts/third_party.mjs";

const here = import.meta.dirname;
const out = process.argv[2] ?? join(here, "..", "dist", "view");
/** Loaded with the page, after what all of them share, and chunks that the page loads when it needs them (src/data/chunk.ts). */
const SCRIPTS = {
  app: "src/main.tsx",
  agents: "src/pages/agents.tsx",
  health: "src/pages/health.tsx",
  time: "src/pages/time.tsx",
  chinese: "src/text/zh.ts",
  markdown: "src/lazy/markdown.ts",
  graph: "src/lazy/graph.ts",
};
/** The `require` of a module. A script registers its module, which runs once something asks for it. */
const LOADER = `globalThis.taskfoldModule=(name)=>{const it=taskfoldModules[name];if(it&&!it.exports)it(taskfoldModule,it.exports={});return it?.exports};taskfoldModule("./app.js")`;

mkdirSync(out, { recursive: true });
const bundle = await rolldown({
  cwd: here,
  input: SCRIPTS,
  platform: "browser",
  tsconfig: join(here, "tsconfig.json"),
  // A tenth of the code of Markdown, which no page calls.
  resolve: { alias: { "linkify-it": join(here, "src/lazy/no_links.ts") } },
  transform: { define: { "process.env.NODE_ENV": '"production"' } },
});
const { output } = await bundle.generate({
  format: "cjs",
  minify: true,
  comments: { legal: true, annotation: false, jsdoc: false },
  codeSplitting: { groups: [{ name: "shared", minShareCount: 2 }] },
  chunkFileNames: "[name].js",
});
await bundle.close();
for (const file of output) {
  if (file.type !== "chunk") continue;
  const module = `(globalThis.taskfoldModules??={})["./${file.fileName}"]=function(require,exports){${file.code}\n};\n`;
  writeFileSync(join(out, file.fileName), file.name === "app" ? module + LOADER : module);
}
if (process.argv[2] === undefined) addLicences(output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : [])));
const sheets = readdirSync(join(here, "src/css")).toSorted();
const css = sheets.map((name) => readFileSync(join(here, "src/css", name), "utf8")).join("\n");
// Comments and indents are for authors; no text of ours stands in quotes over two lines.
const short = css
  .replace(/\/\*[^]*?\*\//g, "")
  .replace(/\n\s*/g, "\n")
  .replace(/([{};,])\n/g, "$1")
  .replaceAll(" {", "{")
  .replaceAll(": ", ":")
  .replaceAll(" > ", ">")
  .replaceAll(", ", ",")
  .replaceAll(";}", "}");
writeFileSync(join(out, "app.css"), short);
copyFileSync(join(here, "index.html"), join(out, "index.html"));
