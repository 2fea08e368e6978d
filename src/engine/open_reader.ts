/** Opening a workspace to look at it: no lock is taken, and nothing is written. */
import { isTaskfoldError, TaskfoldError } from "../errors.ts";
import type { TaskfoldEvent } from "../events/generated/event_types.ts";
import { readOnlyDisk } from "../read_only_disk.ts";
import type { JsonObject } from "../state/json.ts";
import type { ReadTool } from "../tools/read_tool.ts";
import type { ToolInputs, ToolName, ToolResults, WholeResults } from "../tools/generated/tool_types.ts";
import { answerCall } from "./answer_call.ts";
import { checkedClock, checkOpening, OPENINGS } from "./check_options.ts";
import type { EngineContext } from "./core/context.ts";
import { checkBy } from "./core/input/check_by.ts";
import { mustBeText } from "./core/input/must_be_text.ts";
import { toolNamed } from "./core/input/tool_named.ts";
import type { WorkspaceLocks } from "./core/lock.ts";
import { checkAccepted, checkWorkspaceId, RootBinding } from "./entity/binding.ts";
import type { CallResult, CheckedCall } from "./entity/job.ts";
import type { Reply } from "./entity/reply.ts";
import { errorReply } from "./entity/reply.ts";
import { coded, packetConfigsOf } from "./groups/open.ts";
import { lookAtLock } from "./locks/look_at_lock.ts";
import { OpenReadModel } from "./open_read_model.ts";
import { openRoot } from "./open_root.ts";
import { explained, offeredBy } from "./query/explained.ts";
import type { LogPage, LogQuery } from "./query/history.ts";
import { readLog } from "./query/history.ts";
import { filesOf } from "./query/files_of.ts";
import { changedByHand } from "./projection/changed_by_hand.ts";
import { readAnswer } from "./query/read.ts";
import { Watch } from "./watch/watch.ts";
import type { WatchOptions } from "./watch/watch_options.ts";
import type {
  CallOptions,
  ImpliedInputs,
  ReaderOptions,
  ReaderTestingOptions,
  Unbudgeted,
} from "./workspace_options.ts";

/** `Inputs`: as in `Workspace`. */
export class WorkspaceReader<in Inputs extends Record<ToolName, object> = ToolInputs> {
  /** The folder that holds `.coco`, absolute. */
  readonly root: string;
  readonly #model: OpenReadModel;
  readonly #by: string;
  readonly #release: () => void;
  readonly #watches = new Set<Watch>();
  #isClosed = false;

  /** @internal */
  constructor(model: OpenReadModel, { root, by, release }: { root: string; by: string; release: () => void }) {
    this.root = root;
    this.#model = model;
    this.#by = by;
    this.#release = release;
  }

  /** Id this root is bound to; undefined where it is bound to none. */
  get id(): string | undefined {
    this.#model.root.look();
    return this.#model.binding?.workspace;
  }

  /**
   * Calls a tool that reads. Never throws: what is refused or fails comes back as `error` of the reply. A tool that changes something is
   * READ_ONLY, whatever its input.
   */
  call<T extends ToolName>(
    tool: T,
    input: Unbudgeted<Inputs[T]>,
    options?: Pick<CallOptions, "by">,
  ): Promise<Reply<WholeResults[T]>>;
  call<T extends ToolName>(
    tool: T,
    input: Inputs[T],
    options?: Pick<CallOptions, "by">,
  ): Promise<Reply<ToolResults[T]>>;
  call<T extends ToolName>(
    tool: T,
    input: Inputs[T],
    options?: Pick<CallOptions, "by">,
  ): Promise<Reply<ToolResults[T]>> {
    return this.callTool(tool, input as JsonObject, options) as Promise<Reply<ToolResults[T]>>;
  }

