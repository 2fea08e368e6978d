/**
 * A workspace as the viewer reads it: answers by their names (views/viewer/api.ts), from what is in the folder, through a disk that
 * changes nothing. No lock is taken, no focus, cursor, index or snapshot is left behind.
 */
import { basename } from "node:path";
import type { Disk } from "../disk.ts";
import { TaskfoldError } from "../errors.ts";
import { nodeRuntime } from "../node_runtime.ts";
import { readOnlyDisk } from "../read_only_disk.ts";
import type { Runtime } from "../runtime.ts";
import { sha256 } from "../log/canonical.ts";
import { differenceOf } from "../views/viewer/difference.ts";
import { agentLanes } from "../views/viewer/agent_lanes.ts";
import { API_VERSION, BOARD_PAGE } from "../views/viewer/api.ts";
import type {
  ApiWarning,
  AgentsAnswer,
  Answer,
  BoardAnswer,
  BoardRow,
  ChangeEvent,
  EntityAnswer,
  FindingItem,
  HealthAnswer,
  LogsAnswer,
  WorkspaceAnswer,
} from "../views/viewer/api.ts";
import { countsOf } from "../views/viewer/workspace_counts.ts";
import { planGraph } from "../views/viewer/plan_graph.ts";
import { isoTime } from "./core/context.ts";
import type { EngineContext } from "./core/context.ts";
import { RootBinding } from "./entity/binding.ts";
import { Store } from "./entity/store.ts";
import { Entities } from "./entities/entities.ts";
import { GitBases } from "./entities/git_base.ts";
import type { ReadModel } from "./entities/read_model.ts";
import { openRoot } from "./open_root.ts";
import { Journal } from "./commit/journal.ts";
import { withJournal } from "./transaction/journal_lines.ts";
import type { AnswerRequest } from "./viewer/answer_name.ts";
import { requestOf } from "./viewer/answer_name.ts";
import { blobBytes, bytesSign, OutputTexts } from "./viewer/blobs.ts";
import { Checks, checkedAt } from "./viewer/checks.ts";
import { lookByTheClock } from "./viewer/look_by_the_clock.ts";
import { AnswerCache } from "./viewer/answer_cache.ts";
import { LogHints } from "./viewer/log_hints.ts";
import { logsOf, logsPage } from "./viewer/log_sizes.ts";
import { OverTime } from "./viewer/over_time.ts";
import type { FolderOverTime } from "./viewer/over_time.ts";
import type { FoundPage, OtherRows } from "./viewer/pages.ts";
import { blobFolderOf, noPage, Pages } from "./viewer/pages.ts";
import { BoardRows } from "./viewer/rows.ts";
import type { RowChange } from "./viewer/rows.ts";

export interface ViewerOptions {
  root: string;
  /** Release that answers say. */
  version: string;
  /** As for the `openWorkspace` of `taskfold/testing`. */
  runtime?: Runtime;
  disk?: Disk;
  /** For tests. */
  now?: () => number;
  /** Changes of one event that bring their rows; for tests. */
  mostTold?: number;
}

/** An answer whose text is made when it is wanted: the tag tells whether the caller has it already. */
export interface Answered {
  /** The same for the same answer, in quotes, as HTTP has it. */
  etag: string;
  /** Digest of the ends of all logs, as of which it is at least. */
  stamp: string;
  body: () => Promise<string>;
}

/** Names the export that an answer is part of. */
export interface ExportNote {
  exported_at: string | null;
  only: string | null;
}

/** Characters of a time up to its minutes. */
const TO_THE_MINUTE = "2026-01-01T00:00".length;
const SERVED: ExportNote = { exported_at: null, only: null };
const ENTITIES_KEPT = 500;
const MAX_FINDINGS = 1000;
const MAX_WARNINGS = 100;
const MAX_TOLD = 1000;

export class Viewer {
  readonly root: string;
  readonly #context: EngineContext;
  readonly #version: string;
  readonly #mostTold: number;
  readonly #binding: RootBinding;
  readonly #parts: ReadModel;
  readonly #journal: Journal;
  readonly #rows: BoardRows;
  readonly #pages: Pages;
  readonly #checks: Checks;
  readonly #overTime: OverTime;
  readonly #outputs = new OutputTexts();
  readonly #release: () => void;
  readonly #kept = new AnswerCache();
  #made: { sign: string; rows: readonly BoardRow[] } | undefined;
  #closed = false;

