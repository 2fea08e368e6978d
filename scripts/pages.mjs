// @ts-check
// The last step of the build: docs/tools.md of what the tools say of themselves, docs/commands.md of what `taskfold help` prints.
// Neither is committed: the site and the package have them.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { firstLine } from "./generated_types.mjs";

/**
 * @typedef {Record<string, unknown>} Schema
 * @typedef {{ name: string, doc: string, input: object, output: object, examples: readonly unknown[], effect?: string }} ToolEntry
 */

/** Groups of commands, whose commands have pages of their own. */
const GROUPS = ["plan", "taskdoc", "packet", "git"];

/** Tools that have to take an input, in the same words, before it stands once for all of them. */
const MANY = 8;

/** Every tool: a table for who looks for one, then input, example and result of each. @param {ToolEntry[]} tools */
export function toolsPage(tools) {
  const shared = sharedInputs(tools);
  const lines = [
    "# Tools",
    "",
    "The same tools answer in the library, on the command line and over MCP. Each name leads to the tool's input, with an example.",
    "",
    "| tool | what it does |",
    "| --- | --- |",
    ...tools.map(({ name, doc }) => `| [\`${name}\`](#${name}) | ${cell(firstLine(doc))} |`),
    "",
    "The schemas are in `schemas/tools/`: `<tool>.json` of the input, `<tool>.output.json` of the whole answer. Below, `?` stands",
    "after what may be missing. Effects: a read changes nothing, a write appends to the log of one entity, a create makes one, focus",
    "moves the workspace's focus.",
    "",
    "## Inputs of many tools",
    "",
    "Each tool names those that it takes, and `workspace` is required of all but a few.",
    "",
    "| input | type | meaning |",
    "| --- | --- | --- |",
    ...shared.values(),
  ];
  for (const tool of tools) {
    lines.push("", `## ${tool.name}`, "", tool.doc, "");
    if (tool.effect !== undefined) lines.push(`Effect: ${tool.effect}.`, "");
    lines.push(...inputTable(tool.input, shared), ...exampleBlock(tool), "", `Result: ${resultShape(tool.output)}.`);
  }
  return `${lines.join("\n")}\n`;
}

/** The row of each input that many tools take in the same words, by its name. @param {ToolEntry[]} tools @returns {Map<string, string>} */
function sharedInputs(tools) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { input } of tools)
    for (const [name, property] of propertiesOf(input)) {
      const row = sharedRow(name, property);
      counts.set(row, (counts.get(row) ?? 0) + 1);
    }
  const often = [...counts].filter(([, count]) => count >= MANY);
  return new Map(often.map(([row]) => [/`(\w+)`/.exec(row)?.[1] ?? "", row]));
}

/** @param {string} name @param {Schema} property */
function sharedRow(name, property) {
  return `| \`${name}\` | ${cell(typeName(property))} | ${cell(meaning(property))} |`;
}

/** @param {object} input @returns {[string, Schema][]} */
function propertiesOf(input) {
  return Object.entries(/** @type {{ properties?: Record<string, Schema> }} */ (input).properties ?? {});
}

/** @param {object} input @param {Map<string, string>} shared */
function inputTable(input, shared) {
  const all = propertiesOf(input);
  if (all.length === 0) return ["No input."];
  const required = new Set(/** @type {{ required?: string[] }} */ (input).required ?? []);
  const properties = all.filter(([name, property]) => shared.get(name) !== sharedRow(name, property));
  const others = all.filter((one) => !properties.includes(one));
  /** @param {string} name */
  const mark = (name) => {
    if (name === "workspace") return required.has(name) ? "" : " (may be left out)";
    return required.has(name) ? " (required)" : "";
  };
  const named = others.map(([name]) => `\`${name}\`${mark(name)}`);
  const also = named.length === 0 ? [] : [`[As many tools](#inputs-of-many-tools): ${named.join(", ")}.`];
  if (properties.length === 0) return also;
  return [
    ...also,
    ...(also.length === 0 ? [] : [""]),
    "| input | type | required | meaning |",
    "| --- | --- | --- | --- |",
    ...properties.map(
      ([name, property]) =>
        `| \`${name}\` | ${cell(typeName(property))} | ${required.has(name) ? "yes" : ""} | ${cell(meaning(property))} |`,
    ),
    ...properties.flatMap(([name, property]) => membersOf(name, property)),
  ];
}

