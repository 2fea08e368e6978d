/**
 * The Taskdoc of an entity: sections of Markdown that agents replace whole, and that an orchestrator puts before every
 * agent of a dialog tree. Its names are a fixed table and one grammar (taskdoc_target.ts); its text is opaque.
 */
import type { Node } from "./node.ts";

/** Name of the package in the folder of every entity; `task.yaml` records it. */
export const TASKDOC_PACKAGE = "taskdoc.tsk";

/** Where an entity's Taskdoc may lie in the old form, one Markdown file: beside the package, under the same name. */
export const SINGLE_FILE_TASKDOC = "taskdoc.md";

/** Always injected, in this order around the next; each has a file once any section was written. */
export const TOP_LEVEL_SECTIONS = ["goals", "constraints", "progress"] as const;

export const BEAR_IN_MIND = "bearinmind";

/** The only sections of `bearinmind`, injected in this order where they hold text. Not configurable (TASKDOC-2). */
export const BEAR_IN_MIND_SECTIONS = ["contracts", "acceptance", "grants", "runbook", "decisions", "risks"] as const;

/** Hex SHA-256 of no bytes: the content of a section that was never written. */
export const EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/** One section by its two names. */
export interface TaskdocTarget {
  /** null: one of the three at the top. */
  category: string | null;
  selector: string;
}

/** One replacement, by the event that says it. */
export interface SectionChange {
  /** Event id: the log has the whole text. */
  event: string;
  ts: string;
  by: string;
  /** Revision of the entity after it. */
  revision: number;
  /** Hex digest of the content as it was given. */
  sha256: string;
}

/** A section that was written; those at the top that were never written are empty. */
export interface TaskdocSection extends Node, TaskdocTarget {
  /** Exactly as it was given; empty once it was cleared. */
  content: string;
  readonly first: SectionChange;
  last: SectionChange;
  changes: number;
  /** Hex digests of the files that texts of it were taken from, in their order. */
  sources: readonly string[];
}

/** Sections by `sectionKey`, in the order in which they came up. */
export type Taskdoc = Map<string, TaskdocSection>;

/** Path of a section in the package. */
export function sectionPath({ category, selector }: TaskdocTarget): string {
  return category === null ? `${selector}.md` : `${category}/${selector}.md`;
}

/** `goals`, `ux/checklist`: a section as people and messages name it. */
export function sectionName({ category, selector }: TaskdocTarget): string {
  return category === null ? selector : `${category}/${selector}`;
}

/** Two names that differ in case alone are one file on some disks, so they are one section everywhere. */
export function sectionKey(target: TaskdocTarget): string {
  return sectionPath(target).toLowerCase();
}

export function sectionOf(taskdoc: Taskdoc, target: TaskdocTarget): TaskdocSection | undefined {
  return taskdoc.get(sectionKey(target));
}

/** Returns the spelling that a category has here already, or the given one where no section of it was written. */
export function spelledCategory(taskdoc: Taskdoc, category: string | null): string | null {
  const wanted = category?.toLowerCase();
  for (const section of taskdoc.values()) if (section.category?.toLowerCase() === wanted) return section.category;
  return category;
}

/** Bytes of the section's file: the content as given, and one line feed at the end where it has none. */
export function sectionText(content: string): string {
  return content === "" || content.endsWith("\n") ? content : `${content}\n`;
}

/** Whether any section was written: before, no writer makes a file of the package (TASKDOC-1). */
export function hasSections(taskdoc: Taskdoc): boolean {
  return taskdoc.size > 0;
}

/** Every file of the package with its text: the three at the top first, the others sorted. */
export function taskdocFiles(taskdoc: Taskdoc): Map<string, string> {
  const files = new Map<string, string>();
  for (const selector of TOP_LEVEL_SECTIONS) {
    const section = sectionOf(taskdoc, { category: null, selector });
    files.set(`${selector}.md`, sectionText(section?.content ?? ""));
  }
  for (const section of sectionsBelow(taskdoc)) files.set(sectionPath(section), sectionText(section.content));
  return files;
}

/** Sections that stand in a category, sorted by name in code units. */
export function sectionsBelow(taskdoc: Taskdoc): TaskdocSection[] {
  if (taskdoc.size === 0) return [];
  const below = [...taskdoc.values()].filter((section) => section.category !== null);
  return below.sort((a, b) => (sectionName(a) < sectionName(b) ? -1 : 1));
}

/** Name of the field that two branches can disagree about. */
export function sectionField({ $ }: TaskdocSection): string {
  return `${$}content`;
}

/** The path in the package that a field belongs to, or undefined. */
export function sectionPathOf(field: string): string | undefined {
  return /^taskdoc\.(.+)\.content$/.exec(field)?.[1];
}
