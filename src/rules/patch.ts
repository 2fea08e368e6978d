/**
 * Patches (PATCH rules): ops on fields of a plan or task, of a step or of a task node. The ops are worked out on the
 * present values. The results go the way of the tool that sets those fields, with its checks and its events.
 */
import type { Draft } from "../events/define.ts";
import type { EditPatch } from "../events/edited.ts";
import type { IdOf, Ref, Step, Subject, TaskNode } from "../state/entity.ts";
import type { StepDefinition } from "./define_step.ts";
import { defineStep } from "./define_step.ts";
import { checkedDependencies, editedDrafts, refuseOtherKind } from "./edit_entity.ts";
import { DETAIL_FIELDS, NODE_FIELDS, STEP_FIELDS } from "./patch_fields.ts";
import type { Fields } from "./patch_fields.ts";
import type { PatchOp, Value } from "./patch_ops.ts";
import { idsIn, patchRefused, workOut } from "./patch_ops.ts";
import { stepIdsOf } from "./step_dependencies.ts";
import { stepOf } from "./step_of.ts";
import type { NodeFields } from "./task_node.ts";
import { defineNode, nodeOf } from "./task_node.ts";
import { checkJson, checkText, checkTitle, cleanList } from "./text.ts";

export const PATCH_KINDS = ["task_detail", "step", "task"] as const;
type PatchKind = (typeof PATCH_KINDS)[number];

export interface Patch {
  kind?: PatchKind;
  path?: string;
  step_id?: string;
  task_node_id?: string;
  ops: readonly PatchOp[];
}

/** The facts about other entities that a patch needs. */
export interface Others {
  refs: ReadonlyMap<string, Ref>;
  idOf: IdOf;
}

/** Ids of other entities that the ops bring in. */
export function refsOfPatch({ kind, path, step_id, ops }: Patch): string[] {
  // Those of a step are its siblings, and no refs.
  if (kind === "step" || path !== undefined || step_id !== undefined) return [];
  return ops.flatMap(({ op, field, value }) =>
    field === "depends_on" && (op === "set" || op === "append") ? idsIn(value) : [],
  );
}

/** The step or the task node that a patch is about; neither where it is about the whole. */
export function placeOf(subject: Subject, input: Patch): { step: Step | null; node: TaskNode | undefined } {
  const kind = kindOf(subject, input);
  return {
    step: kind === "step" ? stepOf(subject, input) : null,
    node: kind === "task" ? nodeOf(subject, input) : undefined,
  };
}

/** No draft where the ops change nothing (PATCH-4). */
export function patch(subject: Subject, input: Patch, others: Others): Draft[] {
  const { step, node } = placeOf(subject, input);
  if (step) {
    const ops = input.ops.map((one) => (one.field === "depends_on" ? withIds(subject, step, one) : one));
    const fields = changed(subject, { ...input, ops }, STEP_FIELDS, step);
    return isEmpty(fields) ? [] : defineStep(subject, step, fields as StepDefinition);
  }
  if (node) {
    const fields = changed(subject, input, NODE_FIELDS, node);
    return isEmpty(fields) ? [] : defineNode(subject, node, fields as NodeFields);
  }
  return patchDetail(subject, input, others);
}

/** Steps are kept by id: a path in an op is one way to name what is there. */
function withIds(subject: Subject, step: Step, op: PatchOp): PatchOp {
  if (op.op === "unset" || op.value === undefined) return op;
  const ids = idsIn(op.value);
  return ids.length === 0 ? op : { ...op, value: stepIdsOf(subject, step, ids) };
}

/** The selector decides the kind; a `kind` that contradicts it is refused. */
function kindOf(subject: Subject, { kind, path, step_id, task_node_id }: Patch): PatchKind {
  const node = task_node_id !== undefined || path?.includes(".t:") === true;
  const named: PatchKind = node ? "task" : path !== undefined || step_id !== undefined ? "step" : "task_detail";
  const both = task_node_id !== undefined && step_id !== undefined;
  // A kind without a selector is told by the selector's own refusal.
  const fits = kind === undefined || kind === named || (named === "task_detail" && kind !== "task_detail");
  if (fits && !both) return kind ?? named;
  throw patchRefused(
    subject,
    both
      ? "Expected a step or a task node, found step_id beside task_node_id."
      : `Expected a selector that goes with kind ${kind}, found one of ${named === "task" ? "a task node" : "a step"}.`,
    "Give path or step_id for a step, path or task_node_id for a task node, neither for the whole.",
  );
}

function changed(
  subject: Subject,
  { ops }: Patch,
  fields: Fields,
  present: { readonly $: string },
): Record<string, Value> {
  const found = present as unknown as Record<string, Value>;
  return workOut(subject, ops, fields, (field) => found[field]!, disputedIn(subject, present));
}

function disputedIn({ entity }: Subject, { $ }: { readonly $: string }): (field: string) => boolean {
  return (field) => entity.conflicts.has(`${$}${field}`);
}

function isEmpty(fields: object): boolean {
  return Object.keys(fields).length === 0;
}

function patchDetail(subject: Subject, { ops }: Patch, { refs, idOf }: Others): Draft[] {
  const { entity } = subject;
  for (const { field } of ops) refuseOtherKind(subject, field, DETAIL_FIELDS[field]?.only);
  // A dependency is what its id is now; the engine alone looks at times of writing.
  const before = new Map(entity.depends_on.map((ref) => [idOf(ref), ref]));
  const present = (field: string): Value =>
    field === "depends_on" ? [...before.keys()] : (entity as unknown as Record<string, Value>)[field]!;
  const values = workOut(subject, ops, DETAIL_FIELDS, present, disputedIn(subject, entity));
  if (isEmpty(values)) return [];
  const edit: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(values)) {
    if (field === "depends_on") {
      edit[field] = checkedDependencies(subject, value as string[], new Map([...refs, ...before]));
    } else edit[field] = checkedDetail(field, value);
  }
  return editedDrafts(subject, edit as EditPatch);
}

function checkedDetail(field: string, value: Value): Value {
  const { type } = DETAIL_FIELDS[field]!;
  if (value === null || type === "flag") return value;
  if (type === "list") return cleanList(value as string[], field);
  if (type === "json") return checkJson(value, field);
  return type === "line" ? checkTitle(value as string, field) : checkText(value as string, field);
}
