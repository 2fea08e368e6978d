/**
 * The one door: `call(tool, input)`. Every change to a workspace goes through these seven steps and no other way:
 *
 * 1 validate  2 lock  3 catch up  4 decide  5 append  6 project  7 reply
 *
 * Step 1 is in answer_call.ts. Steps 2 to 7 of a change are in change.ts, here and in create.ts for a new entity, in transact.ts for
 * several. Steps 3 and 7 of a read are in read.ts.
 */
import type { Warning } from "../errors.ts";
import { canonicalJson, sha256 } from "../log/canonical.ts";
import type { BatchTool } from "../tools/batch_tool.ts";
import type { ChangeTool } from "../tools/change_tool.ts";
import type { CreateTool } from "../tools/create_tool.ts";
import { archiveOf } from "../tools/tool.ts";
import type { Decider, Tool } from "../tools/tool.ts";
import type { ProgressOptions } from "./core/at_once.ts";
import { atOnce } from "./core/at_once.ts";
import { checkAccepted } from "./entity/binding.ts";
import type { RootBinding } from "./entity/binding.ts";
import type { Created } from "./commit/create.ts";
import { create, refuseCreation } from "./commit/create.ts";
import type { Appender, SharedWrites } from "./commit/shared_writes.ts";
import { DirtyMarks } from "./projection/dirty.ts";
import { callEach } from "./each.ts";
import { followPlans } from "./follow_plans.ts";
import { explained, offeredBy } from "./query/explained.ts";
import type { LoadedEntity } from "./entity/loaded_entity.ts";
import type { Caller, CheckedCall, Job, CallResult } from "./entity/job.ts";
import { isOf } from "./entity/job.ts";
import type { WorkspaceIndex } from "./listing/workspace_index.ts";
import type { WorkspaceHold } from "./core/lock.ts";
import { acquire, WORKSPACE_LOCK } from "./core/lock.ts";
import { fitRefusal } from "./transaction/macro_refusal.ts";
import { maskAhead } from "./commit/mask_ahead.ts";
import { moveFocus } from "./query/move_focus.ts";
import { presentContext, preview } from "./query/preview.ts";
import { disown, ownName } from "./locks/process_files.ts";
import { PROJECTED_AT_ONCE, Projector } from "./projection/project.ts";
import { changedByHand } from "./projection/changed_by_hand.ts";
import { readAnswer } from "./query/read.ts";
import { checkSameInput, replayed, syncReplayed } from "./commit/replayed.ts";
import type { Reply } from "./entity/reply.ts";
import { projectById, projectEntity, writeFiles } from "./archive/project_entity.ts";
import { broughtBack, restoreFolder } from "./archive/restore.ts";
import { LogWriter } from "./commit/log_writer.ts";
import { WriteQueue } from "./write_queue.ts";
import { route } from "./query/route.ts";
import { LoopYield } from "./core/loop_yield.ts";
import { Recovery } from "./transaction/recovery.ts";
import { isOrdinary, transact } from "./transaction/transact.ts";
import { toolNamed } from "./core/input/tool_named.ts";
import type { EngineContext } from "./core/context.ts";
import type { SharedLogPort } from "./core/shared_log.ts";
import { MergeWorkspace } from "./shared/merge_workspace.ts";
import { StrictWorkspace } from "./shared/strict_workspace.ts";
import type { AnswerBy } from "./answer_call.ts";
import { answerCall, withNotices } from "./answer_call.ts";
import { OpenReadModel } from "./open_read_model.ts";

interface AnswerOptions {
  workspaceRequired?: boolean;
}

/** Whether calls of the tool do nothing but wait in the queue of a log. Others look at the binding by themselves. */
function isQueued(tool: Tool): boolean {
  if (tool.effect !== "write") return false;
  const { archive, masks, preview, several, route } = tool;
  return archive !== "from" && !masks && !preview && !several && !route;
}

