// @ts-check
// Which mutants `npm run mutants` makes: those of some functions, and of no sentence that people read.
import { createHash } from "node:crypto";
import { relative } from "node:path";

/** @typedef {{ seed: number, oneIn: number, mutate: string[] }} SampleOptions */
/**
 * The members that this file reads of a node of Babel, and of its surroundings.
 * @typedef {{ type: string, loc: { start: { line: number } }, declaration?: { type: string } | null, value?: unknown, quasis?: { value: { raw: string } }[] }} Node
 * @typedef {{ node: Node, parent?: { type: string }, hub: { file: { opts: { filename: string } } } }} Path
 */

const NAME = "TASKFOLD_MUTANTS";
export const FOLDERS = ["src/rules/**/*.ts", "src/events/**/*.ts", "src/log/**/*.ts", "!src/**/generated/**"];

/** Says what the configuration and the plugin take: the tool loads them, and gives them no arguments. @param {SampleOptions} options */
export function setSampleOptions(options) {
  process.env[NAME] = JSON.stringify(options);
}

/** Without options, as the tool itself has none, it is everything. @returns {SampleOptions} */
export function sampleOptions() {
  return JSON.parse(process.env[NAME] ?? JSON.stringify({ seed: 1, oneIn: 1, mutate: FOLDERS }));
}

/** A function or method is in the sample with all its mutants, or with none. @param {Path} path */
function isDrawn({ node, hub }) {
  const { seed, oneIn } = sampleOptions();
  const place = `${relative(process.cwd(), hub.file.opts.filename)}:${node.loc.start.line}`;
  return createHash("sha256").update(`${seed} ${place}`).digest().readUInt32BE() % oneIn === 0;
}

/** Whether it is a statement of the module or a member of a class. @param {Path} path */
function isUnit({ node, parent }) {
  if (parent?.type === "ClassBody") return true;
  return parent?.type === "Program" && ![node.type, node.declaration?.type].includes("ClassDeclaration");
}

/** Whether it holds a blank: names, codes and keys do not. @param {Path} path */
function isSentence({ node: { type, value, quasis = [] } }) {
  if (type === "StringLiteral") return String(value).includes(" ");
  return type === "TemplateLiteral" && quasis.some(({ value: { raw } }) => raw.includes(" "));
}

/** @param {string} name @param {(path: Path) => string | undefined} shouldIgnore the reason, if it is ignored */
const ignorer = (name, shouldIgnore) => ({ kind: "Ignore", name, value: { shouldIgnore } });

export const strykerPlugins = [
  ignorer("sample", (path) => (isUnit(path) && !isDrawn(path) ? "It is not in the sample." : undefined)),
  ignorer("prose", (path) => (isSentence(path) ? "It is a sentence for people." : undefined)),
];
