/** Integrity checks of one plan or task (LINT rules): each fault, its severity, and its remedy. */
import { isBlocked } from "../state/blocked_step.ts";
import { hasEnded } from "../state/ended.ts";
import type { Entity, IdOf, Ref, Step, Subject } from "../state/entity.ts";
import { fieldLabel, liveConflicts, liveMoved } from "../state/live.ts";
import { isGivenEvidenceId } from "../state/evidence.ts";
import { HUMAN_FILES } from "../state/human_files.ts";
import type { JsonObject } from "../state/schema.ts";
import type { Look } from "./evidence_check.ts";
import { brokenLine, brokenEvidence } from "./evidence_check.ts";
import { contextCauses, contextStats } from "./context_health.ts";
import type { ContextCause } from "./context_health.ts";
import { remedy, TASKFOLD, toolName } from "../remedy.ts";
import type { Remedy } from "../remedy.ts";
import { bounded, stepName } from "./lines.ts";
import { counted } from "../state/counted.ts";
import type { TaskdocViolation } from "./taskdoc.ts";
import type { IsLeftOut } from "../state/depends.ts";
import { circleThrough as circleOfTasks } from "../state/depends.ts";
import { missingCheckpoints, missingProofs, weakProofs } from "../state/checkpoint.ts";
import type { StepGraph } from "../state/step_waits.ts";
import { circleThrough, graphOf } from "../state/step_waits.ts";
import { preOrder } from "../state/tree.ts";

export function lintOf(subject: Subject, around: LintAround): JsonObject {
  const issues = [
    ...lintMerge(subject.entity),
    ...lintEvidenceIds(subject.entity),
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
      ...remedy`Write the field again with the value that holds; ${toolName("tasks_radar")} shows each and who wrote it.`,
    };
  }
  for (const moved of liveMoved(entity)) {
    yield {
      severity: "warning",
      code: "PATHS_MOVED",
      message: `A merge moved the paths of ${moved.map(({ id }) => id).join(", ")}.`,
      recovery: "Name them by id until one of them has been changed.",
    };
  }
}

/** Another branch gave an entry's id to an entry that is replayed before it (EVID-56). */
function* lintEvidenceIds({ facts }: Entity): Generator<Issue> {
  for (const [id, { named }] of facts) {
    if (named === undefined || !isGivenEvidenceId(named)) continue;
    yield {
      severity: "warning",
      code: "EVIDENCE_RENAMED",
      message: `evidence:${id} was captured as ${named}, an id that another entry has.`,
      recovery: `Cite it as evidence:${id}; evidence:${named} is the other entry.`,
    };
  }
}

function* lintProofs(entity: Entity, look: Look | undefined): Generator<Issue> {
  for (const proof of look ? brokenEvidence(entity, look) : []) {
    yield {
      severity: proof.isReplaced ? "warning" : "error",
      code: "PROOF_BROKEN",
      message: `${brokenLine(proof)}.`,
      ...remedy`Look whether the checkpoint still holds, and capture what shows it now with ${toolName("tasks_evidence_capture")}.`,
    };
  }
}

/** Returns whether an agent that takes over finds out from the folder what this is about and how it went (LINT-7). */
function contextHealth(entity: Entity, unread: readonly string[]): JsonObject {
  const issues = contextCauses(entity);
  for (const file of HUMAN_FILES.filter((one) => unread.includes(one))) {
    issues.push({
      code: "NOTES_UNREAD",
      message: `A person changed ${file}, and no change has read it into the log yet.`,
      recovery: "Read it; the next change takes it in.",
    });
  }
  return { status: issues.length === 0 ? "ok" : "warn", stats: contextStats(entity), issues };
}

/** Returns faults of a plan's checklist, and of its end (LINT-1). */
function* lintPlan(entity: Entity, tasksOfPlan: () => readonly Subject[]): Generator<Issue> {
  const { steps, current } = entity.checklist;
  if (steps.length === 0 && !hasEnded(entity)) {
    yield {
      severity: "warning",
      code: "NO_CHECKLIST",
      message: "The plan has no checklist, so nothing says what is next.",
      ...remedy`Give it one with ${toolName("tasks_plan")}.`,
    };
  }
  if (current > steps.length) {
    yield {
      severity: "error",
      code: "CHECKLIST_INDEX_OUT_OF_RANGE",
      message: `The checklist has ${counted(steps.length, "item")}, yet ${current} are said to be behind.`,
      ...remedy`Say with ${toolName("tasks_plan")} how many are.`,
    };
  }
  if (!hasEnded(entity)) return;
  const open = tasksOfPlan().filter((task) => !hasEnded(task.entity));
  if (open.length === 0) return;
  const ids = open.map((task) => task.id);
  yield {
    severity: "warning",
    code: "OPEN_TASKS",
    message: `The plan is ${entity.status}, but tasks of it have not ended: ${bounded(ids, 5).join(", ")}.`,
    ...remedy`Complete or cancel them, or set the plan to ACTIVE again with ${toolName("tasks_complete")}.`,
  };
}

