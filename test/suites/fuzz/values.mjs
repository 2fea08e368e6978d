// @ts-check
// Random values: those that a schema allows, those that formats trip over, and what becomes of either when it is mutated.
/** @typedef {import("../../support/random_calls.mjs").Random} Random */
/** @typedef {Record<string, unknown>} Schema */

const TEXTS = [
  "",
  "x",
  "\0",
  "a\0b",
  "\uD800",
  "\u202Ea",
  "\u200B",
  "é",
  "null",
  "true",
  "0",
  "-1",
  "1e999",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "<<<<<<< HEAD",
  "\n",
  "\r\n",
  "a: b",
  "&a [*a]",
  "!!js/function x",
  "${x}",
  "$(touch x)",
  "%s%n",
  "x".repeat(300),
  "x".repeat(70_000),
  "🚀".repeat(50),
  "CON",
  "2026-01-01T00:00:00.000Z",
  "9999-12-31T23:59:59.999Z",
  "0000-01-01T00:00:00.000Z",
];
/** Paths and names that lead elsewhere, or that a system keeps for itself. */
export const PATHS = [
  ".",
  "..",
  "/",
  "//",
  "../../../out/secret.txt",
  "../../../../out/victim/.coco/tasks/TASK-001",
  "..\\..\\out",
  "/dev/zero",
  "/proc/self/environ",
  "C:\\x",
  "file:///etc/passwd",
  "TASK-001/..",
  "TASK-001/../TASK-002",
  "./TASK-001",
  "TASK-001/",
  "TASK-001\0",
  "%2e%2e/out",
  "~/x",
  "-rf",
  "--upload-pack=x",
  ".git/config",
  ".coco/registry",
  "agents/w1/notes.md",
  "src/a.ts",
  "a".repeat(256),
  "a/".repeat(2000),
];
const IDS = ["TASK-001", "TASK-002", "TASK-003", "PLAN-001", "foreign-1", "TASK-999", "task-001"];
const STEPS = ["s:0", "s:1", "s:0.s:0", "s:9", "STEP-00000000"];
const NUMBERS = [0, 1, -1, 2, 50, 200, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER, 1e21, 0.5, -0];
const MAX_ITEMS = 4;

/** @template T @param {Random} random @param {readonly T[]} from @returns {T} */
export function pick(random, from) {
  return /** @type {T} */ (from[random.below(from.length)]);
}

/** @param {Random} random @returns {string} */
export function text(random) {
  if (random.chance(0.25)) return pick(random, PATHS);
  if (random.chance(0.25)) return pick(random, IDS);
  return pick(random, TEXTS);
}

/** Any JSON. @param {Random} random @param {number} [depth] @returns {unknown} */
export function junk(random, depth = 3) {
  const leaf = depth === 0 || random.chance(0.6);
  if (leaf)
    return pick(random, [() => null, () => random.chance(0.5), () => pick(random, NUMBERS), () => text(random)])();
  const length = random.below(MAX_ITEMS);
  if (random.chance(0.5)) return Array.from({ length }, () => junk(random, depth - 1));
  return Object.fromEntries(Array.from({ length }, () => [text(random).slice(0, 40), junk(random, depth - 1)]));
}

/** Something that a schema allows, or nearly. @param {Schema} schema @param {Random} random @param {string} [name] @param {number} [depth] @returns {unknown} */
export function fromSchema(schema, random, name = "", depth = 0) {
  if ("const" in schema) return schema["const"];
  if (Array.isArray(schema["enum"])) return pick(random, schema["enum"]);
  if (Array.isArray(schema["anyOf"])) return fromSchema(pick(random, schema["anyOf"]), random, name, depth);
  switch (schema["type"]) {
    case "string":
      return textFor(schema, random, name);
    case "integer":
    case "number":
      return pick(random, [Number(schema["minimum"] ?? 0), 1, 2, 3, 50, Number(schema["maximum"] ?? 1000)]);
    case "boolean":
      return random.chance(0.5);
    case "null":
      return null;
    case "array": {
      const least = Number(schema["minItems"] ?? 0);
      const length = least + random.below(depth > 4 ? 1 : 3);
      const items = /** @type {Schema} */ (schema["items"] ?? {});
      return Array.from({ length }, () => fromSchema(items, random, name, depth + 1));
    }
    case "object":
      return objectFor(schema, random, depth);
    default:
      return junk(random, 2);
  }
}

