/** Pieces that several payloads share. */
import type { Entity } from "../state/entity.ts";
import type { Step } from "../state/step.ts";
import { STEP_ID_PATTERN } from "../state/ids.ts";
import { openObject, text } from "../state/schema.ts";

export const stepId = text({ pattern: STEP_ID_PATTERN });
/** One sentence for people; other programs show it as it stands. */
export const message = text();
export const ref = openObject({ id: text(), root: text() });

/** The step of that id unless it or a step above it was deleted. */
export function liveStep(entity: Entity, id: string): Step | undefined {
  const step = entity.steps.get(id);
  for (let s: Step | null | undefined = step; s; s = s.parent) if (s.deleted) return undefined;
  return step;
}
