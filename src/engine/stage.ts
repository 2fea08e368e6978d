/**
 * Step 4: decide. From a caught-up entity and an input to a sealed op that is applied to the state in memory, with its
 * answer, and with a way back should the write fail.
 */
import { TaskfoldError } from "../errors.ts";
import type { Warning } from "../errors.ts";
import { EVENTS } from "../events/index.ts";
import type { Draft } from "../events/define.ts";
import type { Fold } from "../events/fold.ts";
import { inspectFile } from "../files/inspect.ts";
import { assertHashable, headDigest } from "../log/canonical.ts";
import { sealOp } from "../log/envelope.ts";
import type { Event, Op, Payload } from "../log/types.ts";
import type { PastOf } from "../rules/undo.ts";
import type { Entity, IdOf, Kind, Ref, Subject } from "../state/entity.ts";
import { isStepId } from "../state/ids.ts";
import type { Blob, DecideContext, FileFact } from "../tools/define.ts";
import type { Handle } from "./handle.ts";
import type { Job, Staged } from "./job.ts";
import { pastOf } from "./past.ts";
import { printEvent } from "./reply.ts";
import type { World } from "./world.ts";
import { isoTime } from "./world.ts";

/** What staging needs to know of the rest of the workspace. */
export interface Surroundings {
  focus: (job: Job) => string | null;
  idOf: IdOf;
  listing: () => Subject[];
  tasksOfPlan: (root: string) => Subject[];
  ref: (text: string) => Ref & { kind: Kind };
}

/** Where the next op of a batch hangs: the heads after those staged before it. */
export interface Tip {
  heads: readonly string[];
  seq: number;
  ops: number;
  offset: number;
}

/** The state a caller decided on. */
export interface Seen {
  revision: number;
  head: () => string;
}

/** What callers know of, while the engine's own ops go before theirs. */
export function seenNow(handle: Handle): Seen {
  const { head } = handle;
  return { revision: handle.entity!.revision, head: () => head };
}

export interface StagedJob extends Staged {
  blobs: Blob[];
  tip: Tip;
}

/** `seen`: what the caller's expectation is compared with, where that is not the present state. */
export function stage(world: World, around: Surroundings, handle: Handle, tip: Tip, job: Job, seen?: Seen): StagedJob {
  const before = subjectOf(handle, job, tip);
  if (before) checkExpectations(job, before.id, seen ?? { revision: before.entity.revision, head: () => before.head });
  const now = isoTime(world.now());
  const decision = job.tool.decide!(job.input as never, decideContext(world, around, handle, job, before, now));
  checkDrafts(decision.drafts);
  const { events, bytes } = sealOp({
    taskId: handle.id,
    by: job.caller.by,
    ts: now,
    tool: job.tool.name,
    opId: world.newId(),
    ...job.key,
    ...(job.caller.agentInstance === undefined ? {} : { agentInstance: job.caller.agentInstance }),
    ...(job.caller.turnId === undefined ? {} : { turnId: job.caller.turnId }),
    heads: tip.heads,
    seq: tip.seq,
    drafts: decision.drafts as { type: string; payload: Payload }[],
  });
  const op = opOf(events, tip, job);
  const undo = apply(handle.fold, op, job, handle);
  try {
    const next: Tip = {
      heads: [op.last],
      seq: events.at(-1)!.seq,
      ops: tip.ops + 1,
      offset: tip.offset + bytes.length,
    };
    const after = subjectOf(handle, job, next)!;
    const outcome = answer(around, job, after, pastOf(handle, after.entity), events, decision.warnings ?? []);
    return { job, op, bytes, outcome, undo, blobs: decision.blobs ?? [], tip: next };
  } catch (e) {
    undo();
    throw e;
  }
}

