/**
 * The members of replies, as schemas: the counterpart of the input parts in common.ts. An object has exactly the
 * members that stand here, so that a reply with one more is told apart from its schema (TOOL-25).
 */
import { CHECKPOINTS, KINDS, STATUSES } from "../state/entity.ts";
import { CARD_STAGES } from "../state/reasoning.ts";
import type { TSchema } from "../state/schema.ts";
import {
  boolean,
  cut,
  integer,
  isCut,
  jsonObject,
  list,
  object,
  oneOf,
  openObject,
  optional,
  orNull,
  record,
  text,
  uncut,
} from "../state/schema.ts";

export const kind = oneOf(KINDS);
export const status = oneOf(STATUSES);
export const checkpointList = list(oneOf(CHECKPOINTS));

/** The payload's keys stand beside these. */
export const event = openObject({ event_id: text(), type: text(), ts: text(), task: text(), by: text() });
/** One that a budget may have left with its name alone. */
export const cutEvent = openObject({
  event_id: text(),
  type: text(),
  ts: optional(text()),
  task: optional(text()),
  by: optional(text()),
});
/** `event` where the call made one, else `events`. */
/** Of an answer that no look at every log came before. */
export const asOf = optional(
  text({ description: "Later writes of other programs may be missing; left out where nothing can be." }),
);

export const happened = { event: optional(event), events: optional(list(event)) };

export const ofTask = { task: text(), kind, revision: integer(), head: text() };
export const ofEntity = { id: text(), kind, revision: integer(), head: text(), title: text() };
export const ofChange = { ...ofEntity, ...happened };

export const named = { step_id: text(), path: text() };
export const stepNames = list(object(named));
/** Only where the step names the packet of the task. */
export const namesPacket = optional(boolean());

export const step = object({
  ...named,
  title: text(),
  done: boolean(),
  blocked: boolean(),
  packet: namesPacket,
  missing_checkpoints: checkpointList,
  missing_proofs: checkpointList,
});
export const ofStep = { ...ofTask, step: orNull(step), ...happened };

/** Live steps of the task: how many there are, how many are open, and how many of those the caller could take up. */
export const stepsLeft = object(
  { total: integer(), open: integer(), ready: integer() },
  { description: "Counts of the task's steps." },
);
/** A step was closed, or opened again. */
export const ofClosing = { ...ofTask, step: orNull(step), status, steps: stepsLeft, ...happened };

export const lease = object({ by: text(), claimed_at: text(), expires_at: text(), fence: integer() });
export const claimed = { ...ofStep, lease: orNull(lease) };
export const ofClaim = object(claimed);

export const ofNode = {
  ...ofTask,
  task_node: orNull(object({ task_node_id: text(), path: text(), step_id: text(), title: text(), status })),
  ...happened,
};

/** Undo and redo. */
export const ofTurn = object({ ...ofTask, op: orNull(text()), fields: list(text()), ...happened });

export const reasoningRef = {
  branch: text(),
  docs: object({ notes: text(), graph: text(), trace: text() }),
};

export const stage = oneOf(CARD_STAGES);
export const thought = object({
  ...reasoningRef,
  cards: list(object({ stage, card_id: text(), title: text(), supports: list(text()) })),
  decision_note: orNull(text()),
});

const made = { id: text(), qualified_id: text() };
/** The entities that `tasks_bootstrap` makes, also as a part of macros. */
export const bootstrapped = object({
  workspace: text(),
  plan: object({ ...made, created: boolean() }),
  task: object({ ...made, revision: integer() }),
  steps: stepNames,
  events: list(event),
  think_pipeline: optional(thought),
});

export const checklist = {
  checklist: object({ doc: text(), current: integer(), steps: list(text()) }),
  plan_progress: text(),
};

export const pagination = object({
  cursor: integer(),
  next_cursor: orNull(integer()),
  total: integer(),
  count: integer(),
  limit: integer(),
});

/** The whole answer of a tool (TOOL-8): a refusal has the same shape, with `result` null. */
export function replyOf<T extends TSchema>(result: T) {
  return object({
    success: boolean(),
    intent: text(),
    result: orNull(result),
    warnings: list(object({ code: text(), message: text(), recovery: optional(text()) })),
    suggestions: list(object({ tool: text(), args: jsonObject(), reason: text() })),
    error: orNull(
      object({ code: text(), message: text(), recovery: optional(text()), details: optional(jsonObject()) }),
    ),
  });
}

/** An answer that `max_chars` may cut: none of its members has to be there, and `budget` says which are not. */
export const cuttable = <P extends Record<string, TSchema>>(members: P) =>
  object({
    ...(Object.fromEntries(Object.entries(members).map(([name, member]) => [name, cut(member)])) as {
      [K in keyof P]: ReturnType<typeof cut<P[K]>>;
    }),
    budget: optional(
      object({
        max_chars: integer(),
        used_chars: integer(),
        full_chars: integer(),
        truncated: list(text()),
        omitted: record(integer()),
      }),
    ),
  });

/** The answer to a call without `max_chars`: every member is there that a budget may take out. Undefined where a call has no such budget. */
export function wholeOutput(output: TSchema): TSchema | undefined {
  const { anyOf, properties } = output as { anyOf?: TSchema[]; properties?: Record<string, TSchema> };
  const isCuttable = (anyOf ?? [{ properties }]).some((form) =>
    Object.values((form as { properties?: Record<string, TSchema> }).properties ?? {}).some(isCut),
  );
  return isCuttable ? uncut(output) : undefined;
}
