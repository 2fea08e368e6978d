/** The ops of a patch, worked out on present values (PATCH-2 to PATCH-4). */
import { TaskfoldError } from "../errors.ts";
import { STATUSES } from "../state/entity.ts";
import type { Subject } from "../state/entity.ts";
import { sortedJson } from "../state/json.ts";
import type { Json } from "../state/schema.ts";
import type { Field, Fields } from "./patch_fields.ts";
import { oneLine } from "./phrase.ts";
import { fieldsCall } from "./suggest.ts";

export const PATCH_OPS = ["set", "unset", "append", "remove"] as const;

export interface PatchOp {
  op: (typeof PATCH_OPS)[number];
  field: string;
  value?: Json;
}

export type Value = Json;

/** The texts of a value that is one text or a list of them; none where it is something else. */
export function idsIn(value: Json | undefined): string[] {
  return textsOf(value) ?? [];
}

/**
 * Each field that the ops change, with its value. A field in conflict counts as changed when it is set: that decides for one side.
 * INVALID_INPUT for an op that the field does not take.
 */
export function workOut(
  subject: Subject,
  ops: readonly PatchOp[],
  fields: Fields,
  present: (field: string) => Value,
  isDisputed: (field: string) => boolean,
): Record<string, Value> {
  const values = new Map<string, Value>();
  const set = new Set<string>();
  for (const [i, one] of ops.entries()) {
    const field = fields[one.field];
    if (!field) {
      throw patchRefused(
        subject,
        `Expected ops[${i}].field to be one of ${Object.keys(fields).join(", ")}, found ${JSON.stringify(oneLine(one.field))}.`,
        "Name a field of what is patched: a plan or task, a step, or a task node.",
      );
    }
    const before = values.has(one.field) ? values.get(one.field)! : present(one.field);
    values.set(one.field, after(subject, one, field, before, `ops[${i}]`));
    if (one.op === "set") set.add(one.field);
  }
  const isChanged = ([name, value]: [string, Value]): boolean =>
    !same(value, present(name)) || (set.has(name) && isDisputed(name));
  return Object.fromEntries([...values].filter(isChanged));
}

function after(subject: Subject, { op, field: name, value }: PatchOp, field: Field, before: Value, at: string): Value {
  const refuse = (expected: string): TaskfoldError =>
    patchRefused(
      subject,
      `Expected ${at} (${op} ${name}) ${expected}, found ${value === undefined ? "none" : oneLine(JSON.stringify(value))}.`,
      HOW,
    );
  if (op === "unset") {
    if (field.unset === undefined) {
      throw patchRefused(subject, `Expected a field that can be unset in ${at}, found ${name}.`, HOW);
    }
    if (value !== undefined && value !== null) throw refuse("without a value");
    return field.unset;
  }
  if (op === "set") {
    if (!takes(field, value)) throw refuse(`to have a value that is ${KINDS[field.type]}`);
    return value!;
  }
  const texts = textsOf(value);
  if (field.type !== "list" && field.type !== "ids") {
    throw patchRefused(subject, `Expected a list for ${op} in ${at}, found ${name}, which is set as a whole.`, HOW);
  }
  if (!texts) throw refuse("to have a text or a list of texts as value");
  const list = before as string[];
  const trimmed = texts.map((text) => text.trim());
  return op === "remove" ? list.filter((item) => !trimmed.includes(item)) : [...new Set([...list, ...trimmed])];
}

const HOW =
  "set gives a field its value, and unset empties one that may be empty. append and remove take a text or a list of texts and work on lists.";

const KINDS: Record<Field["type"], string> = {
  line: "a text",
  text: "a text",
  list: "a list of texts",
  ids: "a list of ids",
  json: "given",
  flag: "true or false",
  status: `one of ${STATUSES.join(", ")}`,
};

function takes({ type, unset }: Field, value: Json | undefined): boolean {
  if (value === undefined) return false;
  if (type === "json") return true;
  if (type === "flag") return typeof value === "boolean";
  if (type === "list" || type === "ids") return Array.isArray(value) && value.every((v) => typeof v === "string");
  if (type === "status") return (STATUSES as readonly Json[]).includes(value);
  return typeof value === "string" || (value === null && unset === null);
}

function textsOf(value: Json | undefined): string[] | undefined {
  if (typeof value === "string") return [value];
  return Array.isArray(value) && value.every((v) => typeof v === "string") ? value : undefined;
}

function same(a: Value, b: Value): boolean {
  return sortedJson(a) === sortedJson(b);
}

export function patchRefused(subject: Subject, message: string, recovery: string): TaskfoldError {
  return new TaskfoldError("INVALID_INPUT", message, { recovery, suggestions: [fieldsCall(subject)] });
}
