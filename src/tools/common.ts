/** Input parts that many tools share, and the parts their replies are made of. */
import { TaskfoldError } from "../errors.ts";
import type { Warning } from "../errors.ts";
import type { Remedy } from "../remedy.ts";
import type { Asking, Term } from "../rules/lease.ts";
import { DEFAULT_TTL_S, refuseHeld } from "../rules/lease.ts";
import { PATCH_KINDS } from "../rules/patch.ts";
import { PATCH_OPS } from "../rules/patch_ops.ts";
import { stepOf } from "../rules/step_of.ts";
import { weakOnClosing } from "../rules/weak_proof.ts";
import { missingCheckpoints, missingProofs } from "../state/checkpoint.ts";
import { CHECKPOINTS, KINDS, PROOF_CHECKPOINTS, PROOF_MODES, STATUSES } from "../state/entity.ts";
import type { Checkpoint, Kind, Step, Subject, TaskNode } from "../state/entity.ts";
import { NODE_ID_PATTERN, WORKSPACE_PATTERN } from "../state/ids.ts";
import { LIMITS } from "../state/limits.ts";
import type { Json, JsonObject } from "../state/schema.ts";
import { boolean, either, integer, json, list, object, oneOf, optional, orNull, text } from "../state/schema.ts";
import { selector } from "../state/selector.ts";
import { shownStatus } from "../state/status.ts";
import { nodePath } from "../state/task_node.ts";
import type { StepSelector } from "../state/tree.ts";
import { pathOf } from "../state/tree.ts";
import { stepHead } from "../views/step_head.ts";
import type { StepHead } from "../views/step_head.ts";
import { stepsLeft } from "../views/steps_left.ts";
import type { DecideContext } from "./decide_context.ts";
import type { WorkspaceReadContext } from "./read_tool.ts";
import type { Aimed, ReplyContext } from "./reply_context.ts";

export const workspace = text({ pattern: WORKSPACE_PATTERN, description: "Id of the workspace." });
export const entityId = (description: string) => text({ minLength: 1, maxLength: 80, description });

const RFC_3339 = String.raw`^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$`;
export const time = (description: string) => text({ pattern: RFC_3339, description });

const DAY_AND_TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;

/** Milliseconds since 1970. INVALID_INPUT where the calendar has no such day: `Date` makes 2 March of 30 February. */
export function msOf(field: string, time: string, remedyFor: Remedy): number {
  const [year = 0, month = 0, day = 0] = time.slice(0, 10).split("-").map(Number);
  const isThere = Date.UTC(year, month - 1, day) <= Date.UTC(year, month, 0);
  const text = time.toUpperCase();
  const ms = isThere && DAY_AND_TIME.test(text) ? Date.parse(text) : NaN;
  if (!Number.isNaN(ms)) return ms;
  throw new TaskfoldError("INVALID_INPUT", `Expected ${field} to be a time, found ${JSON.stringify(time)}.`, remedyFor);
}

/** Which entity: at most one of the three; none of them means the focus. */
export const target = {
  task: optional(selector(entityId("Id of the task (or plan)."))),
  plan: optional(selector(entityId("Id of the plan."))),
  target: optional(
    selector(either(entityId("Id of a plan or task."), object({ id: entityId("Id."), kind: optional(oneOf(KINDS)) }))),
  ),
};

/** Which step: step_id is safe against moves, path is handy; both may be given when they agree. */
export const stepSelector = {
  // Not of their forms: the refusal of a wrong one names the steps that are there (STEP-3).
  step_id: optional(selector(text({ maxLength: 64, description: "Stable id of the step." }))),
  path: optional(selector(text({ maxLength: 2000, description: "Path of the step, such as s:0.s:2." }))),
};

