/** The model of a workspace: what each call has to come to, as a code or as changed entities. A refused call changes nothing. */
import { boundModes, refuseClaimed } from "./claims.ts";
import type { Asking } from "./claims.ts";
import type { Entity, Value } from "./entity.ts";
import { Change, isLive, refuse, Refused } from "./entity.ts";
import type { Input } from "./input.ts";

/** Numbers by their size: `TASK-2` before `TASK-10`. */
const inOrder = (id: string): string => id.replaceAll(/\d+/g, (digits) => digits.padStart(20, "0"));

interface State {
  entities: Record<string, Entity>;
  /** By caller. */
  focus: Record<string, string>;
}

export interface Outcome {
  /** Null: it succeeds. */
  code: string | null;
  /** Entities that have other ops than before. */
  changed: string[];
  /** Of a batch that is not atomic, what each operation comes to. */
  each: (string | null)[];
}

/** One call on its way, or one part of it. */
export interface Turn {
  readonly model: Model;
  readonly by: string;
  readonly tool: string;
  readonly input: Input;
  /** The parts of a call one by one, each on the state that those before it left. */
  part: (tool: string, input: Input) => void;
}

type Run = (turn: Turn) => void;

const isOpen = ({ deleted, archived, places }: Entity): boolean =>
  !deleted && !archived && ["TODO", "ACTIVE"].includes(places[""]!["status"] as string);

function followedStatus(plan: Entity | undefined, all: readonly Entity[]): string | undefined {
  if (!plan || plan.deleted || plan.places[""]!["complete_when_done"] !== true) return undefined;
  const tasks = all.filter((one) => one.parent === plan.id && !one.deleted);
  const live = tasks.filter((one) => !one.archived);
  const statuses = [...live, ...tasks.filter((one) => one.archived && one.named)].map(
    (one) => one.places[""]!["status"],
  );
  if (plan.places[""]!["status"] === "DONE") return live.some(isOpen) ? "ACTIVE" : undefined;
  const isFulfilled = statuses.includes("DONE") && statuses.every((one) => one === "DONE" || one === "CANCELED");
  return isOpen(plan) && isFulfilled ? "DONE" : undefined;
}

export const WORKSPACE = "acme/repo";

export class Model {
  state: State = { entities: {}, focus: {} };
  now: number;
  /** Where each step and node stands that the engine has named: id to entity and path. */
  readonly names = new Map<string, { entity: string; path: string }>();
  readonly #tools: Record<string, Run>;
  #each: (string | null)[] = [];
  /** Plans of which the call ended or opened a task (STEP-82). */
  #flips = new Set<string>();

  constructor(now: number, tools: Record<string, Run>) {
    this.now = now;
    this.#tools = tools;
  }

  call(tool: string, input: Input, by: string): Outcome {
    const before = this.state;
    const each = (this.#each = []);
    this.#flips = new Set();
    this.state = structuredClone(before);
    try {
      this.#run(tool, input, by);
      this.#followPlans(by);
      this.#each = each;
      const changed = Object.values(this.state.entities).filter(
        (e) => e.ops.length !== before.entities[e.id]?.ops.length,
      );
      const code = each.some((one) => one !== null) ? "BATCH_FAILED" : null;
      return { code, changed: changed.map((e) => e.id), each };
    } catch (e) {
      this.state = before;
      if (!(e instanceof Refused)) throw e;
      return { code: e.code, changed: [], each };
    }
  }

  #run(tool: string, input: Input, by: string): void {
    const run = this.#tools[tool] ?? refuse("UNKNOWN_TOOL");
    if (input.colour !== undefined) refuse("INVALID_INPUT");
    if (input.workspace !== WORKSPACE) refuse("WORKSPACE_MISMATCH");
    const part = (name: string, args: Input): void => this.#run(name, { ...args, workspace: WORKSPACE }, by);
    run({ model: this, by, tool, input, part });
  }

