import type { Draft } from "../events/define.ts";
import type { Step, Subject } from "../state/entity.ts";
import { closeStep } from "./close_step.ts";
import type { Asking } from "./lease.ts";
import { reopenStep } from "./reopen_step.ts";

export interface Progress {
  /** Default true. */
  completed?: boolean;
  force?: boolean;
  reason?: string;
}

/** Closes or reopens (STEP-13, STEP-16). To reopen nothing has to be forced. */
export function progressStep(subject: Subject, step: Step, asking: Asking, input: Progress): Draft[] {
  const { completed = true, ...how } = input;
  if (completed) {
    return closeStep(subject, step, asking, {
      ...(how.force === undefined ? {} : { force: how.force }),
      ...(how.reason === undefined ? {} : { reason: how.reason }),
    });
  }
  return reopenStep(subject, step, how.reason);
}
