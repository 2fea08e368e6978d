/** The fields of a node that `task.node_added` and `task.node_defined` may give, and how they go into one. */
import { STATUSES } from "../state/entity.ts";
import { NODE_ID_PATTERN } from "../state/ids.ts";
import type { Infer } from "../state/schema.ts";
import { list, oneOf, openObject, optional, orNull, text } from "../state/schema.ts";
import type { NodeBody } from "../state/entity.ts";

export const nodeId = text({ pattern: NODE_ID_PATTERN });

/** Everything but the title, which a new node has to have. */
export const nodeDetails = {
  status: optional(oneOf(STATUSES)),
  priority: optional(text()),
  description: optional(text()),
  context: optional(orNull(text())),
  success_criteria: optional(list(text())),
  next_steps: optional(list(text())),
  blockers: optional(list(text())),
  dependencies: optional(list(text())),
  problems: optional(list(text())),
  risks: optional(list(text())),
};

const details = openObject(nodeDetails);
const FIELDS = ["title", ...Object.keys(nodeDetails)] as (keyof NodeBody)[];

/** The fields that a payload gives, and no others. */
export function bodyOf(payload: { title?: string } & Infer<typeof details>): Partial<NodeBody> {
  return Object.fromEntries(FIELDS.filter((f) => payload[f] !== undefined).map((f) => [f, payload[f]]));
}
