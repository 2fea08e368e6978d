/**
 * The one door: `call(tool, input)`. Every change to a workspace goes through these seven steps and no other way:
 *
 * 1 validate  2 lock  3 catch up  4 decide  5 append  6 project  7 reply
 *
 * Step 1 is here, 2 to 7 of a change in commit.ts (create.ts for a new entity), 3 and 7 of a read in read.ts.
 */
import { TaskfoldError } from "../errors.ts";
import type { Warning } from "../errors.ts";
import { canonicalJson, sha256 } from "../log/canonical.ts";
import type { Subject } from "../state/entity.ts";
import type { Tool } from "../tools/define.ts";
import { TOOLS } from "../tools/index.ts";
import { archive } from "./archive.ts";
import type { Binding, IdStyle } from "./binding.ts";
import { bind, readBinding } from "./binding.ts";
import { Committer } from "./commit.ts";
import { create } from "./create.ts";
import { CreateIndex } from "./create_index.ts";
import { DirtyMarks } from "./dirty.ts";
import { Entities } from "./entities.ts";
import { readFocus, writeFocus } from "./focus.ts";
import type { Handle } from "./handle.ts";
import { IdNumbers } from "./id_numbers.ts";
import type { Caller, Job, Outcome } from "./job.ts";
import { acquire } from "./lock.ts";
import { People } from "./people.ts";
import { Projector } from "./project.ts";
import type { Reply } from "./reply.ts";
import { errorReply, okReply } from "./reply.ts";
import { noPast, outcomeOf, readTool } from "./read.ts";
import { Store } from "./store.ts";
import type { TargetInput } from "./target.ts";
import { targetRequired, wantedTarget } from "./target.ts";
import { validate, validateIfReady } from "./validate.ts";
import type { World } from "./world.ts";

export const WORKSPACE_LOCK = "workspace";

export class Engine {
  readonly world: World;
  readonly store: Store;
  readonly projector: Projector;
  readonly entities: Entities;
  readonly people: People;
  readonly #ids: IdStyle;
  readonly #committers = new Map<string, Committer>();
  readonly #dirty: DirtyMarks;
  readonly #creates: CreateIndex;
  readonly #numbers: IdNumbers;
  #binding: Binding | undefined;
  #creating: Promise<unknown> = Promise.resolve();

  /** `ids`: the style a root gets when its first write binds it. */
  constructor(world: World, ids: IdStyle) {
    this.world = world;
    this.store = new Store(world);
    this.projector = new Projector(world);
    this.entities = new Entities(world, this.store);
    this.people = new People(world);
    this.#ids = ids;
    this.#dirty = new DirtyMarks(world);
    this.#creates = new CreateIndex(world, this.store);
    this.#numbers = new IdNumbers(world, this.store);
  }

  /** Never throws: what is refused or fails comes back as the error of the reply. */
  async call(name: string, input: unknown, caller: Caller): Promise<Reply> {
    try {
      const tool = Object.hasOwn(TOOLS, name) ? (TOOLS as Record<string, Tool>)[name]! : unknownTool(name);
      // 1 validate
      const checked = validateIfReady(tool, input) ?? (await validate(tool, input));
      const workspace = checked["workspace"] as string;
      this.#checkWorkspace(workspace);
      const { result, warnings, suggestions } = await this.#run(tool, checked, workspace, caller);
      return okReply(name, result, warnings, suggestions);
    } catch (e) {
      return errorReply(name, e);
    }
  }

