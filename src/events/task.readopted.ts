import type { Entity } from "../state/entity.ts";
import type { Infer } from "../state/schema.ts";
import { list, openObject, optional, text } from "../state/schema.ts";
import { config, evidenceEntry, gates, readFiles, roster, takeEvidence, takeGates, takeRoster } from "./adopted.ts";
import { defineEvent } from "./define.ts";
import { message } from "./parts.ts";
import { Writer } from "./writer.ts";

const payload = openObject({
  title: optional(text()),
  description: optional(text()),
  config: optional(config),
  roster,
  gates,
  evidence: list(evidenceEntry),
  updated_at: text(),
  files: readFiles,
  message,
});

export const taskReadopted = defineEvent({
  type: "task.readopted",
  doc: "Changes that another program made in task.yaml and in the evidence index were taken in: fields that it knows of, never steps, checkpoints or status.",
  payload,
  undoable: false,
  undo: "Cannot be undone; edit what should be otherwise.",
  apply: (entity, p, _fact, w) => takeIn(entity, p, w),
});

/** Returns the entity as such an event leaves it; `entity` stays as it is. */
export function withReadopted(entity: Entity, p: Infer<typeof payload>): Entity {
  const { agents, gates: known, evidence } = entity;
  const taken = { ...entity, agents: new Map(agents), gates: new Map(known), evidence: [...evidence] };
  takeIn(taken, p, new Writer());
  return taken;
}

function takeIn(entity: Entity, p: Infer<typeof payload>, w: Writer): void {
  if (p.title !== undefined) w.write(entity, "title", p.title);
  if (p.description !== undefined) w.write(entity, "description", p.description);
  if (p.config !== undefined) w.write(entity, "config", p.config);
  takeRoster(entity, p.roster, p.updated_at, w);
  takeGates(entity, p.gates, p.updated_at, w);
  takeEvidence(entity, p.evidence, w);
  if (p.updated_at > (entity.taken_until ?? "")) w.writeUntracked(entity, "taken_until", p.updated_at);
}
