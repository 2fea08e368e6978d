/** Every event type of this version. Generated from the files of this folder by `npm run generate`; do not edit. */
import type { EventType } from "./define.ts";
import { cardAdded } from "./card.added.ts";
import { contractUpdated } from "./contract.updated.ts";
import { evidenceCaptured } from "./evidence.captured.ts";
import { foreignAdopted } from "./foreign.adopted.ts";
import { gateApproved } from "./gate.approved.ts";
import { gateBlocked } from "./gate.blocked.ts";
import { leaseClaimed } from "./lease.claimed.ts";
import { leaseReleased } from "./lease.released.ts";
import { logGap } from "./log.gap.ts";
import { notesChanged } from "./notes.changed.ts";
import { packetArchived } from "./packet.archived.ts";
import { packetBudgetReset } from "./packet.budget_reset.ts";
import { packetDefined } from "./packet.defined.ts";
import { packetImported } from "./packet.imported.ts";
import { packetInputSet } from "./packet.input_set.ts";
import { packetOverrideSet } from "./packet.override_set.ts";
import { planEdited } from "./plan.edited.ts";
import { planUpdated } from "./plan.updated.ts";
import { redoApplied } from "./redo.applied.ts";
import { reportGenerated } from "./report.generated.ts";
import { stageFailed } from "./stage.failed.ts";
import { stageFinished } from "./stage.finished.ts";
import { stageImported } from "./stage.imported.ts";
import { stageInterrupted } from "./stage.interrupted.ts";
import { stagePassed } from "./stage.passed.ts";
import { stageReopened } from "./stage.reopened.ts";
import { stageStarted } from "./stage.started.ts";
import { statusChanged } from "./status.changed.ts";
import { stepBlocked } from "./step.blocked.ts";
import { stepDefined } from "./step.defined.ts";
import { stepDeleted } from "./step.deleted.ts";
import { stepDone } from "./step.done.ts";
import { stepNoted } from "./step.noted.ts";
import { stepReopened } from "./step.reopened.ts";
import { stepUnblocked } from "./step.unblocked.ts";
import { stepVerified } from "./step.verified.ts";
import { stepsAdded } from "./steps.added.ts";
import { taskAdopted } from "./task.adopted.ts";
import { taskArchived } from "./task.archived.ts";
import { taskCompleted } from "./task.completed.ts";
import { taskCreated } from "./task.created.ts";
import { taskDeleted } from "./task.deleted.ts";
import { taskEdited } from "./task.edited.ts";
import { taskNodeAdded } from "./task.node_added.ts";
import { taskNodeDefined } from "./task.node_defined.ts";
import { taskNodeDeleted } from "./task.node_deleted.ts";
import { taskReadopted } from "./task.readopted.ts";
import { taskRehomed } from "./task.rehomed.ts";
import { taskReopened } from "./task.reopened.ts";
import { taskRestored } from "./task.restored.ts";
import { taskdocChanged } from "./taskdoc.changed.ts";
import { tasksArchived } from "./tasks.archived.ts";
import { tasksRestored } from "./tasks.restored.ts";
import { traceAdded } from "./trace.added.ts";
import { undoApplied } from "./undo.applied.ts";

/** Without a prototype, so that no name but a type's finds anything. */
export const EVENTS: Record<string, EventType> = Object.assign(Object.create(null) as object, {
  "card.added": cardAdded,
  "contract.updated": contractUpdated,
  "evidence.captured": evidenceCaptured,
  "foreign.adopted": foreignAdopted,
  "gate.approved": gateApproved,
  "gate.blocked": gateBlocked,
  "lease.claimed": leaseClaimed,
  "lease.released": leaseReleased,
  "log.gap": logGap,
  "notes.changed": notesChanged,
  "packet.archived": packetArchived,
  "packet.budget_reset": packetBudgetReset,
  "packet.defined": packetDefined,
  "packet.imported": packetImported,
  "packet.input_set": packetInputSet,
  "packet.override_set": packetOverrideSet,
  "plan.edited": planEdited,
  "plan.updated": planUpdated,
  "redo.applied": redoApplied,
  "report.generated": reportGenerated,
  "stage.failed": stageFailed,
  "stage.finished": stageFinished,
  "stage.imported": stageImported,
  "stage.interrupted": stageInterrupted,
  "stage.passed": stagePassed,
  "stage.reopened": stageReopened,
  "stage.started": stageStarted,
  "status.changed": statusChanged,
  "step.blocked": stepBlocked,
  "step.defined": stepDefined,
  "step.deleted": stepDeleted,
  "step.done": stepDone,
  "step.noted": stepNoted,
  "step.reopened": stepReopened,
  "step.unblocked": stepUnblocked,
  "step.verified": stepVerified,
  "steps.added": stepsAdded,
  "task.adopted": taskAdopted,
  "task.archived": taskArchived,
  "task.completed": taskCompleted,
  "task.created": taskCreated,
  "task.deleted": taskDeleted,
  "task.edited": taskEdited,
  "task.node_added": taskNodeAdded,
  "task.node_defined": taskNodeDefined,
  "task.node_deleted": taskNodeDeleted,
  "task.readopted": taskReadopted,
  "task.rehomed": taskRehomed,
  "task.reopened": taskReopened,
  "task.restored": taskRestored,
  "taskdoc.changed": taskdocChanged,
  "tasks.archived": tasksArchived,
  "tasks.restored": tasksRestored,
  "trace.added": traceAdded,
  "undo.applied": undoApplied,
});

/** Ancillary types (`x.`) mean nothing to any version and stop none from writing. */
export function isKnownType(type: string): boolean {
  return type in EVENTS || type.startsWith("x.");
}
