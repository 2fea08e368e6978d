/** Calls that would work, offered beside a refusal or an answer (TOOL-9). A function of the state alone. */
import type { Suggestion } from "../errors.ts";
import { isArchivedOrDeleted } from "../state/archive.ts";
import { takesNoClaim } from "../state/degree.ts";
import {
  failedRuns,
  isProvedByPacket,
  lacksPacket,
  missingCheckpoints,
  missingProofs,
  requiredCheckpoints,
} from "../state/checkpoint.ts";
import { dueItem } from "../state/checklist.ts";
import { unblockAll } from "../state/blocked_step.ts";
import { hasEnded } from "../state/ended.ts";
import type { Checkpoint, Entity, Step, Subject } from "../state/entity.ts";
import type { Find } from "../state/depends.ts";
import { openDependencies } from "../state/depends.ts";
import { AFTER_ALL_TIMES, BEFORE_ALL_TIMES, firstReady } from "../state/first_ready.ts";
import type { Held } from "../state/lease.ts";
import { covering } from "../state/lease.ts";
import { verifiedIn } from "../state/packet_proof.ts";
import { dueAmong, dueStep, isDue, waitsFor } from "../state/step_waits.ts";
import { postOrder, preOrder } from "../state/tree.ts";
import { failedOnWhole, failedElsewhere } from "../state/whole_runs.ts";
import type { WholeRun } from "../state/whole_runs.ts";
import { checkpointsArg } from "./checkpoints_input.ts";
import { nameOf, oneLine } from "./phrase.ts";
import { runLine, wholeLine, wholeRunLine } from "./run_line.ts";

/** A call on this entity: workspace and id are filled in. */
/** The target of a call: its plan or task. */
export type CallTarget = Pick<Subject, "id" | "workspace"> & { entity: Pick<Entity, "kind"> };

export function callOn(subject: CallTarget, tool: string, args: Record<string, unknown>, reason: string): Suggestion {
  return { tool, args: { workspace: subject.workspace, [subject.entity.kind]: subject.id, ...args }, reason };
}

export function radarCall(subject: Subject): Suggestion {
  return callOn(subject, "tasks_radar", {}, "See the steps that are there.");
}

/** A look at what a patch or an edit changes. */
export function fieldsCall(subject: Subject): Suggestion {
  return callOn(subject, "tasks_resume", {}, "See what the fields hold, also those of steps.");
}

export function verifyCall(subject: Subject, step: Step, missing: readonly Checkpoint[]): Suggestion {
  const args = { step_id: step.id, checkpoints: checkpointsArg(missing) };
  return callOn(subject, "tasks_verify", args, `Confirm ${missing.join(", ")} of ${nameOf(step)} once they hold.`);
}

export function proofCall(subject: Subject, step: Step, missing: readonly Checkpoint[]): Suggestion {
  const attached = missing.filter((c) => !lacksPacket(step, c));
  if (attached.length === 0) return acceptanceCall(subject, step);
  if (attached.some((c) => isClaimTooLittle(step, c)))
    return provingCall(subject, step, wholeLine(runLine(subject, step, attached)));
  const args = { step_id: step.id, ...proofBody(step, attached) };
  return callOn(subject, "tasks_evidence_capture", args, `Attach proof of ${attached.join(", ")} to ${nameOf(step)}.`);
}

/** Whether no run that a caller reports is enough: by the mode, or because a run that Taskfold started failed (PROOF-108). */
function isClaimTooLittle(step: Step, c: Checkpoint): boolean {
  if (c !== "criteria" && takesNoClaim(step.proof[c])) return true;
  return failedRuns(step.linked[c]).some(({ degree }) => degree !== undefined);
}

/** No tool makes a captured run, so the reason names the command line that does (PROOF-48). */
export function provingCall(subject: Subject, step: Step, run: string): Suggestion {
  return callOn(
    subject,
    "tasks_evidence_verify",
    { step_id: step.id },
    `See what proves ${nameOf(step)}. This adds a run: ${run}`,
  );
}