/** On every creation. */
export const expectations = {
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

/** On every change of what is there. */
export const preconditions = {
  ...expectations,
  fence: optional(integer({ minimum: 0, description: "Number of your claim: refuse when it is over." })),
};

export const title = text({ minLength: 1, description: "One line, 1 to 200 characters." });
export const lines = (description: string) => list(text(), { description });

/** Its modes are named once, in tasks_define: the list of tools is bounded (MCP-62). */
export const proof = object(
  Object.fromEntries(PROOF_CHECKPOINTS.map((c) => [c, optional(oneOf(PROOF_MODES))])) as {
    [C in (typeof PROOF_CHECKPOINTS)[number]]: ReturnType<
      typeof optional<ReturnType<typeof oneOf<typeof PROOF_MODES>>>
    >;
  },
  { description: "Proof modes." },
);
export const proofOfPlan = { ...proof, description: "For steps of its tasks (plans only)." };

/** Other steps, of the same call too. */
export const stepDependsOn = optional(lines("Close these first."));

/** Said once, in tasks_define, as `confirm` and `files` are: the list of tools is bounded (MCP-62). */
export const namesPacket = optional(boolean());

/** A new plan or task as a list shows it. */
export const listedFields = {
  priority: optional(text({ minLength: 1 })),
  tags: optional(list(text())),
  depends_on: optional(lines("Ids to be DONE first.")),
};

/** How the steps of a new task go, and how it ends. Said once, in tasks_create and tasks_edit: the list of tools is bounded (MCP-62). */
export const ordered = optional(boolean());
export const completeWhenDone = optional(boolean());

/** A step as a caller writes it. */
export const stepInput = object({
  title,
  success_criteria: lines("When it counts as done."),
  tests: optional(lines("How that is checked.")),
  blockers: optional(lines("Obstacles.")),
  depends_on: stepDependsOn,
  packet: namesPacket,
  proof: optional(proof),
  confirm: optional(list(text())),
  files: optional(list(text())),
});

/** The fields of a task node beside its title that a caller may give. */
export const nodeFields = {
  status: optional(oneOf(STATUSES, { description: "TODO when left out of a new node." })),
  priority: optional(text({ minLength: 1, description: "Free text; MEDIUM when left out of a new node." })),
  description: optional(orNull(text({ description: "Purpose and scope; null empties it." }))),
  context: optional(orNull(text({ description: "Facts for an agent that takes over." }))),
  success_criteria: optional(lines("When it counts as done.")),
  next_steps: optional(lines("Next actions in it.")),
  blockers: optional(lines("Obstacles.")),
  dependencies: optional(lines("Work it builds on, in words.")),
  problems: optional(lines("Problems so far.")),
  risks: optional(lines("Possible problems.")),
};

/** Which task node: task_node_id is safe against moves, path is handy; both may be given when they agree. */
export const nodeSelector = {
  task_node_id: optional(selector(text({ pattern: NODE_ID_PATTERN, description: "Stable id of the task node." }))),
  path: optional(
    selector(text({ minLength: 1, maxLength: 2000, description: "Path of the task node, such as s:0.t:1." })),
  ),
};

/** The target of a patch, and its ops. */
export const patchFields = {
  kind: optional(
    oneOf(PATCH_KINDS, {
      description: "task_detail: the plan or task itself; task: a task node. Left out, what is named says it.",
    }),
  ),
  path: optional(selector(text({ maxLength: 2000, description: "Path of the step, or of the task node (s:0.t:1)." }))),
  step_id: stepSelector.step_id,
  task_node_id: nodeSelector.task_node_id,
  ops: list(
    object({
      op: oneOf(PATCH_OPS),
      field: text({ minLength: 1, maxLength: 64 }),
      value: optional(json({ description: "A text, or a list of texts for lists; nothing with unset." })),
    }),
    { minItems: 1, maxItems: 100, description: "In order." },
  ),
};

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
    { description: "By name: true confirms, false takes back." },
  ),
);

/** One checkpoint or several. */
export const checkpointNames = either(oneOf(CHECKPOINTS), list(oneOf(CHECKPOINTS)));

/** Which rows of a list come: one page of them. */
export const page = {
  limit: optional(integer({ minimum: 1, description: `Rows, 50 by default, at most ${LIMITS.listPage}.` })),
  cursor: optional(integer({ minimum: 0, description: "next_cursor of the pagination of the call before." })),
};

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
export type StepBlock = StepHead & {
  missing_checkpoints: Checkpoint[];
  missing_proofs: Checkpoint[];
};

export function stepBlock(step: Step): StepBlock {
  return Object.assign(stepHead(step), {
    missing_checkpoints: missingCheckpoints(step),
    missing_proofs: missingProofs(step),
  });
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
  return addPrinted({}, ctx);
}

