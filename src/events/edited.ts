/** The patch that `plan.edited` and `task.edited` share: only the fields named in it change. */
import type { Entity } from "../state/entity.ts";
import { boolean, json, list, openObject, optional, orNull, text } from "../state/schema.ts";
import type { Infer } from "../state/schema.ts";
import { ref } from "./parts.ts";
import { proofModes } from "./steps.added.ts";
import type { Writer } from "./writer.ts";

export const editPatch = openObject({
  title: optional(text()),
  description: optional(text()),
  context: optional(orNull(text())),
  priority: optional(text()),
  tags: optional(list(text())),
  depends_on: optional(list(ref)),
  domain: optional(orNull(text())),
  phase: optional(orNull(text())),
  component: optional(orNull(text())),
  assignee: optional(orNull(text())),
  /** Null: as the plan says. */
  complete_when_done: optional(orNull(boolean())),
  contract: optional(orNull(text())),
  contract_data: optional(json()),
  /** Of a plan: proof modes of steps of its tasks that name none. */
  proof: optional(proofModes),
});

export type EditPatch = Infer<typeof editPatch>;

const FIELDS = Object.keys(editPatch.properties) as (keyof EditPatch)[];

export function applyPatch(entity: Entity, patch: EditPatch, w: Writer): void {
  for (const field of FIELDS) {
    const value = patch[field];
    if (value !== undefined) w.write(entity, field, value as never);
  }
}
