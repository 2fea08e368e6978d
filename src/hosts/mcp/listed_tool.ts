/** A tool as a client is told of it (MCP rules). Each word of a list costs every agent context, at each start. */
import type { Tool } from "@modelcontextprotocol/server";
import type { Workspaces } from "../../engine/workspaces.ts";
import { replyOf } from "../../tools/output.ts";
import {
  checkpoints,
  maxChars,
  preconditions,
  readOnly,
  stepSelector,
  target,
  title,
  workspace as workspaceId,
} from "../../tools/common.ts";
import { toolsOf } from "./toolsets.ts";
import type { Toolset } from "./toolsets.ts";

type Schema = { [key: string]: unknown };

/** Keywords that the engine checks and tells itself, and that no agent chooses by. */
const BOUNDS = new Set([
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
  "minItems",
  "maxItems",
  "pattern",
  "additionalProperties",
]);
/** Inputs that mean the same in every tool that has them: the server says once what (`instructions`). */
export const COMMON_INPUTS: Readonly<Record<string, string>> = {
  "task, plan or target": "id of a plan or task, the focus when left out",
  path: "of a step, such as s:0.s:2",
  step_id: "the step's stable id",
  expected_revision: "refuse unless the entity is at this revision",
  expected_head: "the same, exact also between branches",
  idempotency_key: "the same key with the same input gives the first result and changes nothing",
  fence: "number of your claim",
  title: "1 to 200 characters on one line",
  "..._limit": "how many at most",
  "..._cursor": "next_cursor of that part in an earlier answer",
  max_chars: "the result fits so many characters of JSON",
  resume_max_chars: "the same for the resume in it",
  read_only: "true when left out",
  checkpoints: "gate (criteria and tests), all, or an object of their names, in which false takes back",
};
/** Inputs of nearly every tool that a day's work does without. Lean lists leave them to `COMMON_INPUTS` and to `full`. */
const SELDOM = ["target", "expected_revision", "expected_head", "idempotency_key", "read_only", "resume_max_chars"];
/** The same of one tool. */
const SELDOM_OF: Readonly<Record<string, readonly string[]>> = {
  tasks_macro_start: ["plan_template", "think"],
  tasks_evidence_capture: ["evidence_id", "max_items", "max_artifact_bytes"],
  tasks_create: ["contract", "contract_data", "id", "topology"],
  tasks_edit: ["contract", "contract_data", "new_domain"],
  tasks_radar: ["at"],
  tasks_handoff: ["at", "limit"],
  tasks_delta: ["limit"],
};
/** The same of each step that a call adds: tasks_define sets them. */
const SELDOM_OF_STEPS = ["blockers", "confirm", "files", "packet"];
/** Their schemas: an input of such a name that means something else has another. */
const COMMON: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    workspace: workspaceId,
    ...target,
    ...stepSelector,
    ...preconditions,
    title,
    max_chars: maxChars,
    read_only: readOnly,
    checkpoints,
  }).map(([name, schema]) => [name, JSON.stringify(schema)]),
);
/** Members of a schema whose keys are names and no keywords. */
const NAMED = new Set(["properties", "patternProperties", "$defs", "dependentSchemas"]);

/** Beside the macros: the tools that agents are told of in calls without a workspace. */
const TAKE_DEFAULT = ["tasks_snapshot", "change_mind", "recall_taskdoc"];

/** Tools for which a default workspace stands in; for all others it is said in each call. */
export function takesDefaultWorkspace(name: string): boolean {
  return TAKE_DEFAULT.includes(name) || name.startsWith("tasks_macro_");
}

/** The same for `instructions`. */
export const MAY_LEAVE_OUT = `Macros, ${TAKE_DEFAULT.slice(0, -1).join(", ")} and ${TAKE_DEFAULT.at(-1)!} may leave it out`;

/** Which tools a server lists, of which roots. */
export interface Listed {
  workspaces: Workspaces;
  /** The workspace that was configured. With one root it is the only one that calls may name. */
  configured?: string;
  toolset: Toolset;
  /** List what answers look like, too. */
  outputs?: boolean;
}