  #run(tool: Tool, input: Record<string, unknown>, workspace: string, caller: Caller): Promise<Outcome> | Outcome {
    if (tool.effect === "read") return readTool(this, this.people, { tool, input, workspace, caller });
    if (tool.effect === "focus") return this.#focus(tool, input, workspace, caller);
    const key = keyOf(tool, input);
    if (tool.effect === "create") return this.#create(tool, input, workspace, caller, key);
    const wanted = this.entities.wanted(input, workspace, caller);
    const committer = this.#committer(this.entities.forWriting(workspace, wanted));
    return new Promise((done, fail) => {
      committer.submit({ tool, input, workspace, caller, targetFrom: wanted.from, key, done, fail });
    });
  }

  #focus(tool: Tool, input: Record<string, unknown>, workspace: string, caller: Caller): Outcome {
    const before = readFocus(this.world, workspace, caller.by);
    const wanted = wantedTarget(input as TargetInput);
    const found = wanted && this.entities.find(workspace, wanted);
    const after = tool.name === "tasks_focus_get" ? before : (found?.handle.id ?? null);
    if (tool.name === "tasks_focus_set" && !found) throw targetRequired(workspace, this.store.ids());
    if (after !== before) writeFocus(this.world, workspace, caller.by, after);
    const subject = found?.subject as Subject;
    const { idOf, listing } = this.entities.around(workspace);
    const context = {
      workspace,
      subject,
      events: [],
      focus: after,
      focus_previous: before,
      idOf,
      listing,
      past: noPast,
    };
    return outcomeOf(tool.reply(input as never, context), found?.warnings ?? []);
  }

  async #create(
    tool: Tool,
    input: Record<string, unknown>,
    workspace: string,
    caller: Caller,
    key: Job["key"],
  ): Promise<Outcome> {
    const turn = this.#creating.then(() => this.#createInTurn(tool, input, workspace, caller, key));
    // The next creation waits for this one however it ends; who called hears of the failure through `turn`.
    this.#creating = turn.then(settled, settled);
    return turn;
  }

  async #createInTurn(
    tool: Tool,
    input: Record<string, unknown>,
    workspace: string,
    caller: Caller,
    key: Job["key"],
  ): Promise<Outcome> {
    const lock = await this.lockWorkspace();
    let created: ReturnType<typeof create>;
    try {
      const binding = this.bind(workspace);
      const nobody = (): void => undefined;
      const job: Job = { tool, input, workspace, caller, targetFrom: "input", key, done: nobody, fail: nobody };
      const around = this.entities.around(workspace);
      const writing = (id: string): void => this.#dirty.mark(id);
      created = create(
        {
          world: this.world,
          store: this.store,
          index: this.#creates,
          numbers: this.#numbers,
          around,
          style: binding.ids,
          writing,
        },
        job,
      );
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

  lockWorkspace() {
    return acquire(this.world.locks(), WORKSPACE_LOCK, { timeoutMs: this.world.lockTimeoutMs, now: this.world.now });
  }

  /** The binding of this root, made now if there is none. Call while holding the workspace lock. */
  bind(workspace: string): Binding {
    this.#binding = bind(this.world, { workspace, ids: this.#ids });
    this.#checkWorkspace(workspace);
    return this.#binding;
  }

  get binding(): Binding | undefined {
    this.#binding ??= readBinding(this.world);
    return this.#binding;
  }

  #checkWorkspace(workspace: string): void {
    const bound = this.binding?.workspace;
    if (bound === undefined || bound === workspace) return;
    throw new TaskfoldError(
      "WORKSPACE_MISMATCH",
      `Expected workspace ${JSON.stringify(bound)}, to which this root is bound; found ${JSON.stringify(workspace)}.`,
      {
        recovery: `Call with workspace ${JSON.stringify(bound)}, or from the root of the other workspace.`,
        details: { known: [bound] },
      },
    );
  }

  #committer(handle: Handle): Committer {
    let committer = this.#committers.get(handle.id);
    if (!committer) {
      const around = this.entities.around(this.binding?.workspace ?? "");
      committer = new Committer(this.world, handle, {
        around,
        caughtUp: (h, workspace) => {
          this.projector.passing(h, workspace);
          return this.people.readIn(h, workspace);
        },
        project: (h, workspace) => this.#project(h, workspace),
        settled: (h) => this.store.snapshots.saveIfDue(h),
        writing: (h) => this.#dirty.mark(h.id),
        wrote: (h) => this.store.wrote(h),
      });
      this.#committers.set(handle.id, committer);
    }
    return committer;
  }

  async #project(handle: Handle, workspace: string): Promise<Warning[]> {
    for (const id of this.#dirty.takeStale()) {
      const stale = this.store.find(id);
      if (stale && stale !== handle) await this.#settleFiles(stale, workspace);
    }
    return this.#settleFiles(handle, workspace);
  }

  async #settleFiles(handle: Handle, workspace: string): Promise<Warning[]> {
    const warnings = await this.projector.project(handle, workspace);
    if (handle.entity?.deleted) {
      warnings.push(...(await archive(this.world, handle)));
      this.projector.forget(handle);
      this.#committers.delete(handle.id);
      this.store.drop(handle.id);
    }
    return warnings;
  }

  /** Waits for what is under way; with manual projections writes them; lets go of every descriptor. */
  async close(): Promise<void> {
    await this.#creating;
    for (const committer of this.#committers.values()) await committer.settle();
    if (this.world.projections === "manual") await this.#projectTouched();
    this.#dirty.clear();
    this.store.close();
  }

  async #projectTouched(): Promise<void> {
    const workspace = this.binding?.workspace;
    if (workspace === undefined) return;
    for (const id of this.#dirty.ids()) {
      const handle = this.store.find(id);
      if (handle) await this.projector.project(handle, workspace);
    }
  }
}

const settled = (): void => undefined;

function keyOf(tool: Tool, input: Record<string, unknown>): Job["key"] {
  const key = input["idempotency_key"];
  if (typeof key !== "string") return undefined;
  const { idempotency_key: _key, ...rest } = input;
  return { key, req: sha256(canonicalJson({ input: rest, tool: tool.name })) };
}

function unknownTool(name: string): never {
  const known = Object.keys(TOOLS);
  throw new TaskfoldError(
    "UNKNOWN_TOOL",
    `Expected one of ${known.length} tools, found ${JSON.stringify(String(name).slice(0, 80))}.`,
    {
      recovery: `The tools are: ${known.join(", ")}.`,
    },
  );
}
