/**
 * A workspace as the viewer reads it: answers by their names (views/viewer/api.ts), from what is in the folder, through a disk that
 * changes nothing. No lock is taken, no focus, cursor, index or snapshot is left behind.
 */
import type { Disk } from "../disk.ts";
import { TaskfoldError } from "../errors.ts";
import { nodeRuntime } from "../node_runtime.ts";
import { readOnlyDisk } from "../read_only_disk.ts";
import type { Runtime } from "../runtime.ts";
import type { ApiWarning, BoardRow, ChangeEvent, EntityAnswer } from "../views/viewer/api.ts";
import type { GitPort } from "./core/git_port.ts";
import type { ReadModel } from "./entities/read_model.ts";
import { openRoot } from "./open_root.ts";
import type { AnswerRequest } from "./viewer/answer_name.ts";
import { requestOf } from "./viewer/answer_name.ts";
import { Checks } from "./viewer/checks.ts";
import { AnswerCache, answered } from "./viewer/answer_cache.ts";
import { OverTime } from "./viewer/over_time.ts";
import { BoardRows } from "./viewer/rows.ts";
import { OpenReadModel } from "./open_read_model.ts";
import type { Answered } from "./viewer/answer_cache.ts";
import { Answers } from "./viewer/answers.ts";
import { Board } from "./viewer/board.ts";
import { changesOf } from "./viewer/changes.ts";
import { SERVED } from "./viewer/export_note.ts";
import type { ExportNote } from "./viewer/export_note.ts";
import type { CommandLine } from "./viewer/status.ts";
import { SearchAnswers } from "./viewer/search.ts";
import { StatusAnswers } from "./viewer/status.ts";
import { noAnswer, WorkspaceAnswers } from "./viewer/workspace_answers.ts";

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
  maxRows?: number;
  /** As `watch` has it. */
  polling?: boolean;
  /** Asked by the check of one plan or task and by the status, whether files changed since runs. Left out: no proof is called stale. */
  git?: () => GitPort | undefined;
  /** The actor whose status it is, as `human:ann`. */
  by?: string | undefined;
  /** The call of a need as the program that serves has it for a shell. Left out: needs have no such line unless their tool gives it. */
  commandLine?: CommandLine | undefined;
}

const ENTITIES_KEPT = 500;
const MAX_ROWS = 1000;
/** Milliseconds without a question, after which a reader is at rest. */
const REST_MS = 500;
/** Of more logs, only who asks waits: to read them takes long, and what is kept of them takes room. */
const MAX_READ_AHEAD = 20_000;

export class Viewer {
  readonly root: string;
  readonly #version: string;
  readonly #maxRows: number;
  readonly #polling: boolean;
  readonly #model: OpenReadModel;
  readonly #board: Board;
  readonly #answers: Answers;
  readonly #release: () => void;
  readonly #kept = new AnswerCache();
  readonly #overTime: OverTime;
  #cancelAhead: (() => void) | undefined;
  #closed = false;

  constructor({
    root: given,
    version,
    runtime = nodeRuntime,
    disk,
    now,
    maxRows = MAX_ROWS,
    polling = false,
    git,
    by = "human:local",
    commandLine,
  }: ViewerOptions) {
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
    const model = new OpenReadModel(context);
    const { store, journal } = model;
    const id = (): string => model.binding?.workspace ?? "";
    const reading = (): ReadModel => model.reading();
    const board = new Board(context, new BoardRows(reading, id), new Checks({ context, journal, store, id }));
    const overTime = new OverTime(reading);
    const workspace = new WorkspaceAnswers({ root, id, version, board, overTime });
    const status = new StatusAnswers({
      reading,
      people: model.people,
      id,
      board,
      rowsFor: (note) => workspace.rowsFor(note, board.now),
      git,
      by,
      commandLine,
    });
    const search = new SearchAnswers({ reading, people: model.people, id, by });
    this.root = root;
    this.#version = version;
    this.#maxRows = maxRows;
    this.#polling = polling;
    this.#model = model;
    this.#board = board;
    this.#overTime = overTime;
    this.#answers = new Answers({ context, reading, id, board, workspace, status, search, git });
    this.#release = release;
  }

