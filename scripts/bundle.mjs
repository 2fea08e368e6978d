// @ts-check
/**
 * After tsc: puts the program and the library into a few files, over its output. Loading five hundred small modules costs more than all
 * the rest of a short command (spec/decisions/0004-bundle.md, 0009, 0024). The files of tsc for inner modules stay beside the bundle, for
 * scripts and benches that look inside.
 */
import { chmodSync, copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join, relative } from "node:path";
import { rolldown } from "rolldown";
import { minifySync } from "rolldown/utils";
import { ENTRIES } from "./entries.mjs";
import { addLicences } from "./third_party.mjs";

const root = join(import.meta.dirname, "..");

/** @type {Record<string, Record<string, string>>} */
const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(
  readFileSync(join(root, "package.json"), "utf8"),
);
/** Packages that npm installs with this one stay packages: their licences, their fixes and their one copy with others are npm's business. */
const INSTALLED = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });

/** The build takes along all other packages. @type {import("rolldown").ExternalOption} */
const external = (id) => isBuiltin(id) || INSTALLED.some((name) => id === name || id.startsWith(`${name}/`));

/**
 * Leaves out comments, spaces and long local names. Names of classes and methods stay, for people who read a stack trace.
 * The program is ASCII: a character that Latin-1 lacks makes V8 keep all of a file in two bytes a character (spec/decisions/0012-compiled-code.md).
 * @type {import("rolldown").Plugin}
 */
const short = {
  name: "short",
  renderChunk(text, { fileName }, { format }) {
    const isProgram = format === "cjs";
    const { code, errors } = minifySync(fileName, text, {
      module: !isProgram,
      mangle: { toplevel: true, keepNames: { function: false, class: true } },
      codegen: { asciiOnly: isProgram },
    });
    const odd = isProgram ? /.{0,20}[^\0-\x7f]/.exec(code) : null;
    const [fault] = [...errors.map(({ message }) => message), ...(odd ?? [])];
    if (fault !== undefined) throw new Error(`${fileName}: expected code in ASCII, found ${fault}`);
    return code;
  },
};

/** @param {import("rolldown").InputOptions} input @param {import("rolldown").OutputOptions} output */
async function write({ plugins, ...input }, output) {
  const bundle = await rolldown({ cwd: root, platform: "node", external, plugins: [plugins, short], ...input });
  const written = await bundle.write({ dir: join(root, "dist"), minify: false, ...output });
  await bundle.close();
  const chunks = written.output.filter((file) => file.type === "chunk");
  addLicences(chunks.flatMap(({ moduleIds }) => moduleIds));
  return chunks;
}

/** A module that has these names from a part. @param {string} part @param {readonly string[]} names */
function takenFrom(part, names) {
  return `import part from "${part}";\n${names.map((name) => `export const ${name} = part.${name};\n`).join("")}`;
}

/**
 * Replaces what the MCP SDK takes for Node. Its own choice brings ajv a second time, to judge answers of a client to a form. We ask for none.
 * @type {import("rolldown").Plugin}
 */
const smallShims = {
  name: "small-shims",
  resolveId: (id) => (id === "@modelcontextprotocol/server/_shims" ? id : undefined),
  load: (id) =>
    id === "@modelcontextprotocol/server/_shims"
      ? `export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from "@modelcontextprotocol/server/validators/cf-worker";
         export { default as process } from "node:process";`
      : undefined,
};

/** Entry points that need no part: they see no disk, and run in a browser, too. */
const PURE = ["guard", "replay"];
/** Modules of `taskfold` that need the engine. Its other functions are small, and a bundler takes one without the rest (TOOL-104). */
const OF_ENGINE = ["engine/open_reader", "engine/workspace", "engine/workspaces", "tools/index"];

/**
 * The parts of the program: each takes along all that its files import, except what a part before it has. The first ones are what the
 * commands that are typed most load.
 * @type {readonly [name: string, files: RegExp | ((id: string) => boolean)][]}
 */
