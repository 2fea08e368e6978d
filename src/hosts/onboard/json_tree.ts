/** JSON with comments and trailing commas, as a tree that knows where each part stands in the text. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

interface Span {
  start: number;
  end: number;
}

/** A member of an object from its key to the end of its value, or an item of a list. */
export interface Entry extends Span {
  key: string | undefined;
  node: JsonNode;
}

export interface Container extends Span {
  kind: "object" | "array";
  entries: Entry[];
}

export type JsonNode = Container | (Span & { kind: "scalar"; value: JsonValue });

/** Thrown for a text that is no JSON; `at` is the place in the text. */
export class JsonTextError extends Error {
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** Deeper than any configuration; a reader that calls itself must not run out of stack. */
const DEEPEST = 100;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|"(?:[^"\\]|\\.)*"/y;

export function parseTree(text: string): JsonNode {
  const start = afterTrivia(text, text.startsWith("\uFEFF") ? 1 : 0);
  const node = parseNode(text, start, 0);
  const end = afterTrivia(text, node.end);
  if (end < text.length) throw new JsonTextError("expected the end of the file", end);
  return node;
}

export function valueOf(node: JsonNode): JsonValue {
  if (node.kind === "scalar") return node.value;
  if (node.kind === "array") return node.entries.map((entry) => valueOf(entry.node));
  return Object.fromEntries(node.entries.map((entry) => [entry.key!, valueOf(entry.node)]));
}

/** The place after white space and comments. */
export function afterTrivia(text: string, from: number): number {
  let at = from;
  for (;;) {
    if (" \t\r\n".includes(text[at] ?? "x")) at++;
    else if (text.startsWith("//", at)) at = endOfLine(text, at);
    else if (text.startsWith("/*", at)) at = endOfComment(text, at);
    else return at;
  }
}

/** The place after spaces and comments that stand on the same line; `from` where there is no comment. */
export function afterCommentOnLine(text: string, from: number): number {
  let end = from;
  for (let at = from; ;) {
    if (" \t".includes(text[at] ?? "x")) at++;
    else if (text.startsWith("//", at)) return endOfLine(text, at);
    else if (text.startsWith("/*", at) && !text.slice(at, endOfComment(text, at)).includes("\n"))
      end = at = endOfComment(text, at);
    else return end;
  }
}

function endOfLine(text: string, from: number): number {
  const at = text.indexOf("\n", from);
  if (at === -1) return text.length;
  return text[at - 1] === "\r" ? at - 1 : at;
}

function endOfComment(text: string, from: number): number {
  const at = text.indexOf("*/", from + 2);
  if (at === -1) throw new JsonTextError("expected the end of a comment", from);
  return at + 2;
}

function parseNode(text: string, start: number, depth: number): JsonNode {
  if (depth > DEEPEST) throw new JsonTextError(`expected at most ${DEEPEST} levels`, start);
  if (text[start] === "{") return parseContainer(text, start, "object", depth);
  if (text[start] === "[") return parseContainer(text, start, "array", depth);
  const { value, end } = parseScalar(text, start);
  return { kind: "scalar", start, end, value };
}

function parseScalar(text: string, start: number): { value: JsonValue; end: number } {
  SCALAR.lastIndex = start;
  const [source] = SCALAR.exec(text) ?? [];
  if (source === undefined) throw new JsonTextError("expected a value", start);
  try {
    return { value: JSON.parse(source) as JsonValue, end: start + source.length };
  } catch {
    throw new JsonTextError("expected a string without control characters and unknown escapes", start);
  }
}

function parseContainer(text: string, start: number, kind: Container["kind"], depth: number): Container {
  const close = kind === "object" ? "}" : "]";
  const entries: Entry[] = [];
  let at = afterTrivia(text, start + 1);
  while (text[at] !== close) {
    const entry = kind === "object" ? parseMember(text, at, depth) : parseItem(text, at, depth);
    if (kind === "object" && entries.some(({ key }) => key === entry.key))
      throw new JsonTextError(`expected ${JSON.stringify(entry.key)} once`, at);
    entries.push(entry);
    at = afterTrivia(text, entry.end);
    if (text[at] === ",") at = afterTrivia(text, at + 1);
    else if (text[at] !== close) throw new JsonTextError(`expected "," or "${close}"`, at);
  }
  return { kind, start, end: at + 1, entries };
}

function parseItem(text: string, start: number, depth: number): Entry {
  const node = parseNode(text, start, depth + 1);
  return { key: undefined, node, start, end: node.end };
}

function parseMember(text: string, start: number, depth: number): Entry {
  if (text[start] !== '"') throw new JsonTextError("expected a name in double quotes", start);
  const { value: key, end } = parseScalar(text, start);
  const colon = afterTrivia(text, end);
  if (text[colon] !== ":") throw new JsonTextError('expected ":"', colon);
  const node = parseNode(text, afterTrivia(text, colon + 1), depth + 1);
  return { key: key as string, node, start, end: node.end };
}
