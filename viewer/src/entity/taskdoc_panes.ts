import { TOP_LEVEL_SECTIONS } from "../../../src/state/taskdoc.ts";
import type { TaskdocSectionItem } from "../../../src/views/viewer/api.ts";

/** A section, or one at the top that was never written (PAGE-104). */
export interface Pane {
  name: string;
  section: TaskdocSectionItem | undefined;
}

/** Those at the top in their order, then what was written. */
export function panesOf(sections: readonly TaskdocSectionItem[]): Pane[] {
  const written = new Map(sections.map((section) => [section.name, section]));
  const names = new Set<string>([...TOP_LEVEL_SECTIONS, ...written.keys()]);
  return [...names].map((name) => ({ name, section: written.get(name) }));
}
