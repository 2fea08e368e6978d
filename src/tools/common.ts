/** Input parts that many tools share, and the parts their replies are made of. */
import { CHECKPOINTS, missingCheckpoints, missingProofs, PROOF_CHECKPOINTS, PROOF_MODES } from "../state/checkpoint.ts";
import type { Checkpoint, ProofCheckpoint } from "../state/checkpoint.ts";
import type { Kind, Subject } from "../state/entity.ts";
import { KINDS } from "../state/entity.ts";
import { STEP_ID_PATTERN, WORKSPACE_PATTERN } from "../state/ids.ts";
import { LIMITS } from "../state/limits.ts";
import type { Json, JsonObject } from "../state/schema.ts";
import { boolean, either, integer, list, object, oneOf, optional, text } from "../state/schema.ts";
import type { Step } from "../state/step.ts";
import { pathOf } from "../state/tree.ts";
import type { ReplyContext } from "./define.ts";

export const workspace = text({ pattern: WORKSPACE_PATTERN, description: "Id of the workspace, such as acme/repo." });
export const entityId = (description: string) => text({ minLength: 1, maxLength: 80, description });

/** Which entity: at most one of the three; none of them means the focus. */
export const target = {
  task: optional(entityId("Id of the task (or plan).")),
  plan: optional(entityId("Id of the plan.")),
  target: optional(
    either(entityId("Id of a plan or task."), object({ id: entityId("Id."), kind: optional(oneOf(KINDS)) })),
  ),
};

/** Which step: step_id is safe against moves, path is handy; both may be given when they agree. */
export const stepSelector = {
  step_id: optional(text({ pattern: STEP_ID_PATTERN, description: "Stable id of the step." })),
  path: optional(text({ minLength: 1, maxLength: 2000, description: "Path of the step, such as s:0.s:2." })),
};

/** On every mutation. */
export const preconditions = {
  expected_revision: optional(integer({ minimum: 0, description: "Refuse unless the revision is this one." })),
  expected_head: optional(
    text({ maxLength: 64, description: "Refuse unless the head is this one; exact also between branches." }),
  ),
  idempotency_key: optional(
    text({
      minLength: 1,
      maxLength: LIMITS.keyCharacters,
      description: "The same key with the same input gives the first call's result and changes nothing.",
    }),
  ),
};

export const title = text({ minLength: 1, description: "1 to 200 characters on one line, not blank." });
export const lines = (description: string) => list(text(), { description });

export const proof = object(
  Object.fromEntries(PROOF_CHECKPOINTS.map((c) => [c, optional(oneOf(PROOF_MODES))])) as {
    [C in (typeof PROOF_CHECKPOINTS)[number]]: ReturnType<
      typeof optional<ReturnType<typeof oneOf<typeof PROOF_MODES>>>
    >;
  },
  { description: "Which checkpoints need attached proof: off, warn or require." },
);

/** A step as a caller writes it. */
export const stepInput = object({
  title,
  success_criteria: lines("What must be so for the step to count as done."),
  tests: optional(lines("How that is checked.")),
  blockers: optional(lines("What stands in the way.")),
  proof: optional(proof),
});

const confirmation = either(boolean(), object({ confirmed: boolean() }));

/** Which checkpoints are confirmed (true) or taken back (false). */
export const checkpoints = either(
  oneOf(["gate", "all"], { description: "gate: criteria and tests; all: every checkpoint." }),
  object(
    {
      criteria: optional(confirmation),
      tests: optional(confirmation),
      security: optional(confirmation),
      perf: optional(confirmation),
      docs: optional(confirmation),
    },
    { description: "Each checkpoint by name; true confirms it, false takes its confirmation back." },
  ),
);

/** One checkpoint or several. */
export const checkpointNames = either(oneOf(CHECKPOINTS), list(oneOf(CHECKPOINTS)));

export const maxChars = optional(
  integer({ minimum: 1, description: "The result fits max(max_chars, 256) characters of compact JSON." }),
);
/** A moment of the past: a revision, or an event as the last one that counts. */
export const at = optional(
  either(
    integer({ minimum: 1, description: "As of this revision." }),
    text({ minLength: 1, maxLength: 64, description: "As of the op with this event." }),
  ),
);
export const readOnly = optional(boolean({ description: "Default true." }));

/** The step of a reply. */
export type StepBlock = {
  step_id: string;
  path: string;
  title: string;
  done: boolean;
  blocked: boolean;
  missing_checkpoints: Checkpoint[];
  missing_proofs: ProofCheckpoint[];
};

export function stepBlock(step: Step): StepBlock {
  return {
    step_id: step.id,
    path: pathOf(step),
    title: step.title,
    done: step.done,
    blocked: step.blocked,
    missing_checkpoints: missingCheckpoints(step),
    missing_proofs: missingProofs(step),
  };
}

/** How step tools name the entity they worked on. */
export function taskBlock({ id, entity, head }: Subject): { task: string; kind: Kind; revision: number; head: string } {
  return { task: id, kind: entity.kind, revision: entity.revision, head };
}

/** How tools about a whole entity name it. */
export function entityBlock({ id, entity, head }: Subject): {
  id: string;
  kind: Kind;
  revision: number;
  head: string;
  title: string;
} {
  return { id, kind: entity.kind, revision: entity.revision, head, title: entity.title };
}

/** `event` when there is exactly one, else `events`: a reply says nothing twice (TOOL-8). */
export function printed(ctx: ReplyContext): JsonObject {
  const [first] = ctx.events;
  return ctx.events.length === 1 && first ? { event: first } : { events: [...ctx.events] };
}

/** The reply of undo and redo: which fields have which values now stands in the event. */
export function turnReply(ctx: ReplyContext): JsonObject {
  const op = ctx.events[0]?.["op"];
  const fields = ctx.events[0]?.["fields"];
  const names = Array.isArray(fields) ? fields.map((f) => (f as { field: string }).field) : [];
  return { ...taskBlock(ctx.subject), op: typeof op === "string" ? op : null, fields: names, ...printed(ctx) };
}

/**
 * The step that this call's first event is about, or null when it is about the whole. Taken from the event, not from
 * the input: a path may name another step by the time a repeated call is answered.
 */
export function stepOfCall(ctx: ReplyContext): Step | null {
  const id = ctx.events[0]?.["step_id"];
  return typeof id === "string" ? (ctx.subject.entity.steps.get(id) ?? null) : null;
}

/** The reply of a step tool: who, which step, what happened. */
export function stepReply(ctx: ReplyContext, more: { [key: string]: Json } = {}): JsonObject {
  const step = stepOfCall(ctx);
  return { ...taskBlock(ctx.subject), step: step ? stepBlock(step) : null, ...more, ...printed(ctx) };
}

/** Ids and paths of steps, by id. */
export function stepList(subject: Subject, ids: readonly string[]): JsonObject[] {
  return ids.flatMap((id) => {
    const step = subject.entity.steps.get(id);
    return step ? [{ step_id: id, path: pathOf(step) }] : [];
  });
}
