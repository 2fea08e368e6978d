/** Opening a workspace: the public face of the engine. */
import { relative, resolve } from "node:path";
import type { Disks } from "../disks.ts";
import type { Warning } from "../errors.ts";
import { TaskfoldError } from "../errors.ts";
import { storageError } from "../files/storage_error.ts";
import type { TaskfoldEvent } from "../events/generated/event_types.ts";
import type { ToolInputs, ToolName, ToolResults } from "../tools/generated/tool_types.ts";
import type { JsonObject } from "../state/json.ts";
import type { AdoptOptions, AdoptReport } from "./adoption/adopt.ts";
import { adopt } from "./adoption/adopt.ts";
import type { AdoptEditsOptions, AdoptEditsReport } from "./adoption/adopt_edits.ts";
import { adoptTaskdocEdits } from "./adoption/adopt_edits.ts";
import type { ProgressOptions } from "./core/at_once.ts";
import { renameFocus } from "./entities/focus.ts";
import { checkAccepted, checkWorkspaceId, readBinding, RootBinding } from "./entity/binding.ts";
import type { IdStyle } from "./core/id_style.ts";
import { Engine } from "./engine.ts";
import { ownPacketConfig } from "./projection/packet_config_folder.ts";
import type { PacketConfig, PacketConfigs } from "../state/packet_config.ts";
import type { ExportPacketReport } from "./adoption/export_packet.ts";
import { exportPacket, exportReview } from "./adoption/export_packet.ts";
import type { ImportPacketReport } from "./adoption/import_packet.ts";
import { importPacket } from "./adoption/import_packet.ts";
import type { ForeignItem } from "./adoption/import_items.ts";
import { importItem, importedBefore } from "./adoption/import_items.ts";
import type { ImportTaskdocOptions, ImportTaskdocReport } from "./adoption/import_taskdoc.ts";
import { importMarkdownTaskdoc } from "./adoption/import_taskdoc.ts";
import type { LogPage, LogQuery } from "./query/history.ts";
import { readLog } from "./query/history.ts";
import type { WorkspaceHold } from "./core/lock.ts";
import { LazyLocks, observedLocks } from "./core/lock.ts";
import { observedSharedLog } from "./core/telemetry/observed_shared_log.ts";
import { HoldableLocks } from "./locks/holdable_locks.ts";
import { machineLocks } from "./locks/machine_locks.ts";
import { checkBy } from "./core/input/check_by.ts";
import { checkedClock, checkOpening, OPENINGS } from "./check_options.ts";
import type { Beside, Shared } from "./shared/shared_machine.ts";
import type { SharedAccess } from "./shared/shared_access.ts";
import { sharedAccess } from "./shared/shared_access.ts";
import { mustBeText } from "./core/input/must_be_text.ts";
import { openRoot } from "./open_root.ts";
import { checkOverviewFits, isOverviewOn, turnOverviewOn } from "./projection/overview.ts";
import type { PacketAccess } from "./packet/packet_access.ts";
import { packetAccess } from "./packet/packet_access.ts";
import { restoreLines } from "./repair/restore_lines.ts";
import type { RebuildReport } from "./repair/rebuild.ts";
import { rebuild } from "./repair/rebuild.ts";
import type { Reply } from "./entity/reply.ts";
import { errorReply, isFromSystem } from "./entity/reply.ts";
import type { ResolveOptions, ResolveReport } from "./repair/resolve.ts";
import { resolveLogs } from "./repair/resolve.ts";
import type {
  EffectiveTaskdocOf,
  EffectiveTaskdocOptions,
  TaskdocAudit,
  TaskdocHistoryPage,
  TaskdocHistoryQuery,
} from "./query/taskdoc.ts";
import { renderEffectiveTaskdoc, taskdocAudit, taskdocHistory } from "./query/taskdoc.ts";
import type { VerifyOptions, VerifyReport } from "./repair/verify.ts";
import { verify } from "./repair/verify.ts";
import { Watch } from "./watch/watch.ts";
import type { WatchOptions } from "./watch/watch_options.ts";
import type { CallOptions, TestingOptions, WorkspaceOptions } from "./workspace_options.ts";
import { projectionsOf } from "../projections/index.ts";
import type { ReadAccess } from "./entities/read_model.ts";
import { foreignFolder } from "./entities/entities.ts";

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

/** Inputs of calls that may leave out the workspace, because its opening named it. */
export type ImpliedInputs = { [T in ToolName]: Omit<ToolInputs[T], "workspace"> & { workspace?: string } };

