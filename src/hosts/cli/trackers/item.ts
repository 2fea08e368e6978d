/** The items that every reader makes of the files of another tracker, and that the writer makes plans and tasks of. */

import type { Fields } from "./fields.ts";
import type { LeftOut } from "./left_out.ts";

export interface TrackerStep {
  title: string;
  criteria: string[];
  tests: string[];
  done: boolean;
  /** Places of other steps of the same item. */
  dependsOn: number[];
}

/** With the name that the source has for its field, where that is another. */
export type Fact = readonly [name: string, value: string, field?: string];

export interface TrackerNote {
  text: string;
  by: string;
  at: string;
}

export type TrackerState = "open" | "active" | "blocked" | "done" | "dropped";

export interface TrackerItem {
  /** Its id in the tracker, as it is written there. */
  id: string;
  /** One for all spellings of its id, where the tracker takes several for the same. */
  sameId: string | undefined;
  kind: "plan" | "task";
  title: string;
  text: string;
  /** Texts that have no field of their own, with their headings. */
  sections: Fact[];
  /** People, dates, links, and every other field that has no place. */
  facts: Fact[];
  /** Names of fields that stand among the facts because nothing here is like them. */
  unplaced: string[];
  /** Names of fields that stand nowhere here. */
  skipped: string[];
  state: TrackerState;
  /** The tracker's own word for the state. */
  status: string;
  /** Why it ended. */
  reason: string;
  priority: string | undefined;
  tags: string[];
  dependsOn: string[];
  /** Id of the plan that it belongs to. */
  plan: string | undefined;
  /** Id of the task of which it is a step. */
  parent: string | undefined;
  steps: TrackerStep[];
  /** How the whole is tested, when its steps are done. */
  tests: string[];
  notes: TrackerNote[];
}

/** A file as it was read, by its path as the caller knows it. */
export interface SourceFile {
  path: string;
  bytes: Buffer;
}

export interface ReadItems {
  items: TrackerItem[];
  leftOut: LeftOut[];
  /** Fields of a file, and of no item in it, that stand nowhere here. */
  skipped?: string[];
  /** The item that each task below a task became a step of. */
  homes?: ReadonlyMap<string, string>;
}

export interface Tracker {
  /** Its name for people. */
  name: string;
  /** Its own names for what an item has: the report tells them. */
  fields: Readonly<Record<"title" | "text" | "steps" | "tests" | "notes", string>>;
  /** The beginning of ids where the tracker's own id is a number or no name. */
  prefix: string;
  /** Where its files lie below a folder; the first that is there counts. */
  places: string[];
  /** Ends of the names of files, where a place is a folder. */
  ends: string;
  /** Folders of a place that have files of it, too. */
  folders: string[];
  /** Folders of a place whose files are named and not read. */
  named?: string[];
  read: (files: readonly SourceFile[]) => ReadItems | Promise<ReadItems>;
}

export function newItem(given: Pick<TrackerItem, "id" | "title"> & Partial<TrackerItem>): TrackerItem {
  return {
    kind: "task",
    sameId: undefined,
    text: "",
    sections: [],
    facts: [],
    unplaced: [],
    skipped: [],
    state: "open",
    status: "",
    reason: "",
    priority: undefined,
    tags: [],
    dependsOn: [],
    plan: undefined,
    parent: undefined,
    steps: [],
    tests: [],
    notes: [],
    ...given,
  };
}

/** Names of fields for people, in the order in which a description has them. */
export type Labels = Readonly<Record<string, string>>;

/** The item with each field that its reader did not take, so that no field is lost. */
export function withRest(item: TrackerItem, of: Fields, labels: Labels): TrackerItem {
  const rest = of.takeRest();
  const isKnown = ({ name }: { name: string }): boolean => Object.hasOwn(labels, name);
  const known = Object.entries(labels).flatMap(([field, label]) =>
    rest.filter(({ name }) => name === field).map(({ text }): Fact => [label, text, field]),
  );
  const unknown = rest.filter((leaf) => !isKnown(leaf));
  return {
    ...item,
    facts: [...item.facts, ...known, ...unknown.map(({ name, text, field }): Fact => [name, text, field])],
    unplaced: [...new Set([...item.unplaced, ...unknown.map(({ field }) => field)])],
    skipped: [...new Set([...item.skipped, ...of.takeSkipped()])],
  };
}

export function newStep(title: string, given: Partial<TrackerStep> = {}): TrackerStep {
  return { title, criteria: [], tests: [], done: false, dependsOn: [], ...given };
}
