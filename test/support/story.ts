/** Tells an entity's life to the fold, op by op, without a log: drafts in, a subject out. */
import { createHash } from "node:crypto";
import type { Draft } from "../../src/events/define.ts";
import type { OpPosition } from "../../src/log/ancestry.ts";
import { Fold } from "../../src/events/fold.ts";
import { Ancestry } from "../../src/log/ancestry.ts";
import type { Event, Op, Payload } from "../../src/log/types.ts";
import type { Entity, IdOf, Kind, Folded } from "../../src/state/entity.ts";

const STRAIGHT: OpPosition = { joined: true, ancestry: null };

/** For views without a workspace around them. */
export const asWritten: IdOf = (ref) => ref.id;

export class Story {
  readonly id: string;
  readonly #fold = new Fold();
  #ops = 0;
  readonly #told: [Op, OpPosition][] = [];

  constructor(given: { id?: string; kind?: Kind; title?: string; description?: string; contract?: string } = {}) {
    const kind = given.kind ?? "task";
    // An undo is judged by what the fold knows of the op that it names.
    this.#fold.live();
    this.id = given.id ?? (kind === "plan" ? "PLAN-001" : "TASK-001");
    const { title = "Fix the parser", description = "", contract = null } = given;
    this.do({
      type: "task.created",
      payload: {
        kind,
        title,
        description,
        topology: "squad",
        parent: null,
        contract,
        contract_data: null,
        message: "Made.",
      },
    });
  }

  get entity(): Entity {
    return this.#fold.entity!;
  }

  get subject(): Folded {
    return {
      id: this.id,
      workspace: "acme/repo",
      entity: this.entity,
      head: digest(`${this.id} ${this.#ops}`),
      bytes: 500 * this.#ops,
    };
  }

  /** The op that was told last, for an undo of it. */
  get last(): string {
    return this.#told.at(-1)![0].hash;
  }

  /** One op of these drafts. */
  do(...drafts: Draft[]): this {
    this.#tell(this.#op(drafts, "human:ann"), STRAIGHT);
    return this;
  }

  /** Two ops, each of which knows all before but not the other. */
  apart(left: Draft[], right: Draft[]): this {
    const first = this.#op(left, "human:ann");
    const second = this.#op(right, "agent:bob");
    const ancestry = new Ancestry();
    for (let before = 0; before < first.index; before++) ancestry.join();
    for (let op = 0; op < 2; op++) ancestry.add([first.index - 1]);
    const place: OpPosition = { joined: false, ancestry };
    this.#tell(first, place);
    this.#tell(second, place);
    return this;
  }

  /** The entity with every note and all of its trace. */
  everything(): Entity {
    const fold = new Fold(undefined, true);
    for (const [op, place] of this.#told) fold.op(op, place);
    return fold.entity!;
  }

  #tell(op: Op, place: OpPosition): void {
    this.#told.push([op, place]);
    this.#fold.op(op, place);
  }

  #op(drafts: Draft[], by: string): Op {
    const index = this.#ops++;
    const events = drafts.map((draft, i): Event => {
      const ts = `2026-01-01T${two(Math.floor(index / 60) % 24)}:${two(index % 60)}:00.000Z`;
      const hash = digest(`${this.id} ${index} ${i}`);
      const op = { id: `op-${index}`, n: i + 1, of: drafts.length, tool: "tasks_edit" };
      return {
        v: 1,
        ts,
        type: draft.type,
        taskId: this.id,
        seq: 1,
        prev: [],
        op,
        by,
        payload: draft.payload as Payload,
        hash,
      };
    });
    return { hash: events[0]!.hash, last: events.at(-1)!.hash, events, index, offset: 0 };
  }
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

function two(n: number): string {
  return String(n).padStart(2, "0");
}

/** The n-th step id. */
export function stepId(n: number): string {
  return `STEP-${n.toString(16).toUpperCase().padStart(8, "0")}`;
}

/** The n-th card id. */
export function cardId(n: number): string {
  return `CARD-${n.toString(16).toUpperCase().padStart(8, "0")}`;
}

const message = "Something happened.";
const draft = (type: string, payload: object): Draft => ({ type, payload: { ...payload, message } });

/** Steps `first`, `first + 1`, ... with these titles, under `parent` or at the top. */
export function addSteps(first: number, titles: string[], parent: number | null = null, more: object = {}): Draft {
  return draft("steps.added", {
    parent: parent === null ? null : stepId(parent),
    steps: titles.map((title, i) => ({
      id: stepId(first + i),
      title,
      success_criteria: ["it holds"],
      tests: ["npm test"],
      blockers: [],
      ...more,
    })),
  });
}

export const verify = (n: number, checkpoints: object = { criteria: true, tests: true }): Draft =>
  draft("step.verified", { step_id: stepId(n), checkpoints });
export const close = (n: number, more: object = {}): Draft => draft("step.done", { step_id: stepId(n), ...more });
export const block = (n: number, reason: string | null = null): Draft[] => [
  draft("step.blocked", { step_id: stepId(n), reason }),
  draft("gate.blocked", { gateId: `gate-${stepId(n)}`, ...(reason === null ? {} : { reason }) }),
];
export const unblock = (n: number): Draft[] => [
  draft("step.unblocked", { step_id: stepId(n) }),
  draft("gate.approved", { gateId: `gate-${stepId(n)}` }),
];
export const remove = (n: number): Draft => draft("step.deleted", { step_id: stepId(n) });
export const reopen = (n: number, reason: string): Draft => draft("step.reopened", { step_id: stepId(n), reason });
export const define = (n: number, fields: object): Draft => draft("step.defined", { step_id: stepId(n), ...fields });
export const note = (text: string, n: number | null = null): Draft =>
  draft("step.noted", { step_id: n === null ? null : stepId(n), note: text });
export const card = (n: number, stage: string, title: string, supports: number[] = [], text = ""): Draft =>
  draft("card.added", {
    card_id: cardId(n),
    stage,
    title,
    text,
    status: "open",
    tags: [],
    supports: supports.map(cardId),
  });
/** Takes one thing that this op added out again. */
export const undo = (op: string, kind: "card" | "trace" | "note", id: string): Draft =>
  draft("undo.applied", { op, fields: [{ field: `${kind}.${id}`, value: { gone: true } }] });
export const trace = (text: string): Draft => draft("trace.added", { text });
export const edit = (patch: object): Draft => draft("task.edited", { patch });
export const complete = (): Draft => draft("task.completed", {});
export const status = (word: string, reason?: string): Draft =>
  draft("status.changed", { status: word, ...(reason === undefined ? {} : { reason }) });
export const capture = (n: number | null, checkpoints: string[], items: object[]): Draft =>
  draft("evidence.captured", { step_id: n === null ? null : stepId(n), checkpoints, items });
export const command = (title: string, more: object = {}): object => ({
  kind: "command-execution",
  title,
  summary: "",
  counts: true,
  command: title,
  ...more,
});
/** A section of the Taskdoc by its name: `goals`, `ux/list`. */
export const replace = (name: string, content: string): Draft => {
  const parts = name.split("/");
  const sha256 = createHash("sha256").update(content).digest("hex");
  const selector = parts.at(-1)!;
  const category = parts.length > 1 ? parts[0]! : null;
  return draft("taskdoc.changed", { category, selector, content, sha256, previous_sha256: sha256 });
};
