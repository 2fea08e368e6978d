/** When a plan or task was ended, and by whom (VIEW-1). */
import { hasEnded } from "../state/ended.ts";
import type { Subject } from "../state/entity.ts";

/** Members that stand only in what is DONE, FAILED or CANCELED; null where its log does not tell. */
export type EndedFields = { ended_at?: string | null; ended_by?: string | null };

export function endedFields({ entity: { status, ended_at, ended_by } }: Pick<Subject, "entity">): EndedFields {
  return hasEnded({ status }) ? { ended_at, ended_by } : {};
}
