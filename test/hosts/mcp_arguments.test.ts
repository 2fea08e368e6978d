import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { argumentsTaken } from "../../src/hosts/mcp/arguments.ts";
import { LINE_LIMITS } from "../../src/hosts/mcp/bounded_lines.ts";
import { TOOLS } from "../../src/index.ts";
import { newTask, ok, openTemp, WORKSPACE } from "../support/workspace.ts";
import { callTool, connect } from "./mcp_support.ts";
import { ROTATING } from "../support/sweep.ts";

type Schema = { [key: string]: unknown };
type Input = Record<string, unknown>;

const ajv = new Ajv2020({ strict: false });
const validators = new WeakMap<object, (value: unknown) => boolean>();
/** Whether a schema takes a value, in the words of another program than the one under test. */
function takes(schema: Schema, value: unknown): boolean {
  if (!validators.has(schema)) validators.set(schema, ajv.compile(schema));
  return validators.get(schema)!(value);
}

/** Forms of a schema, a union's each. */
const formsOf = (schema: Schema): Schema[] =>
  schema["anyOf"] ? (schema["anyOf"] as Schema[]).flatMap(formsOf) : [schema];

/** Some value of a schema: of an object what is required. */
function sample(schema: Schema): unknown {
  const [{ type, enum: values, properties = {}, required = [], items, minItems = 0, minimum = 1 }] = formsOf(
    schema,
  ) as [Schema];
  if (values) return (values as unknown[])[0];
  switch (type) {
    case "object":
      return Object.fromEntries(
        (required as string[]).map((key) => [key, sample((properties as Record<string, Schema>)[key]!)]),
      );
    case "array":
      return Array.from({ length: Math.max(1, minItems as number) }, () => sample(items as Schema));
    case "integer":
      return minimum;
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return "x";
  }
}

interface Variant {
  /** Where in the input the member is. */
  at: string;
  of: Schema;
  /** Puts a value there; without one the member is left out. */
  make: (...value: [] | [unknown]) => unknown;
  isOptional: boolean;
}

/** Each member of a schema's objects, at every depth. */
function variants(schema: Schema): Variant[] {
  return formsOf(schema).flatMap((form): Variant[] => {
    if (form["items"]) {
      return variants(form["items"] as Schema).map((one) => ({
        ...one,
        at: `[].${one.at}`,
        make: (...v) => [one.make(...v)],
      }));
    }
    const properties = (form["properties"] ?? {}) as Record<string, Schema>;
    const base = sample(form) as Input;
    return Object.entries(properties).flatMap(([key, of]): Variant[] => {
      const { [key]: _own, ...others } = base;
      const make: Variant["make"] = (...value) => (value.length === 0 ? others : { ...others, [key]: value[0] });
      const isOptional = !((form["required"] ?? []) as string[]).includes(key);
      const inner = variants(of).map((one) => ({
        ...one,
        at: `${key}.${one.at}`,
        make: (...v: [] | [unknown]) => make(one.make(...v)),
      }));
      return [{ at: key, of, make, isOptional }, ...inner];
    });
  });
}

const ALL = Object.values(TOOLS).flatMap(({ name, input }) =>
  variants(input as unknown as Schema).map((one) => ({ ...one, name })),
);