const PARTS = [
  ["base", await importedBy("src/hosts/cli/main.ts", "src/hosts/cli/text/reply_text.ts")],
  ["main", /[\\/]src[\\/]hosts[\\/]cli[\\/](main|text[\\/]reply_text)\.ts$/],
  [
    "reading",
    /[\\/]src[\\/](engine[\\/](reader|open_root|entity[\\/]unwrap)|tools[\\/](tasks_(context|radar)|command_line[\\/](show|work)))\.ts$/,
  ],
  ["views", /[\\/]src[\\/]tools[\\/]tasks_(handoff|history|delta|status)\.ts$/],
  ["folded_files", /[\\/]src[\\/]engine[\\/]projection[\\/]changed_by_hand\.ts$/],
  ["ajv", /[\\/]node_modules[\\/](ajv|fast-deep-equal|fast-uri|json-schema-traverse|require-from-string)[\\/]/],
  // The program of a thread is in no part: it would run wherever that part is loaded.
  ["engine", /[\\/]src[\\/](?!hosts[\\/]|(runner|processes)[\\/]|cli\.|.*_worker\.ts$)/],
  ["parsed", /[\\/]src[\\/]hosts[\\/]cli[\\/]parsed\.ts$/],
  [
    "git",
    /[\\/]src[\\/]hosts[\\/](git[\\/](git_port|run_git|repository|private_folder|recorded_since|staging)|signatures[\\/](signers|ssh_keygen|open_signers)|cli[\\/]git[\\/]unmerged)\.ts$/,
  ],
  [
    "looks",
    /[\\/]src[\\/]hosts[\\/]cli[\\/](read|list|list_filters|radar|handoff|history|delta|show|board|page|prime|status)\.ts$/,
  ],
  [
    "everyday",
    /[\\/]src[\\/]hosts[\\/]cli[\\/](call|write|add|search|log|taskdoc|watch_polling|open_with_system|text[\\/]findings_text|git[\\/]needed_git)\.ts$/,
  ],
  ["telemetry", /[\\/]src[\\/]hosts[\\/]otel[\\/]/],
  ["processes", /[\\/]src[\\/](processes[\\/]|runner[\\/](run_captured|progress|kept_ends)\.ts)/],
  ["jetstream", /[\\/]src[\\/]hosts[\\/]jetstream[\\/]/],
  ["trackers", /[\\/]src[\\/]hosts[\\/]cli[\\/](trackers[\\/]|(import_tracker|export_tasks)\.ts)/],
  ["tools", /[\\/]src[\\/]hosts[\\/](mcp[\\/]listed_tool|cli[\\/]tools)\.ts$/],
  ["mcp", /[\\/]src[\\/]hosts[\\/](mcp[\\/]|cli[\\/]mcp\.ts)/],
  ["view", /[\\/]src[\\/]hosts[\\/](view[\\/]|cli[\\/]view\.ts)/],
  ["runner", /[\\/]src[\\/]runner[\\/]/],
  ["packet", /[\\/]src[\\/]hosts[\\/]cli[\\/]packet[\\/]/],
  [
    "git_commands",
    /[\\/]src[\\/]hosts[\\/](git|signatures|cli[\\/]git)[\\/]|[\\/]hosts[\\/]cli[\\/](prove|attest|diff)\.ts$/,
  ],
  ["onboard", /[\\/]src[\\/]hosts[\\/](onboard[\\/]|cli[\\/](onboard|stop_hook|init|init_questions)\.ts)/],
  ["commands", /[\\/]src[\\/]hosts[\\/]cli[\\/]/],
];

/** Files outside of the hosts that these import, also by way of others. @param {...string} from @returns {Promise<(id: string) => boolean>} */
async function importedBy(...from) {
  /** @type {Set<string>} */
  const found = new Set();
  const bundle = await rolldown({
    cwd: root,
    input: from,
    platform: "node",
    external,
    plugins: [
      {
        name: "imported-by",
        buildEnd() {
          const left = from.map((path) => join(root, path));
          for (let id = left.pop(); id !== undefined; id = left.pop()) {
            if (found.has(id)) continue;
            found.add(id);
            left.push(...(this.getModuleInfo(id)?.importedIds ?? []));
          }
        },
      },
    ],
  });
  await bundle.generate();
  await bundle.close();
  return (id) => found.has(id) && /[\\/]src[\\/](?!hosts[\\/])/.test(id);
}

