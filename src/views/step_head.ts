/** How every answer about a step begins. */
import type { Step } from "../state/step.ts";
import { pathOf } from "../state/tree.ts";

export type StepHead = {
  step_id: string;
  path: string;
  title: string;
  done: boolean;
  blocked: boolean;
};

export function stepHead(step: Step): StepHead {
  return { step_id: step.id, path: pathOf(step), title: step.title, done: step.done, blocked: step.blocked };
}