  /** UNKNOWN_ID for what is not there, INVALID_INPUT for a name that no answer has. */
  async answer(name: string, note?: ExportNote): Promise<Answered> {
    const request = requestOf(name);
    if (!request) throw noAnswer(name);
    const { rows, checks } = this.#board;
    await rows.refresh();
    if (request.what === "board" || request.what === "workspace" || request.what === "health") checks.begin(rows);
    const { stamp } = rows;
    const tag = this.#answers.tag(request);
    const make = (): Promise<string> => this.#make(request, note ?? SERVED);
    if (tag === null) return answered(await make(), stamp);
    const sign = `${name} ${tag} ${this.#version} ${note ? JSON.stringify(note) : ""}`;
    return this.#kept.answered({ name, sign, stamp }, make);
  }

  /** Reads every log once, when nothing was asked for a while. The first page of agents, or of growth, would wait for that. */
  readAhead(): void {
    const { runtime } = this.#model.context;
    this.#cancelAhead?.();
    this.#cancelAhead = runtime.after(
      REST_MS,
      () => {
        const { folders } = this.#board.rows;
        if (!this.#closed && folders.size <= MAX_READ_AHEAD) this.#overTime.begin(folders);
      },
      "idle",
    );
  }

  /** Captured bytes, whole. */
  raw(id: string, digest: string): Buffer {
    return this.#answers.raw(id, digest);
  }

  /** Pages of one entity as of these revisions, by one reading of its log. */
  async revisions(id: string, first: number, last: number): Promise<Map<number, EntityAnswer>> {
    await this.#board.rows.refresh();
    return this.#answers.revisions(id, first, last);
  }

  /** Whether the shared log has bytes that this machine may lack. */
  get mayLackBytes(): boolean {
    return this.#model.context.remote.digests.size > 0;
  }

  /** The folder of the workspace's files: no export goes there. */
  get coco(): string {
    return this.#model.context.layout.coco;
  }

  /** UNKNOWN_ID where there is no such plan or task. */
  async mustBe(id: string): Promise<void> {
    await this.#board.rows.refresh();
    this.#answers.mustBe(id);
  }

  /** Folders that hold something and have no row, as their logs cannot be read. */
  async unreadable(): Promise<{ id: string; warning: ApiWarning }[]> {
    const { rows } = this.#board;
    await rows.refresh();
    return [...rows.folders.values()].flatMap(({ place, own, warning }) =>
      own === null && warning ? [{ id: place.id, warning }] : [],
    );
  }

  /** Rows of everything, as the board has them. */
  async board(): Promise<readonly BoardRow[]> {
    await this.#board.rows.refresh();
    return this.#board.all(this.#board.now);
  }

  /** Until every folder is checked. */
  async finishChecks(): Promise<void> {
    const { rows, checks } = this.#board;
    await rows.refresh();
    await checks.finish(rows);
  }

  /** Which entities change, several at a time, from the first answer or call on. Ends with `signal`. */
  changes(signal: AbortSignal): AsyncGenerator<ChangeEvent> {
    const { context, store, journal } = this.#model;
    const isClosed = (): boolean => this.#closed;
    return changesOf(
      { context, store, journal, board: this.#board, maxRows: this.#maxRows, polling: this.#polling, isClosed },
      signal,
    );
  }

  /** Looks at every folder now. STORAGE_FAILED where the workspace cannot be read any more. */
  async lookAgain(): Promise<void> {
    await this.#board.rows.lookAt("all");
  }

  /** Digest of the ends of all logs. */
  async stamp(): Promise<string> {
    await this.#board.rows.refresh();
    return this.#board.rows.stamp;
  }

  /** Leaves no index of the lists behind: nothing is written. */
  close(): void {
    this.#closed = true;
    this.#cancelAhead?.();
    this.#board.checks.close();
    this.#model.store.close();
    this.#release();
  }

  async #make(request: AnswerRequest, note: ExportNote): Promise<string> {
    const { store } = this.#model;
    try {
      return JSON.stringify(await this.#answers.make(request, note));
    } finally {
      for (const loaded of store.surplus(ENTITIES_KEPT)) store.drop(loaded.id);
    }
  }
}

function writes(): never {
  throw new TaskfoldError("INTERNAL", "Expected a viewer to take no lock and to decide nothing.");
}
