/**
 * The one door for YAML that another program wrote. Its work is bounded before and while it is parsed. The `yaml`
 * package compares each key of a map with all before it. It also walks the whole document for each alias, and makes an
 * error of each mistake.
 */
import type * as Yaml from "yaml";
import { TaskfoldError } from "../errors.ts";

/** Limits of a YAML text; a text above one is not parsed, or not used (spec/limits.md). */
export const YAML_LIMITS = {
  /** Of UTF-8. */
  bytes: 1024 * 1024,
  /** Pieces that the lexer makes of the text: a line `key: value` has seven. */
  tokens: 200_000,
  depth: 64,
  aliases: 1000,
  /** Characters of all scalars, and one for each node, aliases written out. */
  writtenOut: 4 * 1024 * 1024,
} as const;

/** Keys and places in lists, from the document on. */
export type KeyPath = readonly (string | number)[];

interface FaultPlace {
  /** Of a key that stands twice in its map. */
  path?: KeyPath;
  cause?: unknown;
}

/** The cause of every refusal here: what it says, as facts. */
export class YamlFault extends Error {
  readonly expected: string;
  readonly found: string;
  readonly path: KeyPath | undefined;
  /** Where the parser stopped, in characters. */
  readonly position: number | undefined;

  constructor(expected: string, found: string, { path, cause }: FaultPlace = {}) {
    super(`expected ${expected}`, cause === undefined ? undefined : { cause });
    const pos = cause instanceof Error && "pos" in cause && Array.isArray(cause.pos) ? (cause.pos[0] as unknown) : null;
    this.expected = expected;
    this.found = found.slice(0, 200);
    this.path = path;
    this.position = typeof pos === "number" ? pos : undefined;
  }
}

export interface ParsedYaml {
  doc: Yaml.Document;
  /** Returns the target of an alias; undefined where no anchor before it has its name. */
  named: (alias: Yaml.Alias) => Yaml.Node | undefined;
  /** Why the document cannot be written out without aliases, as what was expected and what was found; null where it can. */
  endless: [string, string] | null;
}

/** `file` is named by the refusal: LOG_UNREADABLE says what was expected, and what was found. */
export function parseYaml(text: string, file: string, yaml: typeof Yaml): ParsedYaml {
  const fault = faultOf(text, yaml);
  if (fault) throw unreadable(file, ...fault);
  const doc = parsed(text, file, yaml);
  return { doc, ...new Walk(file, yaml).of(doc) };
}

/** Returns the values of the document, with its aliases written out. */
export function valuesOf({ doc, endless }: ParsedYaml, file: string): unknown {
  if (endless) throw unreadable(file, ...endless);
  try {
    return doc.toJS({ maxAliasCount: -1 });
  } catch (cause) {
    throw unreadable(file, "YAML", messageOf(cause), { cause });
  }
}

/** Returns the fault of a text before it is parsed, as what was expected and what was found. */
function faultOf(text: string, yaml: typeof Yaml): [string, string] | undefined {
  const { bytes, tokens, depth } = YAML_LIMITS;
  if (Buffer.byteLength(text) > bytes) return [`at most ${bytes} bytes`, "more"];
  if (text.startsWith("\uFEFF")) return ["text without a byte order mark", "one"];
  let count = 0;
  let level = 0;
  for (const token of new yaml.Lexer().lex(text)) {
    if (++count > tokens) return [`at most ${tokens} tokens of YAML`, "more"];
    if (token === "[" || token === "{") level++;
    else if (token === "]" || token === "}") level--;
    if (level > depth) return [`at most ${depth} levels of YAML`, "more"];
  }
  return undefined;
}

