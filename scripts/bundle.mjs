// @ts-check
/**
 * The last step of `npm run build`: puts the program and the library into a few files, over the output of tsc. Loading five
 * hundred small modules costs more than all the rest of a short command (spec/decisions/0004-bundle.md, 0009). The files of tsc
 * for inner modules stay beside the bundle, for their declarations and for scripts and benches that look inside.
 */
import { chmodSync, copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { rolldown } from "rolldown";

const root = join(import.meta.dirname, "..");

/**
 * Packages stay packages: their licences, their fixes and their one copy with others are npm's business.
 * @type {import("rolldown").ExternalOption}
 */
const externalPackages = (id, _importer, resolved) => !resolved && !id.startsWith(".") && !isAbsolute(id);

/** ajv and its packages. The program takes them along in one part: to find and read their 88 files takes longer than to run them. */
const AJV = ["ajv", "fast-deep-equal", "fast-uri", "json-schema-traverse", "require-from-string"];
/** @type {import("rolldown").ExternalOption} */
const externalButAjv = (id, importer, resolved) =>
  !AJV.some((name) => id === name || id.startsWith(`${name}/`)) && externalPackages(id, importer, resolved);

/** A raw template says what stands in it, so nothing in it can be written in another way. */
const RAW_TEMPLATE = /String\.raw\s*`[^`]*[^\0-\x7f][^`]*`/;

/**
 * Writes every character that is not ASCII as an escape. One that Latin-1 lacks makes V8 keep all of a file in two bytes a
 * character (spec/decisions/0012-compiled-code.md).
 * @param {string} path
 */
function writeInAscii(path) {
  const code = readFileSync(path, "utf8");
  const raw = RAW_TEMPLATE.exec(code);
  if (raw) throw new Error(`${path}: expected ASCII in a raw template, found ${raw[0]}`);
  writeFileSync(
    path,
    code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );
}

/** @param {Record<string, string>} input @param {import("rolldown").OutputOptions} output */
async function write(input, output, external = externalPackages) {
  const bundle = await rolldown({ cwd: root, input, platform: "node", external });
  const written = await bundle.write({ dir: join(root, "dist"), ...output });
  await bundle.close();
  // A module has a map of its columns.
  if (output.format === "cjs") for (const { fileName } of written.output) writeInAscii(join(root, "dist", fileName));
}

await write(
  {
    index: "src/index.ts",
    guard: "src/guard/index.ts",
    replay: "src/replay.ts",
    testing: "src/testing.ts",
    git: "src/hosts/git/git_port.ts",
    signers: "src/hosts/signatures/open_signers.ts",
    jetstream: "src/hosts/jetstream/index.ts",
    otel: "src/hosts/otel/otel.ts",
    runner: "src/runner/index.ts",
  },
  {
    format: "esm",
    sourcemap: true,
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
    // A bundler takes a file whole, or leaves it out. A program that asks for a small function gets no tool with it (TOOL-104).
    codeSplitting: {
      groups: [
        { name: "errors", test: /[\\/]src[\\/]errors\.ts$/, priority: 5 },
        { name: "names", test: /[\\/]src[\\/](guard[\\/]tsk_(denial|listing)|state[\\/]tsk_name)\.ts$/, priority: 4 },
        { name: "guard", test: /[\\/]src[\\/]guard[\\/]/, priority: 3 },
        { name: "taskdoc", test: /[\\/]src[\\/]state[\\/]taskdoc(_policy|_target)?\.ts$/, priority: 2 },
        { name: "unwrap", test: /[\\/]src[\\/]engine[\\/]entity[\\/]unwrap\.ts$/, priority: 1 },
        { name: "processes", test: /[\\/]src[\\/]processes[\\/]group_members\.ts$/, priority: 1 },
      ],
    },
  },
);

// Node starts CommonJS sooner than modules. A group takes along all that its files import, except what a group before it has.
await write(
  { program: "src/cli.ts" },
  {
    format: "cjs",
    entryFileNames: "[name].cjs",
    chunkFileNames: "cli/[name]-[hash].cjs",
    // A script of kept code (start.cjs) imports nothing; it requires, modules too.
    dynamicImportInCjs: false,
    codeSplitting: {
      groups: [
        { name: "main", test: /[\\/]src[\\/]hosts[\\/]cli[\\/](main|text[\\/]reply_text)\.ts$/, priority: 4 },
        {
          name: "reading",
          test: /[\\/]src[\\/](hosts[\\/]cli[\\/]read|engine[\\/]entity[\\/]unwrap|tools[\\/](tasks_(context|radar)|command_line[\\/](show|work)))\.ts$/,
          priority: 3,
        },
        { name: "views", test: /[\\/]src[\\/]tools[\\/]tasks_(handoff|history|delta)\.ts$/, priority: 2 },
        { name: "folded_files", test: /[\\/]src[\\/]engine[\\/]projection[\\/]changed_by_hand\.ts$/, priority: 2 },
        { name: "ajv", test: /[\\/]node_modules[\\/]/, priority: 2 },
        { name: "engine", test: /[\\/]src[\\/](?!hosts[\\/]|(runner|processes)[\\/]|cli\.)/, priority: 1 },
      ],
    },
  },
  externalButAjv,
);

// Files of their own: a thread loads what it needs and nothing of the program.
for (const input of [
  { verify_worker: "src/engine/repair/verify_worker.ts" },
  { rows_worker: "src/engine/viewer/rows_worker.ts" },
])
  await write(input, { format: "cjs", entryFileNames: "[name].cjs" });

// Their licences ask to stand beside what was taken along.
const licences = AJV.map((name) => {
  const folder = join(root, "node_modules", name);
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  if (file === undefined) throw new Error(`expected the licence of ${name} in its folder, found none`);
  return `${name}\n\n${readFileSync(join(folder, file), "utf8")}`;
});
writeFileSync(join(root, "dist/cli/LICENSES.txt"), licences.join("\n\n"));

copyFileSync(join(root, "scripts/start.cjs"), join(root, "dist/cli.cjs"));
chmodSync(join(root, "dist/cli.cjs"), 0o755);