  constructor({ root: given, version, runtime = nodeRuntime, disk, now, mostTold = MAX_TOLD }: ViewerOptions) {
    const { root, context, release } = openRoot(
      {
        root: given,
        runtime,
        projections: "manual",
        entitiesInMemory: ENTITIES_KEPT,
        ...(disk ? { disk } : {}),
        ...(now ? { now } : {}),
      },
      { locks: writes, packetConfigs: { given: undefined, own: writes } },
      readOnlyDisk,
    );
    const store = new Store(context);
    const entities = new Entities(context, store);
    this.root = root;
    this.#context = context;
    this.#version = version;
    this.#mostTold = mostTold;
    this.#binding = new RootBinding(context, "sequential");
    this.#parts = { context, store, entities, bases: new GitBases(context), listing: entities.listing };
    this.#journal = new Journal(context);
    const id = (): string => this.#id;
    const from = (): ReadModel => this.#reading();
    this.#rows = new BoardRows(from, id);
    this.#pages = new Pages(id);
    this.#checks = new Checks({ context, journal: this.#journal, store, id });
    this.#overTime = new OverTime(from);
    this.#release = release;
  }

  /** UNKNOWN_ID for what is not there, INVALID_INPUT for a name that no answer has. */
  async answer(name: string, note?: ExportNote): Promise<Answered> {
    const request = requestOf(name);
    if (!request) throw noAnswer(name);
    await this.#rows.refresh();
    if (request.what === "board" || request.what === "workspace" || request.what === "health")
      this.#checks.begin(this.#rows);
    const { stamp } = this.#rows;
    const tag = this.#tag(request);
    const make = async (): Promise<string> => JSON.stringify(await this.#make(request, note ?? SERVED));
    if (tag === null) {
      const body = await make();
      return { etag: etagOf(body), stamp, body: () => Promise.resolve(body) };
    }
    const etag = etagOf(`${name} ${tag} ${this.#version} ${note ? JSON.stringify(note) : ""}`);
    return { etag, stamp, body: () => this.#kept.get(`${name} ${etag}`, make) };
  }

  /** Captured bytes, whole. */
  raw(id: string, digest: string): Buffer {
    const from = this.#reading();
    return blobBytes(blobFolderOf(from, this.#pages.find(from, id).loaded), digest);
  }

  /** Pages of one entity as of these revisions, by one reading of its log. */
  async revisions(id: string, first: number, last: number): Promise<Map<number, EntityAnswer>> {
    await this.#rows.refresh();
    const from = this.#reading();
    const answers = new Map<number, EntityAnswer>();
    this.#pages.between(from, this.#pages.find(from, id), first, last, (answer) =>
      answers.set(answer.revision, answer),
    );
    return answers;
  }

  /** Whether the shared log has bytes that this machine may lack. */
  get mayLackBytes(): boolean {
    return this.#context.remote.digests.size > 0;
  }

  /** The folder of the workspace's files: no export goes there. */
  get coco(): string {
    return this.#context.layout.coco;
  }

  /** UNKNOWN_ID where there is no such plan or task. */
  async mustBe(id: string): Promise<void> {
    await this.#rows.refresh();
    this.#pages.find(this.#reading(), id);
  }

  /** Folders that hold something and have no row, as their logs cannot be read. */
  async unreadable(): Promise<{ id: string; warning: ApiWarning }[]> {
    await this.#rows.refresh();
    return [...this.#rows.folders.values()].flatMap(({ place, own, warning }) =>
      own === null && warning ? [{ id: place.id, warning }] : [],
    );
  }

  /** Rows of everything, as the board has them. */
  async board(): Promise<readonly BoardRow[]> {
    await this.#rows.refresh();
    return this.#allRows(this.#now);
  }

  /** Until every folder is checked. */
  async finishChecks(): Promise<void> {
    await this.#rows.refresh();
    await this.#checks.finish(this.#rows);
  }

  /** Which entities change, several at a time, from the first answer or call on. Ends with `signal`. */
  async *changes(signal: AbortSignal): AsyncGenerator<ChangeEvent> {
    const { context, store } = this.#parts;
    const size = (): number => this.#rows.folders.size || store.names().length;
    const hints = new LogHints({ context, store, journal: this.#journal, size });
    const byClock = new Set<string>();
    const endLooks = lookByTheClock(
      context.runtime,
      this.#rows,
      () => this.#now,
      (ids) => {
        for (const id of ids) byClock.add(id);
        hints.tell();
      },
    );
    const end = (): void => hints.close();
    signal.addEventListener("abort", end);
    this.#rows.onNews(() => hints.tell());
    try {
      while (!signal.aborted && !this.#closed) {
        const due = hints.take();
        const began = context.runtime.uptime();
        await this.#rows.lookAt(due === "all" ? due : [...due, ...this.#rows.keysOf(byClock)]);
        if (due === "all") hints.tookMs(context.runtime.uptime() - began);
        await hints.begin();
        const changes = [...this.#rows.takeNews(), ...[...byClock].map((id): RowChange => ({ id, what: "changed" }))];
        byClock.clear();
        if (changes.length > 0) yield this.#changeEvent(changes);
        else await hints.pause();
      }
    } finally {
      signal.removeEventListener("abort", end);
      endLooks();
      hints.close();
    }
  }

  /** Looks at every folder now. STORAGE_FAILED where the workspace cannot be read any more. */
  async lookAgain(): Promise<void> {
    await this.#rows.lookAt("all");
  }

  /** Digest of the ends of all logs. */
  async stamp(): Promise<string> {
    await this.#rows.refresh();
    return this.#rows.stamp;
  }

  close(): void {
    this.#closed = true;
    this.#checks.close();
    this.#parts.store.close();
    this.#release();
  }

  get #id(): string {
    return this.#binding.binding?.workspace ?? "";
  }

  get #now(): string {
    return isoTime(this.#context.now());
  }

  /** Accepted transactions count before their logs have them. */
  #reading(): ReadModel {
    return this.#journal.pending().length === 0 ? this.#parts : withJournal(this.#parts, this.#journal);
  }

  #changeEvent(changes: readonly RowChange[]): ChangeEvent {
    const last = new Map(changes.map(({ id, what }) => [id, what]));
    const now = this.#now;
    const rowOf = (id: string): BoardRow | null => this.#rows.row(id, now, this.#checks.of) ?? null;
    const others = new Set<string>();
    // A page reads the board again after so many changes: rows in the event would be the same work once more.
    const isFew = last.size <= this.#mostTold;
    if (isFew)
      for (const id of last.keys())
        for (const other of this.#rows.affectedBy(id)) if (!last.has(other)) others.add(other);
    return {
      stamp: this.#rows.stamp,
      changes: [...last].map(([id, what]) => {
        const { head = "", revision = 0 } = this.#rows.find(id)?.own?.row ?? {};
        return { id, what, head, revision, row: isFew ? rowOf(id) : null };
      }),
      others: [...others].flatMap((id) => rowOf(id) ?? []).slice(0, BOARD_PAGE),
    };
  }

  /** The same array as long as nothing of it is another: each page of a board asks for all of them. */
  #allRows(now: string): readonly BoardRow[] {
    const sign = this.#rowsSign(now);
    if (this.#made?.sign !== sign) this.#made = { sign, rows: this.#rows.rows(now, this.#checks.of) };
    return this.#made.rows;
  }

  #rowsSign(now: string): string {
    return `${this.#presentSign(now)} ${this.#checks.sign} ${this.#checks.progress.checked}`;
  }

  #presentSign(now: string): string {
    return `${this.#rows.stamp} ${this.#rows.over(now)} ${this.#rows.lost().join()}`;
  }

  /** Returns a sign of all that the answer depends on; null where only the answer tells. */
  #tag(request: AnswerRequest): string | null {
    const now = this.#now;
    const present = this.#presentSign(now);
    switch (request.what) {
      case "board":
      case "workspace":
        return this.#rowsSign(now);
      case "graph":
        return present;
      case "agents":
        // Lanes reach to the present while work lasts, and leave out acts that a wrong clock dated after it.
        return `${present} ${now.slice(0, TO_THE_MINUTE)}`;
      case "entity":
        return `${present} ${this.#bytesSign(request.id)}`;
      case "revision":
        // It names what its task waited for as that is called now, so it changes with other logs too.
        return `${this.#rows.stamp} ${this.#bytesSign(request.id)}`;
      case "difference":
      case "history":
      case "list": {
        const head = this.#rows.find(request.id)?.own?.row.head ?? "";
        return `${head === "" ? present : head} ${this.#bytesSign(request.id)}`;
      }
      case "output":
      case "check":
      case "health":
      case "logs":
        return null;
    }
  }

  #bytesSign(id: string): string {
    const place = this.#rows.find(id)?.place;
    return place ? bytesSign(this.#context, place) : "";
  }

  async #make(request: AnswerRequest, note: ExportNote): Promise<Answer> {
    const from = this.#reading();
    try {
      switch (request.what) {
        case "workspace":
          return this.#workspaceAnswer(note);
        case "board":
          return this.#boardAnswer(request.page, note);
        case "agents":
          return await this.#agentsAnswer(request.page, note);
        case "logs":
          return await this.#logsAnswer(request.page, note);
        case "health":
          return await this.#healthAnswer(note);
        case "graph":
          return this.#graphAnswer(request.id);
        default:
          return this.#entityAnswer(from, this.#pages.find(from, request.id), request);
      }
    } finally {
      for (const loaded of this.#parts.store.surplus(ENTITIES_KEPT)) this.#parts.store.drop(loaded.id);
    }
  }

  #entityAnswer(from: ReadModel, found: FoundPage, request: Extract<AnswerRequest, { id: string }>): Answer {
    switch (request.what) {
      case "entity":
        return this.#pages.present(from, found, this.#others());
      case "revision":
        return this.#pages.at(from, found, request.revision);
      case "difference": {
        const [before, after] = [request.from, request.to].map((revision) => this.#pages.at(from, found, revision));
        return { api: API_VERSION, id: found.loaded.id, ...differenceOf(before!, after!) } as Answer;
      }
      case "history":
        return this.#pages.history(found, request.page);
      case "list":
        return this.#pages.list(from, found, request.list, request.page, request.revision);
      case "check":
        return this.#checkAnswer(from, found);
      case "output": {
        const folder = blobFolderOf(from, found.loaded);
        return this.#outputs.page(folder, request.sha256, request.page);
      }
      case "graph":
        return this.#graphAnswer(request.id);
    }
  }

  #checkAnswer(from: ReadModel, found: FoundPage): Answer {
    const folder = this.#rows.find(found.loaded.id);
    if (!folder) throw noAnswer(found.loaded.id);
    return this.#pages.check(from, found, this.#checks.checkNow(folder));
  }

