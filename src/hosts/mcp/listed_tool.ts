/** A tool as a client is told of it (MCP rules). What a list says costs every agent context, at each start. */
import type { Tool } from "@modelcontextprotocol/server";
import type { ToolInfo } from "../../index.ts";
import { toolsOf } from "./toolsets.ts";
import type { Toolset } from "./toolsets.ts";

type Schema = { [key: string]: unknown };

/** Of every answer: a refusal has the same members, so that a client which checks answers takes both. */
const reply = (result: object) => ({
  type: "object",
  properties: {
    success: { type: "boolean" },
    intent: { type: "string" },
    result: { anyOf: [result, { type: "null" }] },
    warnings: { type: "array" },
    suggestions: { type: "array" },
    error: { type: ["object", "null"] },
  },
  required: ["success", "intent", "result", "warnings", "suggestions", "error"],
});

/** The same in fewer words: which members there are. */
const LEAN_REPLY = {
  type: "object",
  properties: { success: { type: "boolean" }, result: {}, error: {} },
  required: ["success", "result", "error"],
} as const;

/** What the door checks and says itself, and no agent chooses by. */
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
export const SAID_ONCE: Readonly<Record<string, string>> = {
  expected_revision: "refuse unless the entity is at this revision",
  expected_head: "the same, exact also between branches",
  idempotency_key: "the same key with the same input gives the first result and changes nothing",
  max_chars: "the result fits so many characters of JSON",
  resume_max_chars: "the same for the resume in it",
  read_only: "true when left out",
};
/** Members of a schema whose keys are names and no keywords. */
const NAMED = new Set(["properties", "patternProperties", "$defs", "dependentSchemas"]);

/** Tools for which a configured workspace stands in; for all others it is said in each call. */
export function takesDefaultWorkspace(name: string): boolean {
  return name === "tasks_snapshot" || name.startsWith("tasks_macro_");
}

interface Listing {
  /** A workspace is configured, so that some tools may be called without one. */
  hasDefault: boolean;
  /** The only workspace that calls may name, where one is decided. */
  workspace: string | undefined;
  /** Without bounds, second names and what is said once for all; it is taken and checked all the same. */
  lean: boolean;
}

/** What `tools/list` says. `hasDefault`: a workspace is configured. `workspace`: the only one that calls may name. */
export function listedTools(toolset: Toolset, hasDefault: boolean, workspace?: string): Tool[] {
  return toolsOf(toolset).map((tool) => listedTool(tool, { hasDefault, workspace, lean: toolset !== "full" }));
}

function listedTool(tool: ToolInfo, { hasDefault, workspace, lean }: Listing): Tool {
  const { name, title, doc, effect, destructive } = tool;
  const whole = naming(workspace, asJson(tool.input));
  const schema = lean ? leanInput(whole) : whole;
  const required = schema["required"] as string[];
  const inputSchema =
    hasDefault && takesDefaultWorkspace(name)
      ? { ...schema, required: required.filter((key) => key !== "workspace") }
      : schema;
  return {
    name,
    title,
    description: doc,
    inputSchema: inputSchema as Tool["inputSchema"],
    outputSchema: (lean ? LEAN_REPLY : asJson(reply(tool.output))) as unknown as NonNullable<Tool["outputSchema"]>,
    annotations: {
      readOnlyHint: effect === "read",
      destructiveHint: destructive === true,
      idempotentHint: effect === "read" || effect === "focus",
      openWorldHint: false,
    },
  };
}

/** The schema of an input that can name no workspace but this one. */
function naming(workspace: string | undefined, schema: Schema): Schema {
  if (workspace === undefined) return schema;
  const { workspace: any, ...others } = schema["properties"] as Record<string, Schema>;
  const { description } = any as { description: string };
  return { ...schema, properties: { workspace: { type: "string", const: workspace, description }, ...others } };
}

/** A schema's objects carry marks that are no part of it. */
function asJson(schema: object): Schema {
  return JSON.parse(JSON.stringify(schema)) as Schema;
}

/** An id is the plain way to say which plan or task. */
function leanInput(schema: Schema): Schema {
  const properties = { ...(schema["properties"] as Schema) };
  if ("target" in properties) properties["target"] = { type: "string", description: "Id of a plan or task." };
  for (const name of Object.keys(SAID_ONCE)) {
    const property = properties[name] as Schema | undefined;
    if (property && typeof property["type"] === "string") properties[name] = { type: property["type"] };
  }
  return lean({ ...schema, properties }) as Schema;
}

function lean(value: unknown, names = false): unknown {
  if (Array.isArray(value)) return value.map((item) => lean(item));
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key, item]) => (names ? !isSecondName(item) : !BOUNDS.has(key)));
  return Object.fromEntries(
    kept.map(([key, item]) => [
      key,
      !names && key === "anyOf" ? leanForms(item as Schema[]) : lean(item, !names && NAMED.has(key)),
    ]),
  );
}

/** The plain form comes first and is enough; of an object beside it a description says what goes in. */
function leanForms(forms: readonly Schema[]): unknown[] {
  const [plain, ...others] = forms.map((form) => lean(form) as Schema);
  return [plain, ...others.map((form) => (form["type"] === "object" ? withoutMembers(form) : form))];
}

function withoutMembers({ properties: _properties, required: _required, ...form }: Schema): Schema {
  return form;
}

function isSecondName(schema: unknown): boolean {
  const { description } = schema as { description?: unknown };
  return typeof description === "string" && description.startsWith("Another name for ");
}