/** Longest shape that stands in a cell of the table, in characters. */
const SHORT = 50;

/**
 * The objects of an input that are too long for its table, one line for each form that they may have.
 * @param {string} name
 * @param {Schema} property
 */
function membersOf(name, property) {
  const forms = objectsIn(property)
    .map(shape)
    .filter((form) => form.length > SHORT)
    .map((form) => `- \`${form}\``);
  return forms.length === 0 ? [] : ["", `\`${name}\`${forms.length > 1 ? ", one of" : ""}:`, "", ...forms];
}

/** The objects with named members that a value may be, or be a list of. @param {Schema} schema @returns {Schema[]} */
function objectsIn(schema) {
  const branches = /** @type {Schema[] | undefined} */ (schema["anyOf"] ?? schema["oneOf"]);
  if (branches) return branches.flatMap(objectsIn);
  if (schema["type"] === "array") return objectsIn(/** @type {Schema} */ (schema["items"] ?? {}));
  return Object.keys(/** @type {object} */ (schema["properties"] ?? {})).length > 0 ? [schema] : [];
}

/** `{ kind: "run", command: string, exit_code?: integer }`. @param {Schema} schema @returns {string} */
function shape(schema) {
  const { properties = {}, required = [] } =
    /** @type {{ properties?: Record<string, Schema>, required?: string[] }} */ (schema);
  const members = Object.entries(properties).map(([name, member]) => {
    const inner = objectsIn(member).map(shape);
    const type =
      inner.length === 0 ? typeName(member) : `${inner.join(" | ")}${member["type"] === "array" ? "[]" : ""}`;
    return `${name}${required.includes(name) ? "" : "?"}: ${type}`;
  });
  return `{ ${members.join(", ")} }`;
}

/** The members of a result, or of each form that it may have. @param {object} output @returns {string} */
function resultShape(output) {
  const {
    anyOf,
    properties = {},
    required = [],
  } = /** @type {{ anyOf?: object[], properties?: object, required?: string[] }} */ (output);
  if (anyOf) return anyOf.map(resultShape).join(" or ");
  return `\`{ ${Object.keys(properties)
    .map((name) => (required.includes(name) ? name : `${name}?`))
    .join(", ")} }\``;
}

/** @param {ToolEntry} tool */
function exampleBlock(tool) {
  const [example] = tool.examples;
  return example === undefined ? [] : ["", "```json", exampleText(example), "```"];
}

/** Longest example on one line. */
const LINE = 100;

/** @param {unknown} example */
function exampleText(example) {
  const line = JSON.stringify(example, null, 1).replaceAll(/\n */g, " ");
  return line.length <= LINE ? line : JSON.stringify(example, null, 2);
}

/** A short name of a schema's type for people: `string`, `"a" \| "b"`, `{ id: string }`, `object[]`. @param {Schema} schema @returns {string} */
function typeName(schema) {
  const branches = /** @type {Schema[] | undefined} */ (schema["anyOf"] ?? schema["oneOf"]);
  if (branches) return [...new Set(branches.map(typeName))].join(" | ");
  if (Array.isArray(schema["enum"])) return schema["enum"].map((value) => JSON.stringify(value)).join(" | ");
  if ("const" in schema) return JSON.stringify(schema["const"]);
  const type = schema["type"];
  if (Array.isArray(type)) return type.join(" | ");
  if (type === "object" && objectsIn(schema).length > 0 && shape(schema).length <= SHORT) return shape(schema);
  if (type !== "array") return typeof type === "string" ? type : "any";
  const items = typeName(/** @type {Schema} */ (schema["items"] ?? {}));
  return items.includes(" | ") ? `(${items})[]` : `${items}[]`;
}

