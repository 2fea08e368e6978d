/** The members of one YAML map, each read as what it has to be, or refused with its name. */
import type * as Yaml from "yaml";
import { TaskfoldError } from "../errors.ts";
import type { ParsedYaml } from "./parse_yaml.ts";

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

type Values = Record<string, unknown>;

export class YamlFields {
  readonly #map: Yaml.YAMLMap;
  readonly #named: ParsedYaml["named"];
  readonly #yaml: typeof Yaml;
  readonly #prefix: string;
  /** Members that were asked for, and the maps that were made of them. */
  readonly #asked = new Set<string>();
  readonly #below: { fields: YamlFields; valueIn: (own: Values) => unknown }[] = [];

  private constructor(map: Yaml.YAMLMap, named: ParsedYaml["named"], yaml: typeof Yaml, prefix: string) {
    this.#map = map;
    this.#named = named;
    this.#yaml = yaml;
    this.#prefix = prefix;
  }

  /** The members of a whole document. */
  static of({ doc, named }: ParsedYaml, yaml: typeof Yaml): YamlFields {
    return YamlFields.#at(doc.contents, "", named, yaml);
  }

  static #at(node: unknown, name: string, named: ParsedYaml["named"], yaml: typeof Yaml): YamlFields {
    const map = yaml.isAlias(node) ? named(node) : node;
    if (!yaml.isMap(map)) throw fault(name === "" ? "task.yaml" : name, "a map", kindOf(map, yaml));
    return new YamlFields(map, named, yaml, name === "" ? "" : `${name}.`);
  }

  /** A required text that is not blank. */
  text(key: string): string {
    const found = this.textOr(key, null);
    if (found === null || found.trim() === "") throw this.#fault(key, "text that is not blank", found);
    return found;
  }

  /** `other` when the member is absent or null. */
  textOr<T>(key: string, other: T): string | T {
    const node = this.#get(key);
    return node === undefined ? other : (this.#scalar(node, key) ?? other);
  }

  /** One of `words`, after historic spellings are put right; `other` when absent, refused without one. */
  word<W extends string>(key: string, words: readonly W[], historic: Record<string, W> = {}, other?: W): W {
    const found = this.textOr(key, null);
    if (found === null && other !== undefined && !this.#map.has(key)) return other;
    const word = found !== null && Object.hasOwn(historic, found) ? historic[found] : words.find((w) => w === found);
    if (word === undefined) throw this.#fault(key, words.join(" or "), found);
    return word;
  }

  /** An RFC 3339 time as it is written; null when absent, and with `nullable` also when it says null. */
  time(key: string, nullable = false): string | null {
    const found = this.textOr(key, null);
    if (found === null && (nullable || !this.#map.has(key))) return null;
    if (found === null || !RFC_3339.test(found)) throw this.#fault(key, "an RFC 3339 time", found);
    return found;
  }

  /** A list of maps; empty when absent. */
  maps(key: string): YamlFields[] {
    return this.#items(key).map((item, i) => this.#descend(item, `${key}[${i}]`, (own) => (own[key] as unknown[])[i]));
  }

  /** A list of texts; empty when absent. */
  texts(key: string): string[] {
    return this.#items(key).map((item, i) => {
      const text = this.#scalar(this.#resolve(item, `${key}[${i}]`), `${key}[${i}]`);
      if (text === null) throw this.#fault(`${key}[${i}]`, "text", null);
      return text;
    });
  }

  /** A map; null when absent. */
  map(key: string): YamlFields | null {
    const node = this.#get(key);
    return node === undefined ? null : this.#descend(node, key, (own) => own[key]);
  }

  /** Every member that was not asked for here and below, by its path; `values`: those of the whole map. */
  others(values: unknown): { path: string; value: unknown }[] {
    const own = values as Values;
    const here = Object.keys(own).filter((key) => !this.#asked.has(key));
    return [
      ...here.map((key) => ({ path: this.#prefix + key, value: own[key] })),
      ...this.#below.flatMap(({ fields, valueIn }) => fields.others(valueIn(own))),
    ];
  }

  #descend(node: unknown, name: string, valueIn: (own: Values) => unknown): YamlFields {
    const fields = YamlFields.#at(node, this.#prefix + name, this.#named, this.#yaml);
    this.#below.push({ fields, valueIn });
    return fields;
  }

  /** A whole number from 0; undefined when absent. */
  count(key: string): number | undefined {
    const value = this.#value(key);
    if (value === undefined || (typeof value === "number" && Number.isSafeInteger(value) && value >= 0)) return value;
    throw this.#fault(key, "a whole number from 0", JSON.stringify(value));
  }

  /** undefined when absent. */
  flag(key: string): boolean | undefined {
    const value = this.#value(key);
    if (value === undefined || typeof value === "boolean") return value;
    throw this.#fault(key, "true or false", JSON.stringify(value));
  }

  #get(key: string): unknown {
    this.#asked.add(key);
    return this.#map.has(key) ? this.#resolve(this.#map.get(key, true), key) : undefined;
  }

  /** Returns the target of an alias. One that names nothing is refused: it is not the same as an absent member. */
  #resolve(node: unknown, key: string): unknown {
    if (!this.#yaml.isAlias(node)) return node;
    const named = this.#named(node);
    if (named === undefined) throw this.#fault(key, "an alias of an anchor before it", `*${node.source}`);
    return named;
  }

  #items(key: string): unknown[] {
    const node = this.#get(key);
    if (node === undefined) return [];
    if (!this.#yaml.isSeq(node)) throw fault(this.#prefix + key, "a list", kindOf(node, this.#yaml));
    return node.items;
  }

  #value(key: string): unknown {
    const node = this.#get(key);
    if (node === undefined) return undefined;
    // Nothing but a scalar is ever printed: an alias of aliases would not end.
    if (!this.#yaml.isScalar(node)) throw fault(this.#prefix + key, "a scalar", kindOf(node, this.#yaml));
    return node.value;
  }

  /** Text as it stands in the file: a title `0o17` is not 15, and `1.0` is not 1. Null for YAML's null. */
  #scalar(node: unknown, key: string): string | null {
    if (!this.#yaml.isScalar(node)) throw fault(this.#prefix + key, "text", kindOf(node, this.#yaml));
    if (node.value === null) return null;
    return typeof node.value === "string" ? node.value : (node.source ?? JSON.stringify(node.value));
  }

  #fault(key: string, expected: string, found: string | null): TaskfoldError {
    return fault(this.#prefix + key, expected, found === null ? "nothing" : JSON.stringify(found.slice(0, 80)));
  }
}

function kindOf(node: unknown, yaml: typeof Yaml): string {
  if (yaml.isMap(node)) return "a map";
  if (yaml.isSeq(node)) return "a list";
  return yaml.isScalar(node) && node.value !== null ? "a scalar" : "nothing";
}

function fault(field: string, expected: string, found: string): TaskfoldError {
  return new TaskfoldError("LOG_UNREADABLE", `Expected ${field} to be ${expected}, found ${found}.`, {
    recovery: "Correct task.yaml by hand, or remove the folder from .coco/tasks.",
    details: { field },
  });
}
