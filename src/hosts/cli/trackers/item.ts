/** The items that every reader makes of the files of another tracker, and that the writer makes plans and tasks of. */

export interface TrackerStep {
  title: string;
  criteria: string[];
  tests: string[];
  done: boolean;
  /** Places of other steps of the same item. */
  dependsOn: number[];
}

export interface TrackerNote {
  text: string;
  by: string;
  at: string;
}

export type TrackerState = "open" | "active" | "blocked" | "done" | "dropped";

export interface TrackerItem {
  /** Its id in the tracker. */
  id: string;
  kind: "plan" | "task";
  title: string;
  text: string;
  /** Texts that have no field of their own, with their headings. */
  sections: [heading: string, text: string][];
  /** One line each: people, dates, links. */
  facts: [name: string, value: string][];
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
  notes: TrackerNote[];
}

/** A file as it was read, by its path as the caller knows it. */
export interface SourceFile {
  path: string;
  bytes: Buffer;
}

export interface ReadItems {
  items: TrackerItem[];
  /** A sentence for each fact that was left out or changed. */
  said: string[];
}

export interface Tracker {
  /** Its name for people. */
  name: string;
  /** The beginning of ids where the tracker's own id is a number or no name. */
  prefix: string;
  /** Where its files lie below a folder; the first that is there counts. */
  places: string[];
  /** Ends of the names of files, where a place is a folder. */
  ends: string;
  /** Folders of a place that have files of it, too. */
  folders: string[];
  read: (files: readonly SourceFile[]) => ReadItems | Promise<ReadItems>;
}

export function newItem(given: Pick<TrackerItem, "id" | "title"> & Partial<TrackerItem>): TrackerItem {
  return {
    kind: "task",
    text: "",
    sections: [],
    facts: [],
    state: "open",
    status: "",
    reason: "",
    priority: undefined,
    tags: [],
    dependsOn: [],
    plan: undefined,
    parent: undefined,
    steps: [],
    notes: [],
    ...given,
  };
}

export function newStep(title: string, given: Partial<TrackerStep> = {}): TrackerStep {
  return { title, criteria: [], tests: [], done: false, dependsOn: [], ...given };
}
