/** A compact slice of a plan or task for programs outside (VIEW-18). */
import type { Warning } from "../errors.ts";
import { missingCheckpoints, missingProofs } from "../state/checkpoint.ts";
import type { Entity, Step, Subject } from "../state/entity.ts";
import { BEFORE_ALL_TIMES } from "../state/first_ready.ts";
import { holding } from "../state/lease.ts";
import type { JsonObject } from "../state/schema.ts";
import { shownStatus } from "../state/status.ts";
import { pathOf, preOrder } from "../state/tree.ts";
import { checklistOf } from "./checklist.ts";
import type { RowContext } from "./context.ts";
import { taskRow } from "./context.ts";
import { endedFields } from "./ended_fields.ts";
import { nodeRows } from "./node_rows.ts";
import { pageOf } from "./page.ts";
import { closedFields, waitFields } from "./step_rows.ts";
import { stepHead } from "./step_head.ts";

export interface MirrorInput {
  limit?: number;
  cursor?: number;
}

/** `within`: only this step and what is below it. `tasks`: live tasks of a plan. */
export function mirrorOf(
  subject: Subject,
  within: Step | null,
  tasks: () => readonly Subject[],
  context: RowContext & { now: string | undefined },
  input: MirrorInput,
): { result: JsonObject; warnings: Warning[] } {
  const { id, entity } = subject;
  const { title, contract, contract_data } = entity;
  const whole = { title, status: shownStatus(subject), ...endedFields(subject) };
  const scope = { id, kind: entity.kind, ...(within ? { path: pathOf(within), step_id: within.id } : {}) };
  const names = { name: "limit", more: "pagination" };
  if (entity.kind === "plan") {
    const { items, pagination, warnings } = pageOf(tasks(), input, names);
    const plan = { ...whole, contract, contract_data, ...checklistOf(entity) };
    return { result: { scope, plan, tasks: items.map((s) => taskRow(s, context)), pagination }, warnings };
  }
  const { items, pagination, warnings } = pageOf([...preOrder(within ? [within] : entity.children)], input, names);
  return {
    result: { scope, task: whole, steps: items.map((step) => stepRow(entity, step, context.now)), pagination },
    warnings,
  };
}

function stepRow(entity: Entity, step: Step, now = BEFORE_ALL_TIMES): JsonObject {
  const lease = holding(step, now);
  return Object.assign(stepHead(step), {
    ...closedFields(step),
    ...(lease ? { lease: { ...lease } } : {}),
    ...waitFields(entity, step),
    ...(step.block_reason === null ? {} : { block_reason: step.block_reason }),
    ...(step.done
      ? {}
      : {
          missing_checkpoints: missingCheckpoints(step),
          missing_proofs: missingProofs(step),
          blockers: step.blockers,
        }),
    ...nodeRows(entity, step),
  });
}
