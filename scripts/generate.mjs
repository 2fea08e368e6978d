// @ts-check
// Writes schemas/, the published types, spec/tools.md and docs/commands.md from what is in dist/; `npm run generate` builds first.
// With --check nothing is written and the exit code says whether the committed files are fresh.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { GENERATED_FOLDERS, generatedFiles } from "./generated.mjs";
import { generatedTypes, TYPES_FOLDERS } from "./generated_types.mjs";
import { manual } from "./manual.mjs";

const root = join(import.meta.dirname, "..");
const check = process.argv.includes("--check");

/** @param {string} path */
const load = (path) => import(new URL(`../dist/${path}`, import.meta.url).href);
const { TOOLS } = await load("tools/index.js");
const { EVENTS } = await load("events/index.js");
const { replyOf } = await load("tools/output.js");
const { PACKET_SCHEMAS } = await load("state/packet_schema.js");

/** @param {string[]} argv */
const said = async (...argv) =>
  execFileSync(process.execPath, [join(root, "dist/cli.cjs"), ...argv], { cwd: root, encoding: "utf8" });

const files = new Map([
  ["docs/commands.md", await manual(said)],
  ...generatedFiles({ tools: TOOLS, events: EVENTS, packet: PACKET_SCHEMAS, replyOf }),
  ...generatedTypes({ tools: TOOLS, events: EVENTS }),
]);
const present = [...GENERATED_FOLDERS, ...TYPES_FOLDERS]
  .filter((folder) => existsSync(join(root, folder)))
  .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`));

const gone = present.filter((path) => !files.has(path));
const changed = [...files].filter(([path, text]) => {
  const full = join(root, path);
  return !existsSync(full) || readFileSync(full, "utf8") !== text;
});

if (!check) {
  for (const path of gone) rmSync(join(root, path));
  for (const [path, text] of changed) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

for (const path of gone) console.log(`${check ? "stale" : "removed"}  ${path}`);
for (const [path] of changed) console.log(`${check ? "stale" : "written"}  ${path}`);
const stale = gone.length + changed.length;
console.log(`${files.size} generated files, ${stale} ${check ? "stale" : "changed"}`);
if (check && stale > 0) {
  console.error('run "npm run generate" and commit what it writes');
  process.exitCode = 1;
}
