/** When a plan or task was ended, and by whom (VIEW-97). */
import type { Subject } from "../state/entity.ts";
import { isEnded } from "../state/status.ts";

/** Members that stand only in what is DONE, FAILED or CANCELED; null where its log does not tell. */
export type EndedFields = { ended_at?: string | null; ended_by?: string | null };

export function endedFields({ entity: { status, ended_at, ended_by } }: Pick<Subject, "entity">): EndedFields {
  return isEnded(status) ? { ended_at, ended_by } : {};
}
