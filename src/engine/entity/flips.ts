/** Tasks that a call ended or opened: a plan may follow its tasks (STEP-82). */
import type { Op } from "../../log/types.ts";
import { isArchivedOrDeleted } from "../../state/archive.ts";
import { hasEnded } from "../../state/ended.ts";
import type { Entity, Ref } from "../../state/entity.ts";

/** A task of this plan ended, or is open again or newly. */
export interface Flip {
  plan: Ref;
  /** Of a repeated call: when the first one ended the task. A later change of the plan counts more. */
  at?: string;
}

/** Whether work may be left in a task. A plan has none of its own. */
export function isOpenTask(entity: Entity): boolean {
  return entity.kind === "task" && !isArchivedOrDeleted(entity) && !hasEnded(entity);
}

/** `wasOpen`: before its last op. */
export function flipsOf(entity: Entity, wasOpen: boolean): Flip[] {
  return entity.parent && isOpenTask(entity) !== wasOpen ? [{ plan: entity.parent }] : [];
}

/** The same of an op that answers a repeated call, as far as its events tell. */
export function flipsBefore({ entity }: { entity: Entity | null }, { events }: Pick<Op, "events">): Flip[] {
  const ended = entity?.parent && hasEnded(entity) && events.some(({ type }) => ENDING.has(type));
  return ended ? [{ plan: entity.parent!, at: events[0]!.ts }] : [];
}

const ENDING: ReadonlySet<string> = new Set(["task.completed", "status.changed"]);
