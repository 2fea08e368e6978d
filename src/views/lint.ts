/** Integrity checks of one plan or task (LINT rules): what is wrong, how bad, and what mends it. */
import type { Entity, Subject } from "../state/entity.ts";
import { fieldLabel, liveConflicts, liveMoved } from "../state/live.ts";
import { PEOPLES_FILES } from "../state/people.ts";
import type { JsonObject } from "../state/schema.ts";
import type { Issue, LintAround } from "./lint_issue.ts";
import type { Look } from "./evidence_check.ts";
import { brokenLine, brokenProofs } from "./evidence_check.ts";
import { lintPlan } from "./lint_plan.ts";
import { lintRefs } from "./lint_refs.ts";
import { lintSteps } from "./lint_steps.ts";
import { lintTaskdoc } from "./lint_taskdoc.ts";

export function lintOf(subject: Subject, around: LintAround): JsonObject {
  const issues = [
    ...lintMerge(subject.entity),
    ...(subject.entity.kind === "plan" ? lintPlan(subject.entity, around.tasksOfPlan) : lintSteps(subject.entity)),
    ...lintRefs(subject, around),
    ...lintProofs(subject.entity, around.look),
    ...lintTaskdoc(around.violations),
  ];
  const errors = issues.filter((issue) => issue.severity === "error").length;
  return {
    summary: { errors, warnings: issues.length - errors, total: issues.length },
    issues,
    context_health: contextHealth(subject.entity, around.unread),
  };
}

function* lintMerge(entity: Entity): Generator<Issue> {
  for (const { field, values } of liveConflicts(entity)) {
    yield {
      severity: "error",
      code: "CONFLICT_OPEN",
      message: `${fieldLabel(entity, field)} was written on ${values.length} branches with different values.`,
      recovery: "Write the field again with the value that holds; tasks_radar shows each and who wrote it.",
    };
  }
  for (const moved of liveMoved(entity)) {
    yield {
      severity: "warning",
      code: "PATHS_MOVED",
      message: `A merge moved the paths of ${moved.map(({ id }) => id).join(", ")}.`,
      recovery: "Name them by id until somebody has changed one of them.",
    };
  }
}

function* lintProofs(entity: Entity, look: Look | undefined): Generator<Issue> {
  for (const proof of look ? brokenProofs(entity, look) : []) {
    yield {
      severity: "error",
      code: "PROOF_BROKEN",
      message: `${brokenLine(proof)}.`,
      recovery: "Look whether the checkpoint still holds, and capture what shows it now with tasks_evidence_capture.",
    };
  }
}

/** Whether somebody who takes over finds out from the folder what this is about and how it went (LINT-4). */
function contextHealth(entity: Entity, unread: readonly string[]): JsonObject {
  const issues: Omit<Issue, "severity">[] = [];
  const stats = {
    description: entity.description.trim() !== "",
    context: (entity.context ?? "").trim() !== "",
    contract: (entity.contract ?? "").trim() !== "",
    notes: entity.note_count,
    evidence: entity.evidence.length,
  };
  if (!stats.description && !stats.context && !stats.contract) {
    issues.push({
      code: "CONTEXT_EMPTY",
      message: `Nothing says what this ${entity.kind} is for: no description, context or contract.`,
      recovery: "Give it a description or context with tasks_edit.",
    });
  }
  const worked = entity.status === "DONE" || [...entity.steps.values()].some((step) => step.done && !step.deleted);
  if (worked && stats.notes === 0 && stats.evidence === 0) {
    issues.push({
      code: "NOTHING_NOTED",
      message: "Work was done, yet not one note or piece of evidence tells how.",
      recovery: "Write down what was found with tasks_note, or what shows it with tasks_evidence_capture.",
    });
  }
  for (const file of PEOPLES_FILES.filter((one) => unread.includes(one))) {
    issues.push({
      code: "NOTES_UNREAD",
      message: `A person changed ${file}, and no change has read it into the log yet.`,
      recovery: "Read it; the next change takes it in.",
    });
  }
  return { status: issues.length === 0 ? "ok" : "warn", stats, issues };
}
