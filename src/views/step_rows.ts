/** Steps one by one, each with all that its closing depends on. */
import type { Checkpoint, Entity, ProofCheckpoint, ProofMode, Step } from "../state/entity.ts";
import { degreeShown, hasProof, missingCheckpoints, missingProofs, proofMode } from "../state/checkpoint.ts";
import type { Degree } from "../state/degree.ts";
import { CHECKPOINTS, PROOF_CHECKPOINTS } from "../state/entity.ts";
import type { JsonObject } from "../state/schema.ts";
import { waitsFor } from "../state/step_waits.ts";
import { preOrder } from "../state/tree.ts";
import { nodeRows } from "./node_rows.ts";
import { stepHead } from "./step_head.ts";
import type { StepHead } from "./step_head.ts";

export type StepRow = StepHead &
  ClosedFields & {
    block_reason: string | null;
    success_criteria: string[];
    tests: string[];
    blockers: string[];
    depends_on?: string[];
    waits_for?: string[];
    files?: string[];
    confirm?: Checkpoint[];
    confirmed: Checkpoint[];
    missing_checkpoints: Checkpoint[];
    missing_proofs: Checkpoint[];
    task_nodes?: JsonObject[];
  } & ProofFields;

/** How proof stands for each checkpoint that asks for it: `proof_tests_mode`, `proof_tests_present`. */
export type ProofFields = { [C in `proof_${ProofCheckpoint}_mode`]?: ProofMode } & {
  [C in `proof_${ProofCheckpoint}_degree`]?: Degree;
} & {
  [C in `proof_${ProofCheckpoint}_present`]?: boolean;
};

/** Live steps, parents first. */
export function stepRows(entity: Entity): StepRow[] {
  return [...preOrder(entity.children)].map((step) => stepRow(entity, step));
}

function stepRow(entity: Entity, step: Step): StepRow {
  return Object.assign(stepHead(step), {
    ...closedFields(step),
    block_reason: step.block_reason,
    success_criteria: [...step.success_criteria],
    tests: [...step.tests],
    blockers: [...step.blockers],
    ...waitFields(entity, step),
    ...(step.files.length === 0 ? {} : { files: [...step.files] }),
    ...(Object.keys(step.confirm).length === 0 ? {} : { confirm: CHECKPOINTS.filter((c) => step.confirm[c]) }),
    confirmed: CHECKPOINTS.filter((c) => step.confirmed[c]),
    missing_checkpoints: missingCheckpoints(step),
    missing_proofs: missingProofs(step),
    ...proofFields(entity, step),
    ...nodeRows(entity, step),
  });
}

/** When a closed step was closed, and by whom; null where its log does not tell. Nothing of an open step. */
export type ClosedFields = { done_at?: string | null; done_by?: string | null };

export function closedFields({ done, done_at, done_by }: Step): ClosedFields {
  return done ? { done_at, done_by } : {};
}

/** Ids of the steps that it depends on, and of those that it waits for now; nothing where there are none. */
export function waitFields(entity: Entity, step: Step): { depends_on?: string[]; waits_for?: string[] } {
  const waits = step.done ? [] : waitsFor(entity, step);
  return {
    ...(step.depends_on.length === 0 ? {} : { depends_on: [...step.depends_on] }),
    ...(waits.length === 0 ? {} : { waits_for: waits.map((other) => other.id) }),
  };
}

/** Nothing is said of a checkpoint that asks for no proof and has none. */
export function proofFields(entity: Entity, step: Step): ProofFields {
  const fields: ProofFields = {};
  for (const c of PROOF_CHECKPOINTS) {
    const present = hasProof(step, c);
    const mode = proofMode(step, c);
    if (mode === "off" && !present) continue;
    fields[`proof_${c}_mode`] = mode;
    fields[`proof_${c}_present`] = present;
    const degree = present ? degreeShown(entity, step, c) : undefined;
    if (degree !== undefined) fields[`proof_${c}_degree`] = degree;
  }
  return fields;
}
