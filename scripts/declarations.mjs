// @ts-check
// After tsc: puts the declarations that it wrote into one file for each entry point, `dist/types/NAME.d.ts`. Types of several entry
// points go into files beside them. So each type is declared once, and an open workspace fits wherever one is taken.
import { join } from "node:path";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";
import { ENTRIES } from "./entries.mjs";

const dist = join(import.meta.dirname, "../dist");

/** @param {string} source */
const declarationOf = (source) => join(dist, source.replace(/^src\//, "").replace(/\.ts$/, ".d.ts"));

/** @param {string} code */
const withTabs = (code) => code.replace(/^(?: {4})+/gm, (indent) => "\t".repeat(indent.length / 4));

/** A comment that says the name of its type and nothing else tells a reader nothing. @param {string} code */
const withoutNames = (code) =>
  code.replace(
    /^\/\*\* (.*)\. \*\/\n((?:export )?(?:interface|type) (\w+))/gm,
    (whole, /** @type {string} */ text, /** @type {string} */ declared, /** @type {string} */ name) =>
      text.replaceAll(/\W/g, "").toLowerCase() === name.toLowerCase() ? declared : whole,
  );

const bundle = await rollup({
  input: Object.fromEntries(Object.entries(ENTRIES).map(([name, source]) => [name, declarationOf(source)])),
  external: (id) => !/^[./]/.test(id) && !/^[a-z]:/i.test(id),
  plugins: [dts(), { name: "short", renderChunk: (code) => withTabs(withoutNames(code)) }],
  // tsc leaves out what is marked internal, and the imports of it stay in files of which nothing is published.
  shimMissingExports: true,
  onwarn: (warning) => {
    if (warning.code !== "SHIMMED_EXPORT") throw new Error(warning.message);
  },
});
const { output } = await bundle.write({
  dir: join(dist, "types"),
  format: "es",
  minifyInternalExports: false,
  entryFileNames: "[name].d.ts",
  chunkFileNames: ({ name }) => `shared/${name.replace(/\.d$/, "")}.d.ts`,
});
await bundle.close();
const shimmed = output.filter((file) => file.type === "chunk" && file.code.includes("_missingExportShim"));
if (shimmed.length > 0)
  throw new Error(`a published type names an internal one: ${shimmed.map(({ fileName }) => fileName).join(", ")}`);
