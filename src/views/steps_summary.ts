import type { Checkpoint, Entity, ProofCheckpoint, Step } from "../state/entity.ts";
import { missingCheckpoints, missingProofs } from "../state/checkpoint.ts";
import { isBlocked } from "../state/blocked_step.ts";
import { isDue } from "../state/step_waits.ts";
import { pathOf, postOrder } from "../state/tree.ts";
import type { ProofFields } from "./step_rows.ts";
import { proofFields } from "./step_rows.ts";

export type FirstOpen = {
  step_id: string;
  path: string;
  title: string;
  missing_checkpoints: Checkpoint[];
  missing_proofs: Checkpoint[];
  blocked: boolean;
} & ProofFields;

/** Counts over live steps. `missing_*` and `missing_proof_*` count open steps, and only what is required of them. */
export type StepsSummary = {
  total: number;
  open: number;
  completed: number;
  blocked: number;
  first_open: FirstOpen | null;
} & { [C in `missing_${Checkpoint}`]: number } & { [C in `missing_proof_${ProofCheckpoint}`]: number };

/** The steps of a task in numbers, with the one that is due (VIEW-2); null when there is none. */
export function stepsSummary(entity: Entity): StepsSummary | null {
  const count = { total: 0, open: 0, completed: 0, blocked: 0 };
  const checkpoints = { criteria: 0, tests: 0, security: 0, perf: 0, docs: 0 };
  const proofs = { criteria: 0, tests: 0, security: 0, perf: 0, docs: 0 };
  let first: Step | null = null;
  let due: Step | null = null;
  for (const step of postOrder(entity.children)) {
    count.total++;
    if (step.done) {
      count.completed++;
      continue;
    }
    count.open++;
    if (isBlocked(step)) count.blocked++;
    for (const c of missingCheckpoints(step)) checkpoints[c]++;
    for (const c of missingProofs(step)) proofs[c]++;
    first ??= step;
    if (!due && isDue(entity, step)) due = step;
  }
  if (count.total === 0) return null;
  return {
    ...count,
    missing_criteria: checkpoints.criteria,
    missing_tests: checkpoints.tests,
    missing_security: checkpoints.security,
    missing_perf: checkpoints.perf,
    missing_docs: checkpoints.docs,
    missing_proof_tests: proofs.tests,
    missing_proof_security: proofs.security,
    missing_proof_perf: proofs.perf,
    missing_proof_docs: proofs.docs,
    first_open: first && firstOpenOf(entity, due ?? first),
  };
}

function firstOpenOf(entity: Entity, step: Step): FirstOpen {
  return {
    step_id: step.id,
    path: pathOf(step),
    title: step.title,
    missing_checkpoints: missingCheckpoints(step),
    missing_proofs: missingProofs(step),
    blocked: step.blocked,
    ...proofFields(entity, step),
  };
}
