// @ts-check
// A step of the build: puts the schemas of each folder of schemas/ into one file, which the package has in place of the folder.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GENERATED_FOLDERS } from "./generated.mjs";

/** @typedef {Record<string, unknown>} Schema */

/** Members whose values are schemas by names of the writer's own. */
const NAMED = new Set(["properties", "patternProperties", "$defs", "dependentSchemas"]);
/** Members whose values are no schemas. */
const VALUES = new Set(["enum", "const", "default", "examples", "required"]);
/** Shorter ones take no more room than a reference with a name. */
const WORTH_SHARING = 60;

/**
 * One schema whose `$defs` hold all of these by their names. A part that stands in several places stands in `$defs` once, named
 * after its field; `resolved` undoes that.
 * @param {ReadonlyMap<string, Schema>} schemas
 * @returns {Schema}
 */
export function together(schemas) {
  /** How often each part stands somewhere. @type {Map<string, number>} */
  const counts = new Map();
  for (const schema of schemas.values())
    eachPart(schema, (part) => {
      const text = JSON.stringify(part);
      counts.set(text, (counts.get(text) ?? 0) + 1);
    });
  /** @type {Map<string, string>} */
  const names = new Map();
  /** @type {Map<string, Schema>} */
  const shared = new Map();
  const dialects = [...schemas.values()].map(({ $schema }) => $schema);
  const whole = [...schemas].map(([name, schema]) => {
    const { $schema: dialect, ...rest } = partsNamed(schema, referenceTo);
    if (dialect !== dialects[0]) throw new Error(`expected one $schema, found ${String(dialect)} in ${name}`);
    return [name, rest];
  });
  return { $schema: dialects[0], $defs: Object.fromEntries([...whole, ...shared]) };

  /** @param {Schema} part @param {string} field */
  function referenceTo(part, field) {
    const text = JSON.stringify(part);
    if (text.length < WORTH_SHARING || (counts.get(text) ?? 0) < 2) return undefined;
    let name = names.get(text);
    if (name === undefined) {
      name = field;
      for (let i = 2; schemas.has(name) || shared.has(name); i += 1) name = `${field}.${i}`;
      names.set(text, name);
      // The name is taken before its own parts take theirs.
      shared.set(name, part);
      shared.set(name, partsNamed(part, referenceTo));
    }
    return { $ref: `#/$defs/${name}` };
  }
}

/**
 * The schema of that name as it was, every shared part in its place.
 * @param {Schema} all what `together` gave
 * @param {string} name
 * @returns {Schema}
 */
export function resolved(all, name) {
  const defs = /** @type {Record<string, Schema>} */ (all["$defs"]);
  /** @type {(part: Schema) => Schema | undefined} */
  const inPlace = ({ $ref }) => {
    const of = typeof $ref === "string" ? defs[$ref.slice("#/$defs/".length)] : undefined;
    return of && partsNamed(of, inPlace);
  };
  const schema = defs[name];
  if (schema === undefined) throw new Error(`expected one of ${Object.keys(defs).join(", ")}, found ${name}`);
  return { $schema: all["$schema"], ...partsNamed(schema, inPlace) };
}

/** Calls `saw` for every schema inside of one. @param {Schema} schema @param {(part: Schema, field: string) => void} saw */
function eachPart(schema, saw) {
  partsNamed(schema, (part, field) => {
    saw(part, field);
    eachPart(part, saw);
    return part;
  });
}

/**
 * The schema with the schemas right inside of it replaced by what `instead` gives, else with theirs replaced.
 * @param {Schema} schema
 * @param {(part: Schema, field: string) => Schema | undefined} instead
 * @param {string} [field] the name of the nearest field around it
 * @returns {Schema}
 */
function partsNamed(schema, instead, field = "part") {
  /** @type {(value: unknown, name: string) => unknown} */
  const replaced = (value, name) => {
    if (Array.isArray(value)) return value.map((one) => replaced(one, name));
    if (typeof value !== "object" || value === null) return value;
    return instead(/** @type {Schema} */ (value), name) ?? partsNamed(/** @type {Schema} */ (value), instead, name);
  };
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (VALUES.has(key)) return [key, value];
      if (!NAMED.has(key)) return [key, replaced(value, field)];
      const parts = Object.entries(/** @type {Record<string, unknown>} */ (value));
      return [key, Object.fromEntries(parts.map(([name, part]) => [name, replaced(part, name)]))];
    }),
  );
}

/** The schemas of a folder by their names. @param {string} folder @returns {Map<string, Schema>} */
export function schemasIn(folder) {
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  return new Map(names.map((name) => [name.slice(0, -5), JSON.parse(readFileSync(join(folder, name), "utf8"))]));
}

if (process.argv[1] === import.meta.filename) {
  const root = join(import.meta.dirname, "..");
  for (const folder of GENERATED_FOLDERS)
    writeFileSync(join(root, `${folder}.json`), `${JSON.stringify(together(schemasIn(join(root, folder))))}\n`);
}
