/** Which tasks the board shows and in which groups: pure, so that ten thousand rows take a few milliseconds. */
import type { BoardRow, Status } from "../../../src/views/viewer/api.ts";
import { isReady } from "../../../src/views/viewer/blocked.ts";
import { nameOf } from "../text/actor_name.ts";

export const GROUPS = ["none", "plan", "agent", "tag", "priority"] as const;
export type Group = (typeof GROUPS)[number];

/** Facts that stand out on a task, the gravest first. */
export const MARKS = ["failed", "conflicts", "blocked", "drift", "claimed", "complete", "waiting", "ready"] as const;
export type Mark = (typeof MARKS)[number];
export type MarkCounts = Record<Mark, number>;

export interface Choice {
  /** Words, each of which a row has somewhere. */
  search: readonly string[];
  marks: readonly Mark[];
  plan: string;
  agent: string;
  tag: string;
  priority: string;
  archived: boolean;
}

export function choiceOf(query: Readonly<Record<string, string>>): Choice {
  const wanted = (query["is"] ?? "").split(",");
  return {
    search: (query["q"] ?? "")
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== ""),
    marks: MARKS.filter((mark) => wanted.includes(mark)),
    plan: query["plan"] ?? "",
    agent: nameOf(query["agent"] ?? ""),
    tag: query["tag"] ?? "",
    priority: query["priority"] ?? "",
    archived: query["archived"] === "1",
  };
}

export function hasMark(row: BoardRow, mark: Mark): boolean {
  switch (mark) {
    case "ready":
      return isReady(row);
    case "blocked":
      // A part of it is enough: who looks for what stands still wants these too.
      return row.blocked.length > 0;
    case "complete":
      return row.to_complete;
    case "claimed":
      return row.claims.some(({ holds }) => holds);
    case "conflicts":
      return row.conflicts > 0;
    case "drift":
      return row.drift === true;
    case "failed":
      return row.failed_proof > 0;
    case "waiting":
      return row.waits_for.length > 0;
  }
}

function addMarks(counts: MarkCounts, row: BoardRow): void {
  for (const mark of MARKS) if (hasMark(row, mark)) counts[mark]++;
}

function noMarks(): MarkCounts {
  return { failed: 0, conflicts: 0, blocked: 0, drift: 0, claimed: 0, complete: 0, waiting: 0, ready: 0 };
}

export function countMarks(rows: readonly BoardRow[]): MarkCounts {
  const counts = noMarks();
  for (const row of rows) addMarks(counts, row);
  return counts;
}

/** Of the tasks of each plan that the board shows without a filter. */
export function marksByPlan(rows: readonly BoardRow[]): Map<string, MarkCounts> {
  const plans = new Map<string, MarkCounts>();
  for (const row of rows) {
    if (row.kind !== "task" || row.archived || row.plan === null) continue;
    let counts = plans.get(row.plan);
    if (!counts) plans.set(row.plan, (counts = noMarks()));
    addMarks(counts, row);
  }
  return plans;
}

/** By plan, its tasks that are not deleted; archived ones were done. */
export function tasksByPlan(rows: readonly BoardRow[]): Map<string, BoardRow[]> {
  const plans = new Map<string, BoardRow[]>();
  for (const row of rows) {
    if (row.kind !== "task" || row.deleted || row.plan === null) continue;
    const known = plans.get(row.plan);
    if (known) known.push(row);
    else plans.set(row.plan, [row]);
  }
  return plans;
}

/** Names of those that hold a claim on it, of its assignee, and of the actor of its last change. */
export function agentsOf({ claims, assignee, updated_by }: BoardRow): string[] {
  const found = claims.filter(({ holds }) => holds).map(({ by }) => nameOf(by));
  for (const by of [assignee, updated_by]) if (by) found.push(nameOf(by));
  return found.length > 1 ? [...new Set(found)] : found;
}

