// @ts-check
// The pure half of `npm run generate`: registries in, paths and texts out. The test of freshness calls it with the
// registries of the sources, the command with those of dist/, so neither needs the other.
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
