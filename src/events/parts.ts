/** Pieces that several payloads share. */
import type { Entity, Step, TaskNode } from "../state/entity.ts";
import { STEP_ID_PATTERN } from "../state/ids.ts";
import { openObject, text } from "../state/schema.ts";
import { isLiveNode } from "../state/live.ts";

export const stepId = text({ pattern: STEP_ID_PATTERN });
/** One sentence for people; other programs show it as it stands. */
export const message = text();
export const ref = openObject({ id: text(), root: text() });

/** The node of that id unless it, its step or a step above that was deleted. */
export function liveNode(entity: Entity, id: string): TaskNode | undefined {
  const node = entity.nodes.get(id);
  return node && isLiveNode(entity, node) ? node : undefined;
}

/** The step of that id unless it or a step above it was deleted. */
export function liveStep(entity: Entity, id: string): Step | undefined {
  const step = entity.steps.get(id);
  for (let s: Step | null | undefined = step; s; s = s.parent) if (s.deleted) return undefined;
  return step;
}