/** As the terminal has its columns. */
export function byLastChange(a: BoardRow, b: BoardRow): number {
  return a.updated_at < b.updated_at ? 1 : a.updated_at > b.updated_at ? -1 : 0;
}

export function isChosen(row: BoardRow, choice: Choice): boolean {
  if (row.kind !== "task" || (row.archived && !choice.archived)) return false;
  if (choice.plan && (row.plan ?? "-") !== choice.plan) return false;
  if (choice.priority && priorityOf(row.priority) !== choice.priority) return false;
  if (choice.tag && !row.tags.includes(choice.tag)) return false;
  if (choice.agent && !agentsOf(row).includes(choice.agent)) return false;
  if (!choice.marks.every((mark) => hasMark(row, mark))) return false;
  return choice.search.every((word) => textOf(row).includes(word));
}

const texts = new WeakMap<BoardRow, string>();

/** Texts that a search looks at. Made once a row: each letter of a search asks every row. */
function textOf(row: BoardRow): string {
  const known = texts.get(row);
  if (known !== undefined) return known;
  const people = [row.assignee, row.updated_by, ...row.claims.map((claim) => claim.by)];
  const text = [row.id, row.title, row.plan, row.priority, ...row.tags, ...people].join("\n").toLowerCase();
  texts.set(row, text);
  return text;
}

/** Keys of the groups that a row stands in; a row with two tags stands in both. */
export function groupsOf(row: BoardRow, group: Group): string[] {
  if (group === "plan") return [row.plan ?? ""];
  if (group === "priority") return [priorityOf(row.priority)];
  if (group === "tag") return row.tags.length > 0 ? row.tags : [""];
  if (group === "agent") {
    const agents = agentsOf(row);
    return agents.length > 0 ? agents : [""];
  }
  return [""];
}

/** One for all spellings of a word that has a weight: other trackers write `high`. */
export function priorityOf(value: string): string {
  const word = value.toUpperCase();
  return PRIORITIES.includes(word) ? word : value;
}

const PRIORITIES = ["CRITICAL", "URGENT", "HIGH", "MEDIUM", "NORMAL", "LOW"];

/** Groups in the order of the board: priorities by weight, the rest by name, what has no group last. */
export function compareGroups(group: Group): (a: string, b: string) => number {
  const weight = (key: string): number => PRIORITIES.indexOf(priorityOf(key)) + 1 || PRIORITIES.length + 1;
  return (a, b) => {
    if (group === "priority" && weight(a) !== weight(b)) return weight(a) - weight(b);
    if ((a === "") !== (b === "")) return a === "" ? 1 : -1;
    return a.localeCompare(b, "en", { numeric: true });
  };
}

export interface Lane {
  key: string;
  total: number;
  /** By status, in the order of the columns. */
  columns: BoardRow[][];
}

export function lanesOf(rows: readonly BoardRow[], group: Group, columns: readonly Status[]): Lane[] {
  const lanes = new Map<string, Lane>();
  const place = new Map(columns.map((status, index) => [status, index]));
  for (const row of rows) {
    for (const key of groupsOf(row, group)) {
      let lane = lanes.get(key);
      if (!lane) lanes.set(key, (lane = { key, total: 0, columns: columns.map(() => []) }));
      lane.columns[place.get(row.status)!]?.push(row);
      lane.total++;
    }
  }
  return [...lanes.values()].toSorted((a, b) => compareGroups(group)(a.key, b.key));
}

/** A line of the board: the head of a lane, or one card of each column. */
export type Line = { lane: Lane; index: number } | { head: Lane };

export function linesOf(lanes: readonly Lane[], withHeads: boolean): Line[] {
  const lines: Line[] = [];
  for (const lane of lanes) {
    if (withHeads) lines.push({ head: lane });
    const height = Math.max(...lane.columns.map((column) => column.length));
    for (let index = 0; index < height; index++) lines.push({ lane, index });
  }
  return lines;
}
