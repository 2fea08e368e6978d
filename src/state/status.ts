/** Returns the status that answers and files show: an open task is ACTIVE once work in it has begun (STEP-70). */
import type { Entity, Status, Step, Subject } from "./entity.ts";
import { anyStep } from "./tree.ts";

export function statusOf(entity: Entity): Status {
  return entity.status === "TODO" && hasBegun(entity) ? "ACTIVE" : entity.status;
}

/** The status that a reader sees of a plan or task, wherever it is named. */
export function shownStatus({ entity, status }: Pick<Subject, "entity" | "status">): Status {
  return status ?? statusOf(entity);
}

/** Derived and never written: an undo of the first change takes it back, and branches cannot disagree about it. */
export function hasBegun({ kind, lease, children, packet }: Entity): boolean {
  return kind === "task" && (lease !== null || isTried(packet) || anyStep(children, isBegun));
}

/** Whether more of a task has begun than claims, which are given back. */
export function hasBegunBesideClaims({ children, packet }: Pick<Entity, "children" | "packet">): boolean {
  return isTried(packet) || anyStep(children, isChanged);
}

function isTried(packet: Entity["packet"]): boolean {
  return packet !== null && packet.attempts.length > 0;
}

/** Returns whether a caller has taken the step up or changed how it stands. Notes about it do not count. */
export function isBegun(step: Step): boolean {
  return step.lease !== null || isChanged(step);
}

/** Whether work in it stays whatever is undone: evidence, attempts of a packet, and what another program began. */
export function hasLastingWork({ children, packet }: Pick<Entity, "children" | "packet">): boolean {
  return isTried(packet) || anyStep(children, isLasting);
}

function isChanged(step: Step): boolean {
  const { done, blocked, reopened, confirmed } = step;
  if (done || blocked || reopened !== null) return true;
  if (confirmed.criteria || confirmed.tests || confirmed.security || confirmed.perf || confirmed.docs) return true;
  return isLasting(step);
}

function isLasting({ started, linked }: Step): boolean {
  const { criteria, tests, security, perf, docs } = linked;
  return started === true || criteria.length + tests.length + security.length + perf.length + docs.length > 0;
}
