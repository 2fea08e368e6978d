import type { Checkpoint, ProofCheckpoint } from "../state/checkpoint.ts";
import { missingCheckpoints, missingProofs } from "../state/checkpoint.ts";
import type { Entity } from "../state/entity.ts";
import { pathOf, postOrder } from "../state/tree.ts";

export type FirstOpen = {
  step_id: string;
  path: string;
  title: string;
  missing_checkpoints: Checkpoint[];
  missing_proofs: ProofCheckpoint[];
  blocked: boolean;
};

/** Counts over live steps. `missing_*` and `missing_proof_*` count open steps, and only what is required of them. */
export type StepsSummary = {
  total: number;
  open: number;
  completed: number;
  blocked: number;
  first_open: FirstOpen | null;
} & { [C in `missing_${Checkpoint}`]: number } & { [C in `missing_proof_${ProofCheckpoint}`]: number };

/** The steps of a task in numbers, with the one that is due (VIEW-2, VIEW-3); null when there is none. */
export function stepsSummary(entity: Entity): StepsSummary | null {
  const summary: StepsSummary = {
    total: 0,
    open: 0,
    completed: 0,
    blocked: 0,
    missing_criteria: 0,
    missing_tests: 0,
    missing_security: 0,
    missing_perf: 0,
    missing_docs: 0,
    missing_proof_tests: 0,
    missing_proof_security: 0,
    missing_proof_perf: 0,
    missing_proof_docs: 0,
    first_open: null,
  };
  for (const step of postOrder(entity.children)) {
    summary.total++;
    if (step.done) {
      summary.completed++;
      continue;
    }
    summary.open++;
    if (step.blocked) summary.blocked++;
    const checkpoints = missingCheckpoints(step);
    const proofs = missingProofs(step);
    for (const c of checkpoints) summary[`missing_${c}`]++;
    for (const c of proofs) summary[`missing_proof_${c}`]++;
    summary.first_open ??= {
      step_id: step.id,
      path: pathOf(step),
      title: step.title,
      missing_checkpoints: checkpoints,
      missing_proofs: proofs,
      blocked: step.blocked,
    };
  }
  return summary.total === 0 ? null : summary;
}
