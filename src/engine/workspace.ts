/** Opening a workspace: the public face of the engine. */
import { resolve } from "node:path";
import type { Disk } from "../disk.ts";
import { RootedDisk } from "../rooted_disk.ts";
import { TaskfoldError } from "../errors.ts";
import { storageError } from "../files/storage_error.ts";
import { Layout } from "../files/layout.ts";
import type { PrintedEvent } from "../tools/define.ts";
import type { ToolInput, ToolName, ToolOutput } from "../tools/index.ts";
import type { AdoptOptions, AdoptReport } from "./adopt.ts";
import { adopt } from "./adopt.ts";
import type { AdoptEditsOptions, AdoptEditsReport } from "./adopt_edits.ts";
import { adoptTaskdocEdits } from "./adopt_edits.ts";
import { checkWorkspaceId } from "./binding.ts";
import type { IdStyle } from "./binding.ts";
import { Engine } from "./engine.ts";
import { filesOf } from "./files_of.ts";
import type { ImportTaskdocOptions, ImportTaskdocReport } from "./import_taskdoc.ts";
import { importMarkdownTaskdoc } from "./import_taskdoc.ts";
import type { LogPage, LogQuery } from "./history.ts";
import { readLog } from "./history.ts";
import type { GitPort } from "./git_port.ts";
import type { LockProvider } from "./lock.ts";
import { machineFolderOf } from "./machine_folder.ts";
import { machineLocks } from "./machine_locks.ts";
import type { LockKind } from "./machine_locks.ts";
import { checkedClock, checkOpening } from "./check_options.ts";
import { mustBeText } from "./must_be_text.ts";
import { newId } from "./new_id.ts";
import { checkOverviewFits, isOverviewOn, turnOverviewOn } from "./overview.ts";
import type { RebuildReport } from "./rebuild.ts";
import { rebuild } from "./rebuild.ts";
import type { Reply } from "./reply.ts";
import { errorReply, isFromSystem } from "./reply.ts";
import type { ResolveOptions, ResolveReport } from "./resolve.ts";
import { resolveLogs } from "./resolve.ts";
import type {
  EffectiveTaskdocOf,
  EffectiveTaskdocOptions,
  TaskdocAudit,
  TaskdocHistoryPage,
  TaskdocHistoryQuery,
} from "./taskdoc.ts";
import { renderEffectiveTaskdoc, taskdocAudit, taskdocHistory } from "./taskdoc.ts";
import type { VerifyOptions, VerifyReport } from "./verify.ts";
import { verify } from "./verify.ts";
import { Watch } from "./watch.ts";
import type { WatchOptions } from "./watch_options.ts";
import type { Durability, Projections, World } from "./world.ts";

export interface WorkspaceOptions {
  /** The folder that holds `.coco`, or will after the first write. */
  root: string;
  /** Who acts, when a call does not say: `human:NAME`, `agent:NAME` or `system`. Default `human:local`. */
  by?: string;
  durability?: Durability;
  projections?: Projections;
  /** How long a write waits for another process, in milliseconds. Default 10,000. */
  lock_timeout_ms?: number;
  /**
   * Which kind of lock this machine uses for this root, when none was chosen before; `.coco/locks/kind` keeps it. Default: `os`
   * where such locks exist, else `lockfile`.
   */
  lock?: LockKind;
  /** How ids are made in a root that the first write binds. Default `sequential`. */
  ids?: IdStyle;
  /**
   * Git for this root, for what compares with the base branch; undefined outside of a work tree. Left out, those parts of
   * an answer say that they are not available.
   */
  git?: () => GitPort | undefined;
  /** For tests: milliseconds since 1970. */
  now?: () => number;
  /** For tests: sixteen or more hexadecimal digits, never the same twice. */
  newId?: () => string;
  /** For tests: another disk. */
  disk?: Disk;
  /** For tests: other locks. */
  locks?: (world: World) => LockProvider;
}

/** Who acts in one call, where it is not the workspace's own `by`. */
export interface CallOptions {
  by?: string;
  /** Which agent instance, and which of its turns, for other programs that read the log. */
  agentInstance?: string;
  turnId?: string;
}

export interface InitOptions {
  /** Write the overview of plans and tasks, `.coco/README.md`. Removing the file turns it off again. */
  overview?: boolean;
}

export interface InitReport {
  workspace: string;
  ids: IdStyle;
  lock: string;
  /** False when the root was bound before. */
  created: boolean;
  /** Whether the overview is on. */
  overview: boolean;
}

const BY = /^(?:system|(?:human|agent|system):[A-Za-z0-9._@/+-]{1,64})$/;

export class Workspace {
  readonly root: string;
  readonly #engine: Engine;
  readonly #by: string;
  readonly #freeLocks: () => void;
  readonly #watches = new Set<Watch>();
  #closed = false;