/** The answer of a call whose op is in the state that `subject` shows. */
export function answer(
  around: Surroundings,
  job: Job,
  subject: Subject,
  past: PastOf,
  events: Event[],
  warnings: Warning[],
) {
  const focus = (): string | null => (job.targetFrom === "focus" ? subject.id : around.focus(job));
  const said = job.tool.reply(job.input as never, {
    workspace: job.workspace,
    subject,
    events: events.map((e) => printEvent(e, subject.id)),
    ...(job.targetFrom === "focus" ? { target_from: "focus" as const } : {}),
    // Read only when asked for: few tools that change something do, and a look for a file costs as much as the append.
    get focus() {
      return focus();
    },
    get focus_previous() {
      return focus();
    },
    idOf: around.idOf,
    listing: around.listing,
    past,
  });
  return {
    result: said.result,
    warnings: [...warnings, ...(said.warnings ?? [])],
    suggestions: said.suggestions ?? [],
  };
}

function opOf(events: Event[], tip: Tip, job: Job): Op {
  const op: Op = { hash: events[0]!.hash, last: events.at(-1)!.hash, events, index: tip.ops, offset: tip.offset };
  return job.foreign ? { ...op, foreign: job.foreign } : op;
}

function apply(fold: Fold, op: Op, job: Job, handle: Handle): () => void {
  const unwind = fold.attempt(op);
  const { key } = job;
  if (key) handle.keys.set(key.key, { op: op.hash, tool: job.tool.name, req: key.req });
  return () => {
    unwind();
    if (key) handle.keys.delete(key.key);
  };
}

function subjectOf(handle: Handle, job: Job, tip: Tip): Subject | undefined {
  const entity = handle.entity;
  if (!entity) return undefined;
  return {
    id: handle.id,
    workspace: job.workspace,
    entity,
    // Most calls expect no head, and of the two subjects of a call only the second one is printed.
    get head() {
      return headDigest(tip.heads);
    },
  };
}

/** First of all checks (TOOL rules): is the state the one the caller decided on? */
function checkExpectations(job: Job, id: string, seen: Seen): void {
  const { expected_revision: revision, expected_head: head } = job.input as {
    expected_revision?: number;
    expected_head?: string;
  };
  if (revision !== undefined && revision !== seen.revision)
    throw mismatch(job, id, seen, `revision ${revision}`, `revision ${seen.revision}`);
  if (head !== undefined && head !== seen.head()) throw mismatch(job, id, seen, `head ${head}`, `head ${seen.head()}`);
}

function mismatch(job: Job, id: string, seen: Seen, expected: string, actual: string): TaskfoldError {
  return new TaskfoldError("REVISION_MISMATCH", `Expected ${id} at ${expected}, found it at ${actual}.`, {
    recovery: "Look at what changed, then call again with the revision you have seen.",
    suggestions: [
      { tool: "tasks_radar", args: { workspace: job.workspace, target: id }, reason: "see the present state" },
    ],
    details: { revision: seen.revision, head: seen.head() },
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
    const fault = assertHashable(draft.payload);
    if (fault !== null) throw new TaskfoldError("INVALID_INPUT", fault);
  }
}

function decideContext(
  world: World,
  around: Surroundings,
  handle: Handle,
  job: Job,
  subject: Subject | undefined,
  now: string,
): DecideContext {
  const { tool, input } = job;
  const taken = new Set<string>();
  return {
    subject: subject as Subject,
    now,
    by: job.caller.by,
    newStepId: () => newStepId(world, subject?.entity, taken),
    refs: new Map((tool.refs?.(input as never) ?? []).map((text) => [text, around.ref(text)])),
    files: new Map(
      (tool.files?.(input as never) ?? []).map((path): [string, FileFact] => [
        path,
        inspectFile(world.disk, handle.folder, path),
      ]),
    ),
    past: pastOf(handle, subject?.entity as Entity),
    tasksOfPlan: () => (subject ? around.tasksOfPlan(subject.entity.root) : []),
  };
}

function newStepId(world: World, entity: Entity | undefined, taken: Set<string>): string {
  for (;;) {
    const id = `STEP-${world.newId().slice(0, 8).toUpperCase()}`;
    if (!isStepId(id))
      throw new TaskfoldError("INTERNAL", "Expected newId to give hexadecimal digits, found other characters.");
    if (taken.has(id) || entity?.steps.has(id)) continue;
    taken.add(id);
    return id;
  }
}
