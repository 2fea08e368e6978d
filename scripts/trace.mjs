// @ts-check
/**
 * `npm run trace -- TOOL [--input JSON] [--json]` prints the way of one call through the sources, file by file in the order of
 * entry. It also prints every call upward: from a room to one that stands after it in the table of test/support/layers.mjs. It
 * makes two calls in one process: the first one, and a warm one. In the input `$N` stands for the number of the call, 0 or 1.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { parseArgs } from "node:util";
import ts from "typescript-5.9";
import { LAYERS, ROOMS } from "../test/support/layers.mjs";

const ROOT = join(import.meta.dirname, "..");
/** From the ground up, the engine by room. */
const RANKS = Object.keys(LAYERS).flatMap((layer) =>
  layer === "engine" ? Object.keys(ROOMS).map((room) => `engine/${room}`) : [layer],
);
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { input: { type: "string" }, json: { type: "boolean", default: false } },
});
const [tool = "tasks_close_step"] = positionals;

/** Inputs of tools that do nothing on the task of this script without more. @type {Record<string, object>} */
const INPUTS = {
  tasks_close_step: { path: "s:$N", checkpoints: "gate" },
  tasks_note: { note: "Note $N" },
  tasks_create: { kind: "task", title: "Task $N" },
};
const input = options.input ?? JSON.stringify(INPUTS[tool] ?? {});

const cache = join(ROOT, "node_modules/.cache");
mkdirSync(cache, { recursive: true });
const folder = realpathSync(mkdtempSync(join(cache, "taskfold-trace-")));
try {
  instrument(join(folder, "src"));
  /** @type {(file: string) => void} */
  let entered = () => undefined;
  Object.assign(globalThis, { $enter: (/** @type {string} */ file) => entered(file) });
  const { openWorkspace } = await import(join(folder, "src/index.js"));
  const root = join(folder, "workspace");
  await prepare(openWorkspace, root);
  const workspace = await openWorkspace({ root, by: "agent:trace", workspace: "trace" });
  const runs = [];
  for (const [n, name] of /** @type {const} */ (["first", "warm"]).entries()) {
    const run = { name, files: /** @type {string[]} */ ([]), up: /** @type {string[]} */ ([]) };
    entered = (file) => note(run, file);
    const reply = await workspace.call(tool, JSON.parse(input.replaceAll("$N", String(n))));
    entered = () => undefined;
    if (!reply.success) throw new Error(`${tool} was refused: ${reply.error.message}`);
    runs.push(run);
  }
  await workspace.close();
  if (options.json) console.log(JSON.stringify({ tool, runs }, null, 2));
  else for (const run of runs) print(run);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** A plan, a task with two steps, and the focus on the task. @param {Function} openWorkspace @param {string} root */
async function prepare(openWorkspace, root) {
  mkdirSync(root);
  const workspace = await openWorkspace({ root, by: "agent:trace", workspace: "trace" });
  await workspace.init("trace");
  const call = async (/** @type {string} */ name, /** @type {object} */ args) => {
    const reply = await workspace.call(name, args);
    if (!reply.success) throw new Error(`${name}: ${reply.error.message}`);
    return reply.result;
  };
  await call("tasks_create", { kind: "task", title: "Way of a call" });
  const steps = ["one", "two"].map((title) => ({ title, success_criteria: ["It is done."], tests: ["true"] }));
  await call("tasks_decompose", { task: "TASK-001", steps });
  await call("tasks_focus_set", { task: "TASK-001" });
  await workspace.close();
}

/** Puts a note at the entry of each function of the sources. @param {string} target */
function instrument(target) {
  const source = join(ROOT, "src");
  for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !path.endsWith(".ts") || path.endsWith(".d.ts")) continue;
    const name = posix.join("src", path.slice(source.length + 1).replaceAll("\\", "/"));
    const { outputText } = ts.transpileModule(readFileSync(path, "utf8"), {
      compilerOptions: {
        target: ts.ScriptTarget.ES2022,
        module: ts.ModuleKind.ESNext,
        verbatimModuleSyntax: true,
        rewriteRelativeImportExtensions: true,
      },
      transformers: { after: [entries(name)] },
    });
    const to = join(target, path.slice(source.length + 1).replace(/\.ts$/, ".js"));
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, outputText);
  }
}

