import type { Entity } from "../state/entity.ts";
import { KINDS, TOPOLOGIES } from "../state/entity.ts";
import { newEntity } from "../state/new_entity.ts";
import type { ProofModes } from "../state/proof_modes.ts";
import { json, oneOf, openObject, optional, orNull, text } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { message, ref } from "./parts.ts";
import { proofModes } from "./steps.added.ts";

export const taskCreated = defineEvent({
  type: "task.created",
  doc: "A plan or a task exists from here on; always the first event of its log.",
  payload: openObject({
    kind: oneOf(KINDS),
    title: text(),
    description: text(),
    topology: oneOf(TOPOLOGIES),
    parent: orNull(ref),
    contract: orNull(text()),
    contract_data: json(),
    /** Of a plan: proof modes of steps of its tasks that name none. */
    proof: optional(proofModes),
    message,
  }),
  undoable: false,
  undo: "Cannot be undone: an entity is deleted, not unmade.",
  found: (p, fact): Entity => ({
    ...newEntity({
      root: fact.hash,
      kind: p.kind,
      created_at: fact.ts,
      created_by: fact.by,
      updated_at: fact.ts,
      title: p.title,
      description: p.description,
      topology: p.topology,
    }),
    contract: p.contract,
    contract_data: p.contract_data,
    parent: p.parent,
    ...(p.proof === undefined ? {} : { proof: p.proof as ProofModes }),
  }),
  apply: () => undefined,
});
