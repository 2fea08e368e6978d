/** Sections of the Taskdoc as answers have them: the text, and who wrote it when. */
import type { Conflict, Entity } from "../state/entity.ts";
import type { JsonObject } from "../state/json.ts";
import { EMPTY_SHA256, sectionField, sectionPath, TASKDOC_PACKAGE } from "../state/taskdoc.ts";
import type { TaskdocSection, TaskdocTarget } from "../state/taskdoc.ts";

/** One of the texts that branches wrote without seeing each other's; the last one is the one in effect. */
export type ConflictingText = { content: string; by: string; ts: string; op: string };

export type SectionBlock = TaskdocTarget & {
  /** From the entity's folder. */
  path: string;
  content: string;
  bytes: number;
  sha256: string;
  /** Of the last change; null where the section was never written. */
  updated_at: string | null;
  updated_by: string | null;
  updated_revision: number | null;
  /** Only while branches disagree about it. */
  conflict?: ConflictingText[];
};

/** Returns all facts about a section that was written. @internal */
export function sectionBlock(entity: Entity, section: TaskdocSection): SectionBlock & JsonObject {
  const { category, selector, content, last } = section;
  const conflict = entity.conflicts.get(sectionField(section));
  return {
    category,
    selector,
    path: `${TASKDOC_PACKAGE}/${sectionPath(section)}`,
    content,
    bytes: Buffer.byteLength(content),
    sha256: last.sha256,
    updated_at: last.ts,
    updated_by: last.by,
    updated_revision: last.revision,
    ...(conflict ? { conflict: textsOf(conflict) } : {}),
  };
}

/** Returns the same of a section that was never written. @internal */
export function emptyBlock(target: TaskdocTarget): SectionBlock {
  return {
    category: target.category,
    selector: target.selector,
    path: `${TASKDOC_PACKAGE}/${sectionPath(target)}`,
    content: "",
    bytes: 0,
    sha256: EMPTY_SHA256,
    updated_at: null,
    updated_by: null,
    updated_revision: null,
  };
}

function textsOf({ values }: Conflict): ConflictingText[] {
  return values.map(({ value, by, ts, op }) => ({ content: value as string, by, ts, op }));
}