/** @param {string} file @returns {import("typescript-5.9").TransformerFactory<import("typescript-5.9").SourceFile>} */
function entries(file) {
  return (context) => {
    const { factory } = context;
    const enter = () =>
      factory.createExpressionStatement(
        factory.createCallExpression(factory.createIdentifier("$enter"), undefined, [
          factory.createStringLiteral(file),
        ]),
      );
    /** @param {import("typescript-5.9").Node} node @returns {import("typescript-5.9").Node} */
    const visit = (node) => {
      const seen = ts.visitEachChild(node, visit, context);
      if (ts.isArrowFunction(seen) && !ts.isBlock(seen.body))
        return withBody(seen, [factory.createReturnStatement(seen.body)]);
      const isEntered = [
        ts.isFunctionDeclaration,
        ts.isFunctionExpression,
        ts.isMethodDeclaration,
        ts.isGetAccessorDeclaration,
        ts.isArrowFunction,
      ];
      const { body } = /** @type {{ body?: import("typescript-5.9").Node }} */ (seen);
      if (body && ts.isBlock(body) && isEntered.some((is) => is(seen))) return withBody(seen, body.statements);
      return seen;
    };
    /** The function with these statements behind the note. @param {import("typescript-5.9").Node} seen @param {readonly import("typescript-5.9").Statement[]} statements */
    const withBody = (seen, statements) => {
      const { body } = /** @type {{ body?: import("typescript-5.9").Node }} */ (seen);
      const noted = factory.createBlock([enter(), ...statements]);
      return ts.visitEachChild(seen, (child) => (child === body ? noted : child), context);
    };
    return (sourceFile) => /** @type {import("typescript-5.9").SourceFile} */ (ts.visitNode(sourceFile, visit));
  };
}

/** @param {{ files: string[], up: string[] }} run @param {string} file */
function note(run, file) {
  if (!run.files.includes(file)) run.files.push(file);
  const caller = callerOf(file);
  if (!caller || rankOf(caller) >= rankOf(file)) return;
  const edge = `${caller} -> ${file}`;
  if (!run.up.includes(edge)) run.up.push(edge);
}

/** The file whose code called the function that is being entered; undefined where the system did. @param {string} file */
function callerOf(file) {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 16;
  Error.prepareStackTrace = (_error, sites) => sites.map((site) => site.getFileName() ?? "");
  const names = /** @type {string[]} */ (/** @type {unknown} */ (new Error().stack));
  Object.assign(Error, { prepareStackTrace: undefined, stackTraceLimit });
  const below = `${folder}/`;
  const own = names
    .map((name) => name.replace("file://", ""))
    .filter((name) => name.startsWith(below))
    .map((name) => name.slice(below.length).replace(/\.js$/, ".ts"));
  return own[0] === file ? own[1] : undefined;
}

/** Place of a file's room or layer in the table, from the ground up. @param {string} file */
function rankOf(file) {
  const [, layer = "", room = ""] = file.split("/");
  const rank = RANKS.indexOf(layer === "engine" ? `engine/${room}` : layer.replace(/\.ts$/, ""));
  if (rank < 0) throw new Error(`${file} stands in no layer of the table`);
  return rank;
}

/** @param {{ name: string, files: string[], up: string[] }} run */
function print({ name, files, up }) {
  console.log(`${name} call of ${tool}: ${files.length} files, ${up.length} calls upward`);
  for (const file of files) console.log(`  ${file}`);
  for (const edge of up) console.log(`  up: ${edge}`);
}