export class Engine extends OpenReadModel {
  readonly projector: Projector;
  readonly dirty: DirtyMarks;
  readonly index: WorkspaceIndex;
  readonly logs: LogWriter;
  readonly recovery: Recovery;
  /** The shared log as this machine has it, in either mode; undefined without one. */
  readonly machine: StrictWorkspace | MergeWorkspace | undefined;
  /** Where every change goes first, in mode `strict`. */
  readonly shared: SharedWrites | undefined;
  readonly #name: string;
  readonly #queues = new WeakMap<LoadedEntity, WriteQueue>();
  #creating: Promise<unknown> = Promise.resolve();
  #masking: Promise<unknown> = Promise.resolve();
  #calls = 0;
  readonly #loopYield: LoopYield;
  #above: Warning | undefined;
  #idle: () => void = noop;
  readonly #steps: AnswerBy<Tool> = {
    queues: isQueued,
    run: (call) => this.#inTurn(call),
    explain: () => ({ explained, offeredBy }),
    fit: fitRefusal,
  };

  constructor(context: EngineContext, root: RootBinding, shared?: SharedLogPort) {
    super(context, root);
    this.#above = context.above;
    this.#name = ownName(context, context.newId());
    this.#loopYield = new LoopYield(context.runtime);
    this.projector = new Projector(context, this.#name, (loaded) => this.logs.syncs.makeLast(loaded));
    this.index = this.entities.index;
    this.dirty = new DirtyMarks(context, this.#name, (id) => {
      const left = this.store.find(id) ?? this.store.findArchived(id);
      if (left) this.logs.syncs.makeLast(left);
    });
    this.logs = new LogWriter(this);
    this.recovery = new Recovery(this);
    const strict = shared?.mode === "strict" ? new StrictWorkspace(this, shared) : undefined;
    this.shared = strict;
    this.machine = strict ?? (shared && new MergeWorkspace(this, shared));
  }

  /** Never throws: what is refused or fails comes back as the error of the reply. */
  async call(
    name: string,
    input: unknown,
    caller: Caller,
    { workspaceRequired = false, tool = () => toolNamed(name) }: AnswerOptions & { tool?: () => Tool } = {},
  ): Promise<Reply> {
    this.#calls++;
    try {
      // Steps 1 and 7
      return await answerCall(this, { name, tool, input, caller, workspaceRequired }, this.#steps);
    } finally {
      const yielded = this.#loopYield.due();
      if (yielded) await yielded;
      this.#done();
    }
  }

  async #inTurn(call: CheckedCall): Promise<CallResult> {
    const masks = isOf(call, "write") && call.tool.masks;
    return masks ? this.#masked(call, masks) : this.#noted(call);
  }

  /** Texts are redacted one call after another, so that calls keep their order, and before any lock. */
  async #masked(call: CheckedCall<ChangeTool>, masks: NonNullable<ChangeTool["masks"]>): Promise<CallResult> {
    const masking = this.#masking.then(() =>
      maskAhead(this.context, () => masks(call.input as never, () => presentContext(this.reading(), call))),
    );
    this.#masking = masking.then(noop, noop);
    const release = await masking;
    try {
      return await this.#noted(call);
    } finally {
      release();
    }
  }

  async #noted(call: CheckedCall): Promise<CallResult> {
    const outcome = await (this.machine ? this.machine.run(call, () => this.#run(call)) : this.#run(call));
    if (this.#above && !outcome.error && !isOf(call, "read") && !isOf(call, "focus")) {
      this.context.notices.push(this.#above);
      this.#above = undefined;
    }
    if (!outcome.flips?.length) return outcome;
    const planWarnings = await followPlans(
      { entities: this.entities, call: this.call.bind(this) },
      call,
      outcome.flips,
    );
    return { ...outcome, warnings: [...outcome.warnings, ...planWarnings] };
  }

  #run(call: CheckedCall): Promise<CallResult> | CallResult {
    if (isOf(call, "read")) return readAnswer(this.reading(), this.people, call, changedByHand);
    if (isOf(call, "focus")) return moveFocus(this.reading(), call);
    if (isOf(call, "txn")) return this.#batch(call, keyOf(call.tool, call.input));
    // The effects that are left.
    return this.#decided(call as CheckedCall<ChangeTool | CreateTool>);
  }

  #batch(call: CheckedCall<BatchTool>, key: Job["key"]): Promise<CallResult> {
    const { each } = call.tool;
    const calls = each?.calls(call.input as never);
    if (!each || !calls) return this.#transact(call, key);
    const project = (loaded: LoadedEntity, workspace: string) => projectEntity(this, loaded, workspace);
    return callEach({ call: this.call.bind(this), project }, call, each, calls);
  }

  #decided(call: CheckedCall<ChangeTool | CreateTool>): Promise<CallResult> | CallResult {
    if (isOf(call, "write") && call.tool.preview?.when(call.input as never)) return preview(this, call);
    const key = keyOf(call.tool, call.input);
    // One that comes back has its folder moved first, whatever it is made of.
    if (archiveOf(call.tool) === "from") return this.#restore(call, key);
    return call.tool.several && !isOrdinary(this, call) ? this.#several(call, key) : this.#alone(call, key);
  }

  async #several(call: CheckedCall<ChangeTool | CreateTool>, key: Job["key"]): Promise<CallResult> {
    this.root.refuseLeftOut();
    return (await transact(this, call, key)) ?? this.#alone(call, key);
  }

  #alone(call: CheckedCall<ChangeTool | CreateTool>, key: Job["key"]): Promise<CallResult> | CallResult {
    return isOf(call, "create") ? this.#create(call, key) : this.#change(call as CheckedCall<ChangeTool>, key);
  }

  #change(call: CheckedCall<ChangeTool>, key: Job["key"]): Promise<CallResult> | CallResult {
    const { tool, input, workspace, caller, since } = call;
    if (tool.route) {
      const job = { ...call, targetFrom: "input" as const, key };
      return route(this, call, key, {
        write: (loaded) => this.#submit(loaded, { ...job, scopedBy: call.focus?.from }),
        replay: (deleted) => this.#replay(deleted, job),
      });
    }
    const wanted = this.entities.wanted(call);
    const deleted = key && this.entities.deletedWith(key.key, wanted.id);
    if (deleted) {
      this.root.look();
      checkAccepted(this.root.accepted, workspace);
      return this.#replay(deleted, { tool, input, workspace, caller, targetFrom: wanted.from, key });
    }
    const loaded = this.entities.forWriting(workspace, wanted);
    return this.#submit(loaded, { tool, input, workspace, caller, since, targetFrom: wanted.from, key });
  }

  async #restore(call: CheckedCall<ChangeTool | CreateTool>, key: Job["key"]): Promise<CallResult> {
    const { workspace } = call;
    const { id } = this.entities.wanted(call);
    const loaded = await broughtBack(this, workspace, id);
    try {
      const several = call.tool.several && !isOrdinary(this, call);
      const done = several ? await transact(this, call, key) : null;
      return done ?? (await this.#submit(loaded, { ...call, targetFrom: "input", key }));
    } finally {
      await restoreFolder(this, loaded);
    }
  }

  /** A change of one entity that no tool of the registry makes: it waits for its turn and its answer. */
  submit(loaded: LoadedEntity, job: Omit<Job, "done" | "fail" | "foreign">): Promise<CallResult> {
    return this.#counted(this.#submit(loaded, job));
  }

  #submit(loaded: LoadedEntity, job: Omit<Job, "done" | "fail" | "foreign">): Promise<CallResult> {
    // Key by key: to spread a job costs more than to make one.
    const { tool, input, workspace, caller, since, targetFrom, scopedBy, key } = job;
    return new Promise((done, fail) => {
      this.#queueOf(loaded).submit({ tool, input, workspace, caller, since, targetFrom, scopedBy, key, done, fail });
    });
  }

  #queueOf(loaded: LoadedEntity): WriteQueue {
    let queue = this.#queues.get(loaded);
    if (!queue) {
      queue = new WriteQueue(this, loaded);
      this.#queues.set(loaded, queue);
    }
    return queue;
  }

  /** A repeated call is answered also when what it went to was deleted since, perhaps by that very call. */
  #replay(loaded: LoadedEntity, call: Omit<Job, "done" | "fail">): CallResult {
    const job: Job = { ...call, done: noop, fail: noop };
    checkSameInput(job, loaded.keys.get(job.key!.key)!);
    syncReplayed(this, loaded, [job]);
    return replayed(this.entities.around(call.workspace), loaded, job);
  }

  async #transact(call: CheckedCall<BatchTool>, key: Job["key"]): Promise<CallResult> {
    this.root.refuseLeftOut();
    // A tool that is made of calls alone is no ordinary call.
    return (await transact(this, call, key))!;
  }

  /** A creation that no tool of the registry makes. */
  make(call: CheckedCall<Decider>): Promise<CallResult> {
    return this.#counted(this.#create(call, undefined));
  }

  /** A transaction that no tool of the registry makes; its input has the key. */
  transact(call: CheckedCall<BatchTool>): Promise<CallResult> {
    return this.#counted(this.#transact(call, keyOf(call.tool, call.input)));
  }

  /** Work that `close` waits for, and that keeps entities in memory, as a call does. */
  async #counted(work: Promise<CallResult>): Promise<CallResult> {
    this.#calls++;
    try {
      const outcome = await work;
      return { ...outcome, warnings: withNotices(this.context, outcome.warnings) };
    } finally {
      this.#done();
    }
  }

  #done(): void {
    if (--this.#calls > 0) return;
    this.#idle();
    this.#forgetUnused();
  }

  /** Ids of what creating calls with these keys made, deleted and archived ones too. */
  async madeBy(workspace: string, keys: ReadonlySet<string>): Promise<Map<string, string>> {
    const lock = await this.recovery.lockRecovered(workspace, [WORKSPACE_LOCK]);
    try {
      return this.index.createdBy(keys);
    } finally {
      lock.release();
    }
  }

  async #create(call: CheckedCall<Decider>, key: Job["key"]): Promise<CallResult> {
    const created = this.#creating.then(() => this.#createInTurn(call, key));
    // The next creation waits for this one however it ends; the caller hears of the failure through `created`.
    this.#creating = created.then(noop, noop);
    return created;
  }

  async #createInTurn(call: CheckedCall<Decider>, key: Job["key"]): Promise<CallResult> {
    const { workspace } = call;
    const job: Job = { ...call, targetFrom: "input", key, done: noop, fail: noop };
    const around = this.entities.around(workspace);
    this.root.refuseLeftOut();
    if (!this.binding) refuseCreation(this, around, this.root.ids, job);
    let created: Created;
    // 2 lock, then steps 3 to 5 in `create`
    if (this.shared) {
      const { context, store, index } = this;
      const made = (logs: Appender): Created =>
        create({ context, store, index, logs }, around, this.root.bind(workspace).ids, job);
      created = this.#found(await this.shared.write(workspace, [WORKSPACE_LOCK], made, call.since));
    } else {
      const lock = await this.recovery.lockRecovered(workspace, [WORKSPACE_LOCK]);
      try {
        const { ids } = this.root.bind(workspace);
        created = create(this, around, ids, job);
      } finally {
        lock.release();
      }
    }
    const { loaded, outcome, fresh } = created;
    // 6 project
    const isDue = fresh || this.dirty.mayBeBehind(loaded.id);
    const warnings = isDue && this.context.projections === "batch" ? await projectEntity(this, loaded, workspace) : [];
    // 7 reply
    return { ...outcome, warnings: [...outcome.warnings, ...warnings] };
  }

  /** While it was decided there was only a draft of it. */
  #found(created: Created): Created {
    return { ...created, loaded: this.store.find(created.loaded.id) ?? created.loaded };
  }

  lockWorkspace() {
    return acquire(this.context, WORKSPACE_LOCK);
  }

  /**
   * Holds the locks of all writers while git works (GIT-100), and brings the files of what they wrote to the end of its log. LOCK_TIMEOUT
   * where a writer does not end in time.
   */
  async hold(command: string, token: string): Promise<WorkspaceHold> {
    const hold = await this.context.locks().hold(command, token);
    try {
      const workspace = this.binding?.workspace;
      if (workspace !== undefined) {
        await this.recovery.recover(workspace, { again: true });
        for (const id of this.dirty.markedByAny())
          this.context.notices.push(...(await projectById(this, id, workspace)));
      }
      return hold;
    } catch (e) {
      hold.release();
      throw e;
    }
  }

  /** Lets go of entities that were not used for longest. Between calls: none of them is being written then. */
  #forgetUnused(): void {
    for (const loaded of this.store.surplus(this.context.entitiesInMemory)) {
      if (!this.logs.syncs.isSynced(loaded)) continue;
      if (this.#queues.has(loaded)) this.projector.forget(loaded);
      this.#queues.delete(loaded);
      this.store.snapshots.saveIfDue(loaded);
      this.store.drop(loaded.id);
    }
  }

  /** Waits for what is under way; with manual projections writes them; lets go of every descriptor. */
  async close(progress: ProgressOptions = {}): Promise<void> {
    // Some wait for a validator or for their turn, and stand in no list of those that write.
    if (this.#calls > 0) await new Promise<void>((done) => (this.#idle = done));
    await this.#creating;
    await this.machine?.close();
    if (this.dirty.ids().length > 0) await this.recovery.recover(this.binding?.workspace ?? "", { again: true });
    this.logs.syncs.flushAll();
    if (this.context.projections === "manual") await this.#projectTouched(progress);
    this.dirty.clear();
    this.projector.close();
    disown(this.#name);
    this.closeLogs();
  }

  async #projectTouched(progress: ProgressOptions): Promise<void> {
    const workspace = this.binding?.workspace;
    if (workspace === undefined) return;
    await atOnce(this.dirty.ids(), { most: PROJECTED_AT_ONCE, ...progress }, async (id) => {
      const loaded = this.store.find(id);
      if (loaded) await writeFiles(this, loaded, workspace);
    });
  }
}

/** The key of a call with the digest of what it says beside; undefined without one. */
function keyOf(tool: Tool, input: Record<string, unknown>): Job["key"] {
  const key = input["idempotency_key"];
  if (typeof key !== "string") return undefined;
  const { idempotency_key: _key, ...rest } = input;
  return { key, req: sha256(canonicalJson({ input: rest, tool: tool.name })) };
}

const noop = (): void => undefined;