/** Returns faults of the Taskdoc on disk (LINT-1). A file that is missing comes back with the next change. */
function* lintTaskdoc(violations: readonly TaskdocViolation[]): Generator<Issue> {
  const old = violations.find(({ kind }) => kind === "unmigrated");
  if (old) {
    yield {
      severity: "warning",
      code: "TASKDOC_UNMIGRATED",
      message: `${old.path} is a Taskdoc of the old form, of which no agent gets the text.`,
      ...remedy`Take it in with ${TASKFOLD} taskdoc import, or take it away.`,
    };
  }
  const edited = violations.filter(({ kind }) => kind === "differs");
  if (edited.length > 0) {
    yield {
      severity: "warning",
      code: "TASKDOC_EDITED",
      message: `Not as the log has it: ${paths(edited)}.`,
      ...remedy`Take the edits in with ${TASKFOLD} taskdoc adopt-edits; the next change puts back what the log has.`,
    };
  }
  const stray = violations.filter(({ kind }) => !OWN.has(kind));
  if (stray.length > 0) {
    yield {
      severity: "warning",
      code: "TASKDOC_STRAY",
      message: `No reader can use what stands in the package of the Taskdoc: ${paths(stray)}.`,
      ...remedy`Move it elsewhere, or write it as a section with ${toolName("change_mind")}.`,
    };
  }
}

const OWN: ReadonlySet<TaskdocViolation["kind"]> = new Set(["unmigrated", "differs", "missing"]);

function paths(violations: readonly TaskdocViolation[]): string {
  const plain = (kind: string): boolean => kind === "differs" || kind === "stray";
  const names = violations.map(({ path, kind }) => (plain(kind) ? path : `${path} (${kind.replaceAll("_", " ")})`));
  return bounded(names, 5).join(", ");
}

function leftOut(what: string): Issue {
  return {
    severity: "warning",
    code: "NOT_CHECKED_OUT",
    message: `${what} is in git, and a sparse checkout leaves it out.`,
    ...remedy`git sparse-checkout add brings it: ${toolName("tasks_context")} names the command.`,
  };
}

/** Returns faults of the plan an entity belongs to and of its dependencies (LINT-1). */
function* lintRefs(subject: Subject, { find, idOf, isLeftOut }: LintAround): Generator<Issue> {
  const { parent, depends_on, status } = subject.entity;
  if (parent) {
    const plan = find(parent);
    if (!plan && isLeftOut?.(parent)) yield leftOut(`Its plan ${idOf(parent)}`);
    else if (!plan || plan.entity.deleted) {
      yield {
        severity: plan ? "warning" : "error",
        code: plan ? "PARENT_DELETED" : "PARENT_UNKNOWN",
        message: plan
          ? `Its plan ${idOf(parent)} was deleted.`
          : `Nothing here is the plan it belongs to, ${parent.id}.`,
        recovery: plan ? "Delete the task too, or work on without a plan." : "Bring the plan's folder with git.",
      };
    }
  }
  for (const ref of depends_on) {
    const other = find(ref);
    const id = idOf(ref);
    if (!other && isLeftOut?.(ref)) yield leftOut(`It depends on ${id}, which`);
    else if (!other) {
      yield {
        severity: "error",
        code: "DEPENDENCY_UNKNOWN",
        message: `It depends on ${id}, which is not here.`,
        ...remedy`Bring its folder with git, or take the dependency out with ${toolName("tasks_patch")}.`,
      };
    } else if (other.entity.deleted || other.entity.status === "FAILED" || other.entity.status === "CANCELED") {
      if (hasEnded({ status })) continue;
      const how = other.entity.deleted ? "was deleted" : `is ${other.entity.status}`;
      yield {
        severity: "warning",
        code: "DEPENDENCY_LOST",
        message: `It depends on ${id}, which ${how} and will not be done.`,
        ...remedy`Take the dependency out with ${toolName("tasks_patch")}, or name what takes its place.`,
      };
    }
  }
  const circle = circleOfTasks(subject, find, idOf);
  if (circle !== null) {
    yield {
      severity: "error",
      code: "DEPENDENCY_CYCLE",
      message: `It depends on itself: ${circle}.`,
      ...remedy`Take one of these dependencies out with ${toolName("tasks_patch")}: none of them is ready before another is DONE.`,
    };
  }
}

