// @ts-check
/**
 * Writes the registries of tools and events, schemas/ and the published types from the sources; it needs no build. `--check`
 * writes nothing, and the exit code says whether the committed files are fresh.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";
import { GENERATED_FOLDERS, generatedFiles } from "./generated.mjs";
import { generatedTypes, TYPES_FOLDERS } from "./generated_types.mjs";
import { registries } from "./registry.mjs";

const root = join(import.meta.dirname, "..");
const check = process.argv.includes("--check");
let stale = 0;

// Tools and events are loaded through their registries, so those are written first.
const registered = registries(root);
writeStale(registered);
const { TOOLS, EVENTS, replyOf, wholeOutput, PACKET_SCHEMAS } = await loadSources();

const files = new Map([
  ...generatedFiles({ tools: TOOLS, events: EVENTS, packet: PACKET_SCHEMAS, replyOf }),
  ...generatedTypes({ tools: TOOLS, events: EVENTS, wholeOutput }),
]);
writeStale(files);
for (const path of [...GENERATED_FOLDERS, ...TYPES_FOLDERS].flatMap(pathsIn)) {
  if (files.has(path)) continue;
  stale += 1;
  if (!check) rmSync(join(root, path));
  console.log(`${check ? "stale" : "removed"}  ${path}`);
}
console.log(`${files.size + registered.size} generated files, ${stale} ${check ? "stale" : "changed"}`);
if (check && stale > 0) {
  console.error('run "npm run generate" and commit what it writes');
  process.exitCode = 1;
}

/** Writes each text that its file does not hold, or names it. @param {Map<string, string>} texts */
function writeStale(texts) {
  for (const [path, text] of texts) {
    const full = join(root, path);
    if (existsSync(full) && readFileSync(full, "utf8") === text) continue;
    stale += 1;
    console.log(`${check ? "stale" : "written"}  ${path}`);
    if (check) continue;
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
  }
}

/** @param {string} folder */
function pathsIn(folder) {
  return existsSync(join(root, folder)) ? readdirSync(join(root, folder)).map((name) => `${folder}/${name}`) : [];
}

/** The exports of the sources, by way of a bundle: Node 20 runs no TypeScript, and stale types must not stop this. */
async function loadSources() {
  const input = ["tools/index", "events/index", "tools/output", "state/packet_schema"];
  const dir = mkdtempSync(join(tmpdir(), "taskfold-generate-"));
  try {
    const bundle = await rolldown({ cwd: root, input: input.map((path) => `src/${path}.ts`), platform: "node" });
    const { output } = await bundle.write({ dir, format: "esm", entryFileNames: "[name]-[hash].mjs" });
    await bundle.close();
    const entries = output.filter((file) => file.type === "chunk" && file.isEntry);
    const loaded = await Promise.all(entries.map(({ fileName }) => import(pathToFileURL(join(dir, fileName)).href)));
    return Object.assign({}, ...loaded);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
