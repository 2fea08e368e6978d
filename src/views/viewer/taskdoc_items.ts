/** The sections of a Taskdoc as the viewer shows them: the text, who wrote it when, and both texts of a conflict. */
import type { Entity } from "../../state/entity.ts";
import { shorten } from "../../state/code_points.ts";
import {
  BEAR_IN_MIND,
  BEAR_IN_MIND_SECTIONS,
  sectionField,
  sectionName,
  TOP_LEVEL_SECTIONS,
} from "../../state/taskdoc.ts";
import type { TaskdocSection } from "../../state/taskdoc.ts";
import type { TaskdocSectionItem } from "./api.ts";

/** Code points of one section that an answer has. */
const MAX_TEXT = 256 * 1024;

/** Those at the top in their order, then those of `bearinmind` in theirs, then the others by name. */
export function taskdocItems(entity: Entity): TaskdocSectionItem[] {
  const ranked = [...entity.taskdoc.values()].map((section) => ({ section, rank: rankOf(section) }));
  ranked.sort((a, b) => a.rank - b.rank || (sectionName(a.section) < sectionName(b.section) ? -1 : 1));
  return ranked.map(({ section, rank }) => sectionItem(entity, section, rank < LAST));
}

const LAST = TOP_LEVEL_SECTIONS.length + BEAR_IN_MIND_SECTIONS.length;

function rankOf({ category, selector }: TaskdocSection): number {
  const top = (TOP_LEVEL_SECTIONS as readonly string[]).indexOf(selector);
  if (category === null) return Math.max(top, 0);
  const bear = (BEAR_IN_MIND_SECTIONS as readonly string[]).indexOf(selector);
  return category === BEAR_IN_MIND && bear >= 0 ? TOP_LEVEL_SECTIONS.length + bear : LAST;
}

function sectionItem(entity: Entity, section: TaskdocSection, injected: boolean): TaskdocSectionItem {
  const content = shorten(section.content, MAX_TEXT);
  const conflict = entity.conflicts.get(sectionField(section));
  const shown = (conflict?.values.length ?? 0) - 1;
  return {
    category: section.category,
    selector: section.selector,
    name: sectionName(section),
    injected,
    content,
    bytes: Buffer.byteLength(section.content),
    cut: content !== section.content,
    first: { ts: section.first.ts, by: section.first.by, revision: section.first.revision },
    last: { ts: section.last.ts, by: section.last.by, revision: section.last.revision },
    changes: section.changes,
    conflict: conflict
      ? conflict.values.map(({ value, by, ts, op }, i) => ({
          content: typeof value === "string" ? shorten(value, MAX_TEXT) : "",
          by,
          ts,
          op,
          shown: i === shown,
        }))
      : null,
  };
}