/** Returns faults of the steps of a task (LINT-1). */
function* lintSteps(entity: Entity): Generator<Issue> {
  const steps = [...preOrder(entity.children)];
  if (steps.length === 0) {
    if (!hasEnded(entity)) {
      yield warning(
        "NO_STEPS",
        "The task has no steps, so nothing is checked before it is DONE.",
        remedy`Add steps with ${toolName("tasks_decompose")}.`,
      );
    }
    return;
  }
  const open = steps.filter((step) => !step.done);
  yield* about(
    open,
    "EMPTY_CRITERIA",
    "without success criteria",
    remedy`Say with ${toolName("tasks_define")} when they count as done.`,
    {
      is: (step) => step.success_criteria.length === 0,
    },
  );
  yield* about(open, "EMPTY_TESTS", "without tests", remedy`Say with ${toolName("tasks_define")} how it is checked.`, {
    is: (step) => step.tests.length === 0,
  });
  yield* about(
    open,
    "BLOCKED_STEPS",
    "blocked",
    remedy`Once what they wait for is there, unblock them with ${toolName("tasks_block")}, and clear blockers in words with ${toolName("tasks_define")}.`,
    {
      is: isBlocked,
    },
  );
  yield* about(
    open,
    "MISSING_PROOF",
    "without a proof that closing asks for",
    remedy`Attach it with ${toolName("tasks_evidence_capture")}; tests of a step that names the packet are proved by its stage.`,
    {
      is: (step) => missingProofs(step).length > 0,
    },
  );
  yield* about(
    steps,
    "PROOF_WEAK",
    "with weak proof of what was asked for",
    remedy`Run what shows it with ${TASKFOLD} run, or capture the run with its exit code and output.`,
    {
      is: (step) => missingProofs(step).length === 0 && weakProofs(step).length > 0,
    },
  );
  yield* circles(entity, open);
  const closed = steps.filter((step) => step.done);
  yield* about(
    closed,
    "MISSING_CHECKPOINT",
    "closed, yet evidence asked for more since",
    remedy`Confirm it with ${toolName("tasks_verify")}.`,
    {
      is: (step) => missingCheckpoints(step).length > 0 || missingProofs(step).length > 0,
      severity: "error",
    },
  );
  yield* about(closed, "FORCED_STEPS", "closed by force", remedy`Look whether what was passed over still matters.`, {
    is: (step) => step.forced !== null,
  });
}

/** A merge may close a circle: none of its steps is due before another one of them is closed. */
function* circles(entity: Entity, open: readonly Step[]): Generator<Issue> {
  const isOpen = (id: string): boolean => open.some((step) => step.id === id);
  const whole = graphOf(entity);
  const graph: StepGraph = {
    parent: whole.parent,
    children: (id) => whole.children(id).filter(isOpen),
    dependsOn: (id) => whole.dependsOn(id).filter(isOpen),
  };
  const reported = new Set<string>();
  for (const { id } of open) {
    const circle = reported.has(id) ? null : circleThrough(graph, id, graph.dependsOn(id));
    if (circle === null) continue;
    for (const one of circle) reported.add(one);
    const names = bounded(
      circle.map((one) => stepName(entity.steps.get(one)!)),
      5,
    ).join(", on ");
    yield {
      severity: "error",
      code: "DEPENDENCY_CYCLE",
      message: `Steps wait for each other: ${names}.`,
      ...remedy`Take one of these dependencies out with ${toolName("tasks_define")}.`,
    };
  }
}

function* about(
  steps: readonly Step[],
  code: string,
  what: string,
  way: Remedy,
  { is, severity = "warning" }: { is: (step: Step) => boolean; severity?: Issue["severity"] },
): Generator<Issue> {
  const found = steps.filter(is);
  if (found.length === 0) return;
  const names = bounded(found.map(stepName), 5).join(", ");
  const count = counted(found.length, "step");
  yield { severity, code, message: `${count} ${what}: ${names}.`, ...way };
}

function warning(code: string, message: string, way: Remedy): Issue {
  return { severity: "warning", code, message, ...way };
}

// The shape of a finding of lint, and what the checks look at.
export type Issue = ContextCause & { severity: "error" | "warning" };

/** The facts that lint looks at beside the entity itself. */
interface LintAround {
  find: (ref: Ref) => Subject | undefined;
  idOf: IdOf;
  isLeftOut?: IsLeftOut | undefined;
  tasksOfPlan: () => readonly Subject[];
  /** Files of people's that no write has read in yet. */
  unread: readonly string[];
  /** The findings of a look at the Taskdoc on disk. */
  violations: readonly TaskdocViolation[];
  /** Looks at what proofs point at; undefined where no look is possible. */
  look: Look | undefined;
}
