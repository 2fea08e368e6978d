/**
 * Step 4: decide. Takes a caught-up entity and an input. Returns a sealed op with its answer, and applies the op to the
 * state in memory. If the write fails, the caller takes the op back.
 */
import type { CallResult, Job, Staged, Unchanged, WorkspaceLookup } from "../entity/job.ts";
import { TaskfoldError } from "../../errors.ts";
import type { Warning } from "../../errors.ts";
import { EVENTS } from "../../events/index.ts";
import type { Draft } from "../../events/define.ts";
import { headDigest } from "../../log/canonical.ts";
import { sealOp } from "../../log/envelope.ts";
import type { PastOf } from "../../events/past.ts";
import type { Event, Op, Payload } from "../../log/types.ts";
import { withDefaultProof } from "../../rules/default_proof.ts";
import type { StepDefaults } from "../../rules/default_proof.ts";
import { refuseOwnEyes, refuseOwnEyesReversal } from "../../rules/refuse_own_eyes.ts";
import { refuseLeased } from "../../rules/lease.ts";
import { refuseTakenAway, stepsUnderWay } from "../../rules/packet/packet_of.ts";
import { refuseWeakened, termsFor } from "../../rules/refuse_weakened.ts";
import { openBeforeReversal, refuseUnprovedBy, refuseUnprovedReversal } from "../../rules/refuse_unproved.ts";
import { warnOfStale } from "../../rules/stale_proof.ts";
import type { Entity, Ref, Subject } from "../../state/entity.ts";
import { asShown } from "../../state/plan_status.ts";
import type { Blob, Content } from "../../state/named_bytes.ts";
import type { ReplyContext } from "../../tools/reply_context.ts";
import type { Decider } from "../../tools/tool.ts";
import { DecideCall } from "./decide_call.ts";
import { attestedOpen, refuseUntrusted } from "../attest/refuse_untrusted.ts";
import { flipsOf, isOpenTask } from "../entity/flips.ts";
import { pastOf } from "../entity/past.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import { printWhole } from "../entity/reply.ts";
import type { EngineContext } from "../core/context.ts";
import { isoTime } from "../core/context.ts";

/** Where the next op of a batch hangs: the heads after those staged before it. */
export interface BatchHead {
  heads: readonly string[];
  seq: number;
  ops: number;
  offset: number;
}

/** The state a caller decided on. */
export interface ExpectedState {
  revision: number;
  head: () => string;
}

/** Returns the state that callers know, because the engine's own ops go before theirs. */
export function expectedNow(loaded: LoadedEntity): ExpectedState {
  const { head } = loaded;
  return { revision: loaded.entity!.revision, head: () => head };
}

export interface StagedJob extends Staged {
  blobs: Blob[];
  contents: Content[];
  head: BatchHead;
}

/**
 * `seen`: what the caller's expectation is compared with, where that is not the present state. A decision without events makes no op
 * (PATCH-4).
 */
export function decideAndSeal(
  context: EngineContext,
  around: WorkspaceLookup,
  loaded: LoadedEntity,
  head: BatchHead,
  job: Job,
  seen?: ExpectedState,
): StagedJob | Unchanged {
  const before = subjectOf(loaded, job, head);
  if (before) checkExpectations(job, before, seen ?? { revision: before.entity.revision, head: () => before.head });
  const now = isoTime(context.now());
  const call = new DecideCall(context, around, loaded, job, before, now);
  const decision = job.tool.decide(job.input as never, call);
  const warnings = decision.warnings ?? [];
  const drafts = withDefaultProof(decision.drafts, () => defaultProof(around, before, decision.drafts));
  if (drafts.length === 0)
    return { job, outcome: answer(around, job, before!, pastOf(loaded, before!.entity), [], warnings) };
  checkDrafts(drafts);
  if (before) refuseOwnEyes(before, drafts, job.caller.by);
  const { staleness } = call;
  const wasDone = before?.entity.status === "DONE";
  const wasOpen = before !== undefined && isOpenTask(before.entity);
  if (before) refuseUnprovedBy(before, drafts, { by: job.caller.by, staleness });
  if (before) refuseLeased(before, drafts, { by: job.caller.by, now, fence: job.input["fence"] as number });
  const { events, bytes } = sealOp({
    taskId: loaded.id,
    by: job.caller.by,
    ts: now,
    tool: job.tool.name,
    opId: context.newId(),
    key: job.key?.key,
    req: job.key?.req,
    txn: job.txn,
    agentInstance: job.caller.agentInstance,
    turnId: job.caller.turnId,
    heads: head.heads,
    seq: head.seq,
    drafts: drafts as { type: string; payload: Payload }[],
  });
  const op = opOf(events, head, job);
  const bound = before && job.caller.by !== "system" ? stepsUnderWay(before) : [];
  const open = attestedOpen(before, drafts);
  const terms = before ? termsFor(before, drafts, { by: job.caller.by, now }) : [];
  const openBefore = before && openBeforeReversal(before, drafts);
  const undo = apply(op, job, loaded, decision.reversed);
  try {
    if (before) refuseTakenAway(before, bound, call.dispatcher);
    if (terms.length > 0)
      refuseWeakened(before!, terms, {
        by: job.caller.by,
        pastOf: pastOf(loaded, before!.entity),
        defaults: () => defaultProof(around, before, decision.drafts),
      });
    if (openBefore) {
      refuseOwnEyesReversal(before!, openBefore.steps, job.caller.by);
      refuseUnprovedReversal(before!, openBefore, { by: job.caller.by, now, staleness });
    }
    if (open.length > 0) refuseUntrusted(context, before!, open);
    const next: BatchHead = {
      heads: [op.last],
      seq: events.at(-1)!.seq,
      ops: head.ops + 1,
      offset: head.offset + bytes.length,
    };
    const after = { id: loaded.id, workspace: job.workspace, entity: loaded.entity!, head: headDigest(next.heads) };
    const stale = after.entity.status === "DONE" && !wasDone ? warnOfStale(after, staleness) : [];
    const outcome: CallResult = answer(around, job, after, pastOf(loaded, after.entity), events, [
      ...warnings,
      ...stale,
    ]);
    const flips = flipsOf(after.entity, wasOpen);
    if (flips.length > 0) outcome.flips = flips;
    return {
      job,
      op,
      bytes,
      outcome,
      undo,
      blobs: decision.blobs ?? [],
      contents: decision.contents ?? [],
      head: next,
    };
  } catch (e) {
    undo();
    throw e;
  }
}

