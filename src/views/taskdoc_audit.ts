import type { Entity } from "../state/entity.ts";
import { sectionOf, sectionPath, sectionsBelow, TASKDOC_PACKAGE, TOP_LEVEL_SECTIONS } from "../state/taskdoc.ts";
import type { SectionChange, TaskdocTarget } from "../state/taskdoc.ts";

/** The first and last author of a section, and the number of its changes. */
export interface SectionAudit extends TaskdocTarget {
  /** From the entity's folder. */
  path: string;
  changes: number;
  bytes: number;
  /** Each with time, actor, revision, event id and the digest of the text; null where the section was never written. */
  first: SectionChange | null;
  last: SectionChange | null;
}

/** Every section: the three at the top, then the others sorted by name (TASKDOC-28). @internal */
export function taskdocAuditOf({ taskdoc }: Entity): SectionAudit[] {
  const top = TOP_LEVEL_SECTIONS.map((selector): TaskdocTarget => ({ category: null, selector }));
  return [...top, ...sectionsBelow(taskdoc)].map(({ category, selector }) => {
    const target = { category, selector };
    const section = sectionOf(taskdoc, target);
    return {
      ...target,
      path: `${TASKDOC_PACKAGE}/${sectionPath(target)}`,
      changes: section?.changes ?? 0,
      bytes: Buffer.byteLength(section?.content ?? ""),
      first: section?.first ?? null,
      last: section?.last ?? null,
    };
  });
}
