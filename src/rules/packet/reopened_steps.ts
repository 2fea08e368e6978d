/** Steps that a change of the packet opens again: what proved their tests is gone (PACKET-222). */
import type { Draft } from "../../events/define.ts";
import { Trial } from "../../events/trial.ts";
import type { Step, Subject } from "../../state/entity.ts";
import { preOrder } from "../../state/tree.ts";
import { reopenFrom } from "../reopen_step.ts";

/** The drafts, with events that name each step, and the task, that they open. */
export function withReopenings(
  subject: Subject,
  drafts: readonly Draft[],
  { now, by }: { now: string; by: string },
): Draft[] {
  const closed = stepsOfPacket(subject).filter((step) => step.done);
  if (closed.length === 0) return [...drafts];
  const opened = openedBy(subject, closed, drafts, { ts: now, by });
  const reason = "the packet no longer proves its tests";
  const events = opened.flatMap((step) => reopenFrom(subject, step, reason));
  const byPlace = new Map(events.toReversed().map((event) => [String(event.payload["step_id"]), event]));
  return [...drafts, ...[...byPlace.values()].toReversed()];
}

function openedBy(
  { entity }: Subject,
  closed: readonly Step[],
  drafts: readonly Draft[],
  who: { ts: string; by: string },
): Step[] {
  const trial = new Trial(entity, who);
  try {
    trial.apply(drafts);
    return closed.filter((step) => !step.done);
  } finally {
    trial.end();
  }
}

/** Live steps that name the packet, in the order of their paths. */
export function stepsOfPacket({ entity }: Subject): Step[] {
  return [...preOrder(entity.children)].filter((step) => step.packet);
}
