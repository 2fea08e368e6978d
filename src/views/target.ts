import { shownStatus } from "../state/status.ts";
import type { EndedFields } from "./ended_fields.ts";
import { endedFields } from "./ended_fields.ts";
import type { IdOf, Kind, Status, Subject } from "../state/entity.ts";

/** The subject of an answer. A type alias, because only those fit where JSON is asked for. */
export type Target = {
  id: string;
  kind: Kind;
  /** `<workspace>:<id>`: unique across workspaces. */
  qualified_id: string;
  title: string;
  status: Status;
  revision: number;
  head: string;
  /** Present id of the plan it belongs to. */
  parent: string | null;
} & EndedFields;

/** The target block of a reply (VIEW-1). */
export function targetOf(subject: Subject, idOf: IdOf): Target {
  const { id, workspace, entity, head } = subject;
  return {
    id,
    kind: entity.kind,
    qualified_id: `${workspace}:${id}`,
    title: entity.title,
    status: shownStatus(subject),
    ...endedFields(subject),
    revision: entity.revision,
    head,
    parent: entity.parent && idOf(entity.parent),
  };
}