/** @param {Schema} schema @param {Random} random @param {number} depth */
function objectFor(schema, random, depth) {
  const properties = /** @type {Record<string, Schema>} */ (schema["properties"] ?? {});
  const required = /** @type {string[]} */ (schema["required"] ?? []);
  const chance = depth > 3 ? 0.1 : 0.35;
  const names = Object.keys(properties).filter((name) => required.includes(name) || random.chance(chance));
  const made = names.map((name) => [name, fromSchema(properties[name] ?? {}, random, name, depth + 1)]);
  const { additionalProperties } = schema;
  if (typeof additionalProperties === "object" && additionalProperties !== null && random.chance(0.5))
    made.push([
      text(random).slice(0, 40),
      fromSchema(/** @type {Schema} */ (additionalProperties), random, "", depth + 1),
    ]);
  return Object.fromEntries(made);
}

/** @param {Schema} schema @param {Random} random @param {string} name */
function textFor(schema, random, name) {
  const { pattern, maxLength } = /** @type {{ pattern?: string, maxLength?: number }} */ (schema);
  if (name === "workspace") return "acme/repo";
  if (name === "path") return pick(random, random.chance(0.7) ? STEPS : PATHS);
  if (/^(?:task|plan|target|id|parent|taskId)$/.test(name)) return pick(random, random.chance(0.85) ? IDS : PATHS);
  if (pattern?.startsWith("^STEP-")) return `STEP-${hex(random, 8).toUpperCase()}`;
  if (pattern?.startsWith("^CARD-")) return `CARD-${hex(random, 8).toUpperCase()}`;
  if (pattern?.includes("{43}")) return hex(random, 43);
  if (pattern?.includes("{64}")) return hex(random, 64);
  const some = text(random);
  return maxLength === undefined || random.chance(0.1) ? some : some.slice(0, maxLength) || "x";
}

/** @param {Random} random @param {number} length */
export function hex(random, length) {
  return Array.from({ length }, () => random.below(16).toString(16)).join("");
}

/** One member of it is another one. @param {unknown} value @param {Random} random @returns {unknown} */
export function mutated(value, random) {
  if (typeof value !== "object" || value === null || random.chance(0.15)) return junk(random);
  if (Array.isArray(value)) {
    const list = [...value];
    const at = random.below(list.length + 1);
    pick(random, [
      () => void (list[at] = mutated(list[at], random)),
      () => void list.splice(at, 1),
      () => void list.splice(at, 0, junk(random)),
      () => void list.push(...list),
    ])();
    return list;
  }
  const entries = Object.entries(value);
  const at = random.below(entries.length + 1);
  const [name, member] = entries[at] ?? [text(random).slice(0, 40), null];
  if (random.chance(0.2)) return Object.fromEntries(entries.filter(([one]) => one !== name));
  return JSON.parse(JSON.stringify({ ...value, [name]: mutated(member, random) }));
}

/** Bytes with a few of them changed, cut off, doubled or moved. @param {Buffer} bytes @param {Random} random */
export function mutatedBytes(bytes, random) {
  let made = Buffer.from(bytes);
  for (let left = 1 + random.below(4); left > 0; left--) {
    const at = random.below(made.length + 1);
    const length = random.below(Math.min(64, made.length - at) + 1);
    const [before, middle, after] = [made.subarray(0, at), made.subarray(at, at + length), made.subarray(at + length)];
    made = pick(random, [
      () => Buffer.concat([before, Buffer.from([random.below(256)]), after]),
      () => Buffer.concat([before, after]),
      () => Buffer.concat([before, middle, middle, after]),
      () => Buffer.concat([before, Buffer.from(text(random)), after]),
      () => before,
      () => Buffer.concat([before, Buffer.from(String(pick(random, NUMBERS))), after]),
    ])();
  }
  return made;
}