// Node starts CommonJS sooner than modules, and a thread, too. The library is of the same parts: no code stands in the package twice.
const inParts = Object.entries(ENTRIES).filter(([name]) => !PURE.includes(name));
const THREADS = {
  verify_worker: "src/engine/repair/verify_worker.ts",
  rows_worker: "src/engine/viewer/rows_worker.ts",
};
const parts = await write(
  { input: { program: "src/cli.ts", ...THREADS, ...Object.fromEntries(inParts) }, plugins: [smallShims] },
  {
    format: "cjs",
    entryFileNames: ({ name }) => (name === "program" || name in THREADS ? "[name].cjs" : "cli/[name].cjs"),
    chunkFileNames: "cli/[name]-[hash].cjs",
    // A script of kept code (start.cjs) imports nothing; it requires, modules too.
    dynamicImportInCjs: false,
    codeSplitting: {
      groups: PARTS.map(([name, test], i) => ({ name, test, priority: PARTS.length - i })),
    },
  },
);

// Tests of the code that a command loads read which sources each part has.
const sources = parts.map(({ fileName, moduleIds }) => [
  fileName,
  moduleIds.map((id) => relative(root, id).replaceAll("\\", "/")),
]);
writeFileSync(join(root, "dist/parts.json"), JSON.stringify(Object.fromEntries(sources)));

// The library is modules, for bundlers and for who imports names. A module takes what it needs from the parts.
for (const [name] of inParts.filter(([entry]) => entry !== "index")) {
  const names = parts.find((part) => part.isEntry && part.name === name)?.exports ?? [];
  writeFileSync(join(root, `dist/${name}.js`), takenFrom(`./cli/${name}.cjs`, names));
}
const engine = "#engine";
await write(
  {
    input: { index: ENTRIES.index, guard: ENTRIES.guard, replay: ENTRIES.replay },
    external: (id, importer, isResolved) => id === engine || external(id, importer, isResolved),
    plugins: [
      {
        name: "of-engine",
        load(id) {
          const module = OF_ENGINE.find((path) => id === join(root, `src/${path}.ts`));
          if (module === undefined) return;
          const names = parts.find((part) => part.isEntry && part.name === "index")?.exports ?? [];
          const code = readFileSync(id, "utf8");
          return takenFrom(
            engine,
            names.filter((name) => new RegExp(`^export (async )?(const|function|class) ${name}\\b`, "m").test(code)),
          );
        },
      },
    ],
  },
  {
    format: "esm",
    paths: { [engine]: "../cli/index.cjs" },
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
    // A bundler takes a file whole, or leaves it out. A program that asks for a small function gets no tool with it (TOOL-104).
    codeSplitting: {
      groups: [
        {
          name: "engine",
          test: new RegExp(`[\\\\/]src[\\\\/](${OF_ENGINE.join("|").replaceAll("/", "[\\\\/]")})\\.ts$`),
          priority: 6,
        },
        { name: "errors", test: /[\\/]src[\\/]errors\.ts$/, priority: 5 },
        { name: "names", test: /[\\/]src[\\/](guard[\\/]tsk_(denial|listing)|state[\\/]tsk_name)\.ts$/, priority: 4 },
        { name: "guard", test: /[\\/]src[\\/]guard[\\/]/, priority: 3 },
        { name: "taskdoc", test: /[\\/]src[\\/]state[\\/]taskdoc(_policy|_target)?\.ts$/, priority: 2 },
        { name: "unwrap", test: /[\\/]src[\\/]engine[\\/]entity[\\/]unwrap\.ts$/, priority: 1 },
      ],
    },
  },
);

copyFileSync(join(root, "scripts/start.cjs"), join(root, "dist/cli.cjs"));
chmodSync(join(root, "dist/cli.cjs"), 0o755);