  constructor(engine: Engine, root: string, by: string, freeLocks: () => void) {
    this.#engine = engine;
    this.root = root;
    this.#by = by;
    this.#freeLocks = freeLocks;
  }

  /** Id this root is bound to; undefined before its first write. */
  get id(): string | undefined {
    return this.#engine.binding?.workspace;
  }

  /**
   * Calls a tool. Never throws: what is refused or fails comes back as `error` of the reply, and has changed
   * nothing on disk unless its code is UNKNOWN_OUTCOME.
   */
  call<T extends ToolName>(tool: T, input: ToolInput<T>, options?: CallOptions): Promise<Reply<ToolOutput<T>>>;
  call(tool: string, input: unknown, options?: CallOptions): Promise<Reply>;
  call(tool: string, input: unknown, options?: CallOptions): Promise<Reply> {
    try {
      this.#checkOpen();
      const { by = this.#by, agentInstance, turnId } = options ?? {};
      if (by !== this.#by) checkBy(by);
      return this.#engine.call(tool, input, { by, agentInstance, turnId });
    } catch (e) {
      return Promise.resolve(errorReply(tool, e));
    }
  }

  /** Checks every log and every projected file, of one entity or of all, with `git` also against what commits had; changes nothing. */
  verify(id?: string, options: VerifyOptions = {}): VerifyReport {
    this.#checkOpen(...(id === undefined ? [] : [id]));
    return coded("verify", () => verify(this.#engine, id, options));
  }

  /** Reads what people wrote into the logs, then writes every projection anew from them. */
  async rebuild(id?: string): Promise<RebuildReport> {
    this.#checkOpen(...(id === undefined ? [] : [id]));
    return codedLater("rebuild", rebuild(this.#engine, id, { readIn: true }));
  }

  /** Puts logs in order after git: markers, duplicates, bad lines, two entities in one log; then rebuilds and verifies. */
  async resolve(id?: string, options: ResolveOptions = {}): Promise<ResolveReport> {
    this.#checkOpen(...(id === undefined ? [] : [id]));
    return codedLater("resolve", resolveLogs(this.#engine, id, options));
  }

  /** Gives a folder that another program kept a log of ours; with `again` takes in what that program changed since. */
  async adopt(id: string, options: AdoptOptions = {}): Promise<AdoptReport> {
    this.#checkOpen(id);
    return codedLater("adopt", adopt(this.#engine, id, options));
  }

  /** Events of one entity in replay order, a page at a time. */
  log(id: string, query: LogQuery = {}): LogPage {
    this.#checkOpen(id);
    return coded("log", () => readLog(this.#engine, id, query));
  }

  /**
   * The Taskdoc of a plan or task as it is put before agents: its text, its sections, the index of the others, and what in its
   * package does not belong there. Reads; the text depends on the log alone.
   */
  renderEffectiveTaskdoc(id: string, options: EffectiveTaskdocOptions = {}): EffectiveTaskdocOf {
    this.#checkOpen(id);
    return coded("renderEffectiveTaskdoc", () => renderEffectiveTaskdoc(this.#engine, id, options));
  }

  /** Per section of a Taskdoc: first and last change with who and when, how often, digests. */
  taskdocAudit(id: string): TaskdocAudit {
    this.#checkOpen(id);
    return coded("taskdocAudit", () => taskdocAudit(this.#engine, id));
  }

  /** Every text that a Taskdoc, or one section of it, ever had, newest first, a page at a time. */
  taskdocHistory(id: string, query: TaskdocHistoryQuery = {}): TaskdocHistoryPage {
    this.#checkOpen(id);
    return coded("taskdocHistory", () => taskdocHistory(this.#engine, id, query));
  }

  /** Takes edits that a person made in the files of a Taskdoc into the log, as a change by that person (`by`). */
  async adoptTaskdocEdits(
    id: string,
    { by = this.#by, ...options }: AdoptEditsOptions & { by?: string } = {},
  ): Promise<AdoptEditsReport> {
    this.#checkOpen(id);
    checkBy(by);
    return codedLater("adoptTaskdocEdits", adoptTaskdocEdits(this.#engine, id, { by }, options));
  }

  /**
   * Takes a Taskdoc of the old form, one Markdown file, into the log: one event for each section that it fills, all in one change.
   * `file` is absolute or from the root. Fills only what is empty (TASKDOC_NOT_EMPTY), leaves the file, may be called again.
   */
  async importMarkdownTaskdoc(
    id: string,
    file: string,
    { by = this.#by, ...options }: ImportTaskdocOptions & { by?: string } = {},
  ): Promise<ImportTaskdocReport> {
    this.#checkOpen(id);
    mustBeText("file", file);
    checkBy(by);
    return codedLater("importMarkdownTaskdoc", importMarkdownTaskdoc(this.#engine, id, file, { by }, options));
  }

  /**
   * Texts of the files that are folded from a plan's or task's log, by their paths in its folder, as they are to be now.
   * UNKNOWN_ID, or LOG_FOREIGN where another program keeps the files.
   */
  files(id: string): Map<string, string> {
    this.#checkOpen(id);
    return coded("files", () => filesOf(this.#engine, id));
  }

  /**
   * Events of all plans and tasks as they land, whoever writes them, each once; from this call on, or from `since`. Ends
   * with `signal`, `return()` or `close()`. CURSOR_EXPIRED or INVALID_INPUT when `since` is no place to go on from.
   */
  watch(options: WatchOptions = {}): AsyncIterableIterator<PrintedEvent> {
    this.#checkOpen();
    if (options.since !== undefined) mustBeText("since", options.since);
    const { world, store, transactions } = this.#engine;
    const watch = new Watch({ world, store, journal: transactions.journal }, options, (ended) =>
      this.#watches.delete(ended),
    );
    this.#watches.add(watch);
    return watch;
  }

  /**
   * Binds this root to a workspace id and writes the committed files of `.coco`; harmless when that is done already. `lock`: the kind this
   * machine uses. With `overview` it also writes `.coco/README.md`, which `rebuild` and `resolve` keep up to date from then on.
   */
  async init(workspace: string, options: InitOptions = {}): Promise<InitReport> {
    this.#checkOpen();
    checkWorkspaceId(workspace);
    if (options.overview) checkOverviewFits(this.#engine.world);
    const before = this.#engine.binding;
    const lock = await this.#engine.lockWorkspace();
    try {
      const { world } = this.#engine;
      const binding = this.#engine.bind(workspace);
      if (options.overview) coded("init", () => turnOverviewOn(this.#engine, binding.workspace));
      return {
        ...binding,
        lock: world.locks().kind,
        created: before === undefined,
        overview: isOverviewOn(world),
      };
    } finally {
      lock.release();
    }
  }

  /** Waits for calls under way and lets go of every file and lock. A workspace is closed once. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const watch of this.#watches) watch.close();
    try {
      await this.#engine.close();
    } finally {
      this.#freeLocks();
    }
  }

  #checkOpen(...ids: unknown[]): void {
    if (this.#closed)
      throw new TaskfoldError("CLOSED", "Expected an open workspace, found one that was closed.", {
        recovery: "Open it again with openWorkspace.",
      });
    for (const id of ids) mustBeText("id", id);
  }
}

/** Opens a workspace. Reads nothing yet and writes nothing: the first call does. */
export function openWorkspace(options: WorkspaceOptions): Workspace {
  checkOpening(options);
  const by = options.by ?? "human:local";
  checkBy(by);
  const root = resolve(options.root);
  const rooted = options.disk ? undefined : new RootedDisk(root);
  const disk = options.disk ?? rooted!;
  const layout = new Layout(root, machineFolderOf(disk, root));
  let kept: LockProvider | undefined;
  const world: World = {
    disk,
    layout,
    durability: options.durability ?? "fsync",
    projections: options.projections ?? "batch",
    notices: [],
    lockTimeoutMs: options.lock_timeout_ms ?? 10_000,
    now: options.now ? checkedClock(options.now) : Date.now,
    newId: options.newId ?? newId,
    ...(options.git ? { git: options.git } : {}),
    locks: () => (kept ??= options.locks?.(world) ?? machineLocks(world, options.lock)),
  };
  const stat = disk.stat(root);
  if (stat && stat.kind !== "folder")
    throw new TaskfoldError("INVALID_INPUT", `Expected root to be a folder, found a ${stat.kind}.`);
  return new Workspace(new Engine(world, options.ids ?? "sequential"), root, by, () => {
    kept?.close();
    rooted?.release();
  });
}

/** What the system says leaves a method as a TaskfoldError, as it leaves `call` in a reply. */
function coded<T>(doing: string, work: () => T): T {
  try {
    return work();
  } catch (e) {
    throw isFromSystem(e) ? storageError(e, doing) : e;
  }
}

async function codedLater<T>(doing: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (e) {
    throw isFromSystem(e) ? storageError(e, doing) : e;
  }
}

function checkBy(by: unknown): void {
  mustBeText("by", by);
  if (BY.test(by)) return;
  throw new TaskfoldError(
    "INVALID_INPUT",
    `Expected by to be human:NAME, agent:NAME or system (letters, digits, ._@/+- , at most 64), found ${JSON.stringify(by.slice(0, 100))}.`,
  );
}