/** Returns a call that brings the packet nearer to proving the tests of a step (PACKET-220). */
export function acceptanceCall(subject: Subject, step: Step): Suggestion {
  const { packet } = subject.entity;
  const proves = `it proves the tests of ${nameOf(step)}`;
  if (!packet) return callOn(subject, "packet_define", { manifest: MANIFEST }, `Give the task its packet: ${proves}.`);
  // Commands of a brief prove nothing alone.
  if (packet.manifest.acceptance.commands.length === 0) {
    const acceptance = { commands: [COMMAND] };
    return callOn(subject, "packet_patch", { manifest: { acceptance } }, `Name what the packet runs: ${proves}.`);
  }
  const done = verifiedIn(packet);
  if (done === undefined) {
    return callOn(subject, "packet_next", {}, `See what the packet needs next: ${proves}.`);
  }
  const args = { stage: done, reason: "<fill: why the commands run again>" };
  return callOn(subject, "packet_stage_reopen", args, `Run the acceptance commands again: ${proves}.`);
}

const COMMAND = "<fill: a command that passes when the work is right>";

const MANIFEST = {
  goal: "<fill: what is to be reached>",
  routing: { intent: "safe_impl" },
  scope: { allow: ["<fill: a file or folder that may change>"], deny: [] },
  acceptance: { commands: [COMMAND], criteria: ["<fill: when it counts as done>"] },
  budgets: { retry_budget: 1, paid_call_budget: 6, max_wallclock_sec: 900 },
  context: { digest_policy: "auto" },
};

/** The runs to make: what failed again, what the step declares as tests, or a command to be filled in. No run counts before its output is. */
function proofBody(step: Step, missing: readonly Checkpoint[]) {
  const runs = missing.flatMap((c) => {
    const failed = failedRuns(step.linked[c]).map(({ command, cwd }) => ({
      kind: "run",
      ...(command === null ? {} : { command, cwd: cwd ?? "." }),
    }));
    if (failed.length > 0) return failed;
    const declared = c === "tests" ? step.tests : [];
    return (declared.length > 0 ? declared : [RUN]).map((command) => ({ kind: "run", command }));
  });
  const each = new Map(runs.map((run) => [JSON.stringify(run), run]));
  const items = [...each.values()].slice(0, MAX_RERUNS).map((run) => ({ ...run, exit_code: 0, stdout: PRINTED }));
  return { checkpoint: [...missing], items };
}

const RUN = "<fill: the command that shows it>";
const PRINTED = "<fill: what it printed when it passed>";
const MAX_RERUNS = 5;

/** The other way out of a failed run: it stays on record, and no longer counts (EVID-58). None where no run failed. */
export function supersedeCalls(subject: Subject, evidence: readonly string[], step?: Step): Suggestion[] {
  // A refused call leaves no evidence that could be superseded.
  const ids = new Set(evidence.filter((id) => !subject.unrecorded?.has(id)));
  if (ids.size === 0) return [];
  const place = step ? { step_id: step.id } : {};
  const args = { ...place, supersedes: [...ids], reason: "<fill: why it no longer counts>" };
  return [callOn(subject, "tasks_evidence_capture", args, "Or put the failed run aside, with a reason on record.")];
}

/** The one call that proves, confirms and closes a step. */
export function closingCall(subject: Subject, step: Step): Suggestion {
  const missing = missingProofs(step);
  // No call closes it before the packet has proved its tests.
  if (step.packet && !isProvedByPacket(step)) return proofCall(subject, step, missing);
  if (missing.some((c) => isClaimTooLittle(step, c))) return proofCall(subject, step, missing);
  const [left] = failedElsewhere(subject.entity, step);
  if (left) return wholeRunCall(subject, left);
  const proof = proofBody(step, missing);
  const args = {
    step_id: step.id,
    checkpoints: checkpointsArg(requiredCheckpoints(step)),
    ...(missing.length === 0 ? {} : { proof }),
  };
  const once = missing.length === 0 ? "its checkpoints hold" : `there is proof of ${missing.join(", ")}`;
  return callOn(subject, "tasks_macro_close_step", args, `Confirm and close ${nameOf(step)} once ${once}.`);
}

/** Returns the next calls of a holder, whose claim is on the step or its task: close the step, or give the claim back. */
export function claimedCalls(subject: Subject, step: Step): Suggestion[] {
  const lease = step.lease ?? subject.entity.lease;
  const fence = lease === null ? {} : { fence: lease.fence };
  const closing = closingCall(subject, step);
  const [place, name] = lease === step.lease ? [{ step_id: step.id }, nameOf(step)] : [{}, "the task"];
  const release = callOn(subject, "tasks_release", { ...place, ...fence }, `Give ${name} back.`);
  const takesFence = closing.tool.startsWith("tasks_");
  return [takesFence ? { ...closing, args: { ...closing.args, ...fence } } : closing, release];
}

