/**
 * A YAML emitter for two shapes: a map of scalars, flat lists, one flat map and lists of flat maps, and a tree. Every
 * string is double-quoted, so that no version of YAML reads one as a number, a date or a boolean. There is no choice of
 * style that another release could make differently (PROJ-1).
 */
export type YamlScalar = string | number | boolean | null;
export type YamlFlat = YamlScalar | readonly YamlScalar[];
export type YamlMap = { readonly [key: string]: YamlFlat };
export type YamlDocument = { readonly [key: string]: YamlFlat | YamlMap | readonly YamlMap[] };

/** The document as block maps with LF, keys plain and in the order given. Keys are ours, never user text. */
export function yaml(document: YamlDocument): string {
  let text = "";
  for (const key in document) {
    const value = document[key]!;
    if (isMapList(value)) {
      text += `${key}:\n`;
      for (const map of value) text += members(map, "  - ", "    ");
    } else if (isMap(value)) text += `${key}:\n${members(value, "  ", "  ")}`;
    else text += `${key}: ${flat(value)}\n`;
  }
  return text;
}

export type YamlBranch = YamlScalar | YamlTree | readonly YamlBranch[];
export type YamlTree = { readonly [key: string]: YamlBranch };

/** A map of any depth as block maps and block lists, for documents that people read and merge. */
export function yamlTree(tree: YamlTree, indent = ""): string {
  return Object.entries(tree)
    .map(([key, value]) => `${indent}${keyText(key)}:${branch(value, `${indent}  `)}`)
    .join("");
}

/** Words that a reader of YAML 1.1 takes for true, false or nothing. */
const NO_PLAIN_KEY = /^(?:y|n|yes|no|on|off|true|false|null)$/;

/** A name of our kind stands as it is; any other one is quoted. */
function keyText(key: string): string {
  return /^[a-z][a-z0-9_]*$/.test(key) && !NO_PLAIN_KEY.test(key) ? key : quoted(key);
}

function branch(value: YamlBranch, indent: string): string {
  if (typeof value !== "object" || value === null) return ` ${scalar(value)}\n`;
  if (isBranchList(value))
    return value.length === 0
      ? " []\n"
      : `\n${value.map((item) => `${indent}-${branch(item, `${indent}  `)}`).join("")}`;
  return Object.keys(value).length === 0 ? " {}\n" : `\n${yamlTree(value, indent)}`;
}

function isBranchList(value: YamlBranch): value is readonly YamlBranch[] {
  return Array.isArray(value);
}

function members(map: YamlMap, first: string, indent: string): string {
  let text = "";
  let before = first;
  for (const key in map) {
    text += `${before}${key}: ${flat(map[key]!)}\n`;
    before = indent;
  }
  return text;
}

function flat(value: YamlFlat): string {
  if (!isList(value)) return scalar(value);
  return value.length === 0 ? "[]" : `[${value.map(scalar).join(", ")}]`;
}

function scalar(value: YamlScalar): string {
  return typeof value === "string" ? quoted(value) : String(value);
}

/** A double-quoted scalar on one line. A lone surrogate has no UTF-8, so it becomes U+FFFD as it would on disk. */
export function quoted(text: string): string {
  return SPECIAL.test(text) ? `"${text.toWellFormed().replace(SPECIALS, escape)}"` : `"${text}"`;
}

/** Characters that would end the scalar, break its line, not be printable, or be a lone surrogate. */
const ESCAPED = '"\\\\\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\ufeff\\ufffe\\uffff';
const SPECIAL = new RegExp(`[${ESCAPED}\\ud800-\\udfff]`);
const SPECIALS = new RegExp(`[${ESCAPED}]`, "g");
const SHORT: Record<string, string> = { '"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function escape(character: string): string {
  return SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}

function isList(value: YamlFlat): value is readonly YamlScalar[] {
  return Array.isArray(value);
}

function isMap(value: YamlFlat | YamlMap | readonly YamlMap[]): value is YamlMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isMapList(value: YamlFlat | YamlMap | readonly YamlMap[]): value is readonly YamlMap[] {
  return Array.isArray(value) && typeof value[0] === "object" && value[0] !== null;
}
