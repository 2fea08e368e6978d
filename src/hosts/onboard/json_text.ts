/**
 * Adds one entry to a JSON file and takes it out again, without touching another byte. The form of an addition tells
 * the removal how much was made for it. That is the whole file, an object on the way to it, or the entry alone.
 */
import { isDeepStrictEqual } from "node:util";
import type { Container, Entry, JsonNode, JsonValue } from "./json_tree.ts";
import { afterCommentOnLine, afterTrivia, JsonTextError, parseTree, valueOf } from "./json_tree.ts";

export interface Addition {
  /** Names of the objects from the outside in. The last is the one that gets `key`, or a list that gets an item. */
  path: readonly string[];
  key?: string;
  /** Members that stand first in a file that is made. */
  head?: Readonly<Record<string, JsonValue>>;
  /** By this text an item of a list is known that a person changed. */
  sign?: string;
  value: JsonValue;
}

/** `text` undefined: the file goes. */
export type Edited = { text: string | undefined } | "same";
/** `other`: an entry of that name is there, and `onboard` did not write it. */
export type Changed = Edited | "other";

export function addJson(text: string | undefined, addition: Addition): Changed {
  const { path, key, value } = addition;
  if (text === undefined) return { text: wholeFile(addition) };
  let container = asContainer(parseTree(text), "object");
  for (const [depth, name] of path.entries()) {
    const entry = entryOf(container, name);
    if (!entry) return { text: inserted(text, container, depth, name, nested(addition, depth + 1)) };
    const isList = depth === path.length - 1 && key === undefined;
    container = asContainer(entry.node, isList ? "array" : "object", name);
  }
  const found = ours(container, addition);
  if (found !== undefined) return found === "other" ? "other" : "same";
  return { text: inserted(text, container, path.length, key, value) };
}

export function removeJson(text: string, addition: Addition): Changed {
  if (text === wholeFile(addition)) return { text: undefined };
  const root = parseTree(text);
  const unit = unitOf(text, root);
  const chain: { container: Container; entry: Entry }[] = [];
  let container = root;
  for (const name of addition.path) {
    const entry = container.kind === "object" ? entryOf(container, name) : undefined;
    if (container.kind === "scalar" || !entry || entry.node.kind === "scalar") return "same";
    chain.push({ container, entry });
    container = entry.node;
  }
  if (container.kind === "scalar") return "same";
  const found = ours(container, addition);
  if (found === undefined) return "same";
  if (found === "other") return "other";
  const made = chain.find(({ entry }, depth) => isMadeFor(text, entry, nested(addition, depth + 1), unit));
  return { text: without(text, made ?? { container, entry: found }) };
}

function entryOf(container: Container, key: string): Entry | undefined {
  return container.entries.find((entry) => entry.key === key);
}

function ours(container: Container, { key, sign, value }: Addition): Entry | "other" | undefined {
  const isOurs = (entry: Entry): boolean => isDeepStrictEqual(valueOf(entry.node), value);
  if (key === undefined) {
    const isLike = (node: JsonNode): boolean => sign !== undefined && JSON.stringify(valueOf(node)).includes(sign);
    return container.entries.find(isOurs) ?? (container.entries.some(({ node }) => isLike(node)) ? "other" : undefined);
  }
  const entry = entryOf(container, key);
  return entry && !isOurs(entry) ? "other" : entry;
}

function asContainer(node: JsonNode, kind: Container["kind"], name?: string): Container {
  if (node.kind === kind) return node;
  const where = name === undefined ? "the file" : JSON.stringify(name);
  throw new JsonTextError(`expected ${where} to hold an ${kind}`, node.start);
}

/** The value with the objects around it from `depth` on. */
function nested({ path, key, value }: Addition, depth: number): JsonValue {
  const inner: JsonValue = key === undefined ? [value] : { [key]: value };
  return path.slice(depth).reduceRight<JsonValue>((around, name) => ({ [name]: around }), inner);
}

