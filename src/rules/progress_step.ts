import { TaskfoldError } from "../errors.ts";
import type { Draft } from "../events/define.ts";
import type { Step, Subject } from "../state/entity.ts";
import { closeStep } from "./close_step.ts";
import { reopenStep } from "./reopen_step.ts";
import { reopenCall, stepCall } from "./suggest.ts";

export interface Progress {
  /** Default true. */
  completed?: boolean;
  force?: boolean;
  reason?: string;
}

/** Closes or reopens (STEP-13, STEP-14). Force is for closing: with completed false it is refused. */
export function progressStep(subject: Subject, step: Step, input: Progress): Draft[] {
  const { completed = true, ...how } = input;
  if (completed) {
    return closeStep(subject, step, {
      ...(how.force === undefined ? {} : { force: how.force }),
      ...(how.reason === undefined ? {} : { reason: how.reason }),
    });
  }
  if (how.force === true) {
    throw new TaskfoldError("INVALID_INPUT", "Expected force only with completed: true, found it with false.", {
      recovery: "Leave force out: a closed step is reopened without it.",
      suggestions: [step.done ? reopenCall(subject, step) : stepCall(subject, step)],
    });
  }
  return reopenStep(subject, step, how.reason);
}