  /** The same for hosts that are given names and inputs from outside: UNKNOWN_TOOL and INVALID_INPUT say what is wrong with them. */
  async callTool(name: string, input: JsonObject, options?: Pick<CallOptions, "by"> | null): Promise<Reply> {
    const { by = this.#by } = options ?? {};
    try {
      this.#checkOpen();
      checkBy(by);
    } catch (e) {
      return errorReply(name, e);
    }
    const caller = { by, agentInstance: undefined, turnId: undefined };
    return answerCall(
      this.#model,
      { name, tool: () => readingTool(name), input, caller, workspaceRequired: false },
      { run: (call) => this.#run(call), explain: () => ({ explained, offeredBy }) },
    );
  }

  #run(call: CheckedCall<ReadTool>): CallResult {
    try {
      return readAnswer(this.#model.reading(), this.#model.people, call, changedByHand);
    } catch (e) {
      // The only read that writes: one that moves the focus, because its input says so.
      const { tool, input } = call;
      const movesFocus = tool.target === "entity" && tool.restoresFocus === true && input["read_only"] === false;
      if (movesFocus && isTaskfoldError(e) && e.code === "READ_ONLY")
        throw readOnly(`${tool.name}, which moves the focus`);
      throw e;
    }
  }

  /** As `log` of a workspace. */
  log(id: string, query: LogQuery = {}): LogPage {
    this.#check(id);
    return coded("read the log", () => readLog(this.#model, id, query));
  }

  /** As `files` of a workspace. */
  files(id: string): Map<string, string> {
    this.#check(id);
    return coded("read the files", () => filesOf(this.#model, id));
  }

  /** As `watch` of a workspace. */
  watch(options: WatchOptions = {}): AsyncIterableIterator<TaskfoldEvent> {
    this.#check();
    if (options.since !== undefined) mustBeText("since", options.since);
    const watch = new Watch(this.#model, options, (ended) => this.#watches.delete(ended));
    this.#watches.add(watch);
    return watch;
  }

  /** Ends each watch, and lets go of every file. A reader is closed once. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const watch of this.#watches) watch.close();
    this.#model.closeLogs();
    this.#release();
  }

  #check(...ids: unknown[]): void {
    this.#checkOpen();
    for (const id of ids) mustBeText("id", id);
    const { root } = this.#model;
    if (root.configured === undefined) return;
    root.look();
    checkAccepted(root.accepted, root.configured);
  }

  #checkOpen(): void {
    if (this.#isClosed)
      throw new TaskfoldError("CLOSED", "Expected an open reader, found one that was closed.", {
        recovery: "Open it again with openReader.",
      });
  }
}

/** Opens a workspace to look at it. Reads nothing yet. It takes no lock and writes nothing: not even caches, cursors or the focus. */
export function openReader(options: ReaderOptions & { workspace: string }): WorkspaceReader<ImpliedInputs>;
export function openReader(options: ReaderOptions): WorkspaceReader;
export function openReader(options: ReaderOptions): WorkspaceReader {
  checkOpening(options, OPENINGS.reader, "openReader");
  return readerOn(options);
}

/** The same on a machine that a test or a simulation gives. */
export function openReaderOn(options: ReaderTestingOptions & { workspace: string }): WorkspaceReader<ImpliedInputs>;
export function openReaderOn(options: ReaderTestingOptions): WorkspaceReader;
export function openReaderOn(options: ReaderTestingOptions): WorkspaceReader {
  checkOpening(options, OPENINGS.readerTesting, "openReader");
  return readerOn(options);
}

function readerOn(options: ReaderTestingOptions): WorkspaceReader {
  const by = options.by ?? "human:local";
  checkBy(by);
  const workspace = options.workspace ?? undefined;
  if (workspace !== undefined) checkWorkspaceId(workspace);
  const { root, context, release } = openRoot(
    { ...options, ...(options.now ? { now: checkedClock(options.now) } : {}), projections: "manual" },
    {
      locks: () => seenLocks(context),
      packetConfigs: packetConfigsOf(options, () => ({ disk: context.disk, root })),
      cursors: new Map(),
    },
    readOnlyDisk,
  );
  const model = new OpenReadModel(context, new RootBinding(context, "sequential", workspace));
  return new WorkspaceReader(model, { root, by, release });
}

function readingTool(name: string): ReadTool {
  const tool = toolNamed(name);
  if (tool.effect !== "read") throw readOnly(name);
  return tool;
}

function readOnly(what: string): TaskfoldError {
  return new TaskfoldError(
    "READ_ONLY",
    `Expected a call that reads, found ${what}: this workspace was opened by openReader.`,
    {
      recovery: "Open it with openWorkspace({ root }), and make the call there.",
    },
  );
}

/** Locks of other processes, as they are seen from outside. Nothing that reads takes one. */
function seenLocks(context: EngineContext): WorkspaceLocks {
  const refuse = (): never => {
    throw new TaskfoldError("INTERNAL", "Expected a reader to take no lock.");
  };
  return {
    kind: "os",
    tryAcquire: refuse,
    hold: refuse,
    holder: (name) => {
      const seen = lookAtLock(context, name);
      return seen.state === "held" ? { pid: seen.pid } : undefined;
    },
    close: () => undefined,
  };
}
