/** The answers about all plans and tasks: the workspace, its board, agents, logs, health, and the graph of a plan. */
import { basename } from "node:path";
import { TaskfoldError } from "../../errors.ts";
import { agentLanes, agentStandings } from "../../views/viewer/agent_lanes.ts";
import type { ActivityOf } from "../../views/viewer/agent_lanes.ts";
import { API_VERSION, BOARD_PAGE } from "../../views/viewer/api.ts";
import type {
  AgentsAnswer,
  Answer,
  BoardAnswer,
  BoardRow,
  FindingItem,
  HealthAnswer,
  LogsAnswer,
  StandingsAnswer,
  WorkspaceAnswer,
} from "../../views/viewer/api.ts";
import { planGraph } from "../../views/viewer/plan_graph.ts";
import { countsOf } from "../../views/viewer/workspace_counts.ts";
import type { Board } from "./board.ts";
import { checkedAt } from "./checks.ts";
import type { ExportNote } from "./export_note.ts";
import { logsOf, logsPage } from "./log_sizes.ts";
import type { FolderOverTime, OverTime } from "./over_time.ts";
import { noPage } from "./past.ts";

const MAX_FINDINGS = 1000;
const MAX_WARNINGS = 100;

interface Workspace {
  root: string;
  /** Id of the workspace, "" while the root is not bound. */
  id: () => string;
  /** Release that answers say. */
  version: string;
  board: Board;
  overTime: OverTime;
}

export class WorkspaceAnswers {
  readonly #workspace: Workspace;
  readonly #board: Board;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
    this.#board = workspace.board;
  }

  workspace(note: ExportNote): WorkspaceAnswer {
    const { root, id, version } = this.#workspace;
    const { now, rows: all, isChecked: complete } = this.#board;
    const rows = this.rowsFor(note, now);
    const findings = this.#findingsFor(note);
    const faults = findings.filter((finding) => !finding.note).length;
    return {
      api: API_VERSION,
      id: id() || null,
      name: basename(root),
      version,
      stamp: all.stamp,
      now,
      exported_at: note.exported_at,
      only: note.only,
      counts: countsOf(rows, complete),
      board_pages: pagesOf(rows),
      findings: { faults, notes: findings.length - faults, complete },
      ...this.#warnings(),
    };
  }

  board(page: number, note: ExportNote): BoardAnswer {
    const { now } = this.#board;
    const rows = this.rowsFor(note, now);
    const pages = pagesOf(rows);
    if (page >= pages) throw noPage("the workspace", "board", page, pages);
    return {
      api: API_VERSION,
      stamp: this.#board.rows.stamp,
      now,
      page,
      pages,
      total: rows.length,
      rows: rows.slice(page * BOARD_PAGE, (page + 1) * BOARD_PAGE),
      ...this.#warnings(),
    };
  }

  graph(id: string): Answer {
    const { now } = this.#board;
    if (this.#board.row(id, now)?.kind !== "plan") throw noAnswer(`plans/${id}`);
    const rows = new Map(this.#board.all(now).flatMap((one) => (one.deleted ? [] : [[one.id, one]])));
    return planGraph(id, rows, this.#board.rows.stamp, now);
  }

  async standings(note: ExportNote): Promise<StandingsAnswer> {
    const { of, stamp, now } = await this.#activityFor(note);
    return agentStandings(of, { stamp, now });
  }

  async agents(page: number, note: ExportNote): Promise<AgentsAnswer> {
    const { of, stamp, now } = await this.#activityFor(note);
    const answer = agentLanes(of, { stamp, now, page });
    if (page >= answer.pages) throw noPage("the workspace", "agents", page, answer.pages);
    return answer;
  }

  async logs(page: number, note: ExportNote): Promise<LogsAnswer> {
    const { stamp } = this.#board.rows;
    const answer = logsPage(await this.#overTimeFor(note), page, this.#board.now);
    if (page >= answer.pages) throw noPage("the workspace", "logs", page, answer.pages);
    return { api: API_VERSION, stamp, ...answer };
  }

  async health(note: ExportNote): Promise<HealthAnswer> {
    const all = await this.#overTimeFor(note);
    const { rows, checks, isChecked: complete } = this.#board;
    const { checked, oldest } = checks.progress;
    const findings = this.#findingsFor(note);
    return {
      api: API_VERSION,
      stamp: rows.stamp,
      checked,
      total: rows.folders.size,
      complete,
      checked_at: oldest === null ? null : checkedAt({ at: oldest }),
      findings: faultsFirst(findings).slice(0, MAX_FINDINGS),
      findings_total: findings.length,
      faults_total: findings.filter(({ note: isNote }) => !isNote).length,
      logs: logsOf(all, this.#board.now),
    };
  }

  /** All of them, or what the page of one entity names: itself, its tasks or plan, what it waits for. */
  rowsFor({ only }: ExportNote, now: string): readonly BoardRow[] {
    const rows = this.#board.all(now);
    const one = only === null ? undefined : rows.find(({ id }) => id === only);
    if (!one) return rows;
    const named = new Set([one.id, ...(one.plan === null ? [] : [one.plan]), ...one.depends_on]);
    return rows.filter(({ id, plan }) => named.has(id) || plan === one.id);
  }

  #warnings(): Pick<BoardAnswer, "warnings" | "warnings_total"> {
    const all = this.#board.rows.warnings();
    return { warnings: all.slice(0, MAX_WARNINGS), warnings_total: all.length };
  }

  #findingsFor({ only }: ExportNote): FindingItem[] {
    const { findings } = this.#board.checks;
    return only === null ? findings : findings.filter(({ entity }) => entity === only);
  }

  async #activityFor(note: ExportNote): Promise<{ of: ActivityOf[]; stamp: string; now: string }> {
    const all = await this.#overTimeFor(note);
    const { now, rows } = this.#board;
    const of = all.flatMap(({ folder, activity }) => {
      const row = this.#board.row(folder.place.id, now);
      return row ? [{ row, activity }] : [];
    });
    return { of, stamp: rows.stamp, now };
  }

  async #overTimeFor({ only }: ExportNote): Promise<FolderOverTime[]> {
    const all = await this.#workspace.overTime.all(this.#board.rows.folders);
    return only === null ? all : all.filter(({ folder }) => folder.place.id === only);
  }
}

function pagesOf(rows: readonly BoardRow[]): number {
  return Math.max(1, Math.ceil(rows.length / BOARD_PAGE));
}

function faultsFirst(findings: readonly FindingItem[]): FindingItem[] {
  return [...findings.filter(({ note }) => !note), ...findings.filter(({ note }) => note)];
}

/** UNKNOWN_ID: no answer has this name. */
export function noAnswer(name: string): TaskfoldError {
  return new TaskfoldError(
    "UNKNOWN_ID",
    `Expected the name of an answer, found ${JSON.stringify(name.slice(0, 80))}.`,
    {
      recovery: "docs/viewer.md lists the names; GET /api/v1/workspace.json is the first to ask for.",
    },
  );
}
