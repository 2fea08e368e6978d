/**
 * The one door: `call(tool, input)`. Every change to a workspace goes through these seven steps and no other way:
 *
 * 1 validate  2 lock  3 catch up  4 decide  5 append  6 project  7 reply
 *
 * Step 1 is here, 2 to 7 of a change in commit.ts (create.ts for a new entity), 3 and 7 of a read in read.ts.
 */
import type { Warning } from "../errors.ts";
import { isAway } from "../state/archive.ts";
import { archive } from "./archive/archive.ts";
import type { ProgressOptions } from "./core/at_once.ts";
import { atOnce } from "./core/at_once.ts";
import type { Binding, RootBinding } from "./entity/binding.ts";
import { checkAccepted } from "./entity/binding.ts";
import { Committer } from "./commit/commit.ts";
import { create, refuseCreation } from "./commit/create.ts";
import { CreateIndex } from "./listing/create_index.ts";
import { DirtyMarks } from "./commit/dirty.ts";
import { callEach } from "./each.ts";
import { Entities } from "./entities/entities.ts";
import { explained, offeredBy } from "./query/explained.ts";
import { foreignSystemOp } from "./commit/foreign_system_op.ts";
import { GitBases } from "./entities/git_base.ts";
import type { LoadedEntity } from "./entity/loaded_entity.ts";
import { IdNumbers } from "./listing/id_numbers.ts";
import type { Caller, CheckedCall, Job, CallResult } from "./entity/job.ts";
import { withJournal } from "./transaction/journal_disk.ts";
import type { Listing } from "./listing/listing.ts";
import { acquire, WORKSPACE_LOCK } from "./core/lock.ts";
import { noteShorter } from "./entity/log_shorter.ts";
import { fitRefusal } from "./transaction/macro_refusal.ts";
import { moveFocus } from "./query/move_focus.ts";
import { People } from "./entity/people.ts";
import { preview } from "./query/preview.ts";
import { disown, ownName } from "./locks/process_files.ts";
import { PROJECTED_AT_ONCE, Projector } from "./projection/project.ts";
import type { Readable } from "./entities/readable.ts";
import { readTool } from "./query/read.ts";
import { checkSameInput, keyOf, replayed, syncReplayed } from "./commit/replayed.ts";
import type { Reply } from "./entity/reply.ts";
import { errorReply, okReply } from "./entity/reply.ts";
import { broughtBack, putBack, recoveredEntity } from "./archive/restore.ts";
import type { Restoring } from "./archive/restore.ts";
import { route } from "./query/route.ts";
import { Store } from "./entity/store.ts";
import { Turns } from "./core/turn.ts";
import { toolNamed } from "./core/tool_named.ts";
import { Transactions } from "./transaction/transactions.ts";
import { validate, validateIfReady } from "./core/validate.ts";
import type { EngineContext } from "./core/context.ts";

export class Engine {
  readonly world: EngineContext;
  readonly store: Store;
  readonly projector: Projector;
  readonly entities: Entities;
  readonly people: People;
  readonly transactions: Transactions;
  readonly bases: GitBases;
  readonly listing: Listing;
  readonly root: RootBinding;
  readonly #name: string;
  readonly #committers = new Map<string, Committer>();
  readonly #dirty: DirtyMarks;
  readonly #creates: CreateIndex;
  readonly #numbers: IdNumbers;
  #creating: Promise<unknown> = Promise.resolve();
  #calls = 0;
  readonly #turns = new Turns();
  #idle: () => void = settled;

