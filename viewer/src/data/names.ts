/** The names of answers, each with the type of what is read under it. */
import type {
  AgentsAnswer,
  BoardAnswer,
  CardsAnswer,
  CheckAnswer,
  DifferenceAnswer,
  EntityAnswer,
  EvidenceAnswer,
  GraphAnswer,
  HealthAnswer,
  HistoryAnswer,
  ListName,
  LogsAnswer,
  NotesAnswer,
  OutputAnswer,
  SearchAnswer,
  StandingsAnswer,
  StatusAnswer,
  TraceAnswer,
  WorkspaceAnswer,
} from "../../../src/views/viewer/api.ts";

/** A name, and by its type the answer that it stands for. */
export interface Name<T> {
  text: string;
  /** Never there at run time. */
  answer?: T;
}

export type AnyList = EvidenceAnswer | NotesAnswer | CardsAnswer | TraceAnswer;

function name<T>(text: string): Name<T> {
  return { text };
}

export const names = {
  workspace: name<WorkspaceAnswer>("workspace.json"),
  status: name<StatusAnswer>("status.json"),
  standings: name<StandingsAnswer>("standings.json"),
  agents: (page: number) => name<AgentsAnswer>(page === 0 ? "agents.json" : `agents/${page}.json`),
  health: name<HealthAnswer>("health.json"),
  logs: (page: number) => name<LogsAnswer>(`logs/${page}.json`),
  board: (page: number) => name<BoardAnswer>(`board/${page}.json`),
  entity: (id: string) => name<EntityAnswer>(`entities/${id}.json`),
  revision: (id: string, n: number) => name<EntityAnswer>(`entities/${id}/revisions/${n}.json`),
  difference: (id: string, a: number, b: number) => name<DifferenceAnswer>(`entities/${id}/differences/${a}-${b}.json`),
  history: (id: string, page: number) => name<HistoryAnswer>(`entities/${id}/history/${page}.json`),
  /** As it is now, or as of a revision. */
  list: (id: string, list: ListName, page: number, revision?: number) =>
    name<AnyList>(`entities/${id}/${revision === undefined ? "" : `revisions/${revision}/`}${list}/${page}.json`),
  output: (id: string, sha256: string, page: number) =>
    name<OutputAnswer>(`entities/${id}/output/${sha256}/${page}.json`),
  search: (text: string) => name<SearchAnswer>(`search/${encodeURIComponent(text.toWellFormed())}.json`),
  check: (id: string) => name<CheckAnswer>(`entities/${id}/check.json`),
  graph: (id: string) => name<GraphAnswer>(`plans/${id}/graph.json`),
};

/** Captured bytes are named by their digest: what was read once holds. */
export function isFixed(text: string): boolean {
  return text.includes("/output/");
}

/** Holds until a change of its plan or task is told. Revisions count the replay, so a checkout or a merge gives a number to another change. */
export function isKept(text: string): boolean {
  return isFixed(text) || /\/(revisions|differences)\//.test(text);
}

/** Whether it is about this plan or task. */
export function isAbout(text: string, id: string): boolean {
  return text === `entities/${id}.json` || text.startsWith(`entities/${id}/`);
}

/** Whether a change of another plan or task can change it. A page names what it waits for, in the past too, and a plan has its tasks. */
export function isAboutOthers(text: string): boolean {
  if (/^entities\/[^/]+\/revisions\/[^/]+$/.test(text)) return true;
  return !text.startsWith("board/") && !/^entities\/[^/]+\//.test(text);
}

/** The key of the checks of all folders. */
export function isAboutChecks(text: string): boolean {
  return text === names.workspace.text || text === names.health.text;
}

/** It compares files beside the logs: the check of one folder, and what needs someone. */
export function isCheck(text: string): boolean {
  return text === names.status.text || text.endsWith("/check.json");
}
