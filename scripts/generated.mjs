// @ts-check
// The pure half of `npm run generate`: registries in, paths and texts out. The test of freshness calls it with the
// registries of the sources, the command with those of dist/, so neither needs the other.
import { firstLine } from "./generated_types.mjs";

/**
 * @typedef {Record<string, unknown>} Schema
 * @typedef {{ name: string, doc: string, input: object, output: object, examples: readonly unknown[], effect?: string }} ToolEntry
 * @typedef {{ type: string, doc: string, payload: object, undo: string }} EventEntry
 * @typedef {{ doc: string, schema: object }} FileEntry a kind of file that people write
 */

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** The folders that hold generated files and nothing else: a file there that is not generated is stale. */
export const GENERATED_FOLDERS = ["schemas/tools", "schemas/events", "schemas/packet"];

/**
 * Every generated file: path from the root to text.
 * `replyOf`: the schema of a whole answer, made of that of its result.
 * @param {{ tools: Readonly<Record<string, ToolEntry>>, events: Readonly<Record<string, EventEntry>>, packet: Readonly<Record<string, FileEntry>>, replyOf: (output: never) => object }} registries
 * @returns {Map<string, string>}
 */
export function generatedFiles({ tools, events, packet, replyOf }) {
  const files = new Map();
  const sortedTools = Object.values(tools).toSorted((a, b) => compare(a.name, b.name));
  for (const tool of sortedTools) {
    files.set(`schemas/tools/${tool.name}.json`, schemaText(tool.name, tool.doc, tool.input));
    const reply = replyOf(/** @type {never} */ (tool.output));
    files.set(
      `schemas/tools/${tool.name}.output.json`,
      schemaText(tool.name, `The whole answer of ${tool.name}.`, reply),
    );
  }
  for (const event of Object.values(events).toSorted((a, b) => compare(a.type, b.type))) {
    files.set(
      `schemas/events/${event.type}.json`,
      schemaText(event.type, `${event.doc} Undo: ${event.undo}`, event.payload),
    );
  }
  for (const [name, { doc, schema }] of Object.entries(packet))
    files.set(`schemas/packet/${name}.json`, schemaText(name, doc, schema));
  files.set("spec/tools.md", toolsPage(sortedTools));
  files.set("docs/tools.md", toolsGuide(sortedTools));
  return files;
}

/** By code unit: the order must not depend on a locale. @param {string} a @param {string} b */
function compare(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** @param {string} title @param {string} description @param {object} schema */
function schemaText(title, description, schema) {
  return `${JSON.stringify({ $schema: DIALECT, title, description, .../** @type {Schema} */ (published(schema)) }, null, 2)}\n`;
}

/**
 * `discriminator` is Ajv's own keyword and makes better messages inside; a strict validator elsewhere refuses it.
 * Only the keyword goes: a property that happens to be called so stays.
 * @param {unknown} value @param {boolean} [names] whether the keys of `value` are names, not keywords
 * @returns {unknown}
 */
function published(value, names = false) {
  if (Array.isArray(value)) return value.map((item) => published(item));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => names || key !== "discriminator");
  return Object.fromEntries(kept.map(([key, item]) => [key, published(item, !names && NAMED.has(key))]));
}

const NAMED = new Set(["properties", "patternProperties", "$defs", "dependentSchemas"]);

/** The page for people who look for a tool: one sentence or two for each. @param {ToolEntry[]} tools */
function toolsGuide(tools) {
  return [
    "# Tools",
    "",
    "Generated from `src/tools/` by `npm run generate`; do not edit. The same tools answer in the library, on the command line and over MCP.",
    "Each name leads to the tool's input, with an example.",
    "",
    "| tool | what it does |",
    "| --- | --- |",
    ...tools.map(({ name, doc }) => `| [\`${name}\`](../spec/tools.md#${name}) | ${cell(firstLine(doc))} |`),
    "",
  ].join("\n");
}

/** @param {ToolEntry[]} tools */
function toolsPage(tools) {
  const lines = [
    "# Tools",
    "",
    "Generated from `src/tools/` by `npm run generate`; do not edit. The schemas are in `schemas/tools/`: `<tool>.json` of the input,",
    "`<tool>.output.json` of the whole answer. Below, `?` stands after what may be missing.",
    "Effects: a read changes nothing, a write appends to the log of one entity, a create makes one, focus moves the",
    "workspace's focus.",
    "",
    ...tools.map((tool) => `- [\`${tool.name}\`](#${tool.name})`),
  ];
  for (const tool of tools) {
    lines.push("", `## ${tool.name}`, "", tool.doc, "");
    if (tool.effect !== undefined) lines.push(`Effect: ${tool.effect}.`, "");
    lines.push(...inputTable(tool.input), ...exampleBlock(tool), "", `Result: ${resultShape(tool.output)}.`);
  }
  return `${lines.join("\n")}\n`;
}

/** @param {object} input */
function inputTable(input) {
  const schema = /** @type {{ properties?: Record<string, Schema>, required?: string[] }} */ (input);
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0) return ["No input."];
  const required = new Set(schema.required ?? []);
  return [
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
  return example === undefined ? [] : ["", "```json", JSON.stringify(example, null, 2), "```"];
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