export function unblockCall(subject: Subject, step: Step): Suggestion {
  const args = { step_id: step.id, blocked: false };
  return callOn(subject, "tasks_block", args, `Unblock ${nameOf(step)} once what it waits for is there.`);
}

/** Takes the blockers in words away: closing the step would not do that. */
export function blockersCall(subject: Subject, step: Step): Suggestion {
  const args = { step_id: step.id, blockers: [] };
  return callOn(
    subject,
    "tasks_define",
    args,
    `Clear the blockers of ${nameOf(step)} once what it waits for is there.`,
  );
}

/** Ends a block and blockers in words at once: a row that names both would else come again with the second call. */
export function unblockAllCall({ workspace, id }: CallTarget, step: Step): Suggestion {
  const reason = `Unblock ${nameOf(step)} and clear its blockers once what it waits for is there.`;
  return { tool: "tasks_batch", args: { workspace, ...unblockAll({ task: id, step_id: step.id }) }, reason };
}

export function reopenCall(subject: Subject, step: Step): Suggestion {
  const args = { step_id: step.id, completed: false };
  return callOn(subject, "tasks_progress", args, `Reopen ${nameOf(step)} if there is work left in it.`);
}

export function progressCall(subject: Subject, step: Step, args: Record<string, unknown>): Suggestion {
  return callOn(subject, "tasks_progress", { step_id: step.id, ...args }, `Close ${nameOf(step)}.`);
}

/** Returns a call that brings an open step, or the first open one below it, nearer to being closed. */
export function stepCall(subject: Subject, within: Step): Suggestion {
  const step = dueFor(subject, within);
  if (waitsFor(subject.entity, step).length > 0) return circleCall(subject, step);
  if (step.blocked) return unblockCall(subject, step);
  if (step.blockers.length > 0) return blockersCall(subject, step);
  const proofs = missingProofs(step);
  if (proofs.length > 0) return proofCall(subject, step, proofs);
  const [left] = failedElsewhere(subject.entity, step);
  if (left) return wholeRunCall(subject, left);
  if (missingCheckpoints(step).length === 0) {
    return callOn(subject, "tasks_done", { step_id: step.id }, `Close ${nameOf(step)}: all it needs is confirmed.`);
  }
  const args = { step_id: step.id, checkpoints: checkpointsArg(requiredCheckpoints(step)) };
  return callOn(subject, "tasks_close_step", args, `Confirm and close ${nameOf(step)} once its checkpoints hold.`);
}

/** The caller of an answer, and a way to find other plans and tasks. */
export interface Asker {
  by?: string | undefined;
  /** The asker's clock. Without it every claim counts. */
  now?: string | undefined;
  find?: Find | undefined;
}

/**
 * The next sensible call on an entity; none for plans without a checklist and for what has ended. A step that another
 * caller has claimed is passed over.
 */
export function nextCalls(subject: Subject, asker: Asker = {}): Suggestion[] {
  const { entity } = subject;
  if (isArchivedOrDeleted(entity) || hasEnded(entity)) return [];
  if (entity.kind === "plan") return besideClaims(subject, planCalls(subject), asker);
  if (entity.children.every((s) => s.deleted)) {
    const steps = [{ title: "<fill: what is to be done>", success_criteria: ["<fill: when it counts as done>"] }];
    return besideClaims(subject, [callOn(subject, "tasks_decompose", { steps }, "The task has no steps yet.")], asker);
  }
  const open = dueStep(entity);
  return besideClaims(subject, [open ? stepCall(subject, open) : completeCall(subject)], asker);
}

/** These calls, or others where one of them changes what another one than the asker has claimed (TOOL-9, LEASE-36). */
export function besideClaims(subject: Subject, calls: Suggestion[], asker: Asker): Suggestion[] {
  const isHeld = ({ args }: Suggestion): boolean => isOfOther(subject.entity, placeOf(subject, args), asker);
  return calls.some(isHeld) ? freeCalls(subject, asker) : calls;
}