  constructor(world: EngineContext, root: RootBinding) {
    this.world = world;
    this.#name = ownName(world.disk, world.newId());
    this.store = new Store(world);
    this.projector = new Projector(world, this.#name);
    this.entities = new Entities(world, this.store);
    this.people = new People(world);
    this.bases = new GitBases(world);
    this.listing = this.entities.listing;
    this.root = root;
    this.#dirty = new DirtyMarks(world, this.#name);
    this.#creates = new CreateIndex(world, this.store);
    this.#numbers = new IdNumbers(world, this.store);
    this.transactions = new Transactions(this, {
      creates: this.#creates,
      numbers: this.#numbers,
      dirty: this.#dirty,
      style: () => root.ids,
      isBound: () => root.binding !== undefined,
      bind: (workspace) => root.bind(workspace),
      caughtUp: this.#caughtUp,
      project: (handle, workspace) => this.#project(handle, workspace),
      placed: (id) => recoveredEntity(this.restoring(), id),
    });
  }

  /** Never throws: what is refused or fails comes back as the error of the reply. */
  async call(name: string, input: unknown, caller: Caller, { workspaceRequired = false } = {}): Promise<Reply> {
    this.#calls++;
    let call: CheckedCall | undefined;
    try {
      const tool = toolNamed(name);
      // 1 validate
      const { accepted, configured } = this.root;
      const asked = { accepted, implied: workspaceRequired ? undefined : configured };
      const checked = validateIfReady(tool, input, asked) ?? (await validate(tool, input, asked));
      call = { tool, input: checked, workspace: checked["workspace"] as string, caller };
      checkAccepted(accepted, call.workspace);
      const outcome = await this.#run(call);
      return okReply(name, outcome.result, this.#told(outcome.warnings), offeredBy(this, call, outcome));
    } catch (e) {
      if (!call) return errorReply(name, e, this.#told([]));
      return fitRefusal(call, errorReply(name, explained(this, call, e), this.#told([])));
    } finally {
      const turn = this.#turns.due();
      if (turn) await turn;
      if (--this.#calls === 0) {
        this.#idle();
        this.#forgetUnused();
      }
    }
  }

  #told(warnings: Warning[]): Warning[] {
    const { notices } = this.world;
    return notices.length === 0 ? warnings : [...warnings, ...notices.splice(0)];
  }

  #run(call: CheckedCall): Promise<CallResult> | CallResult {
    const { tool, input } = call;
    if (tool.effect === "read") return readTool(this.reading(), this.people, call);
    if (tool.effect === "focus") return moveFocus(this.reading(), call);
    if (tool.preview?.when(input as never)) return preview(this, call);
    const key = keyOf(tool, input);
    const each = tool.each?.calls(input as never);
    if (each) return callEach({ call: this.call.bind(this), project: this.#project.bind(this) }, call, each);
    // One that comes back has its folder moved first, whatever it is made of.
    const ordinary = !tool.parts || tool.fromArchive || this.transactions.isOrdinary(call);
    return ordinary ? this.#change(call, key) : this.#transact(call, key);
  }

  /** What readers read from: what is accepted and not yet in its logs counts for them, too. */
  reading(): Readable {
    return withJournal<Readable>(this, this.transactions.journal);
  }

  #change(call: CheckedCall, key: Job["key"]): Promise<CallResult> | CallResult {
    const { tool, input, workspace, caller } = call;
    if (tool.effect === "create") return this.#create(call, key);
    if (tool.fromArchive) return this.#restore(call, key);
    if (tool.route) {
      const job = { ...call, targetFrom: "input" as const, key };
      return route(this, call, key, {
        write: (handle) => this.submit(handle, job),
        replay: (deleted) => this.#replay(deleted, job),
      });
    }
    const wanted = this.entities.wanted(input, workspace, caller);
    const deleted = key && this.entities.deletedWith(key.key, wanted.id);
    if (deleted) return this.#replay(deleted, { tool, input, workspace, caller, targetFrom: wanted.from, key });
    const handle = this.entities.forWriting(workspace, wanted);
    return this.submit(handle, { tool, input, workspace, caller, targetFrom: wanted.from, key });
  }

  async #restore(call: CheckedCall, key: Job["key"]): Promise<CallResult> {
    const { workspace } = call;
    const { id } = this.entities.wanted(call.input, workspace, call.caller);
    const handle = await broughtBack(this.restoring(), workspace, id);
    try {
      const several = call.tool.parts && !this.transactions.isOrdinary(call);
      const done = several ? await this.transactions.run(call, key) : null;
      return done ?? (await this.submit(handle, { ...call, targetFrom: "input", key }));
    } finally {
      if (await putBack(this.restoring(), handle)) this.#committers.delete(handle.id);
    }
  }

  /** What moving a folder back needs. @internal */
  restoring(): Restoring {
    const { world, store, projector } = this;
    return { world, store, projector, writing: (id) => this.writing(id) };
  }

  /** A change of one entity, whether a tool of the registry makes it or not: it waits for its turn and its answer. */
  submit(handle: LoadedEntity, job: Omit<Job, "done" | "fail" | "foreign">): Promise<CallResult> {
    // Key by key: to spread a job costs more than to make one.
    const { tool, input, workspace, caller, targetFrom, key } = job;
    return new Promise((done, fail) =>
      this.#committer(handle).submit({ tool, input, workspace, caller, targetFrom, key, done, fail }),
    );
  }

  /** A repeated call is answered also when what it went to was deleted since, perhaps by that very call. */
  #replay(handle: LoadedEntity, call: Omit<Job, "done" | "fail">): CallResult {
    const job: Job = { ...call, done: settled, fail: settled };
    checkSameInput(job, handle.keys.get(job.key!.key)!);
    syncReplayed(this.world, handle, [job]);
    return replayed(this.entities.around(call.workspace), handle, job);
  }

  async #transact(call: CheckedCall, key: Job["key"]): Promise<CallResult> {
    return (await this.transactions.run(call, key)) ?? this.#change(call, key);
  }

  readonly #caughtUp = (handle: LoadedEntity, workspace: string) => {
    this.projector.expectProjection(handle, workspace);
    const shorter = noteShorter(this.world.disk, handle, workspace);
    const people = this.people.ingest(handle, workspace);
    const jobs = [foreignSystemOp(handle, workspace), shorter.job, people.job].filter((job) => job !== undefined);
    return { jobs, warnings: [...shorter.warnings, ...people.warnings] };
  };