/** Description, default and bounds. @param {Schema} schema */
function meaning(schema) {
  const parts = [];
  if (typeof schema["description"] === "string") parts.push(schema["description"]);
  if ("default" in schema) parts.push(`Default ${JSON.stringify(schema["default"])}.`);
  const bounds = [
    ["minimum", "at least"],
    ["maximum", "at most"],
    ["minLength", "characters at least"],
    ["maxLength", "characters at most"],
    ["minItems", "items at least"],
    ["maxItems", "items at most"],
  ].flatMap(([key, words]) => (key !== undefined && key in schema ? [`${words} ${JSON.stringify(schema[key])}`] : []));
  if (bounds.length > 0) parts.push(`(${bounds.join(", ")})`);
  return parts.join(" ");
}

/** Text inside a table cell. @param {string} text */
function cell(text) {
  return text.replaceAll("|", "\\|").replaceAll(/\s*\n\s*/g, " ");
}

/**
 * The help of every command and topic.
 * @param {(...argv: string[]) => Promise<string>} said What the program prints for these arguments.
 * @returns {Promise<string>}
 */
export async function commandsPage(said) {
  /** @param {string[]} before */
  const namesAfter = async (...before) => {
    const lines = await said("__complete", "--", ...before, "");
    return lines.split("\n").flatMap((line) => (line === "" ? [] : [line.split("\t")[0] ?? ""]));
  };
  const commands = (await namesAfter()).flatMap((name) => (name === "help" ? [] : [[name]]));
  const inner = await Promise.all(GROUPS.map(async (group) => (await namesAfter(group)).map((name) => [group, name])));
  const pages = commands.flatMap(([name = ""]) => [[name], ...inner.flat().filter(([group]) => group === name)]);
  const parts = ["# Commands\n\n`taskfold help` prints this page, a command or topic at a time.\n"];
  for (const words of pages) parts.push(`## taskfold ${words.join(" ")}\n\n${fenced(await said("help", ...words))}`);
  const root = await said("help");
  const topics = /^Topics: taskfold help ([a-z, ]+)\.$/m.exec(root)?.[1]?.split(", ") ?? [];
  parts.push("# Topics\n");
  for (const topic of topics) parts.push(`## ${topic}\n\n${fenced(await said("help", topic))}`);
  return parts.join("\n");
}

/** @param {string} text */
function fenced(text) {
  return `\`\`\`text\n${text.trimEnd()}\n\`\`\`\n`;
}

/** Writes both pages beside the guides. */
async function main() {
  const root = join(import.meta.dirname, "..");
  /** @type {{ TOOLS: Record<string, ToolEntry> }} */
  const { TOOLS } = await import(join(root, "dist/tools/index.js"));
  /** @type {{ runCli: (argv: string[], io: object) => Promise<number>, nodeIo: () => object }} */
  const { runCli, nodeIo } = await import(join(root, "dist/hosts/cli/main.js"));
  /** @param {string[]} argv */
  const said = async (...argv) => {
    let out = "";
    const io = { ...nodeIo(), env: {}, cwd: root, stdout: (/** @type {string} */ text) => (out += text) };
    const code = await runCli(argv, io);
    if (code !== 0) throw new Error(`taskfold ${argv.join(" ")} ended with exit code ${code}`);
    return out;
  };
  const tools = Object.values(TOOLS).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  writeFileSync(join(root, "docs/tools.md"), toolsPage(tools));
  writeFileSync(join(root, "docs/commands.md"), await commandsPage(said));
}

if (process.argv[1] === import.meta.filename) await main();
