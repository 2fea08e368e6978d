// @ts-check
// `npm run consumer [-- --json] [-- --times N]` compiles a strict project that imports the library. It prints the time as a multiple
// of the same compiler's time for a file without it. The project is test/consumer, with the package as npm packs it.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
const require = createRequire(import.meta.url);

/** @type {Readonly<Record<string, string>>} */
const COMPILERS = { 5.9: "typescript-5.9", 7: "typescript" };
export const VERSIONS = Object.keys(COMPILERS);

/** Puts the project and the packed package into an empty folder. Needs dist/. @param {string} folder */
export function makeConsumer(folder) {
  cpSync(join(root, "test/consumer"), folder, { recursive: true });
  const { filename } = packed("--pack-destination", folder);
  const installed = join(folder, "node_modules/taskfold");
  mkdirSync(installed, { recursive: true });
  ran("tar", ["-xzf", join(folder, filename), "-C", installed, "--strip-components", "1"], folder);
  for (const scope of ["@types", "@opentelemetry"])
    symlinkSync(join(root, "node_modules", scope), join(folder, "node_modules", scope), "junction");
}

/**
 * Packs the package with dist/ as it is, and returns what npm says of that.
 * @param {string[]} options of `npm pack`
 * @returns {{ filename: string, size: number, unpackedSize: number, files: { path: string, size: number }[] }}
 */
export function packed(...options) {
  return JSON.parse(ran("npm", ["pack", "--ignore-scripts", "--json", ...options], root))[0];
}

/** Compiles the project; `status` 0 when nothing is wrong. @param {string} folder @param {string} version @param {string} [config] */
export function compile(folder, version, config = "tsconfig.json") {
  const home = require.resolve(`${COMPILERS[version]}/package.json`);
  const tsc = join(home, "..", JSON.parse(readFileSync(home, "utf8")).bin.tsc);
  return spawnSync(process.execPath, [tsc, "--pretty", "false", "-p", join(folder, config)], { encoding: "utf8" });
}

/** @param {string} program @param {string[]} args @param {string} cwd */
function ran(program, args, cwd) {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (status !== 0) throw new Error(`${program} ${args[0]} ended with ${status}: ${stderr}`);
  return stdout;
}

/** Milliseconds of the fastest of several runs: whatever else the machine does only makes them slower. @param {() => void} work @param {number} times */
function fastest(work, times) {
  const taken = Array.from({ length: times }, () => {
    const begun = performance.now();
    work();
    return performance.now() - begun;
  });
  return Math.min(...taken);
}

function measure() {
  const folder = mkdtempSync(join(tmpdir(), "taskfold-consumer-"));
  try {
    makeConsumer(folder);
    const config = JSON.parse(readFileSync(join(folder, "tsconfig.json"), "utf8"));
    writeFileSync(join(folder, "bare.ts"), "export const titles: string[] = [process.version];\n");
    writeFileSync(join(folder, "uses.json"), JSON.stringify({ ...config, files: ["uses.ts"] }));
    writeFileSync(join(folder, "bare.json"), JSON.stringify({ ...config, files: ["bare.ts"] }));
    const times = Number(process.argv[process.argv.indexOf("--times") + 1]) || 5;
    return VERSIONS.map((version) => {
      const [bare = 0, uses = 0] = ["bare.json", "uses.json"].map((name) =>
        fastest(() => {
          const { status, stdout } = compile(folder, version, name);
          if (status !== 0) throw new Error(stdout);
        }, times),
      );
      return { version, bare_ms: Math.round(bare), uses_ms: Math.round(uses), ratio: Number((uses / bare).toFixed(2)) };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === import.meta.filename) {
  const results = measure();
  if (process.argv.includes("--json")) console.log(JSON.stringify(results));
  else
    for (const { version, bare_ms, uses_ms, ratio } of results)
      console.log(`TypeScript ${version}: ${bare_ms} ms without the library, ${uses_ms} ms with it, ${ratio} times`);
}
