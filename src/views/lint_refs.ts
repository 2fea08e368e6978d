import { circleThrough } from "../state/depends.ts";
import type { Subject } from "../state/entity.ts";
import { isEnded } from "./lines.ts";
import type { Issue, LintAround } from "./lint_issue.ts";

/** What is wrong with the plan an entity belongs to and with what it depends on (LINT-3). */
export function* lintRefs(subject: Subject, { find, idOf }: LintAround): Generator<Issue> {
  const { parent, depends_on, status } = subject.entity;
  if (parent) {
    const plan = find(parent);
    if (!plan || plan.entity.deleted) {
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
    if (!other) {
      yield {
        severity: "error",
        code: "DEPENDENCY_UNKNOWN",
        message: `It depends on ${id}, which is not here.`,
        recovery: "Bring its folder with git, or take the dependency out with tasks_patch.",
      };
    } else if (other.entity.deleted || other.entity.status === "FAILED" || other.entity.status === "CANCELED") {
      if (isEnded(status)) continue;
      const how = other.entity.deleted ? "was deleted" : `is ${other.entity.status}`;
      yield {
        severity: "warning",
        code: "DEPENDENCY_LOST",
        message: `It depends on ${id}, which ${how} and will not be done.`,
        recovery: "Take the dependency out with tasks_patch, or name what takes its place.",
      };
    }
  }
  const circle = circleThrough(subject, find, idOf);
  if (circle !== null) {
    yield {
      severity: "error",
      code: "DEPENDENCY_CYCLE",
      message: `It depends on itself: ${circle}.`,
      recovery: "Take one of these dependencies out with tasks_patch: none of them is ready before another is DONE.",
    };
  }
}