  /** A creation that no tool of the registry makes. */
  make(call: CheckedCall): Promise<CallResult> {
    return this.#create(call, undefined);
  }

  /** A transaction that no tool of the registry makes; its input has the key. */
  async transact(call: CheckedCall): Promise<CallResult> {
    this.#calls++;
    try {
      return await this.#transact(call, keyOf(call.tool, call.input));
    } finally {
      if (--this.#calls === 0) {
        this.#idle();
        this.#forgetUnused();
      }
    }
  }

  /** Ids of what creating calls with these keys made, deleted and archived ones too. */
  async madeBy(workspace: string, keys: ReadonlySet<string>): Promise<Map<string, string>> {
    const lock = await this.transactions.lockRecovered(workspace, () => this.lockWorkspace());
    try {
      return this.#creates.madeBy(keys);
    } finally {
      lock.release();
    }
  }

  async #create(call: CheckedCall, key: Job["key"]): Promise<CallResult> {
    const turn = this.#creating.then(() => this.#createInTurn(call, key));
    // The next creation waits for this one however it ends; who called hears of the failure through `turn`.
    this.#creating = turn.then(settled, settled);
    return turn;
  }

  async #createInTurn(call: CheckedCall, key: Job["key"]): Promise<CallResult> {
    const { workspace } = call;
    const job: Job = { ...call, targetFrom: "input", key, done: settled, fail: settled };
    const creating = {
      world: this.world,
      store: this.store,
      index: this.#creates,
      numbers: this.#numbers,
      around: this.entities.around(workspace),
      style: this.root.ids,
      writing: (id: string) => this.writing(id),
    };
    if (!this.binding) refuseCreation(creating, job);
    const lock = await this.transactions.lockRecovered(workspace, () => this.lockWorkspace());
    let created: ReturnType<typeof create>;
    try {
      const { ids } = this.root.bind(workspace);
      created = create({ ...creating, style: ids }, job);
    } finally {
      lock.release();
    }
    const { handle, outcome, fresh } = created;
    const warnings = fresh && this.world.projections === "batch" ? await this.#project(handle, workspace) : [];
    return { ...outcome, warnings: [...outcome.warnings, ...warnings] };
  }

  /** Notes that an entity is about to be written past its committer. */
  writing(id: string): void {
    this.#dirty.mark(id);
  }

  /** Whether a file that is missing in the folder of an entity may have been lost rather than deleted. @internal */
  mayBeBehind(id: string): boolean {
    return this.#dirty.mayBeBehind(id);
  }

  lockWorkspace() {
    return acquire(this.world.locks(), WORKSPACE_LOCK, { timeoutMs: this.world.lockTimeoutMs, now: this.world.now });
  }

  get binding(): Binding | undefined {
    return this.root.binding;
  }

  /** Lets go of entities that were not used for longest. Between calls: none of them is being written then. */
  #forgetUnused(): void {
    for (const handle of this.store.surplus(this.world.entitiesInMemory)) {
      const committer = this.#committers.get(handle.id);
      if (committer?.isIdle === false) continue;
      if (committer) this.projector.forget(handle);
      this.#committers.delete(handle.id);
      this.store.snapshots.saveIfDue(handle);
      this.store.drop(handle.id);
    }
  }

  #committer(handle: LoadedEntity): Committer {
    let committer = this.#committers.get(handle.id);
    if (!committer) {
      const around = this.entities.around(this.binding?.workspace ?? "");
      committer = new Committer(this.world, handle, {
        around,
        recover: (workspace) => this.transactions.recover(workspace),
        collectSystemOps: this.#caughtUp,
        gone: (h, workspace) => this.entities.gone(h, workspace),
        project: (h, workspace) => this.#project(h, workspace),
        leaveFiles: (h) => this.projector.held(h),
        snapshotIfDue: (h) => this.store.snapshots.saveIfDue(h),
        markDirty: (h) => this.#dirty.mark(h.id),
        wrote: (h) => this.store.wrote(h),
      });
      this.#committers.set(handle.id, committer);
    }
    return committer;
  }

  async #project(handle: LoadedEntity, workspace: string): Promise<Warning[]> {
    for (const id of this.#dirty.takeStale()) {
      const stale = await recoveredEntity(this.restoring(), id);
      if (stale && stale !== handle) await this.#settleFiles(stale, workspace);
    }
    return this.#settleFiles(handle, workspace);
  }

  async #settleFiles(handle: LoadedEntity, workspace: string): Promise<Warning[]> {
    const warnings = await this.#writeFiles(handle, workspace);
    if (handle.entity && isAway(handle.entity)) {
      this.#committers.get(handle.id)?.syncNow();
      warnings.push(...(await archive(this.world, handle)));
      if (!isAway(handle.entity)) return warnings;
      this.projector.forget(handle);
      this.#committers.delete(handle.id);
      this.store.drop(handle.id);
    }
    return warnings;
  }

  async #writeFiles(handle: LoadedEntity, workspace: string): Promise<Warning[]> {
    const warnings = await this.projector.project(handle, workspace);
    this.#dirty.projected(handle.id, !warnings.some((w) => w.code === "PROJECTION_FAILED"));
    return warnings;
  }

  /** Waits for what is under way; with manual projections writes them; lets go of every descriptor. */
  async close(progress: ProgressOptions = {}): Promise<void> {
    // Some wait for a validator or for their turn, and stand in no list of those that write.
    if (this.#calls > 0) await new Promise<void>((done) => (this.#idle = done));
    await this.#creating;
    await this.transactions.close();
    if (this.#dirty.ids().length > 0) await this.transactions.recover(this.binding?.workspace ?? "", { again: true });
    for (const committer of this.#committers.values()) await committer.drain();
    if (this.world.projections === "manual") await this.#projectTouched(progress);
    this.#dirty.clear();
    this.projector.close();
    disown(this.#name);
    this.listing.close();
    this.store.close();
  }

  async #projectTouched(progress: ProgressOptions): Promise<void> {
    const workspace = this.binding?.workspace;
    if (workspace === undefined) return;
    await atOnce(this.#dirty.ids(), { most: PROJECTED_AT_ONCE, ...progress }, async (id) => {
      const handle = this.store.find(id);
      if (handle) await this.#writeFiles(handle, workspace);
    });
  }
}

const settled = (): void => undefined;
