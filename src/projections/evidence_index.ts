import type { Entity } from "../state/entity.ts";

/** `shared/evidence/index.json`: every entry in the order of the log, `[]` before there is one (EVID-2). */
export function evidenceIndex(entity: Entity): string {
  return `${JSON.stringify(entity.evidence, null, 2)}\n`;
}
