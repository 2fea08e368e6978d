/** How every answer about a step begins. */
import type { Step } from "../state/entity.ts";
import { pathOf } from "../state/tree.ts";

export type StepHead = {
  step_id: string;
  path: string;
  title: string;
  done: boolean;
  blocked: boolean;
  /** Only where it names the packet of the task. */
  packet?: true;
};

/** To go on with, by `Object.assign`: in Node 20 a spread before new keys, `{ ...head, more }`, costs two microseconds each time. */
export function stepHead(step: Step): StepHead {
  const head: StepHead = {
    step_id: step.id,
    path: pathOf(step),
    title: step.title,
    done: step.done,
    blocked: step.blocked,
  };
  if (step.packet) head.packet = true;
  return head;
}