/** `Inputs`: what calls have to say; less where the opening named the workspace. */
export class Workspace<in Inputs extends Record<ToolName, object> = ToolInputs> {
  readonly root: string;
  readonly #engine: Engine;
  readonly #by: string;
  readonly #freeLocks: () => void;
  readonly #watches = new Set<Watch>();
  #closed = false;

  /** @internal */
  constructor(engine: Engine, root: string, by: string, freeLocks: () => void) {
    this.#engine = engine;
    this.root = root;
    this.#by = by;
    this.#freeLocks = freeLocks;
  }

  /** Id this root is bound to; undefined before its first write. */
  get id(): string | undefined {
    this.#engine.root.look();
    return this.#engine.binding?.workspace;
  }

  /** Whether this process changed a log or a folder through this workspace. */
  get hasChanged(): boolean {
    return this.#engine.context.notifications.changes > 0;
  }

  /**
   * Calls a tool. Never throws: what is refused or fails comes back as `error` of the reply, and has changed
   * nothing on disk unless its code is UNKNOWN_OUTCOME.
   */
  call<T extends ToolName>(tool: T, input: Inputs[T], options?: CallOptions): Promise<Reply<ToolResults[T]>> {
    return this.callTool(tool, input as JsonObject, options) as Promise<Reply<ToolResults[T]>>;
  }

