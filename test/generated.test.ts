import { describe, expect, it } from "vitest";
import { generatedFiles } from "../scripts/generated.mjs";
import { toolsPage } from "../scripts/pages.mjs";

const tool = {
  name: "tasks_block",
  doc: "Block or unblock a step.",
  input: {
    type: "object",
    additionalProperties: false,
    required: ["workspace"],
    properties: {
      workspace: { type: "string", description: "The workspace's id." },
      blocked: { type: "boolean", default: true },
      kind: { enum: ["a", "b"] },
      tags: { type: "array", items: { type: "string" }, maxItems: 8 },
      target: { discriminator: { propertyName: "kind" }, oneOf: [{ type: "string" }, { type: "object" }] },
      discriminator: { type: "string" },
    },
  },
  output: { type: "object", properties: { task: { type: "string" }, more: {} }, required: ["task"] },
  examples: [{ workspace: "acme/repo", blocked: false }],
  effect: "write",
};
const event = {
  type: "step.blocked",
  doc: "A step is blocked.",
  payload: { type: "object" },
  undo: "Restores the earlier mark.",
};
const replyOf = (result: object): object => ({ type: "object", properties: { result } });
const packet = { manifest: { doc: "A manifest.", schema: { type: "object" } } };
const files = generatedFiles({ tools: { tasks_block: tool }, events: { "step.blocked": event }, packet, replyOf });

function parsed(path: string): Record<string, unknown> {
  return JSON.parse(files.get(path) ?? "null") as Record<string, unknown>;
}

describe("generated files", () => {
  it("are one schema per tool, event and kind of file", () => {
    expect([...files.keys()]).toEqual([
      "schemas/tools/tasks_block.json",
      "schemas/tools/tasks_block.output.json",
      "schemas/events/step.blocked.json",
      "schemas/packet/manifest.json",
    ]);
  });

  it("say the whole answer of a tool, and the members of its result", () => {
    expect(parsed("schemas/tools/tasks_block.output.json")).toMatchObject({
      title: "tasks_block",
      type: "object",
      properties: { result: tool.output },
    });
    expect(toolsPage([tool])).toContain("Result: `{ task, more? }`.");
  });

  it("are JSON Schema 2020-12 with title and description", () => {
    expect(parsed("schemas/tools/tasks_block.json")).toMatchObject({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      title: "tasks_block",
      description: "Block or unblock a step.",
      required: ["workspace"],
    });
    expect(parsed("schemas/events/step.blocked.json")["description"]).toBe(
      "A step is blocked. Undo: Restores the earlier mark.",
    );
  });

  it("leave out the keyword that is Ajv's own, and keep a property of that name", () => {
    const properties = parsed("schemas/tools/tasks_block.json")["properties"] as Record<string, unknown>;
    expect(properties["target"]).toEqual({ oneOf: [{ type: "string" }, { type: "object" }] });
    expect(properties["discriminator"]).toEqual({ type: "string" });
  });

  it("tell people once of an input that many tools take in the same words", () => {
    const page = toolsPage(Array.from({ length: 8 }, (_, n) => ({ ...tool, name: `tool_${n}` })));
    expect(page.split("The workspace's id.").length).toBe(2);
    expect(page).toContain(
      "## tool_0\n\nBlock or unblock a step.\n\nEffect: write.\n\n[As many tools](#inputs-of-many-tools): `workspace`,",
    );
  });

  it("tell people the input and an example", () => {
    const page = toolsPage([tool]);
    expect(page).toContain("| [`tasks_block`](#tasks_block) | Block or unblock a step. |");
    expect(page).toContain("## tasks_block\n\nBlock or unblock a step.\n\nEffect: write.\n");
    expect(page).toContain("| `workspace` | string | yes | The workspace's id. |");
    expect(page).toContain("| `blocked` | boolean |  | Default true. |");
    expect(page).toContain('| `kind` | "a" \\| "b" |  |  |');
    expect(page).toContain("| `tags` | string[] |  | (items at most 8) |");
    expect(page).toContain('```json\n{ "workspace": "acme/repo", "blocked": false }\n```');
  });
});