/** Returns the workspace that was configured, else that of the first root; undefined while nothing decides it (MCP-6). */
export function defaultOf({ workspaces, configured }: Pick<Listed, "workspaces" | "configured">): string | undefined {
  return configured ?? workspaces.list().find((row) => row.default)?.workspace ?? undefined;
}

/** The answer of `tools/list`, and of `--print-tools`. */
export function serverTools(listed: Listed): Tool[] {
  const { toolset, outputs = false } = listed;
  const workspaces = listed.workspaces.list().flatMap((row) => row.workspace ?? []);
  return listedTools(toolset, defaultOf(listed) !== undefined, { workspaces, outputs });
}

interface Listing {
  /** The workspaces that calls may name, as far as they are decided. */
  workspaces?: readonly string[];
  /** Also say what answers look like: three times as long. */
  outputs?: boolean;
}

/**
 * Returns the answer of `tools/list`. `hasDefault`: there is a default workspace, so that some tools may be called without
 * one.
 */
export function listedTools(
  toolset: Toolset,
  hasDefault: boolean,
  { workspaces = [], outputs = false }: Listing = {},
): Tool[] {
  return toolsOf(toolset).map((tool) => {
    const { name, doc, effect } = tool;
    const isOfPacket = name.startsWith("packet_");
    const lean = toolset !== "full" || isOfPacket;
    const own = withoutSecondNames(asJson(tool.input), isOfPacket);
    const schema = shortInput(lean && !isOfPacket ? withoutSeldom(name, own) : own, lean);
    const hints = {
      readOnlyHint: effect === "read",
      destructiveHint: tool.effect === "write" && tool.destructive === true,
      idempotentHint: effect === "read" || effect === "focus",
      openWorldHint: false,
    };
    return {
      name,
      title: tool.title,
      description: doc,
      inputSchema: named(schema, workspaces, hasDefault && takesDefaultWorkspace(name)) as Tool["inputSchema"],
      ...(outputs ? { outputSchema: asJson(replyOf(tool.output as never)) as NonNullable<Tool["outputSchema"]> } : {}),
      annotations: withoutDefaults(hints),
    };
  });
}

/** A packet stands on a task, so one name is enough; the others are taken all the same. */
function withoutSecondNames(schema: Schema, isOfPacket: boolean): Schema {
  if (!isOfPacket) return schema;
  const {
    plan: _plan,
    target: _target,
    expected_head: _head,
    expected_revision: _revision,
    ...properties
  } = schema["properties"] as Schema;
  return { ...schema, properties };
}

/** Of what an answer shows of itself in parts, an agent that lists all of it says how much. */
function withoutSeldom(tool: string, schema: Schema): Schema {
  const left = new Set([...SELDOM, ...(SELDOM_OF[tool] ?? [])]);
  const isPart = (name: string): boolean => tool === "tasks_snapshot" && isPaging(name);
  const { steps, ...kept } = without(schema["properties"] as Schema, (name) => left.has(name) || isPart(name));
  if (steps === undefined) return { ...schema, properties: kept };
  const { items, ...list } = steps as { items: Schema };
  const members = without(items["properties"] as Schema, (name) => SELDOM_OF_STEPS.includes(name));
  return { ...schema, properties: { ...kept, steps: { ...list, items: { ...items, properties: members } } } };
}

function without(properties: Schema, isLeft: (name: string) => boolean): Schema {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !isLeft(name)));
}

/** The hints that the protocol assumes where a tool gives none. Of a tool that only reads, destructive and idempotent mean nothing there. */
const DEFAULT_HINTS = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };

function withoutDefaults(hints: typeof DEFAULT_HINTS): Partial<typeof DEFAULT_HINTS> {
  if (hints.readOnlyHint) return { readOnlyHint: true, openWorldHint: hints.openWorldHint };
  const names = Object.keys(hints) as (keyof typeof hints)[];
  return Object.fromEntries(
    names.filter((name) => hints[name] !== DEFAULT_HINTS[name]).map((name) => [name, hints[name]]),
  );
}

