import type { Entity } from "../state/entity.ts";
import { sectionOf, sectionPath, sectionsBelow, TOP_LEVEL_SECTIONS } from "../state/taskdoc.ts";
import { toSecond } from "./to_second.ts";

/** One line for each section: when, by whom and at which revision it was written last; empty while nobody has (TASKDOC-29). */
export function taskdocSummary({ taskdoc }: Entity): string {
  if (taskdoc.size === 0) return "";
  const top = TOP_LEVEL_SECTIONS.map((selector) => ({ category: null, selector }));
  return [...top, ...sectionsBelow(taskdoc)]
    .map((target) => {
      const section = sectionOf(taskdoc, target);
      if (!section) return line(sectionPath(target), "empty");
      const { ts, by, revision } = section.last;
      const verb = section.content === "" ? "cleared" : "updated";
      const often = section.changes === 1 ? "" : `, ${section.changes} changes`;
      return line(sectionPath(target), `${verb} ${toSecond(ts)} by \`${by}\` at revision ${revision}${often}`);
    })
    .join("");
}

/** Paths are of letters, digits and a few marks, and actors too: in a code span nothing of them is markup. */
function line(path: string, said: string): string {
  return `- \`${path}\`: ${said}\n`;
}
