/**
 * A workspace in memory: the tools' own schemas, rules, events and replies with nothing in between, so that a test reads
 * as given (calls), when (one call), then (its answer). Locks, disk and focus are the engine's and are not here.
 */
import { kindOf } from "../../src/rules/create_entity.ts";
import { listedOf } from "../../src/state/listed.ts";
import type { ValidateFunction } from "ajv/dist/2020.js";
import type { Draft } from "../../src/events/define.ts";
import { Fold } from "../../src/events/fold.ts";
import { EVENTS } from "../../src/events/index.ts";
import { isTaskfoldError, TaskfoldError } from "../../src/errors.ts";
import { assertHashable, headDigest } from "../../src/log/canonical.ts";
import { sealOp } from "../../src/log/envelope.ts";
import { okReply, printEvent } from "../../src/engine/entity/reply.ts";
import type { Op, Payload } from "../../src/log/types.ts";
import type { Entity, Kind, Ref, Step, Subject } from "../../src/state/entity.ts";
import { entityToJson } from "../../src/state/entity_json.ts";
import type { Past, Timeline } from "../../src/events/past.ts";
import { refuseLeased } from "../../src/rules/lease.ts";
import { openBeforeReversal, refuseUnprovedReversal } from "../../src/rules/refuse_unproved.ts";
import { parsePath, stepAt } from "../../src/state/tree.ts";
import type { AnchoredLines } from "../../src/rules/evidence_item.ts";
import { anchorName } from "../../src/rules/evidence_item.ts";
import type { Answer } from "../../src/tools/reply_context.ts";
import type { Blob } from "../../src/state/named_bytes.ts";
import type { DecideContext } from "../../src/tools/decide_context.ts";
import type { FileFact } from "../../src/state/file_fact.ts";
import type { PrintedEvent } from "../../src/events/printed_event.ts";
import { deciderOf } from "../../src/tools/tool.ts";
import type { Decider } from "../../src/tools/tool.ts";
import { TOOLS } from "../../src/tools/index.ts";
import type { ToolInput, ToolName } from "../../src/tools/generated/tool_types.ts";
import type { GitBase } from "../../src/views/graph_diff.ts";
import type { Look } from "../../src/views/evidence_check.ts";
import { ajv, fitsOutput } from "./outputs.ts";
import { asWritten } from "./story.ts";

export const WORKSPACE = "acme/repo";
const LINEAR = { joined: true, ancestry: null };
const validators = new Map<object, ValidateFunction>();

export function validates(schema: object, value: unknown): boolean {
  let check = validators.get(schema);
  if (!check) validators.set(schema, (check = ajv.compile(schema)));
  return check(value);
}

/** What a call came to. */
export interface Told extends Answer {
  drafts: Draft[];
  events: PrintedEvent[];
  blobs: Blob[];
}

interface Log {
  fold: Fold;
  heads: string[];
  seq: number;
  ops: Op[];
  told: PrintedEvent[];
}

type Loose<N extends ToolName> = Omit<ToolInput<N>, "workspace">;

export class Given {
  readonly #logs = new Map<string, Log>();
  #steps = 0;
  #nodes = 0;
  #cards = 0;
  #minutes = 0;
  by = "human:ada";
  /** What stands at paths of the task folder; anything else is missing. */
  readonly files = new Map<string, FileFact>();
  /** The same for files and lines of the repository, by `path` or `path:start-end`; a leading `./` is the task folder. */
  readonly lines = new Map<string, AnchoredLines>();
  /** Whether git has a commit; null where it cannot be asked. */
  readonly commits = new Map<string, boolean | null>();
  /** What reads find when they look; nothing unless a test says so. */
  look: Look | undefined;