/** The modes of the workspace, and over them those of the plan. */
function defaultProof(around: WorkspaceLookup, before: Subject | undefined, drafts: readonly Draft[]): StepDefaults {
  const parent = before ? before.entity.parent : (drafts[0]!.payload["parent"] as Ref | null);
  const defaults = around.stepDefaults();
  return { ...defaults, modes: { ...defaults.modes, ...(parent ? around.find(parent)?.entity.proof : {}) } };
}

/** The entity as a decision sees it. Most calls expect no head, and only the state after the decision is printed. */
class CallSubject implements Subject {
  readonly id: string;
  readonly workspace: string;
  readonly entity: Entity;
  readonly unrecorded: ReadonlySet<string> | undefined;
  readonly #heads: readonly string[];

  constructor(loaded: LoadedEntity, entity: Entity, job: Job, heads: readonly string[]) {
    this.id = loaded.id;
    this.workspace = job.workspace;
    this.entity = entity;
    this.unrecorded = job.unrecorded;
    this.#heads = heads;
  }

  get head(): string {
    return headDigest(this.#heads);
  }
}

/** The answer of a call whose op is in the state that `subject` shows. */
export function answer(
  around: WorkspaceLookup,
  job: Job,
  subject: Subject,
  past: PastOf,
  events: Event[],
  warnings: Warning[],
) {
  const { workspace, caller, targetFrom, scopedBy } = job;
  const context: ReplyContext = {
    workspace,
    by: caller.by,
    subject: asShown(subject, around.rows),
    events: events.map((e) => printWhole(e, subject.id)),
    idOf: around.idOf,
    find: around.find,
    past,
  };
  if (scopedBy !== undefined) context.target_from = scopedBy;
  else if (targetFrom !== "input") context.target_from = targetFrom;
  const reply = job.tool.reply(job.input as never, context);
  return {
    result: reply.result,
    warnings: reply.warnings ? [...warnings, ...reply.warnings] : warnings,
    suggestions: reply.suggestions ?? [],
  };
}

function opOf(events: Event[], head: BatchHead, job: Job): Op {
  const op: Op = { hash: events[0]!.hash, last: events.at(-1)!.hash, events, index: head.ops, offset: head.offset };
  return job.foreign ? { ...op, foreign: job.foreign } : op;
}

function apply(op: Op, job: Job, loaded: LoadedEntity, reversed: number | undefined): () => void {
  const unwind = loaded.fold.attempt(op, reversed);
  const { key } = job;
  if (key) loaded.keys.set(key.key, { op: op.hash, tool: job.tool.name, req: key.req });
  return () => {
    unwind();
    if (key) loaded.keys.delete(key.key);
  };
}

function subjectOf(loaded: LoadedEntity, job: Job, head: BatchHead): Subject | undefined {
  const { entity } = loaded;
  return entity ? new CallSubject(loaded, entity, job, head.heads) : undefined;
}

/** A call, whether it waits for an answer or only asks what it would do. */
type CheckedCall = Pick<Job, "input" | "workspace"> & { tool: Pick<Decider, "name" | "seen"> };

/** First of all checks (TOOL rules): is the state the one the caller decided on? */
export function checkExpectations(job: CheckedCall, subject: Subject, seen: ExpectedState): void {
  const { expected_revision: revision, expected_head: head } = job.input as {
    expected_revision?: number;
    expected_head?: string;
  };
  if (revision !== undefined && revision !== seen.revision)
    throw mismatch(job, subject, seen, `revision ${revision}`, `revision ${seen.revision}`);
  if (head !== undefined && head !== seen.head())
    throw mismatch(job, subject, seen, `head ${head}`, `head ${seen.head()}`);
}

function mismatch(
  job: CheckedCall,
  subject: Subject,
  seen: ExpectedState,
  expected: string,
  actual: string,
): TaskfoldError {
  const { id } = subject;
  return new TaskfoldError("REVISION_MISMATCH", `Expected ${id} at ${expected}, found it at ${actual}.`, {
    recovery: "Look at what changed, then call again with the revision you have seen.",
    suggestions: [
      { tool: "tasks_radar", args: { workspace: job.workspace, target: id }, reason: "see the present state" },
    ],
    details: { revision: seen.revision, head: seen.head(), ...job.tool.seen?.(job.input as never, subject) },
  });
}

/** Paired with the check that replay makes: what goes into a log has the shape that a reader will look for. */
function checkDrafts(drafts: Draft[]): void {
  for (const draft of drafts) {
    const type = EVENTS[draft.type];
    if (!type?.fits(draft.payload))
      throw new TaskfoldError(
        "INTERNAL",
        `Expected a payload that fits ${draft.type}, found another shape. Nothing was written.`,
      );
  }
}
