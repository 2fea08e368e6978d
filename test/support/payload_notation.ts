/** Payload schemas in the notation of spec/events.md: one line for each type. */
import { PROOF_MODES } from "../../src/state/entity.ts";
import { STAGES } from "../../src/state/packet.ts";
import { EVENTS } from "../../src/events/index.ts";

interface Plain {
  type?: string;
  enum?: readonly string[];
  anyOf?: Plain[];
  items?: Plain;
  properties?: Record<string, Plain>;
  required?: readonly string[];
  pattern?: string;
  additionalProperties?: Plain | false;
}

const WORDS: Record<string, string> = { string: "text", integer: "int", boolean: "flag", null: "null" };

export function payloadLines(): string[] {
  return Object.values(EVENTS).map(({ type, payload }) => {
    const { properties, required } = payload as Plain;
    const { message: _, ...own } = properties!;
    return `${type} ${members(own, required!)}`;
  });
}

function members(properties: Record<string, Plain>, required: readonly string[]): string {
  const each = Object.entries(properties).map(
    ([key, schema]) => `${key}${required.includes(key) ? "" : "?"}: ${notation(schema)}`,
  );
  return each.length === 0 ? "{}" : `{ ${each.join(", ")} }`;
}

function notation(schema: Plain): string {
  if (schema.anyOf) return schema.anyOf.map(notation).join(" | ");
  if (schema.enum === STAGES) return "STAGE";
  if (schema.enum === PROOF_MODES) return "MODE";
  if (schema.enum) return schema.enum.map((word) => `"${word}"`).join(" | ");
  if (schema.pattern !== undefined) return /[A-Z]{4}/.exec(schema.pattern)?.[0] ?? "text";
  if (schema.type === "array") return `[${notation(schema.items!)}]`;
  if (schema.additionalProperties) return `{ <name>: ${notation(schema.additionalProperties)} }`;
  if (schema.type === "object") return schema.properties ? members(schema.properties, schema.required!) : "object";
  return WORDS[schema.type ?? ""] ?? "json";
}
