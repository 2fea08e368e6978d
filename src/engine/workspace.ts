/** Opening a workspace: the public face of the engine. */
import type { TaskfoldEvent } from "../events/generated/event_types.ts";
import type { ToolInputs, ToolName, ToolResults, WholeResults } from "../tools/generated/tool_types.ts";
import type { JsonObject } from "../state/json.ts";
import type { ProgressOptions } from "./core/at_once.ts";
import { checkAccepted, checkProofModes, checkWorkspaceId, RootBinding } from "./entity/binding.ts";
import type { IdStyle } from "./core/id_style.ts";
import { Engine } from "./engine.ts";
import { keepInternals } from "./groups/internals.ts";
import { coded, OpenWorkspace, packetConfigsOf } from "./groups/open.ts";
import { WorkspacePackets } from "./groups/packets.ts";
import { WorkspaceRepair } from "./groups/repair.ts";
import { sharedOf } from "./groups/shared.ts";
import { WorkspaceTaskdoc } from "./groups/taskdoc.ts";
import type { LogPage, LogQuery } from "./query/history.ts";
import { readLog } from "./query/history.ts";
import { filesOf } from "./query/files_of.ts";
import { LazyLocks, observedLocks } from "./core/lock.ts";
import { observedSharedLog } from "./core/telemetry/observed_shared_log.ts";
import { HoldableLocks } from "./locks/holdable_locks.ts";
import { machineLocks } from "./locks/machine_locks.ts";
import { checkBy } from "./core/input/check_by.ts";
import { checkedClock, checkOpening, OPENINGS } from "./check_options.ts";
import type { SharedAccess } from "./shared/shared_access.ts";
import { mustBeText } from "./core/input/must_be_text.ts";
import { openRoot } from "./open_root.ts";
import { checkOverviewFits, isOverviewOn, switchOverviewOn } from "./projection/overview.ts";
import type { Reply } from "./entity/reply.ts";
import { errorReply } from "./entity/reply.ts";
import type { VerifyOptions, VerifyReport } from "./repair/verify.ts";
import { verify } from "./repair/verify.ts";
import { Watch } from "./watch/watch.ts";
import type { WatchOptions } from "./watch/watch_options.ts";
import type { CallOptions, ImpliedInputs, TestingOptions, Unbudgeted, WorkspaceOptions } from "./workspace_options.ts";
import type { ProofModes } from "../state/proof_modes.ts";

export interface InitOptions {
  /** Write the overview of plans and tasks, `.coco/README.md`. Removing the file turns it off again. */
  overview?: boolean;
  /** Proof modes that steps get from now on if they name none; they are written into `.coco/workspace.yaml`. */
  proof?: ProofModes;
}

export interface InitReport {
  workspace: string;
  ids: IdStyle;
  lock: string;
  /** False when the root was bound before. */
  created: boolean;
  /** Whether the overview is on. */
  overview: boolean;
  /** Proof modes of steps that name none, if the workspace names some. */
  proof?: ProofModes;
}

/** `Inputs`: what calls have to say; less where the opening named the workspace. */
export class Workspace<in Inputs extends Record<ToolName, object> = ToolInputs> {
  /** The folder that holds `.coco`, absolute. */
  readonly root: string;
  /** The Taskdoc of a plan or task: what agents have before them, who changed it, edits by hand. */
  readonly taskdoc: WorkspaceTaskdoc;
  /** Packets that come from other programs, and go to them. */
  readonly packets: WorkspacePackets;
  /** Puts files and logs in order. */
  readonly repair: WorkspaceRepair;
  /** The log that this workspace shares with other machines. Its methods reject with INVALID_INPUT where there is none. */
  readonly shared: SharedAccess;
  readonly #open: OpenWorkspace;
  readonly #freeLocks: () => void;
  readonly #watches = new Set<Watch>();

  /** @internal */
  constructor(open: OpenWorkspace, freeLocks: () => void) {
    this.#open = open;
    this.root = open.root;
    this.#freeLocks = freeLocks;
    this.taskdoc = new WorkspaceTaskdoc(open);
    this.packets = new WorkspacePackets(open);
    this.repair = new WorkspaceRepair(open);
    this.shared = sharedOf(open);
  }

  /** Id this root is bound to; undefined before its first write. */
  get id(): string | undefined {
    return this.#open.id;
  }

