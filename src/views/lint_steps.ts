import { missingCheckpoints, missingProofs, weakProofs } from "../state/checkpoint.ts";
import type { Entity, Step } from "../state/entity.ts";
import type { StepGraph } from "../state/step_waits.ts";
import { circleThrough, graphOf } from "../state/step_waits.ts";
import { preOrder } from "../state/tree.ts";
import { bounded, isEnded, stepName } from "./lines.ts";
import type { Issue } from "./lint_issue.ts";
import { counted } from "../state/counted.ts";

/** What is wrong with the steps of a task (LINT-1). */
export function* lintSteps(entity: Entity): Generator<Issue> {
  const steps = [...preOrder(entity.children)];
  if (steps.length === 0) {
    if (!isEnded(entity.status)) {
      yield warning(
        "NO_STEPS",
        "The task has no steps, so nothing is checked before it is DONE.",
        "Add steps with tasks_decompose.",
      );
    }
    return;
  }
  const open = steps.filter((step) => !step.done);
  yield* about(open, "EMPTY_CRITERIA", "without success criteria", "Say with tasks_define when they count as done.", {
    is: (step) => step.success_criteria.length === 0,
  });
  yield* about(open, "EMPTY_TESTS", "without tests", "Say with tasks_define how it is checked.", {
    is: (step) => step.tests.length === 0,
  });
  yield* about(open, "BLOCKED_STEPS", "blocked", "Unblock them with tasks_block once what they wait for is there.", {
    is: (step) => step.blocked,
  });
  yield* about(
    open,
    "MISSING_PROOF",
    "without a proof that closing asks for",
    "Attach it with tasks_evidence_capture; tests of a step that names the packet are proved by its stage.",
    {
      is: (step) => missingProofs(step).length > 0,
    },
  );
  yield* about(
    steps,
    "PROOF_WEAK",
    "with weak proof of what was asked for",
    "Attach both a command that shows it (CMD:) and where its result can be read (LINK:).",
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
    "Confirm it with tasks_verify.",
    {
      is: (step) => missingCheckpoints(step).length > 0 || missingProofs(step).length > 0,
      severity: "error",
    },
  );
  yield* about(closed, "FORCED_STEPS", "closed by force", "Look whether what was passed over still matters.", {
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
  const told = new Set<string>();
  for (const { id } of open) {
    const circle = told.has(id) ? null : circleThrough(graph, id, graph.dependsOn(id));
    if (circle === null) continue;
    for (const one of circle) told.add(one);
    const names = bounded(
      circle.map((one) => stepName(entity.steps.get(one)!)),
      5,
    ).join(", on ");
    yield {
      severity: "error",
      code: "DEPENDENCY_CYCLE",
      message: `Steps wait for each other: ${names}.`,
      recovery: "Take one of these dependencies out with tasks_define.",
    };
  }
}

function* about(
  steps: readonly Step[],
  code: string,
  what: string,
  recovery: string,
  { is, severity = "warning" }: { is: (step: Step) => boolean; severity?: Issue["severity"] },
): Generator<Issue> {
  const found = steps.filter(is);
  if (found.length === 0) return;
  const names = bounded(found.map(stepName), 5).join(", ");
  const count = counted(found.length, "step");
  yield { severity, code, message: `${count} ${what}: ${names}.`, recovery };
}

function warning(code: string, message: string, recovery: string): Issue {
  return { severity: "warning", code, message, recovery };
}