/** The schema of an input that can name no workspace but these, or none where there is a default. */
function named(schema: Schema, [only, ...more]: readonly string[], mayLeaveOut: boolean): Schema {
  const { workspace: _any, ...others } = schema["properties"] as Schema;
  const known = only === undefined ? {} : more.length === 0 ? { const: only } : { enum: [only, ...more] };
  const own = { type: "string", ...known };
  const required = (schema["required"] as string[]).filter((key) => !mayLeaveOut || key !== "workspace");
  return { ...schema, properties: { workspace: own, ...others }, required };
}

/** A schema's objects carry marks that are no part of it. */
function asJson(schema: object): Schema {
  return JSON.parse(JSON.stringify(schema)) as Schema;
}

/** The input in fewer words. `lean`: also without second names, and without the members of an object that something plainer stands for. */
function shortInput(schema: Schema, lean: boolean): Schema {
  const properties = Object.fromEntries(
    Object.entries(schema["properties"] as Record<string, Schema>).map(([name, property]) => [
      name,
      once(name, property, lean),
    ]),
  );
  return short({ ...schema, properties }, lean) as Schema;
}

/** A meaning that is the same everywhere is said once. */
function once(name: string, property: Schema, lean: boolean): Schema {
  // An id is the plain way to say which plan or task.
  if (name === "target" && lean) return { type: "string" };
  const { type } = property;
  const isCommon =
    isPaging(name) || COMMON[name] === JSON.stringify(property) || (name in COMMON_INPUTS && !(name in COMMON));
  if (!isCommon) return property;
  return typeof type === "string" ? { type } : (withoutWords(property) as Schema);
}

function isPaging(name: string): boolean {
  return name.endsWith("_limit") || name.endsWith("_cursor");
}

/** The schema's forms alone: what they mean is said once. */
function withoutWords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutWords);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key, item]) => key !== "description" || typeof item !== "string");
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutWords(item)]));
}

function short(value: unknown, lean: boolean, names = false): unknown {
  if (Array.isArray(value)) return value.map((item) => short(item, lean));
  if (typeof value !== "object" || value === null) return value;
  const schema = lean && !names ? collapsed(value as Schema) : value;
  const kept = Object.entries(schema).filter(([key, item]) =>
    names ? !(lean && isSecondName(item)) : !isNoise(key, item),
  );
  return Object.fromEntries(
    kept.map(([key, item]) => [
      key,
      lean && !names && key === "anyOf" ? leanForms(item as Schema[]) : short(item, lean, !names && NAMED.has(key)),
    ]),
  );
}

/** An object of optional members that are all alike; its description names them. */
function collapsed(schema: Schema): Schema {
  const { properties, required, description } = schema;
  const members = Object.values((properties as Schema | undefined) ?? {}).map((member) => JSON.stringify(member));
  const isAlike = members.length > 1 && new Set(members).size === 1 && (required as unknown[]).length === 0;
  if (!isAlike || description === undefined) return schema;
  return { type: "object", description };
}

function isNoise(key: string, value: unknown): boolean {
  return BOUNDS.has(key) || (key === "required" && (value as unknown[]).length === 0);
}

/** The plain form comes first and is enough; of an object beside it a description says what goes in. */
function leanForms(forms: readonly Schema[]): unknown[] {
  const [plain, ...others] = forms.map((form) => short(form, true) as Schema);
  return [plain, ...others.map((form) => (form["type"] === "object" ? withoutMembers(form) : form))];
}

function withoutMembers({ properties: _properties, required: _required, ...form }: Schema): Schema {
  return form;
}

function isSecondName(schema: unknown): boolean {
  const { description } = schema as { description?: unknown };
  return typeof description === "string" && description.startsWith("Another name for ");
}