  /** The same for hosts that are given names and inputs from outside: UNKNOWN_TOOL and INVALID_INPUT say what is wrong with them. */
  callTool(name: string, input: JsonObject, options?: CallOptions): Promise<Reply> {
    try {
      this.#checkNotClosed();
      const { by = this.#by, agentInstance, turnId, workspaceRequired = false, elsewhere } = options ?? {};
      if (by !== this.#by) checkBy(by);
      return this.#engine.call(name, input, { by, agentInstance, turnId, elsewhere }, { workspaceRequired });
    } catch (e) {
      return Promise.resolve(errorReply(name, e));
    }
  }

  /** Checks every log and every projected file, of one entity or of all, with `git` also against what commits had; changes nothing. */
  verify(id?: string, options: VerifyOptions = {}): VerifyReport {
    this.#checkOpen(...(id === undefined ? [] : [id]));
    return coded("verify the files", () => verify(this.#engine, id, options));
  }

  /** Reads what people wrote into the logs, then writes every projection that is not as the logs say. */
  async rebuild(id?: string, options: ProgressOptions = {}): Promise<RebuildReport> {
    this.#checkOpen(...(id === undefined ? [] : [id]));
    const work = () => rebuild(this.#engine, id, { ...options, ingest: true });
    return codedLater("rebuild the files", this.#asRepair(work));
  }

  /** Puts logs in order after git: markers, duplicates, bad lines, two entities in one log; then rebuilds and verifies. */
  async resolve(id?: string, options: ResolveOptions = {}): Promise<ResolveReport> {
    this.#checkOpen(...(id === undefined ? [] : [id]));
    const work = () => resolveLogs(this.#engine, id, options);
    return codedLater("put the logs in order", options.dryRun ? work() : this.#asRepair(work));
  }

  /** Gives a folder that another program kept a log of ours; with `again` takes in what that program changed since. */
  async adopt(id: string, options: AdoptOptions = {}): Promise<AdoptReport> {
    this.#checkOpen(id);
    const work = () => adopt(this.#engine, id, options);
    if (options.dryRun) return codedLater("adopt the folder", work());
    const { result, warning } = await codedLater("adopt the folder", this.#beside("change", work));
    return warning ? { ...result, warnings: [...result.warnings, warning] } : result;
  }

  /** Events of one entity in replay order, a page at a time. */
  log(id: string, query: LogQuery = {}): LogPage {
    this.#checkOpen(id);
    return coded("read the log", () => readLog(this.#engine, id, query));
  }

  /**
   * The Taskdoc of a plan or task as it is put before agents: its text, its sections and the index of the others. It
   * also has the entries of its package that do not belong there. Reads; the text depends on the log alone.
   */
  renderEffectiveTaskdoc(id: string, options: EffectiveTaskdocOptions = {}): EffectiveTaskdocOf {
    this.#checkOpen(id);
    return coded("render the Taskdoc", () => renderEffectiveTaskdoc(this.#engine, id, options));
  }

  /** Per section of a Taskdoc: first and last change with who and when, how often, digests. */
  taskdocAudit(id: string): TaskdocAudit {
    this.#checkOpen(id);
    return coded("read the Taskdoc", () => taskdocAudit(this.#engine, id));
  }

  /** Every text that a Taskdoc, or one section of it, ever had, newest first, a page at a time. */
  taskdocHistory(id: string, query: TaskdocHistoryQuery = {}): TaskdocHistoryPage {
    this.#checkOpen(id);
    return coded("read the history of the Taskdoc", () => taskdocHistory(this.#engine, id, query));
  }

  /** Takes edits that a person made in the files of a Taskdoc into the log, as a change by that person (`by`). */
  async adoptTaskdocEdits(
    id: string,
    { by = this.#by, ...options }: AdoptEditsOptions & { by?: string } = {},
  ): Promise<AdoptEditsReport> {
    this.#checkOpen(id);
    checkBy(by);
    const work = () => adoptTaskdocEdits(this.#engine, id, { by }, options);
    return codedLater("take in the edits of the Taskdoc", this.#called(work));
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
    const work = () => importMarkdownTaskdoc(this.#engine, id, file, { by }, options);
    return codedLater("take in the Taskdoc", this.#called(work));
  }

  /**
   * Makes a plan or task that came from another tracker, with all that is to be said of it: one transaction. A key that made one before
   * makes none. ID_TAKEN where the id is another's.
   * @internal
   */
  async importItem(item: ForeignItem): Promise<readonly Warning[]> {
    this.#checkOpen();
    const work = () => importItem(this.#engine, item, { by: this.#by });
    return codedLater("take in an item", this.#called(work));
  }

  /**
   * Ids of what these keys of imports made before, by key.
   * @internal
   */
  importedBefore(keys: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
    this.#checkOpen();
    return codedLater("look for earlier imports", importedBefore(this.#engine, keys));
  }

  /**
   * Takes in the folder of a packet that another program made (a new task by its `task_id`). In the folder of a packet
   * of this workspace it takes in changes by hand: markers, stats, inputs, manifest. One change; a relative `dir`
   * starts at `from` (default: the root), and messages name it as it was given. A root that is not bound yet is bound
   * to `workspace`.
   */
  async importPacket(
    dir: string,
    { by = this.#by, from = this.root, workspace }: { by?: string; from?: string; workspace?: string } = {},
  ): Promise<ImportPacketReport> {
    this.#checkOpen();
    mustBeText("dir", dir);
    checkBy(by);
    const work = () => importPacket(this.#engine, { dir, from }, { by }, workspace);
    return codedLater("take in the folder of the packet", this.#called(work));
  }

  /**
   * Writes a packet, live or archived, as a folder that another program can go on with. A relative `dir` starts at `from` (default: the
   * root); `dir` is not there yet or empty (INVALID_INPUT).
   */
  exportPacket(id: string, dir: string, { from = this.root }: { from?: string } = {}): ExportPacketReport {
    this.#checkOpen(id);
    mustBeText("dir", dir);
    return coded("write the packet", () => exportPacket(this.#engine, id, dir, from));
  }

  /** Writes the six artifacts of a review after the implementation, as far as its stages left them, and the summary. */
  exportReview(id: string, dir: string, { from = this.root }: { from?: string } = {}): ExportPacketReport {
    this.#checkOpen(id);
    mustBeText("dir", dir);
    return coded("write the review", () => exportReview(this.#engine, id, dir, from));
  }

  /**
   * Texts of the files that are folded from a plan's or task's log, by their paths in its folder, as they are to be now.
   * UNKNOWN_ID, or LOG_FOREIGN where another program keeps the files.
   */
  files(id: string): Map<string, string> {
    this.#checkOpen(id);
    return coded("read the files", () => filesOf(this.#engine, id));
  }

  /**
   * The packet of a task as values, and what a dispatcher needs to run it.
   * @internal
   */
  packetAccess(id: string): PacketAccess {
    this.#checkOpen(id);
    return coded("read the packet", () => packetAccess(this.#engine, id));
  }

  /**
   * The configurations of packets here.
   * @internal
   */
  get packetConfigs(): PacketConfigs {
    this.#checkOpen();
    return this.#engine.context.packetConfigs;
  }

  /**
   * The runner of packets reads and writes outside of the root by these.
   * @internal
   */
  get disks(): Disks {
    this.#checkOpen();
    return this.#engine.context.disks;
  }

  /**
   * Fetches what other machines left of a packet, where this machine lacks it. SHARED_UNAVAILABLE where no server gives it.
   * @internal
   */
  async fetchPacket(id: string): Promise<void> {
    this.#checkOpen(id);
    await this.#engine.machine?.fetchPacket(this.id ?? "", id);
  }

  /**
   * Brings back what a log has lost of `kept`, which was its text; how many lines were gone.
   * @internal
   */
  async restoreLines(id: string, kept: Buffer): Promise<number> {
    this.#checkOpen(id);
    return codedLater("put the log back", restoreLines(this.#engine, id, kept));
  }

  /**
   * Events of all plans and tasks as they land, of every writer, each once; from this call on, or from `since`. Ends
   * with `signal`, `return()` or `close()`. CURSOR_EXPIRED or INVALID_INPUT when `since` is no place to go on from.
   */
  watch(options: WatchOptions = {}): AsyncIterableIterator<TaskfoldEvent> {
    this.#checkOpen();
    if (options.since !== undefined) mustBeText("since", options.since);
    const { context, store, listing, journal } = this.#engine;
    const watch = new Watch({ context, store, listing, journal }, options, (ended) => this.#watches.delete(ended));
    this.#watches.add(watch);
    return watch;
  }

  /** The log that this workspace shares with other machines. INVALID_INPUT where it was opened without one. */
  sharedLog(): SharedAccess {
    this.#checkOpen();
    const { machine } = this.#engine;
    if (machine) return sharedAccess(machine, () => this.id ?? this.#engine.root.configured);
    throw new TaskfoldError("INVALID_INPUT", "Expected a workspace that was opened with `shared`, found one without.", {
      recovery: 'openWorkspace({ root, shared: jetstream({ servers: "nats://127.0.0.1:4222" }) })',
    });
  }

  /**
   * Binds this root to a workspace id and writes the committed files of `.coco`; harmless when that is done already. `lock`: the kind this
   * machine uses. With `overview` it also writes `.coco/README.md`, which `rebuild` and `resolve` keep up to date from then on.
   */
  async init(workspace: string, options: InitOptions = {}): Promise<InitReport> {
    this.#checkOpen();
    checkWorkspaceId(workspace);
    this.#engine.root.look();
    checkAccepted(this.#engine.root.accepted, workspace);
    this.#engine.root.refuseLeftOut();
    if (options.overview) checkOverviewFits(this.#engine.context);
    const before = this.#engine.binding;
    const lock = await this.#engine.lockWorkspace();
    try {
      const { context } = this.#engine;
      const binding = this.#engine.root.bind(workspace);
      if (options.overview) coded("make the workspace", () => turnOverviewOn(this.#engine, binding.workspace));
      return {
        ...binding,
        lock: context.locks().kind,
        created: before === undefined,
        overview: isOverviewOn(context),
      };
    } finally {
      lock.release();
    }
  }

  /**
   * Gives the workspace of this root another id, and each focus of this machine with it. No log changes. INVALID_INPUT where a shared log
   * goes by the id, NO_WORKSPACE where the root is bound to none. Processes that have the root open go on under the id that they know.
   */
  async rename(to: string): Promise<{ from: string; workspace: string }> {
    this.#checkOpen();
    checkWorkspaceId(to);
    const { context, root, machine } = this.#engine;
    const lock = await this.#engine.lockWorkspace();
    try {
      const from = readBinding(context)?.workspace;
      if (machine || context.disk.lstat(context.layout.machineFile("shared", "position"))) throw isShared(to);
      const { workspace } = root.rename(to);
      if (from !== undefined && from !== workspace) renameFocus(context, from, workspace);
      return { from: from ?? workspace, workspace };
    } finally {
      lock.release();
    }
  }

  /**
   * Holds the locks of all writers in all processes, while the caller lets git change the work tree. LOCK_TIMEOUT where a writer does not end
   * in time: then none is held. `token`: random; programs whose environment has it as TASKFOLD_GIT_RUN write all the same.
   * @internal
   */
  hold(command: string, token: string): Promise<WorkspaceHold> {
    this.#checkOpen();
    return codedLater("hold the workspace", this.#engine.hold(command, token));
  }

  /**
   * Waits for calls under way and lets go of every file and lock. A workspace is closed once. With projections `manual` it first writes
   * the files of what was changed, and tells `progress` of them.
   */
  async close(options: ProgressOptions = {}): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const watch of this.#watches) watch.close();
    try {
      await this.#engine.close(options);
    } finally {
      this.#freeLocks();
    }
  }

  /** Work that writes logs by itself: a shared log gets what it wrote. */
  async #beside<T>(kind: Beside, work: () => Promise<T>): Promise<Shared<T>> {
    const { machine, root } = this.#engine;
    const workspace = this.id ?? root.configured;
    if (!machine || workspace === undefined) return { result: await work(), warning: undefined };
    return machine.beside(workspace, kind, work);
  }

  /** Work whose changes are decided as those of tools. */
  async #called<T>(work: () => Promise<T>): Promise<T> {
    return (await this.#beside("calls", work)).result;
  }

  async #asRepair<T>(work: () => Promise<T>): Promise<T> {
    const { result, warning } = await this.#beside("repair", work);
    // The reports of repairs have no warnings: the next call has it.
    if (warning) this.#engine.context.notices.push(warning);
    return result;
  }

  #checkOpen(...ids: unknown[]): void {
    this.#checkNotClosed();
    for (const id of ids) mustBeText("id", id);
    const { root } = this.#engine;
    if (root.configured === undefined) return;
    root.look();
    checkAccepted(root.accepted, root.configured);
  }

  /** Enough for a call of a tool: the engine looks at the binding for each. */
  #checkNotClosed(): void {
    if (this.#closed)
      throw new TaskfoldError("CLOSED", "Expected an open workspace, found one that was closed.", {
        recovery: "Open it again with openWorkspace.",
      });
  }
}

/** Opens a workspace. Reads nothing yet and writes nothing: the first call does. With `workspace`, calls may leave it out. */
export function openWorkspace(options: WorkspaceOptions & { workspace: string }): Workspace<ImpliedInputs>;
export function openWorkspace(options: WorkspaceOptions): Workspace;
export function openWorkspace(options: WorkspaceOptions): Workspace {
  checkOpening(options);
  return openOn(options);
}

/** The same on a machine that a test or a simulation gives. */
export function openWorkspaceOn(options: TestingOptions & { workspace: string }): Workspace<ImpliedInputs>;
export function openWorkspaceOn(options: TestingOptions): Workspace;
export function openWorkspaceOn(options: TestingOptions): Workspace {
  checkOpening(options, OPENINGS.testing);
  return openOn(options);
}

function openOn(options: TestingOptions): Workspace {
  const by = options.by ?? "human:local";
  checkBy(by);
  const workspace = options.workspace ?? undefined;
  if (workspace !== undefined) checkWorkspaceId(workspace);
  const locks = new LazyLocks(() => {
    const made = new HoldableLocks(options.lockProvider?.(context) ?? machineLocks(context, options.lock), context);
    return context.telemetry ? observedLocks(made, context.telemetry) : made;
  });
  const { root, context, release } = openRoot(options.now ? { ...options, now: checkedClock(options.now) } : options, {
    packetConfigs: {
      given: options.packet ? fromRoot(options.packet, resolve(options.root)) : undefined,
      own: () => coded("read the configuration of packets", () => ownPacketConfig(context.disk, root)),
    },
    locks: locks.get,
  });
  const binding = new RootBinding(context, options.ids ?? "sequential", workspace);
  const { telemetry } = context;
  const shared = options.shared && telemetry ? observedSharedLog(options.shared, telemetry) : options.shared;
  return new Workspace(new Engine(context, binding, shared ?? undefined), root, by, () => {
    locks.close();
    release();
  });
}

/** Other machines find the shared log by the id. */
function isShared(to: string): TaskfoldError {
  return new TaskfoldError(
    "INVALID_INPUT",
    `Expected a workspace without a shared log to rename to ${JSON.stringify(to)}; this machine has one, which goes by the old id.`,
    {
      recovery:
        "Let every machine leave it (taskfold shared leave), rename the workspace, then make a shared log of the new id (taskfold shared init).",
    },
  );
}

/** No path of this machine reaches a log. */
function fromRoot({ folder, ...config }: PacketConfig, root: string): PacketConfig {
  return folder === undefined ? config : { ...config, folder: relative(root, folder) || "." };
}

/** Errors of the system leave a method as a TaskfoldError, as they leave `call` in a reply. */
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

/**
 * The texts of an entity's folded files as they are to be now, whatever stands on disk.
 * By path in the entity's folder. UNKNOWN_ID, or LOG_FOREIGN where another program keeps the files.
 */
function filesOf(engine: ReadAccess, id: string): Map<string, string> {
  const workspace = engine.binding?.workspace ?? "";
  const { loaded, foreign } = engine.reading().entities.find(workspace, { id, from: "input" });
  if (foreign) throw foreignFolder(loaded.id);
  return projectionsOf(loaded.subject(workspace));
}
