import { describe, expect, it } from "vitest";
import { generatedTypes } from "../scripts/generated_types.mjs";
import { EVENTS } from "../src/events/index.ts";
import { cut } from "../src/state/schema.ts";
import { TOOLS } from "../src/tools/index.ts";
import { wholeOutput } from "../src/tools/output.ts";

const text = { type: "string", description: "A text." };
const object = (properties: object, required = Object.keys(properties)): object => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const step = object({ title: text, tests: { type: "array", items: text, description: "Tests." } }, ["title"]);
const tool = {
  name: "tasks_try",
  doc: "Try it.\nMore.",
  input: object(
    { workspace: text, steps: { type: "array", items: step }, kind: { enum: ["a", "b"], description: "K." } },
    ["workspace"],
  ),
  output: object({
    step,
    title: { anyOf: [{ type: "string" }, { type: "null" }] },
    details: { type: "object" },
    value: {},
    counts: { type: "object", additionalProperties: { type: "integer" } },
  }),
};
const event = { type: "step.tried", printed: "step_tried", doc: "A step was tried.", payload: object({ note: text }) };

function typesOf(): [string, string] {
  const files = generatedTypes({ tools: { tasks_try: tool }, events: { "step.tried": event }, wholeOutput });
  return [files.get("src/tools/generated/tool_types.ts") ?? "", files.get("src/events/generated/event_types.ts") ?? ""];
}

/** The interfaces of a file, with what each extends, its fields, and those with a doc comment. */
function interfacesIn(file: string): Map<string, { bases: string[]; fields: string[]; told: Set<string> }> {
  const found = [...file.matchAll(/^export interface (\w+)(?: extends ([\w, ]+))? \{\n([^}]*)\n\}/gm)];
  return new Map(
    found.map(([, name = "", bases = "", body = ""]) => [
      name,
      {
        bases: bases === "" ? [] : bases.split(", "),
        fields: [...body.matchAll(/^ {2}(\w+)\??:/gm)].map(([, field = ""]) => field),
        told: new Set([...body.matchAll(/^ {2}\/\*\* .+ \*\/\n {2}(\w+)\??:/gm)].map(([, field = ""]) => field)),
      },
    ]),
  );
}

describe("generated types", () => {
  it("[TOOL-104] are one interface for each shape, with a doc comment for each field", () => {
    const [tools] = typesOf();
    expect(tools).toContain(
      "/** Input of `tasks_try`. Try it. */\nexport interface TasksTryInput {\n  /** A text. */\n  workspace: string;\n",
    );
    expect(tools).toContain("  steps?: StepInput[];\n");
    expect(tools).toContain('  kind?: "a" | "b";\n');
    expect(tools).toContain("export interface StepInput {\n  /** A text. */\n  title: string;\n");
    expect(tools).toContain("  step: StepInput;\n");
    expect(tools).toContain("  title: string | null;\n");
    expect(tools).toContain("  details: JsonObject;\n");
    expect(tools).toContain("  value: Json;\n");
    expect(tools).toContain("  counts: Record<string, number>;\n");
    expect(tools).toContain("export interface ToolInputs {\n  /** Try it. */\n  tasks_try: TasksTryInput;\n}");
  });

  it("[TOOL-80] are one interface for each event, told apart by its type", () => {
    const [, events] = typesOf();
    expect(events).toContain("/** A step was tried. */\nexport interface StepTriedEvent {\n");
    expect(events).toContain('  type: "step_tried";\n');
    expect(events).toContain("  /** A text. */\n  note: string;\n");
    expect(events).toContain("export type TaskfoldEvent =\n  | StepTriedEvent;");
  });

  it("[TOOL-104] say which field has no doc, and which event a field of every event's name", () => {
    const bare = { ...tool, output: object({ zzz: { type: "string" } }) };
    expect(() => generatedTypes({ tools: { tasks_try: bare }, events: {}, wholeOutput })).toThrow("result.zzz");
    const clash = { ...event, payload: object({ by: text }) };
    expect(() => generatedTypes({ tools: {}, events: { "step.tried": clash }, wholeOutput })).toThrow("by");
  });

  it("[TOOL-104] have a doc comment before every field and every type of ours", () => {
    for (const file of generatedTypes({ tools: TOOLS, events: EVENTS, wholeOutput }).values()) {
      const interfaces = interfacesIn(file);
      const isTold = (name: string, field: string): boolean => {
        const { bases, told } = interfaces.get(name)!;
        return told.has(field) || bases.some((base) => isTold(base, field));
      };
      const bare = [...interfaces].flatMap(([name, { fields }]) =>
        fields.filter((field) => !isTold(name, field)).map((field) => `${name}.${field}`),
      );
      expect(bare).toEqual([]);
      expect(file).not.toContain("/**  */");
    }
  });

  it("[TOOL-80] a whole answer extends the one that may be cut, and has again what is otherwise in it", () => {
    const inner = object({ title: cut(text) }, []);
    const members = { kind: text, inner, others: { type: "array", items: inner }, either: { anyOf: [inner, text] } };
    const told = Object.entries(members).map(([name, one]) => [name, cut({ ...one, description: "A member." })]);
    const output = object(Object.fromEntries(told), []);
    const types = generatedTypes({ tools: { tasks_try: { ...tool, output } }, events: {}, wholeOutput });
    const file = types.get("src/tools/generated/tool_types.ts") ?? "";
    expect(file).toContain(
      "export interface TasksTryWhole extends TasksTryResult {\n  kind: string;\n  inner: TasksTryWholeInner;\n" +
        "  others: TasksTryWholeInner[];\n  either: TasksTryWholeInner | string;\n}",
    );
    expect(file).toContain("export interface TasksTryWholeInner extends TasksTryInner {\n  title: string;\n}");
    expect(file).toContain("export interface WholeResults extends ToolResults {\n  tasks_try: TasksTryWhole;\n}");
  });
});
