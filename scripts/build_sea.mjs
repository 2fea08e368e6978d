// @ts-check
/**
 * `npm run build:sea [-- --out FILE]` makes one executable file of the command line for this system. It uses Node's own means and
 * no network. The file has the Node that runs this script, the built program, and the packages that it loads. Needs `npm run build`.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";

const ROOT = resolve(import.meta.dirname, "..");
const { platform, arch } = process;
const { values: options } = parseArgs({ options: { out: { type: "string" } } });
const OUT = resolve(options.out ?? join(ROOT, `dist-sea/taskfold${platform === "win32" ? ".exe" : ""}`));
const POSTJECT = join(ROOT, "node_modules/postject/dist/cli.js");
/** By this mark postject finds the place; Node's documentation has it. */
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

if (!existsSync(join(ROOT, "dist/cli.cjs")))
  throw new Error("expected dist/cli.cjs, found none: npm run build makes it");

/** Names of code, pages and native code. Licences ask to come along. */
const LOADED = /\.(?:c?js|mjs|json|node|bin|html|css|svg|png|woff2|txt)$|(?:^|\/)licen[cs]e[^/]*$/i;
const UNUSED = /\.d\.[cm]?ts$|\.map$/;

/** @param {string} folder @param {(path: string) => boolean} [isWanted] @returns {string[]} paths from the root */
function filesIn(folder, isWanted = () => true) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .filter((path) => LOADED.test(path) && !UNUSED.test(path) && isWanted(path))
    .toSorted();
}

/** @param {string} folder @returns {{ dependencies?: Record<string, string>, optionalDependencies?: Record<string, string> }} */
function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

/** The folders of the packages that the package in `folder` loads, as Node finds them. @param {string} folder @param {Set<string>} found */
function packagesOf(folder, found = new Set()) {
  const { dependencies, optionalDependencies } = manifestOf(folder);
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const at = placesAbove(folder)
      .map((place) => join(place, "node_modules", name))
      .find((place) => existsSync(join(place, "package.json")));
    if (at === undefined) {
      if (name in (optionalDependencies ?? {})) continue;
      throw new Error(`expected the package ${name}, found none: npm ci installs it`);
    }
    if (found.has(at)) continue;
    found.add(at);
    packagesOf(at, found);
  }
  return found;
}

/** @param {string} folder @returns {string[]} */
function placesAbove(folder) {
  return folder === ROOT || dirname(folder) === folder ? [folder] : [folder, ...placesAbove(dirname(folder))];
}

/** Of native code, that of this system alone. @param {string} path */
function isOfThisSystem(path) {
  return !path.includes("/prebuilds/") || path.includes(`/prebuilds/${platform}-${arch}/`);
}

const NESTED = /\/node_modules\/(?:@[^/]+\/)?[^/]+\/(?:.*\/)?node_modules\//;
/** Modules of tsc, which the bundle holds, stand in folders of dist beside these. */
const PROGRAM = /^dist\/(?:[^/]+\.c?js|(?:cli|chunks|view|compiled)\/.*)$/;
const paths = [
  "package.json",
  ...filesIn(join(ROOT, "dist"), (path) => PROGRAM.test(path)),
  ...[...packagesOf(ROOT)].flatMap((folder) =>
    filesIn(folder, (path) => isOfThisSystem(path) && !NESTED.test(`/${relative(dirname(folder), join(ROOT, path))}`)),
  ),
];
const files = [...new Set(paths)].map((path) => ({ path, size: statSync(join(ROOT, path)).size }));
const archive = Buffer.concat(files.map(({ path }) => readFileSync(join(ROOT, path))));
const name = createHash("sha256").update(JSON.stringify(files)).update(archive).digest("hex").slice(0, 32);

const folder = mkdtempSync(join(tmpdir(), "taskfold-sea-"));
try {
  const assets = { contents: join(folder, "contents"), archive: join(folder, "archive") };
  writeFileSync(assets.contents, JSON.stringify({ name, files }));
  writeFileSync(assets.archive, gzipSync(archive, { level: 9 }));
  const [config, blob] = [join(folder, "sea.json"), join(folder, "blob")];
  const main = join(ROOT, "scripts/sea_start.cjs");
  writeFileSync(config, JSON.stringify({ main, output: blob, assets, disableExperimentalSEAWarning: true }));
  execFileSync(process.execPath, ["--experimental-sea-config", config], { stdio: ["ignore", "ignore", "inherit"] });
  mkdirSync(dirname(OUT), { recursive: true });
  rmSync(OUT, { force: true });
  copyFileSync(process.execPath, OUT);
  chmodSync(OUT, 0o755);
  const isMac = platform === "darwin";
  if (isMac) execFileSync("codesign", ["--remove-signature", OUT]);
  const segment = isMac ? ["--macho-segment-name", "NODE_SEA"] : [];
  const argv = [POSTJECT, OUT, "NODE_SEA_BLOB", blob, "--sentinel-fuse", FUSE, ...segment];
  execFileSync(process.execPath, argv, { stdio: ["ignore", "ignore", "inherit"] });
  if (isMac) execFileSync("codesign", ["--sign", "-", OUT]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const size = (statSync(OUT).size / 1024 / 1024).toFixed(0);
console.log(
  `${relative(process.cwd(), OUT)}: ${size} MiB, ${files.length} files within, Node.js ${process.versions.node}`,
);