describe("arguments of every tool", () => {
  it("[MCP-73] null is left out where an input is optional, and stays where the schema takes it or needs the input", () => {
    const optional = ALL.filter(({ isOptional }) => isOptional);
    expect(optional.filter(({ at }) => !at.includes(".")).length).toBeGreaterThan(560);
    for (const { name, at, of, make, isOptional } of ALL) {
      const stays = !isOptional || takes(of, null);
      expect(argumentsTaken(name, make(null) as Input), `${name} ${at}`).toEqual(stays ? make(null) : make());
    }
  });

  it("[MCP-73] an example with null for all that it leaves out is the example", () => {
    for (const { name, input, examples } of Object.values(TOOLS)) {
      const { properties, required = [] } = input as unknown as {
        properties: Record<string, Schema>;
        required?: string[];
      };
      const nulls = Object.keys(properties).filter((key) => !required.includes(key) && !takes(properties[key]!, null));
      for (const example of examples as Input[]) {
        const given = { ...Object.fromEntries(nulls.map((key) => [key, null])), ...example };
        expect(argumentsTaken(name, given), name).toEqual(example);
      }
    }
  });

  it("[MCP-73] the JSON text of a list or an object is taken where no text would do, and nowhere else", () => {
    let count = 0;
    for (const { name, at, of, make } of ALL) {
      const form = formsOf(of).find(({ type }) => type === "array" || type === "object");
      if (!form) continue;
      count++;
      const value = sample(form);
      const given = make(JSON.stringify(value)) as Input;
      const isText =
        takes(of, "x") || takes(of, JSON.stringify(value)) || formsOf(of).some(({ type }) => type === "string");
      expect(argumentsTaken(name, given), `${name} ${at}`).toEqual(isText ? given : make(value));
    }
    expect(count).toBeGreaterThan(100);
  });

  it("[MCP-73] another text stays for the engine to refuse", () => {
    for (const tags of ["a, b", "[", '{"a":1}', '"a"', "null", " "]) {
      const given = { workspace: WORKSPACE, title: "t", tags };
      expect(argumentsTaken("tasks_create", given)).toEqual(given);
    }
    const tags = `[${"1,".repeat(LINE_LIMITS.values)}1]`;
    expect(argumentsTaken("tasks_create", { tags })["tags"]).toBe(tags);
  });

  it("[MCP-73] an empty text selects nothing where a selector is optional", () => {
    const selectors = new Set(["task", "plan", "target", "parent", "path", "step_id", "task_node_id", "category"]);
    const found = new Set<string>();
    for (const { name, at, of, make, isOptional } of ALL) {
      if (!formsOf(of).some(({ type }) => type === "string")) continue;
      const last = at.split(".").at(-1)!;
      // A path of a file is evidence and no selector.
      const isSelector = isOptional && selectors.has(last) && !/(items|artifacts)\.\[\]\.path$/.test(at);
      if (isSelector) found.add(last);
      const isDropped = isSelector && !["tasks_delete", "tasks_task_delete"].includes(name);
      expect(argumentsTaken(name, make("") as Input), `${name} ${at}`).toEqual(isDropped ? make() : make(""));
    }
    expect(found).toEqual(selectors);
  });

  it("[MCP-73] an empty text never makes a call delete more than it names", ROTATING, async () => {
    const ws = openTemp();
    const id = await newTask(ws);
    await ok(ws, "tasks_focus_set", { target: id });
    const client = await connect(ws.root, { args: ["--workspace", WORKSPACE] });
    for (const args of [{ task: id, path: "" }, { task: id, step_id: "" }, { task: "" }, { target: "", plan: null }]) {
      const given = { workspace: WORKSPACE, ...args };
      const operations = [{ tool: "tasks_delete", args }];
      for (const reply of [
        await callTool(client, "tasks_delete", given),
        await callTool(client, "tasks_batch", { workspace: WORKSPACE, operations }),
        await ws.callTool("tasks_delete", given as never),
      ])
        expect(reply.success, JSON.stringify(args)).toBe(false);
    }
    const { error, suggestions } = await callTool(client, "tasks_delete", { workspace: WORKSPACE, task: id, path: "" });
    expect(error).toMatchObject({ code: "INVALID_INPUT", message: `Expected path to name a step of ${id}, found "".` });
    expect(error!.recovery).toContain(`Leave path out to mean all of ${id}`);
    expect(suggestions).toMatchObject([{ tool: "tasks_radar" }]);
    // Null is left out, as everywhere.
    const whole = { workspace: WORKSPACE, task: id, path: null, step_id: null };
    expect(await callTool(client, "tasks_delete", whole)).toMatchObject({ success: true, result: { deleted: true } });
  });

  it("[MCP-73] holds for each operation of a batch", () => {
    const args = { task: "TASK-001", path: "", step_id: null, note: "n" };
    const operations = [{ tool: "tasks_note", args }, { tool: "no_tool", args }, null];
    const given = { workspace: WORKSPACE, operations, atomic: null };
    const { path: _path, step_id: _id, ...kept } = args;
    const expected = [{ tool: "tasks_note", args: kept }, { tool: "no_tool", args }, null];
    const named = { operations: [{ name: "tasks_note", arguments: args, tool: null }] };
    expect(argumentsTaken("tasks_batch", named)).toEqual({ operations: [{ name: "tasks_note", arguments: kept }] });
    expect(argumentsTaken("tasks_batch", given)).toEqual({ workspace: WORKSPACE, operations: expected });
    expect(argumentsTaken("tasks_batch", { operations: JSON.stringify([operations[0]]) })).toEqual({
      operations: [expected[0]],
    });
  });

  it("[MCP-73] the server takes them, and null clears in an edit", ROTATING, async () => {
    const ws = openTemp();
    await newTask(ws);
    const client = await connect(ws.root, { args: ["--workspace", WORKSPACE] });
    const made = await callTool(client, "tasks_create", {
      workspace: WORKSPACE,
      title: "all of it",
      kind: "task",
      parent: null,
      priority: null,
      tags: '["a","b"]',
      description: "text",
      steps: '[{"title":"s","success_criteria":["c"],"tests":null}]',
    });
    const id = made.result!["id"] as string;
    expect(await callTool(client, "tasks_snapshot", { workspace: null, task: id, max_chars: null })).toMatchObject({
      success: true,
    });
    await callTool(client, "tasks_note", { workspace: WORKSPACE, task: id, path: "", step_id: null, note: "n" });
    const done = { workspace: WORKSPACE, task: id, path: "s:0", checkpoints: '{"criteria":{"confirmed":true}}' };
    expect(await callTool(client, "tasks_close_step", done)).toMatchObject({ success: false });
    await callTool(client, "tasks_edit", {
      workspace: WORKSPACE,
      task: id,
      description: null,
      title: null,
      tags: null,
    });
    const { target, detail, step_list, timeline } = await ok(ws, "tasks_resume", { task: id });
    expect(target).toMatchObject({ title: "all of it" });
    expect(detail).toMatchObject({ description: "", tags: ["a", "b"] });
    expect(step_list).toMatchObject([{ title: "s", success_criteria: ["c"] }]);
    expect((timeline as { events: unknown[] }).events).toContainEqual(
      expect.objectContaining({ note: "n", step_id: null }),
    );
  });
});