function placeOf({ entity }: Subject, { step_id }: Record<string, unknown>): Step | null {
  return typeof step_id === "string" ? (entity.steps.get(step_id) ?? null) : null;
}

function isOfOther(entity: Entity, place: Step | null, asker: Asker): boolean {
  return asker.by !== undefined && claimsOver(entity, place, asker).some(({ lease }) => lease.by !== asker.by);
}

function claimsOver(entity: Entity, place: Step | null, { now = BEFORE_ALL_TIMES }: Asker): Held[] {
  return covering(entity, place, now);
}

/** The work that the asker has claimed, else a step that is free or may be by now; else a look. */
function freeCalls(subject: Subject, asker: Asker): Suggestion[] {
  const { entity } = subject;
  const free = [...postOrder(entity.children)].filter(
    (step) => !step.done && isDue(entity, step) && !isOfOther(entity, step, asker),
  );
  const own = free.find((step) => claimsOver(entity, step, asker).length > 0);
  if (own) return [stepCall(subject, own)];
  const look = callOn(subject, "tasks_radar", {}, "See what stands in the way, and who has claimed what.");
  if (entity.kind === "plan" || waitsForOthers(entity, asker)) {
    return [free[0] ? stepCall(subject, free[0]) : look];
  }
  const claim = callOn(subject, "tasks_claim_next", {}, "Take up what is free.");
  if (firstReady(entity, asker.now ?? BEFORE_ALL_TIMES)) return [claim];
  if (free[0]) return [stepCall(subject, free[0])];
  return asker.now === undefined && firstReady(entity, AFTER_ALL_TIMES) ? [claim, look] : [look];
}

function waitsForOthers(entity: Entity, { find }: Asker): boolean {
  return find ? openDependencies(entity, find).length > 0 : entity.depends_on.length > 0;
}

/** Evidence may have asked more of a closed step since; then the task cannot be completed yet (STEP-20). */
function completeCall(subject: Subject): Suggestion {
  for (const step of preOrder(subject.entity.children)) {
    const checkpoints = missingCheckpoints(step);
    if (checkpoints.length > 0) return verifyCall(subject, step, checkpoints);
    const proofs = missingProofs(step);
    if (proofs.length > 0) return proofCall(subject, step, proofs);
  }
  const [failed] = failedOnWhole(subject.entity);
  if (failed) return wholeRunCall(subject, failed);
  return callOn(subject, "tasks_complete", {}, "Every step is closed: the task is ready to complete.");
}

export function wholeRunCall(subject: Subject, run: WholeRun): Suggestion {
  const { command, cwd, checkpoints, isClaim } = run;
  if (!isClaim) {
    const line = wholeLine(wholeRunLine(subject, run));
    return callOn(subject, "tasks_evidence_verify", {}, `See what failed. This runs it again: ${line}`);
  }
  const items = [{ kind: "run", command, cwd, exit_code: 0, stdout: PRINTED }];
  return callOn(subject, "tasks_evidence_capture", { checkpoint: checkpoints, items }, "Run again what failed.");
}

function planCalls(subject: Subject): Suggestion[] {
  const { checklist } = subject.entity;
  const item = dueItem(checklist);
  if (item !== undefined)
    return [callOn(subject, "tasks_plan", { advance: true }, `Once this is behind: ${oneLine(item)}`)];
  return checklist.steps.length === 0
    ? []
    : [callOn(subject, "tasks_complete", {}, "Every item of the checklist is behind.")];
}

/** The step to work on so that `step` comes nearer to its end: below it, or what it waits for. */
function dueFor({ entity }: Subject, step: Step): Step {
  const seen = new Set<Step>();
  for (let at = step; !seen.has(at);) {
    seen.add(at);
    const due = dueAmong(entity, [at]) ?? at;
    const [wait] = waitsFor(entity, due);
    if (!wait) return due;
    at = wait;
  }
  return step;
}

/** A merge may close a circle; there the first of them gives up what it waits for. */
function circleCall(subject: Subject, step: Step): Suggestion {
  const of = thatWaits(step);
  return callOn(subject, "tasks_define", { step_id: of.id, depends_on: [] }, `${nameOf(of)} waits for itself.`);
}

/** The step itself, or the one above it whose dependencies it shares. */
function thatWaits(step: Step): Step {
  let at = step;
  while (at.depends_on.length === 0 && at.parent) at = at.parent;
  return at;
}
