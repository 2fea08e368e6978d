/** Records of another tracker that become no plan or task: each is named in the report of an import. */
import { counted } from "../../../state/counted.ts";
import { oneLine } from "./clean.ts";

const PAGES = "Documents and decisions stay where they are: edit ID --context TEXT names a path for who needs it";

/** For one, for several, and what a person can do with them. */
const KINDS = {
  archived: ["archived file", "archived files"],
  deleted: ["deleted task", "deleted tasks"],
  template: ["template of a recurring task", "templates of recurring tasks"],
  pull_request: ["pull request", "pull requests"],
  document: ["document", "documents", PAGES],
  decision: ["decision", "decisions", PAGES],
  memory: ["memory", "memories", "Memories fit into the page that agents read, such as AGENTS.md"],
  record: ["record of another kind", "records of other kinds"],
  file: ["file that is none of the tracker's", "files that are none of the tracker's"],
  page: ["page without front matter", "pages without front matter"],
  text: ["line outside of the lists", "lines outside of the lists"],
  twin: ["item with the id of another", "items with the id of another"],
  unread: ["record that cannot be read", "records that cannot be read"],
} as const satisfies Record<string, readonly [one: string, many: string, todo?: string]>;

export interface LeftOut {
  kind: keyof typeof KINDS;
  /** Its id, its path, or where it stands in its file. */
  name: string;
  /** Why it cannot be read. */
  message?: string;
}

const NAMED = 10;
const NAME = 80;

/** `2 memories left out: auth, db`. */
export function leftOutSentences(leftOut: readonly LeftOut[]): string[] {
  const sentences = Object.entries(KINDS).flatMap(([kind, [one, many, todo]]) => {
    const names = leftOut.filter((some) => some.kind === kind).map(({ name }) => name);
    if (names.length === 0) return [];
    return [`${counted(names.length, one, many)} left out: ${listed(names)}`, ...(todo === undefined ? [] : [todo])];
  });
  return [...new Set(sentences)];
}

/** Whether the tracker kept something, though nothing of it becomes a plan or task. */
export function isOfTracker({ kind }: LeftOut): boolean {
  return kind !== "file" && kind !== "page" && kind !== "record" && kind !== "unread";
}

/** The first names, each as one short line, and how many more there are. */
export function listed(names: readonly string[]): string {
  const more = names.length - NAMED;
  const shown = names.slice(0, NAMED).map((name) => oneLine(name, NAME).line);
  return `${shown.join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
}