  /** Calls a tool with an input that has to validate; throws what the rules throw. */
  call<N extends ToolName>(name: N, more: Loose<N>): Told {
    const tool = TOOLS[name]!;
    const input: Record<string, unknown> = { workspace: WORKSPACE, ...more };
    if (!validates(tool.input, input)) throw new TaskfoldError("INVALID_INPUT", JSON.stringify(input).slice(0, 300));
    const id = tool.effect === "create" ? this.#newId(input) : targetId(input);
    if (tool.effect === "write" && tool.preview?.when(input as never)) {
      const seen = JSON.stringify(entityToJson(this.entity(id)));
      const answer = tool.preview.answer(input as never, this.#context(id, tool, input));
      if (JSON.stringify(entityToJson(this.entity(id))) !== seen) throw new Error("a preview left something behind");
      fitsOutput(okReply(name, answer.result, [], []));
      return { ...answer, drafts: [], events: [], blobs: [] };
    }
    const decider = deciderOf(tool);
    const decision = decider?.decide(input as never, this.#context(id, decider, input)) ?? { drafts: [] };
    const context = { by: this.by, now: this.clock, fence: input["fence"] as number };
    if (this.#logs.has(id)) refuseLeased(this.subject(id), decision.drafts, context);
    const events = decision.drafts.length === 0 ? [] : this.#append(id, name, decision.drafts);
    // What tools of every kind may read; each is given more than its own context has.
    const answer = ((decider ?? tool).reply as (input: never, ctx: object) => Answer)(input as never, {
      workspace: WORKSPACE,
      by: this.by,
      ...(tool.effect === "read" ? { now: this.clock } : {}),
      subject: this.#logs.has(id) ? this.subject(id) : (undefined as unknown as Subject),
      events,
      focus: null,
      focus_previous: null,
      asOf: () => undefined,
      gitBase: (): GitBase => ({ available: false, reason: "no_git" }),
      restored: undefined,
      idOf: asWritten,
      find: (ref: Ref) => this.#find(ref),
      storageDir: "/storage/.coco",
      tasksOfPlan: (root: string) =>
        this.all().filter(({ entity }) => entity.kind === "task" && entity.parent?.root === root),
      rows: () => this.all().map(listedOf),
      archive: { names: () => [], read: () => [] },
      past: () => this.past(id),
      beside: this.look && {
        look: this.look,
        staleness: undefined,
        unread: () => [],
        dispatcher: () => undefined,
        violations: () => [],
      },
    });
    const warnings = [...(decision.warnings ?? []), ...(answer.warnings ?? [])];
    fitsOutput(okReply(name, answer.result, warnings, answer.suggestions ?? []));
    return { ...answer, warnings, drafts: decision.drafts, events, blobs: decision.blobs ?? [] };
  }

  /** The error of a call that has to be refused, after checking that it changed nothing. */
  refusal<N extends ToolName>(name: N, more: Loose<N>): TaskfoldError {
    const before = [...this.#logs.values()].map((log) => log.ops.length).join();
    try {
      this.call(name, more);
    } catch (e) {
      if (!isTaskfoldError(e)) throw e;
      if ([...this.#logs.values()].map((log) => log.ops.length).join() !== before)
        throw new Error("refused, yet written");
      return e;
    }
    throw new Error(`expected ${name} to be refused`);
  }

  subject(id: string): Subject {
    const log = this.#logs.get(id);
    const entity = log?.fold.entity;
    if (!log || !entity) throw new Error(`no entity ${id}`);
    return { id, workspace: WORKSPACE, entity, head: headDigest(log.heads) };
  }

  past(id = "TASK-001"): Past {
    const { fold, ops, told } = this.#logs.get(id)!;
    const everything = (): Entity => {
      const whole = new Fold(undefined, true);
      for (const op of ops) whole.op(op, LINEAR);
      return whole.entity!;
    };
    const timeline = (most: number): Timeline => {
      const events = most === 0 ? [] : told.slice(-most);
      return { events, earlier: told.length - events.length, cursor: "a-cursor" };
    };
    const { history } = fold;
    return { entity: fold.entity!, ops: history.ops, redo: history.redo, whole: history.whole, timeline, everything };
  }

  entity(id = "TASK-001"): Entity {
    return this.subject(id).entity;
  }

  /** The live step at a path of TASK-001. */
  step(path: string, id = "TASK-001"): Step {
    const step = stepAt(this.entity(id), parsePath(path) ?? []);
    if (!step) throw new Error(`no step ${path}`);
    return step;
  }

  all(): Subject[] {
    return [...this.#logs.keys()].map((id) => this.subject(id)).filter((s) => !s.entity.deleted);
  }

  #find({ root }: Ref): Subject | undefined {
    const id = [...this.#logs.keys()].find((one) => this.entity(one).root === root);
    return id === undefined ? undefined : this.subject(id);
  }

  #newId(input: Record<string, unknown>): string {
    if (typeof input["id"] === "string") return input["id"];
    const kind = kindOf(input as Parameters<typeof kindOf>[0]);
    const prefix = kind === "plan" ? "PLAN" : "TASK";
    const count = [...this.#logs.keys()].filter((id) => id.startsWith(prefix)).length;
    return `${prefix}-${String(count + 1).padStart(3, "0")}`;
  }

  #context(id: string, tool: Decider, input: object): DecideContext {
    const subject = this.#logs.has(id) ? this.subject(id) : (undefined as unknown as Subject);
    const refs = (tool.refs?.(input as never) ?? []).map((text): [string, Ref & { kind: Kind }] => {
      const { entity } = this.subject(text);
      return [text, { id: text, root: entity.root, kind: entity.kind }];
    });
    const now = this.#now();
    const asked = tool.facts?.(input as never, subject) ?? {};
    const paths = asked.files ?? [];
    return {
      subject,
      now,
      inSeconds: (seconds) => new Date(Date.parse(now) + seconds * 1000).toISOString(),
      by: this.by,
      newStepId: () => `STEP-${(++this.#steps).toString(16).toUpperCase().padStart(8, "0")}`,
      newNodeId: () => `NODE-${(++this.#nodes).toString(16).toUpperCase().padStart(8, "0")}`,
      newCardId: () => `CARD-${(++this.#cards).toString(16).toUpperCase().padStart(8, "0")}`,
      refs: new Map(refs),
      files: new Map(paths.map((path) => [path, this.files.get(path) ?? { state: "missing" }])),
      find: (ref) => this.#find(ref),
      anchors: new Map(
        (asked.anchors ?? []).map((anchor) => {
          const name = anchorName(anchor);
          return [name, this.lines.get(name) ?? { state: "missing" }];
        }),
      ),
      folders: new Map(),
      commits: new Map((asked.commits ?? []).map((id) => [id, this.commits.get(id) ?? null])),
      past: () => this.past(id),
      dispatcher: () => undefined,
      idOf: asWritten,
      texts: new Map(),
      packetConfigs: { given: undefined, own: () => undefined },
      tasksOfPlan: () => this.all().filter((s) => s.entity.parent?.root === subject.entity.root),
      rows: () => this.all().map(listedOf),
    };
  }

  #append(id: string, tool: string, drafts: Draft[]): PrintedEvent[] {
    for (const { type, payload } of drafts) {
      const fault = assertHashable(payload);
      if (fault !== null) throw new Error(`${type}: ${fault}`);
      const spec = EVENTS[type];
      if (!spec?.fits(payload) || !validates(spec.payload, payload)) throw new Error(`${type}: wrong shape`);
    }
    const log = this.#logs.get(id) ?? { fold: new Fold(Infinity), heads: [], seq: 0, ops: [], told: [] };
    const { events } = sealOp({
      taskId: id,
      by: this.by,
      ts: this.#now(),
      tool,
      opId: `op-${id}-${log.ops.length}`,
      heads: log.heads,
      seq: log.seq,
      drafts: drafts as { type: string; payload: Payload }[],
    });
    const last = events.at(-1)!;
    const op: Op = { hash: events[0]!.hash, last: last.hash, events, index: log.ops.length, offset: 0 };
    const open = this.#logs.has(id) ? openBeforeReversal(this.subject(id), drafts) : undefined;
    if (open) {
      const undo = log.fold.attempt(op);
      try {
        refuseUnprovedReversal(this.subject(id), open, {
          by: this.by,
          now: this.clock,
          staleness: () => ({ is: "fresh" }),
        });
      } finally {
        undo();
      }
    }
    log.fold.op(op, LINEAR);
    if (log.fold.noEffect.length > 0) throw new Error(JSON.stringify(log.fold.noEffect));
    const shown = events.map((event) => printEvent(event, id));
    Object.assign(log, { heads: [last.hash], seq: last.seq });
    log.ops.push(op);
    log.told.push(...shown);
    this.#logs.set(id, log);
    return shown;
  }

  /** One minute per op, so that times tell ops apart. */
  /** The time of the next call. */
  get clock(): string {
    const minutes = this.#minutes;
    const now = this.#now();
    this.#minutes = minutes;
    return now;
  }

  /** Lets time pass. */
  later(minutes: number): void {
    this.#minutes += minutes;
  }

  #now(): string {
    const minute = this.#minutes++;
    const clock = [Math.floor(minute / 60) % 24, minute % 60].map((n) => String(n).padStart(2, "0")).join(":");
    return `2026-01-${String(1 + Math.floor(minute / 1440)).padStart(2, "0")}T${clock}:00.000Z`;
  }
}

function targetId(input: { task?: string; plan?: string; target?: string | { id: string } }): string {
  const { target } = input;
  return input.task ?? input.plan ?? (typeof target === "object" ? target.id : target) ?? "TASK-001";
}

export interface GivenStep {
  title: string;
  success_criteria?: string[];
  tests?: string[];
  blockers?: string[];
  depends_on?: string[];
  proof?: { tests?: "off" | "warn" | "require"; security?: "off" | "warn" | "require" };
}

/** PLAN-001 with TASK-001 under it, which has these steps at the top. */
export function givenTask(...steps: (string | GivenStep)[]): Given {
  const given = new Given();
  given.call("tasks_create", { title: "Version 2" });
  const bodies = steps.map((s) => ({ success_criteria: ["it works"], ...(typeof s === "string" ? { title: s } : s) }));
  given.call("tasks_create", { parent: "PLAN-001", title: "Write the parser", steps: bodies });
  return given;
}

/** Types of the events of a call. */
export function types(told: Told): string[] {
  return told.events.map((event) => event.type);
}
