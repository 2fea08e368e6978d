/** When the claims of plans and tasks end: another step can be taken up from then on, and no log changes. */
import { compareIds } from "../../state/compare_ids.ts";

export interface ClaimEnd {
  at: string;
  id: string;
}

/** The earliest first. */
export function byEnd(a: ClaimEnd, b: ClaimEnd): number {
  if (a.at !== b.at) return a.at < b.at ? -1 : 1;
  return compareIds(a.id, b.id);
}
