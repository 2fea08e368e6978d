#!/usr/bin/env node
// The program `taskfold`, as `npm run build` copies it to dist/cli.cjs: it loads its parts, compiled before where this Node did that
// (spec/decisions/0012-compiled-code.md). Nothing but `node:` may be loaded here before the first of them.
"use strict";
const { existsSync, readFileSync } = require("node:fs");
const nodeModule = require("node:module");
const path = require("node:path");
const { Script } = require("node:vm");

const { modules, node, v8 } = process.versions;
/** Beside the code, and as safe as it. Named after all that compiled code depends on; V8 itself refuses what it does not fit. */
const COMPILED = path.join(__dirname, "compiled", `${node}-${v8}-${modules}-${process.platform}-${process.arch}`);

/** @typedef {{ exports: unknown, script: import("node:vm").Script, compiled: string }} Part */

/** Parts that were compiled here, by path: each is loaded once. @type {Map<string, Part>} */
const parts = new Map();

/** @param {string} file */
function compiledOf(file) {
  return path.join(COMPILED, `${path.basename(file)}.bin`);
}

/** @param {string} file */
function cachedDataOf(file) {
  try {
    return readFileSync(compiledOf(file));
  } catch {
    // Of this part nothing was kept: it is compiled now.
    return undefined;
  }
}

/** @param {string} file */
function load(file) {
  const known = parts.get(file);
  if (known) return known.exports;
  const cachedData = cachedDataOf(file);
  // The build writes ASCII alone (scripts/bundle.mjs), which is read soonest so.
  const script = new Script(nodeModule.wrap(readFileSync(file, "latin1")), {
    filename: file,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  const module = { exports: {} };
  const part = { exports: module.exports, script, compiled: compiledOf(file) };
  parts.set(file, part);
  const folder = path.dirname(file);
  const required = nodeModule.createRequire(file);
  const own = (/** @type {string} */ id) => (id.startsWith(".") ? load(path.join(folder, id)) : required(id));
  script.runInThisContext().call(module.exports, module.exports, own, module, file, folder);
  part.exports = module.exports;
  return part.exports;
}

const PROGRAM = path.join(__dirname, "program.cjs");

/** What scripts/compile.mjs keeps after it has run some commands. */
exports.load = load;
exports.parts = parts;
exports.COMPILED = COMPILED;

if (require.main === module) {
  if (existsSync(COMPILED)) load(PROGRAM);
  else require(PROGRAM);
}