function addPrinted(reply: JsonObject, { events }: ReplyContext): JsonObject {
  if (events.length === 1) reply["event"] = events[0]!;
  else reply["events"] = [...events];
  return reply;
}

/** The reply of undo and redo: which fields have which values now stands in the event. */
export function reversalReply(ctx: ReplyContext): JsonObject {
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
export function stepReply(
  ctx: ReplyContext,
  more: { [key: string]: Json } = {},
  step: Step | null = stepOfCall(ctx),
): JsonObject {
  const { id: task, entity, head } = ctx.subject;
  const reply: JsonObject = { task, kind: entity.kind, revision: entity.revision, head, step: step && stepBlock(step) };
  for (const key in more) reply[key] = more[key]!;
  return addPrinted(reply, ctx);
}

/** The reply of a tool that closes a step: what is left of the task, and its status (STEP-11). */
export function closingReply(ctx: ReplyContext, more: { [key: string]: Json } = {}): JsonObject {
  const { subject, events, by } = ctx;
  // The time of the call, also where it is answered again.
  const now = events[0]?.ts ?? "";
  return stepReply(ctx, {
    status: shownStatus(subject),
    steps: stepsLeft(subject, { by, now, find: ctx.find }),
    ...more,
  });
}

/** The reply of a tool about a task node: which one its event is about, and what happened. */
export function nodeReply(ctx: ReplyContext, node: TaskNode | undefined = nodeOfCall(ctx)): JsonObject {
  const { entity } = ctx.subject;
  const block = node && {
    task_node_id: node.id,
    path: nodePath(entity, node),
    step_id: node.step,
    title: node.title,
    status: node.status,
  };
  return { ...taskBlock(ctx.subject), task_node: block ?? null, ...printed(ctx) };
}

export function nodeOfCall(ctx: ReplyContext): TaskNode | undefined {
  const id = ctx.events[0]?.["node_id"];
  return typeof id === "string" ? ctx.subject.entity.nodes.get(id) : undefined;
}

/** Returns the warnings of a call that closed a step, about the proof that was asked for. */
export function closingWarnings(ctx: ReplyContext): Warning[] {
  const step = stepOfCall(ctx);
  return step?.done === true ? weakOnClosing(step) : [];
}

/** For an answer that is cut to `max_chars`: the focus that decided what it is about (TOOL-31). */
export function fromFocus({ target_from }: Aimed): JsonObject {
  return target_from === undefined ? {} : { target_from };
}

/** Returns the actor of a change, the time, and the claim that the actor names. */
export function askingOf({ fence }: { fence?: number }, { by, now }: Pick<DecideContext, "by" | "now">): Asking {
  return { by, now, fence };
}

/** The step that a call changes, free for its caller: what else stands in the way comes after that (LEASE-4). */
export function stepToChange(input: StepSelector & { fence?: number }, ctx: DecideContext): Step {
  const step = stepOf(ctx.subject, input);
  refuseHeld(ctx.subject, step, askingOf(input, ctx));
  return step;
}

/** For how long a claim is asked for, and when that is by the engine's time. */
export function termOf(ttl_s = DEFAULT_TTL_S, { inSeconds }: Pick<DecideContext, "inSeconds">): Term {
  return { ttl_s, expires_at: inSeconds(ttl_s) };
}

/** The reply of a tool about claims: what stands there now. */
export function claimReply(ctx: ReplyContext): JsonObject {
  const step = stepOfCall(ctx);
  return stepReply(ctx, { lease: (step ?? ctx.subject.entity).lease });
}

/** Ids and paths of steps, by id. */
export function stepList(subject: Subject, ids: readonly string[]): JsonObject[] {
  return ids.flatMap((id) => {
    const step = subject.entity.steps.get(id);
    return step ? [{ step_id: id, path: pathOf(step) }] : [];
  });
}

/** The member of an answer that not every log was looked at for (FRESH rules). */
export function asOf(ctx: Pick<WorkspaceReadContext, "asOf">): { as_of?: string } {
  const as_of = ctx.asOf();
  return as_of === undefined ? {} : { as_of };
}