function wholeFile(addition: Addition): string {
  const whole = { ...addition.head, ...(nested(addition, 0) as Readonly<Record<string, JsonValue>>) };
  return `${JSON.stringify(whole, null, 2)}\n`;
}

/** On lines of their own. */
function pretty(key: string | undefined, value: JsonValue, indent: string, unit: string, newline: string): string {
  const text = JSON.stringify(value, null, unit).replaceAll("\n", newline + indent);
  return named(key) + text;
}

/** On one line, with a space inside of each bracket: what was empty before has none behind its opening one. */
function spaced(value: JsonValue): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[ ${value.map(spaced).join(", ")} ]`;
  const members = Object.entries(value).map(([key, inner]) => named(key) + spaced(inner));
  return `{ ${members.join(", ")} }`;
}

function named(key: string | undefined): string {
  return key === undefined ? "" : `${JSON.stringify(key)}: `;
}

function inserted(
  text: string,
  container: Container,
  depth: number,
  key: string | undefined,
  value: JsonValue,
): string {
  const last = container.entries.at(-1);
  const inLine = named(key) + spaced(value);
  if (!last) return splice(text, container.start + 1, inLine);
  const comma = commaAfter(text, last.end);
  const at = afterCommentOnLine(text, comma === undefined ? last.end : comma + 1);
  const isOnLines = text.slice(container.start, container.end).includes("\n");
  const unit = unitOf(text, parseTree(text));
  const indent = indentAt(text, last.start) ?? unit.repeat(depth + 1);
  const newline = newlineOf(text);
  const piece = isOnLines ? newline + indent + pretty(key, value, indent, unit, newline) : ` ${inLine}`;
  const added = splice(text, at, comma === undefined ? piece : `${piece},`);
  return comma === undefined ? splice(added, last.end, ",") : added;
}

function isMadeFor(text: string, entry: Entry, value: JsonValue, unit: string): boolean {
  const source = text.slice(entry.start, entry.end);
  const indent = indentAt(text, entry.start) ?? "";
  return [named(entry.key) + spaced(value), pretty(entry.key, value, indent, unit, newlineOf(text))].includes(source);
}

function without(text: string, { container, entry }: { container: Container; entry: Entry }): string {
  const at = container.entries.indexOf(entry);
  const before = container.entries[at - 1];
  const start = startOfPiece(text, entry.start, before !== undefined);
  const comma = commaAfter(text, entry.end);
  if (comma !== undefined) return text.slice(0, start) + text.slice(entry.end, comma) + text.slice(comma + 1);
  const removed = text.slice(0, start) + text.slice(entry.end);
  const commaBefore = before && commaAfter(text, before.end);
  return commaBefore === undefined ? removed : removed.slice(0, commaBefore) + removed.slice(commaBefore + 1);
}

/** With the line break and indent before it, or the one space. */
function startOfPiece(text: string, start: number, isNotFirst: boolean): number {
  const indent = indentAt(text, start);
  if (indent === undefined) return isNotFirst && text[start - 1] === " " ? start - 1 : start;
  const newline = start - indent.length - 1;
  return text[newline - 1] === "\r" ? newline - 1 : Math.max(newline, 0);
}

function commaAfter(text: string, end: number): number | undefined {
  const at = afterTrivia(text, end);
  return text[at] === "," ? at : undefined;
}

/** White space before what begins its line; undefined for what does not. */
function indentAt(text: string, start: number): string | undefined {
  const before = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
  return start > 0 && /^[ \t]*$/.test(before) && text.slice(0, start).includes("\n") ? before : undefined;
}

function unitOf(text: string, root: JsonNode): string {
  const first = root.kind === "scalar" ? undefined : root.entries[0];
  return (first && indentAt(text, first.start)) || "  ";
}

export function newlineOf(text: string): string {
  const at = text.indexOf("\n");
  return at > 0 && text[at - 1] === "\r" ? "\r\n" : "\n";
}

function splice(text: string, at: number, piece: string): string {
  return text.slice(0, at) + piece + text.slice(at);
}
