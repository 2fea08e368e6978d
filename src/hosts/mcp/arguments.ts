/**
 * The `arguments` of a call as the tool's schema has them (MCP rules). Clients send null for an input
 * that they leave out, and an empty text for a selector that selects nothing. They send a list or an object as its JSON
 * text. The engine takes none of these.
 */
import { TOOLS } from "../../index.ts";
import type { PlainSchema as Plain } from "../../state/plain_schema.ts";
import { isSelector } from "../../state/selector.ts";
import { LINE_LIMITS } from "./bounded_lines.ts";
import { LineShape } from "./line_shape.ts";

type Arguments = Readonly<Record<string, unknown>>;

/** Returns what the caller meant. A value that fits no schema stays as it is, and the engine refuses it. */
export function argumentsTaken(tool: string, given: Arguments): Arguments {
  const info = Object.hasOwn(TOOLS, tool) ? TOOLS[tool] : undefined;
  if (!info) return given;
  const taken = ofObject(info.input as Plain, given, { keepsEmpty: info.destructive === true });
  // Each operation of a batch is a call of its own.
  return tool === "tasks_batch" ? { ...taken, operations: operationsTaken(taken["operations"]) } : taken;
}

/** Null and an empty text name no workspace. */
export function isLeftOut(workspace: unknown): boolean {
  return workspace === undefined || workspace === null || workspace === "";
}

function operationsTaken(operations: unknown): unknown {
  if (!Array.isArray(operations)) return operations;
  return operations.map((one: Record<string, unknown> | null) => {
    const tool = one?.["tool"] ?? one?.["name"];
    if (typeof tool !== "string" || tool === "tasks_batch") return one;
    const inputs = Object.entries(one!).filter(([name]) => name === "args" || name === "arguments");
    const taken = inputs.map(([name, input]) => [name, isObject(input) ? argumentsTaken(tool, input) : input]);
    return { ...one, ...Object.fromEntries(taken) };
  });
}

function taken(schema: Plain, given: unknown): unknown {
  const value = typeof given === "string" && isNeverText(schema) ? parsed(schema, given) : given;
  if (isObject(value)) {
    const [form, ...more] = formsOf(schema, "object");
    return form && more.length === 0 ? ofObject(form, value) : value;
  }
  if (!Array.isArray(value)) return value;
  const { items } = formsOf(schema, "array")[0] ?? {};
  return items ? value.map((item) => taken(items, item)) : value;
}

/** `keepsEmpty`: an empty text is no selector that was left out, where leaving it out would delete more. */
function ofObject(
  { properties = {}, required = [], additionalProperties }: Plain,
  object: Arguments,
  { keepsEmpty = false } = {},
): Arguments {
  const entries = Object.entries(object).flatMap(([name, value]): [string, unknown][] => {
    const own = Object.hasOwn(properties, name) ? properties[name]! : undefined;
    if (own === undefined) {
      return [[name, typeof additionalProperties === "object" ? taken(additionalProperties, value) : value]];
    }
    if (!required.includes(name)) {
      if (value === null && !takesNull(own)) return [];
      if (value === "" && isSelector(own) && !keepsEmpty) return [];
    }
    return [[name, taken(own, value)]];
  });
  return Object.fromEntries(entries);
}

/** The forms of a type that a schema has. */
function formsOf(schema: Plain, type: string): Plain[] {
  if (schema.anyOf) return schema.anyOf.flatMap((one) => formsOf(one, type));
  return schema.type === type ? [schema] : [];
}

/** Null means something of its own here: it clears a field, or it is a value like another. */
function takesNull({ anyOf, type }: Plain): boolean {
  return anyOf ? anyOf.some(takesNull) : type === undefined || type === "null";
}

/** A list or an object may stand here, and no text. */
function isNeverText({ anyOf, type }: Plain): boolean {
  return anyOf ? anyOf.every(isNeverText) : type !== undefined && type !== "string";
}

/** The list or object of a JSON text, within what a line may hold; the text itself where it is neither. */
function parsed(schema: Plain, text: string): unknown {
  if (!/^\s*[[{]/.test(text) || !new LineShape(LINE_LIMITS).take(Buffer.from(text))) return text;
  try {
    const value: unknown = JSON.parse(text);
    return formsOf(schema, Array.isArray(value) ? "array" : "object").length > 0 ? value : text;
  } catch {
    return text;
  }
}

function isObject(value: unknown): value is Arguments {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
