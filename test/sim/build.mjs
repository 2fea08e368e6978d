// @ts-check
/** The library as one script, whose variables begin anew for each simulated process: nothing that it keeps outlives the process. */
import { readFileSync } from "node:fs";
import * as nodeModule from "node:module";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Script } from "node:vm";
import { rolldown } from "rolldown";

const ENTRY = join(import.meta.dirname, "entry.ts");
/** The file that a process takes the script for: packages are looked for from there. */
const MAIN = join(import.meta.dirname, "../../dist/testing.js");
/** Names that the script gets from its process, in place of those of Node. */
const GIVEN = [
  ..."require module exports process performance Date Math Atomics __filename".split(" "),
  ..."setTimeout clearTimeout setInterval clearInterval setImmediate clearImmediate".split(" "),
];

/** Limits that little work reaches: a workspace that is large, and a log that is long. */
const SMALLER = [
  { find: "const ALWAYS_LOOKED_AT = 2e3;", put: "const ALWAYS_LOOKED_AT = 2;" },
  { find: "const EVENTS_BETWEEN = 2e3;", put: "const EVENTS_BETWEEN = 6;" },
  { find: "const MAX_TOGETHER = {\n\tmessages: 200,", put: "const MAX_TOGETHER = {\n\tmessages: 4," },
  { find: "leastBytes = LEAST_BYTES$2", put: "leastBytes = 64" },
];

/** @typedef {{ find: string, put: string }} Patch */

/** The text of the build, with some of it replaced: an old fault put back. @param {readonly Patch[]} [patches] */
export async function buildText(patches = []) {
  const bundle = await rolldown({
    input: ENTRY,
    platform: "node",
    external: (id, _importer, resolved) => !resolved && !id.startsWith(".") && !id.startsWith("/"),
  });
  const { output } = await bundle.generate({ format: "cjs", codeSplitting: false, dynamicImportInCjs: false });
  await bundle.close();
  return beginningAnew(patched(output[0].code, [...SMALLER, ...patches]));
}

/** A variable of a module, unless it is a module itself. */
const VARIABLE = /^let ([\w$]+)(?: = (?!require\b).*)?;$/gm;
/** A collection of a module that is empty at first. */
const COLLECTION = /^const ([\w$]+) = ((?:\/\* @__PURE__ \*\/ )?new (?:Map|Set|WeakMap|WeakSet)\(\)|\[\]|\{\});$/gm;

/**
 * Adds a function that gives all of these what they have when the build is evaluated. To evaluate it for each process took a third of a run, and each process then ran
 * code that nothing had made fast. @param {string} text
 */
export function beginningAnew(text) {
  const variables = [...text.matchAll(VARIABLE)].map(([, name]) => name).join(", ");
  const collections = [...text.matchAll(COLLECTION)].map(([, name, empty]) => `${name} = ${empty};`).join("\n");
  return `${text.replace(COLLECTION, "let $1 = $2;")}
const begun = [${variables}];
exports.begin = () => {
[${variables}] = begun;
${collections}
};
`;
}

/** Refuses one whose place is not in the text, or is there more than once. @param {string} text @param {readonly Patch[]} patches */
export function patched(text, patches) {
  for (const { find, put } of patches) {
    if (text.split(find).length !== 2)
      throw new Error(
        `expected ${JSON.stringify(find)} once in the build, found it ${text.split(find).length - 1} times`,
      );
    text = text.replace(find, () => put);
  }
  return text;
}

/** @type {Map<string, Script>} */
const compiled = new Map();

/** @param {string} text @param {string} filename */
function scriptOf(text, filename) {
  const found = compiled.get(text) ?? new Script(`(function (${GIVEN.join(", ")}) {${text}\n})`, { filename });
  compiled.set(text, found);
  return found;
}

/** Packages with timers of their own, which the process gives as well. */
const WITH_TIMERS = /\/node_modules\/(?:proper-lockfile|retry)\//;

/**
 * A build of its own, with these in place of Node's. `begin` is called before each process: nothing is kept of the one before.
 * @param {string} text @param {Record<string, unknown>} given @param {Record<string, unknown>} modules
 * @returns {typeof import("./entry.ts") & { begin: () => void }}
 */
export function load(text, given, modules) {
  /** @param {string} file */
  const requireFrom = (file) => {
    const own = createRequire(file);
    const require = (/** @type {string} */ name) => {
      if (modules[name]) return modules[name];
      const path = own.resolve(name);
      return WITH_TIMERS.test(path) ? loaded(readFileSync(path, "utf8"), path) : own(name);
    };
    return Object.assign(require, { resolve: own.resolve });
  };
  /** @type {Map<string, any>} */
  const known = new Map();
  /** @param {string} code @param {string} file */
  const loaded = (code, file) => {
    const module = known.get(file) ?? { exports: {} };
    if (known.has(file)) return module.exports;
    known.set(file, module);
    /** @type {Record<string, unknown>} */
    const all = { ...given, exports: module.exports, module, __filename: file, require: requireFrom(file) };
    scriptOf(code, file).runInThisContext()(...GIVEN.map((name) => all[name]));
    return module.exports;
  };
  const { createRequire: _real, ...rest } = nodeModule;
  modules["node:module"] = { ...rest, createRequire: () => requireFrom(MAIN) };
  const build = loaded(text, MAIN);
  const begin = () => {
    known.clear();
    build.begin();
  };
  return { ...build, begin };
}
