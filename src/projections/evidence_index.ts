import type { Entity } from "../state/entity.ts";
import { inCocoRange } from "../state/evidence.ts";

/** `shared/evidence/index.json`: every entry in the order of the log, `[]` before there is one (EVID-2). */
export function evidenceIndex(entity: Entity): string {
  return `${JSON.stringify(entity.evidence.map(inCocoRange), null, 2)}\n`;
}