  #others(): OtherRows {
    const own = [...this.#rows.folders.values()].flatMap((folder) => folder.own ?? []);
    return {
      tasksOf: (id) => this.#allRows(this.#now).filter(({ plan, deleted }) => plan === id && !deleted),
      neededBy: (root) => own.filter((one) => !one.row.deleted && one.depends_on.some((ref) => ref.root === root)),
      ownOf: (id) => this.#rows.find(id)?.own ?? undefined,
    };
  }

  /** All of them, or what the page of one entity names: itself, its tasks or plan, what it waits for. */
  #rowsFor({ only }: ExportNote, now: string): readonly BoardRow[] {
    const rows = this.#allRows(now);
    const one = only === null ? undefined : rows.find(({ id }) => id === only);
    if (!one) return rows;
    const named = new Set([one.id, ...(one.plan === null ? [] : [one.plan]), ...one.depends_on]);
    return rows.filter(({ id, plan }) => named.has(id) || plan === one.id);
  }

  #workspaceAnswer(note: ExportNote): WorkspaceAnswer {
    const now = this.#now;
    const rows = this.#rowsFor(note, now);
    const { checked } = this.#checks.progress;
    const complete = checked === this.#rows.folders.size;
    const findings = this.#findingsFor(note);
    const faults = findings.filter((finding) => !finding.note).length;
    return {
      api: API_VERSION,
      id: this.#id || null,
      name: basename(this.root),
      version: this.#version,
      stamp: this.#rows.stamp,
      now,
      exported_at: note.exported_at,
      only: note.only,
      counts: countsOf(rows, complete),
      board_pages: pagesOf(rows),
      findings: { faults, notes: findings.length - faults, complete },
      ...this.#warnings(),
    };
  }

  #warnings(): Pick<BoardAnswer, "warnings" | "warnings_total"> {
    const all = this.#rows.warnings();
    return { warnings: all.slice(0, MAX_WARNINGS), warnings_total: all.length };
  }

  #findingsFor({ only }: ExportNote): FindingItem[] {
    const { findings } = this.#checks;
    return only === null ? findings : findings.filter(({ entity }) => entity === only);
  }

  #boardAnswer(page: number, note: ExportNote): BoardAnswer {
    const now = this.#now;
    const rows = this.#rowsFor(note, now);
    const pages = pagesOf(rows);
    if (page >= pages) throw noPage("the workspace", "board", page, pages);
    return {
      api: API_VERSION,
      stamp: this.#rows.stamp,
      now,
      page,
      pages,
      total: rows.length,
      rows: rows.slice(page * BOARD_PAGE, (page + 1) * BOARD_PAGE),
      ...this.#warnings(),
    };
  }

  #graphAnswer(id: string): Answer {
    const now = this.#now;
    const row = this.#rows.row(id, now, this.#checks.of);
    if (row?.kind !== "plan") throw noAnswer(`plans/${id}`);
    const rows = new Map(this.#allRows(now).flatMap((one) => (one.deleted ? [] : [[one.id, one]])));
    return planGraph(id, rows, this.#rows.stamp, now);
  }

  async #overTimeFor({ only }: ExportNote): Promise<FolderOverTime[]> {
    const all = await this.#overTime.all(this.#rows.folders);
    return only === null ? all : all.filter(({ folder }) => folder.place.id === only);
  }

  async #agentsAnswer(page: number, note: ExportNote): Promise<AgentsAnswer> {
    const all = await this.#overTimeFor(note);
    const now = this.#now;
    const of = all.flatMap(({ folder, activity }) => {
      const row = this.#rows.row(folder.place.id, now, this.#checks.of);
      return row ? [{ row, activity }] : [];
    });
    const answer = agentLanes(of, { stamp: this.#rows.stamp, now, page });
    if (page >= answer.pages) throw noPage("the workspace", "agents", page, answer.pages);
    return answer;
  }

  async #logsAnswer(page: number, note: ExportNote): Promise<LogsAnswer> {
    const { stamp } = this.#rows;
    const answer = logsPage(await this.#overTimeFor(note), page, this.#now);
    if (page >= answer.pages) throw noPage("the workspace", "logs", page, answer.pages);
    return { api: API_VERSION, stamp, ...answer };
  }

  async #healthAnswer(note: ExportNote): Promise<HealthAnswer> {
    const all = await this.#overTimeFor(note);
    const { checked, oldest } = this.#checks.progress;
    const findings = this.#findingsFor(note);
    return {
      api: API_VERSION,
      stamp: this.#rows.stamp,
      checked,
      total: this.#rows.folders.size,
      complete: checked === this.#rows.folders.size,
      checked_at: oldest === null ? null : checkedAt({ at: oldest }),
      findings: faultsFirst(findings).slice(0, MAX_FINDINGS),
      findings_total: findings.length,
      faults_total: findings.filter(({ note: isNote }) => !isNote).length,
      logs: logsOf(all, this.#now),
    };
  }
}

function pagesOf(rows: readonly BoardRow[]): number {
  return Math.max(1, Math.ceil(rows.length / BOARD_PAGE));
}

function faultsFirst(findings: readonly FindingItem[]): FindingItem[] {
  return [...findings.filter(({ note }) => !note), ...findings.filter(({ note }) => note)];
}

function etagOf(text: string): string {
  return `"${sha256(text).slice(0, 27)}"`;
}

function noAnswer(name: string): TaskfoldError {
  return new TaskfoldError(
    "UNKNOWN_ID",
    `Expected the name of an answer, found ${JSON.stringify(name.slice(0, 80))}.`,
    {
      recovery: "docs/viewer.md lists the names; GET /api/v1/workspace.json is the first to ask for.",
    },
  );
}

function writes(): never {
  throw new TaskfoldError("INTERNAL", "Expected a viewer to take no lock and to decide nothing.");
}