  /** STEP-82: a call of its own, and what it is refused for takes nothing back. */
  #followPlans(by: string): void {
    for (const plan of this.#flips) {
      const status = followedStatus(this.state.entities[plan], Object.values(this.state.entities));
      if (status !== undefined) this.call("tasks_complete", { workspace: WORKSPACE, plan, status }, by);
    }
  }

  /** A call of its own within a batch: a refusal is its own. */
  alone(tool: string, input: Input, by: string): boolean {
    const each = this.#each;
    const { code } = this.call(tool, input, by);
    each.push(code);
    this.#each = each;
    return code === null;
  }

  /** The caller's own focus, else the one that was set last in the workspace, which has no name. */
  focusOf(by: string): string | undefined {
    const { focus } = this.state;
    return focus[by] ?? focus[""];
  }

  setFocus(by: string, id: string): void {
    this.state.focus[by] = this.state.focus[""] = id;
  }

  clearFocus(by: string): void {
    delete this.state.focus[by];
    delete this.state.focus[""];
  }

  find(id: string): Entity {
    const entity = this.state.entities[id];
    return entity && !entity.deleted ? entity : refuse("UNKNOWN_ID");
  }

  live(kind?: "plan" | "task"): Entity[] {
    const all = Object.values(this.state.entities).filter(
      (e) => !e.deleted && !e.archived && (kind ?? e.kind) === e.kind,
    );
    return all.toSorted((a, b) => (inOrder(a.id) < inOrder(b.id) ? -1 : 1));
  }

  named({ task, plan, target }: Input): Entity | undefined {
    const given = [task, plan, target].filter((one) => one !== undefined);
    if (given.length > 1) refuse("TARGET_CONTRADICTION");
    const entity = given[0] === undefined ? undefined : this.find(given[0]);
    if (plan !== undefined && entity?.kind !== "plan") refuse("TARGET_CONTRADICTION");
    return entity;
  }

  /** What a call means: what it names, else the caller's focus. */
  shown(input: Input, by: string): Entity {
    return this.named(input) ?? this.find(this.focusOf(by) ?? refuse("TARGET_REQUIRED"));
  }

  /** The same for one that changes it. */
  target(input: Input, by: string): Entity {
    const entity = this.shown(input, by);
    return entity.archived ? refuse("ARCHIVED") : entity;
  }

  expect({ expected_revision }: Input, revision: number): void {
    if (expected_revision !== undefined && expected_revision !== revision) refuse("REVISION_MISMATCH");
  }

  /** One op of one entity. */
  change(turn: Turn, entity: Entity, make: (change: Change, asking: Asking) => void): void {
    const { by, input } = turn;
    this.expect(input, entity.ops.length);
    const change = new Change(entity);
    const leases = { ...entity.leases };
    const wasOpen = isOpen(entity);
    const asking: Asking = { by, now: this.now, fence: input.fence };
    const refuseMilder = boundModes(change, asking);
    make(change, asking);
    refuseClaimed(change, leases, asking);
    refuseMilder();
    // PATCH-4: without an event there is no op.
    if (!change.idle) this.keep(turn, change, wasOpen);
  }

  /** Only for what it would be refused for: nothing of it is kept. */
  dry(entity: Entity, make: (change: Change) => void): void {
    make(new Change(structuredClone(entity)));
  }

  isDone(id: string): boolean {
    const entity = this.state.entities[id];
    return entity?.deleted === false && entity.places[""]!["status"] === "DONE";
  }

  keep({ by, tool }: Turn, { entity, writes, touched, undoable }: Change, wasOpen: boolean): void {
    const { kind, parent } = entity;
    if (kind === "task" && parent !== null && wasOpen !== isOpen(entity)) this.#flips.add(parent);
    if (undoable) entity.redo = [];
    const turn = tool === "tasks_undo" || tool === "tasks_redo";
    entity.ops.push({ by, tool, hash: "", undoable, undone: false, turn, writes, touched: [...touched] });
  }

  /** `TASK-004` after `TASK-003`, whatever became of that one. */
  nextId(kind: "plan" | "task"): string {
    const numbers = Object.keys(this.state.entities).map(
      (id) => new RegExp(`^${kind}-(\\d+)$`, "i").exec(id)?.[1] ?? 0,
    );
    const next = Math.max(0, ...numbers.map(Number)) + 1;
    return `${kind.toUpperCase()}-${String(next).padStart(3, "0")}`;
  }

  create(
    turn: Turn,
    entity: Pick<Entity, "id" | "kind" | "parent">,
    whole: Record<string, Value>,
    make: (change: Change) => void,
  ): Entity {
    const body = {
      deleted: false,
      status: "TODO",
      description: "",
      priority: "MEDIUM",
      tags: [],
      depends_on: [],
      ...whole,
    };
    const made: Entity = {
      ...entity,
      deleted: false,
      archived: false,
      named: false,
      places: { "": body },
      leases: {},
      ops: [],
      redo: [],
    };
    this.state.entities[made.id] = made;
    const change = new Change(made);
    make(change);
    change.undoable = false;
    this.keep(turn, change, false);
    return made;
  }

  /** The step that a call names: by id, by path, or by both when they agree. */
  stepOf(entity: Entity, { step_id, path }: Pick<Input, "step_id" | "path">): string {
    if (entity.kind === "plan") refuse("INVALID_INPUT");
    const byId = step_id === undefined ? undefined : this.byId(entity, step_id);
    if (path === undefined) return byId ?? refuse("TARGET_REQUIRED");
    if (!/^s:\d+(?:\.s:\d+)*$/.test(path)) refuse("INVALID_INPUT");
    if (!isLive(entity, path)) refuse("UNKNOWN_ID");
    return byId === undefined || byId === path ? path : refuse("TARGET_CONTRADICTION");
  }

  byId(entity: Entity, id: string): string {
    const known = this.names.get(id);
    return known?.entity === entity.id && isLive(entity, known.path) ? known.path : refuse("UNKNOWN_ID");
  }

  stepOrWhole(entity: Entity, input: Input): string {
    return input.step_id === undefined && input.path === undefined ? "" : this.stepOf(entity, input);
  }
}