/** Core schema, nothing executed. Unknown tags are only warnings to `yaml`; here they are refused too. */
function parsed(text: string, file: string, yaml: typeof Yaml): Yaml.Document {
  let doc: Yaml.Document.Parsed;
  const { stackTraceLimit } = Error;
  try {
    // A text may have an error at every character, and most of what one costs is the trace of a stack that is never shown.
    Error.stackTraceLimit = 0;
    // Keys are compared below: `yaml` takes time by the square of their number.
    doc = yaml.parseDocument(text, { version: "1.2", schema: "core", uniqueKeys: false, prettyErrors: false });
  } catch (cause) {
    throw unreadable(file, "YAML", messageOf(cause), { cause });
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
  const fault = doc.errors[0] ?? doc.warnings[0];
  if (fault) throw unreadable(file, "YAML", fault.message, { cause: fault });
  return doc;
}

/** One look at each node: keys, depth, and what aliases stand for. */
class Walk {
  readonly #file: string;
  readonly #yaml: typeof Yaml;
  readonly #anchors = new Map<string, Yaml.Node>();
  readonly #named = new Map<Yaml.Alias, Yaml.Node | undefined>();
  /** Characters of each anchored node; none while its end is not reached. */
  readonly #sizes = new Map<Yaml.Node, number>();
  #endless: ParsedYaml["endless"] = null;

  constructor(file: string, yaml: typeof Yaml) {
    this.#file = file;
    this.#yaml = yaml;
  }

  of(doc: Yaml.Document): Omit<ParsedYaml, "doc"> {
    const size = this.#size(doc.contents, []);
    if (size > YAML_LIMITS.writtenOut)
      this.#endless ??= [`at most ${YAML_LIMITS.writtenOut} characters with its aliases written out`, "more"];
    return { named: (alias) => this.#named.get(alias), endless: this.#endless };
  }

  #size(node: unknown, path: KeyPath): number {
    const { isAlias, isCollection, isScalar } = this.#yaml;
    if (isAlias(node)) return this.#sizeOfAlias(node);
    if (!isScalar(node) && !isCollection(node)) return 1;
    if (path.length > YAML_LIMITS.depth)
      throw unreadable(this.#file, `at most ${YAML_LIMITS.depth} levels of YAML`, "more");
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    const size = isScalar(node) ? 1 + lengthOf(node) : this.#sizeOfMembers(node, path);
    if (node.anchor !== undefined) this.#sizes.set(node, size);
    return size;
  }

  #sizeOfMembers(node: Yaml.YAMLMap | Yaml.YAMLSeq, path: KeyPath): number {
    const keys = new Set<string>();
    let size = 1;
    for (const [i, item] of node.items.entries()) {
      if (!this.#yaml.isPair(item)) {
        size += this.#size(item, [...path, i]);
        continue;
      }
      const key = this.#keyOf(item.key, keys, path);
      size += this.#size(item.key, []) + this.#size(item.value, [...path, key]);
    }
    return size;
  }

  /** Of a key that no other before it is equal to, also once both are texts. */
  #keyOf(key: unknown, keys: Set<string>, path: KeyPath): string {
    if (!this.#yaml.isScalar(key)) throw unreadable(this.#file, "keys that are scalars", "another key");
    const { value } = key as Yaml.Scalar<string | number | boolean | null>;
    const text = String(value ?? "");
    if (keys.has(text)) {
      const shown = `${JSON.stringify(text.slice(0, 80))} twice`;
      throw unreadable(this.#file, "keys that are unique", shown, { path: [...path, text] });
    }
    keys.add(text);
    return text;
  }

  #sizeOfAlias(alias: Yaml.Alias): number {
    const node = this.#anchors.get(alias.source);
    this.#named.set(alias, node);
    if (this.#named.size > YAML_LIMITS.aliases)
      throw unreadable(this.#file, `at most ${YAML_LIMITS.aliases} aliases`, "more");
    if (node === undefined) return 1;
    const size = this.#sizes.get(node);
    if (size === undefined)
      this.#endless ??= ["aliases of what ends before them", `*${alias.source.slice(0, 80)} inside of itself`];
    return size ?? 1;
  }
}

function lengthOf({ value, source }: Yaml.Scalar): number {
  return typeof value === "string" ? value.length : (source?.length ?? 0);
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function unreadable(file: string, expected: string, found: string, place?: FaultPlace): TaskfoldError {
  const fault = new YamlFault(expected, found, place);
  return new TaskfoldError("LOG_UNREADABLE", `Expected ${file} to hold ${expected}, found ${fault.found}.`, {
    recovery: `Correct ${file} by hand, or remove the folder from .coco/tasks.`,
    cause: fault,
  });
}
