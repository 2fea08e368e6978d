/** Opening again what was closed (STEP-16): the events say each step by name, so that a log can be read. */
import { TaskfoldError } from "../errors.ts";
import type { Draft } from "../events/define.ts";
import { stepReopened } from "../events/step.reopened.ts";
import { taskReopened } from "../events/task.reopened.ts";
import type { Step, Subject } from "../state/entity.ts";
import { nameOf, sentence } from "./phrase.ts";
import { stepCall } from "./suggest.ts";
import { givenText } from "./text.ts";

/** Opens a closed step again; its confirmations stay. NOT_DONE when it is open. */
export function reopenStep(subject: Subject, step: Step, reason?: string): Draft[] {
  if (!step.done) {
    throw new TaskfoldError("NOT_DONE", `Expected a closed step to reopen; ${nameOf(step)} is open.`, {
      recovery: "There is nothing to reopen: go on with the step.",
      suggestions: [stepCall(subject, step)],
    });
  }
  return reopenFrom(subject, step, givenText(reason, "reason") ?? "there is work left in it");
}

/** Events that open `step`, every closed step above it (nearest first) and a DONE task. */
export function reopenFrom(subject: Subject, step: Step, reason: string): Draft[] {
  return [
    stepReopened.draft({ step_id: step.id, reason, message: sentence(`Reopened ${nameOf(step)}`, reason) }),
    ...reopenAbove(subject, step.parent, "a step below it is open again"),
  ];
}

/** Events that open whatever is closed from `parent` up, and a DONE task, because there is open work below. */
export function reopenAbove(subject: Subject, parent: Step | null, reason: string): Draft[] {
  const drafts: Draft[] = [];
  for (let s = parent; s; s = s.parent) {
    if (!s.done) continue;
    drafts.push(stepReopened.draft({ step_id: s.id, reason, message: sentence(`Reopened ${nameOf(s)}`, reason) }));
  }
  if (subject.entity.status === "DONE") {
    const message = sentence(`Task "${subject.entity.title}" is ACTIVE again`, "there is an open step in it");
    drafts.push(taskReopened.draft({ reason: "there is an open step in it", message }));
  }
  return drafts;
}
