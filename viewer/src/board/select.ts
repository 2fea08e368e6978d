/** Which tasks the board shows and in which groups: pure, so that ten thousand rows take a few milliseconds. */
import type { BoardRow, Status } from "../../../src/views/viewer/api.ts";
import { isBlocked } from "../../../src/views/viewer/blocked.ts";

export const GROUPS = ["none", "plan", "agent", "tag", "priority"] as const;
export type Group = (typeof GROUPS)[number];

export const MARKS = ["ready", "blocked", "claimed", "conflicts", "drift", "failed"] as const;
export type Mark = (typeof MARKS)[number];

export const STATUSES: readonly Status[] = ["TODO", "ACTIVE", "DONE", "FAILED", "CANCELED"];

export interface Choice {
  search: string;
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
    search: (query["q"] ?? "").trim().toLowerCase(),
    marks: MARKS.filter((mark) => wanted.includes(mark)),
    plan: query["plan"] ?? "",
    agent: query["agent"] ?? "",
    tag: query["tag"] ?? "",
    priority: query["priority"] ?? "",
    archived: query["archived"] === "1",
  };
}

export function hasMark(row: BoardRow, mark: Mark): boolean {
  switch (mark) {
    case "ready":
      return row.ready !== null;
    case "blocked":
      return isBlocked(row);
    case "claimed":
      return row.claims.some(({ holds }) => holds);
    case "conflicts":
      return row.conflicts > 0;
    case "drift":
      return row.drift === true;
    case "failed":
      return row.failed_proof > 0;
  }
}

/** The actor that has it now; else the one to whom it was given. */
export function agentsOf(row: BoardRow): string[] {
  const holders = row.claims.filter(({ holds }) => holds).map(({ by }) => by);
  return holders.length > 0 ? [...new Set(holders)] : row.assignee ? [row.assignee] : [];
}

export function isChosen(row: BoardRow, choice: Choice): boolean {
  if (row.kind !== "task" || (row.archived && !choice.archived)) return false;
  if (choice.plan && (row.plan ?? "-") !== choice.plan) return false;
  if (choice.priority && row.priority !== choice.priority) return false;
  if (choice.tag && !row.tags.includes(choice.tag)) return false;
  if (choice.agent && !agentsOf(row).includes(choice.agent)) return false;
  if (!choice.marks.every((mark) => hasMark(row, mark))) return false;
  return choice.search === "" || textOf(row).includes(choice.search);
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
  if (group === "priority") return [row.priority];
  if (group === "tag") return row.tags.length > 0 ? row.tags : [""];
  if (group === "agent") {
    const agents = agentsOf(row);
    return agents.length > 0 ? agents : [""];
  }
  return [""];
}

const PRIORITIES = ["CRITICAL", "URGENT", "HIGH", "MEDIUM", "NORMAL", "LOW"];

/** Groups in the order of the board: priorities by weight, the rest by name, what has no group last. */
export function compareGroups(group: Group): (a: string, b: string) => number {
  const weight = (key: string): number => PRIORITIES.indexOf(key.toUpperCase()) + 1 || PRIORITIES.length + 1;
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
