/** Patches and completion in one op (CLOSE rules), or what they would come to. */
import { isTaskfoldError, TaskfoldError } from "../errors.ts";
import type { Warning } from "../errors.ts";
import { remedyOf } from "../remedy.ts";
import type { Draft } from "../events/define.ts";
import { changesOf } from "../events/history.ts";
import { Trial } from "../events/trial.ts";
import type { Change } from "../events/writer.ts";
import type { Checkpoint, IdOf, Ref, Status, Subject } from "../state/entity.ts";
import { missingCheckpoints, missingProofs } from "../state/checkpoint.ts";
import { partsOf } from "../state/live.ts";
import { sortedJson } from "../state/json.ts";
import type { Json } from "../state/schema.ts";
import { shownStatus } from "../state/status.ts";
import { nodePath } from "../state/task_node.ts";
import { pathOf, postOrder } from "../state/tree.ts";
import { completeEntity, unmet } from "./complete_entity.ts";
import type { Others, Patch } from "./patch.ts";
import { patch } from "./patch.ts";
import type { Around } from "./work_begun.ts";

export type Difference = { target: string; field: string; before: Json; after: Json };

export type OpenStep = {
  step_id: string;
  path: string;
  title: string;
  missing_checkpoints: Checkpoint[];
  missing_proofs: Checkpoint[];
};

/** The effect that closing would have. */
export interface Outlook {
  diff: Difference[];
  /** Why it would be refused; nothing when it would go through. */
  unmet: TaskfoldError[];
  open_steps: OpenStep[];
}

export type CloseContext = Others & Around;

/** Throws what `tasks_complete` would, judged after the patches. */
export function closeTask(
  subject: Subject,
  patches: readonly Patch[],
  context: CloseContext,
): { drafts: Draft[]; warnings: Warning[] } {
  return tried(subject, patches, context, (patched) => {
    const { drafts, warnings } = completeEntity(subject, "DONE", undefined, context);
    return { drafts: [...patched, ...drafts], warnings };
  });
}

/** The same without changing anything. Patches that cannot be applied are refused here, too. */
export function outlook(subject: Subject, patches: readonly Patch[], context: CloseContext): Outlook {
  const status = shownStatus(subject);
  return tried(subject, patches, context, (_patched, trial) => {
    const why = [...unmet(subject, context)];
    if (why.length === 0) trial.apply(completeEntity(subject, "DONE", undefined, context).drafts);
    const open = [...postOrder(subject.entity.children)].filter((step) => !step.done);
    return {
      diff: differences(subject, trial.record, status, context.idOf),
      unmet: why,
      open_steps: open.map((step) => ({
        step_id: step.id,
        path: pathOf(step),
        title: step.title,
        missing_checkpoints: missingCheckpoints(step),
        missing_proofs: missingProofs(step),
      })),
    };
  });
}

/** Each patch is worked out on what those before it left. */
function tried<T>(
  subject: Subject,
  patches: readonly Patch[],
  context: CloseContext,
  look: (patched: Draft[], trial: Trial) => T,
): T {
  const trial = new Trial(subject.entity, { ts: context.now, by: context.by });
  try {
    const drafts: Draft[] = [];
    for (const [i, one] of patches.entries()) {
      const next = patchAt(subject, one, i, context);
      trial.apply(next);
      drafts.push(...next);
    }
    return look(drafts, trial);
  } finally {
    trial.end();
  }
}

function patchAt(subject: Subject, one: Patch, i: number, others: Others): Draft[] {
  try {
    return patch(subject, one, others);
  } catch (e) {
    if (!isTaskfoldError(e)) throw e;
    const { code, message, suggestions, details } = e;
    throw new TaskfoldError(code, `patches[${i}]: ${message}`, {
      ...remedyOf(e),
      suggestions,
      details: { ...details, patch: i },
      cause: e,
    });
  }
}

/** Fields that would have another value, without the bookkeeping that goes with them. */
function differences(subject: Subject, record: readonly Change[], status: Status, idOf: IdOf): Difference[] {
  const { entity, id } = subject;
  const decided = record.filter((change) => change.how === "write");
  return changesOf(entity, { record: decided })
    .filter(({ before, after }) => sortedJson(before) !== sortedJson(after))
    .map(({ field, before, after }) => {
      const { step, node, name } = partsOf(entity, field);
      const target = node ? nodePath(entity, node) : step ? pathOf(step) : id;
      const shown = (value: Json): Json =>
        name === "depends_on" && !step ? (value as unknown as Ref[]).map(idOf) : structuredClone(value);
      const was = field === "status" ? status : shown(before);
      return { target, field: name, before: was, after: shown(after) };
    });
}