  /**
   * Calls a tool. Never throws: what is refused or fails comes back as `error` of the reply, and has changed
   * nothing on disk unless its code is UNKNOWN_OUTCOME. Members of an answer that `max_chars` may take out are there without it, in the
   * types too (TOOL-80).
   */
  call<T extends ToolName>(
    tool: T,
    input: Unbudgeted<Inputs[T]>,
    options?: CallOptions,
  ): Promise<Reply<WholeResults[T]>>;
  call<T extends ToolName>(tool: T, input: Inputs[T], options?: CallOptions): Promise<Reply<ToolResults[T]>>;
  call<T extends ToolName>(tool: T, input: Inputs[T], options?: CallOptions): Promise<Reply<ToolResults[T]>> {
    return this.callTool(tool, input as JsonObject, options) as Promise<Reply<ToolResults[T]>>;
  }

  /** The same for hosts that are given names and inputs from outside: UNKNOWN_TOOL and INVALID_INPUT say what is wrong with them. */
  callTool(name: string, input: JsonObject, options?: CallOptions): Promise<Reply> {
    try {
      this.#open.checkNotClosed();
      const { by = this.#open.by, agentInstance, turnId, workspaceRequired = false, elsewhere } = options ?? {};
      if (by !== this.#open.by) checkBy(by);
      return this.#open.engine.call(name, input, { by, agentInstance, turnId, elsewhere }, { workspaceRequired });
    } catch (e) {
      return Promise.resolve(errorReply(name, e));
    }
  }

  /** Checks every log and every projected file, of one entity or of all, with `git` also against what commits had; changes nothing. */
  verify(id?: string, options: VerifyOptions = {}): VerifyReport {
    this.#open.check(...(id === undefined ? [] : [id]));
    return coded("verify the files", () => verify(this.#open.engine, id, options));
  }

  /** Events of one entity in replay order, a page at a time. */
  log(id: string, query: LogQuery = {}): LogPage {
    this.#open.check(id);
    return coded("read the log", () => readLog(this.#open.engine, id, query));
  }

  /**
   * Texts of the files that are folded from a plan's or task's log, by their paths in its folder, as they are to be now.
   * UNKNOWN_ID, or LOG_FOREIGN where another program keeps the files.
   */
  files(id: string): Map<string, string> {
    this.#open.check(id);
    return coded("read the files", () => filesOf(this.#open.engine, id));
  }

  /**
   * Events of all plans and tasks as they land, of every writer, each once; from this call on, or from `since`. Ends
   * with `signal`, `return()` or `close()`. CURSOR_EXPIRED or INVALID_INPUT when `since` is no place to go on from.
   */
  watch(options: WatchOptions = {}): AsyncIterableIterator<TaskfoldEvent> {
    this.#open.check();
    if (options.since !== undefined) mustBeText("since", options.since);
    const { context, store, listing, journal } = this.#open.engine;
    const watch = new Watch({ context, store, listing, journal }, options, (ended) => this.#watches.delete(ended));
    this.#watches.add(watch);
    return watch;
  }

  /**
   * Binds this root to a workspace id and writes the committed files of `.coco`; harmless when that is done already. `lock`: the kind this
   * machine uses. With `overview` it also writes `.coco/README.md`, which `rebuild` and `resolve` keep up to date from then on.
   */
  async init(workspace: string, options: InitOptions = {}): Promise<InitReport> {
    this.#open.check();
    checkWorkspaceId(workspace);
    this.#open.engine.root.look();
    checkAccepted(this.#open.engine.root.accepted, workspace);
    this.#open.engine.root.refuseLeftOut();
    if (options.proof !== undefined) checkProofModes(options.proof);
    if (options.overview) checkOverviewFits(this.#open.engine.context);
    const before = this.#open.engine.binding;
    const lock = await this.#open.engine.lockWorkspace();
    try {
      const { context } = this.#open.engine;
      const bound = this.#open.engine.root.bind(workspace);
      const binding = options.proof === undefined ? bound : this.#open.engine.root.setProof(options.proof);
      if (options.overview) coded("make the workspace", () => switchOverviewOn(this.#open.engine, binding.workspace));
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
   * Waits for calls under way and lets go of every file and lock. A workspace is closed once. With projections `manual` it first writes
   * the files of what was changed, and tells `progress` of them.
   */
  async close(options: ProgressOptions = {}): Promise<void> {
    if (!this.#open.close()) return;
    for (const watch of this.#watches) watch.close();
    try {
      await this.#open.engine.close(options);
    } finally {
      this.#freeLocks();
    }
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
    packetConfigs: packetConfigsOf(options, () => ({ disk: context.disk, root })),
    locks: locks.get,
  });
  const binding = new RootBinding(context, options.ids ?? "sequential", workspace);
  const { telemetry } = context;
  const shared = options.shared && telemetry ? observedSharedLog(options.shared, telemetry) : options.shared;
  const open = new OpenWorkspace(new Engine(context, binding, shared ?? undefined), root, by);
  const opened = new Workspace(open, () => {
    locks.close();
    release();
  });
  keepInternals(opened, open);
  return opened;
}
