/** The steps of a task as the viewer shows them: a flat list, parents first. */
import {
  failedRuns,
  hasProof,
  isOfPacket,
  proofMode,
  requiredCheckpoints,
  testThatFails,
} from "../../state/checkpoint.ts";
import { isBlocked } from "../../state/blocked_step.ts";
import { CHECKPOINTS } from "../../state/entity.ts";
import type { Checkpoint, Entity, Step } from "../../state/entity.ts";
import { isFree } from "../../state/first_ready.ts";
import { covering, holding } from "../../state/lease.ts";
import { commandsBesideTests } from "../../state/other_commands.ts";
import { isDue, waitsFor } from "../../state/step_waits.ts";
import { liveNodes, nodePath } from "../../state/task_node.ts";
import { preOrder } from "../../state/tree.ts";
import { dueOn } from "../lines.ts";
import type { CheckpointItem, NodeItem, StepItem } from "./api.ts";
import { stepRef, stepRefOf } from "./refs.ts";

/** Whether work on a task may begin: `later`, once other tasks are DONE; `never`, as it has ended or is put away. */
export type MayBegin = "now" | "later" | "never";

const MAX_STEPS = 5000;
/** Links of one checkpoint: an agent may run the same test for days. */
const MAX_LINKS = 100;
const MAX_FAILED = 10;

/** `mayBegin`: work on the task may begin or go on at all. */
export function stepItems(entity: Entity, now: string, mayBegin: MayBegin): { steps: StepItem[]; steps_total: number } {
  const steps: StepItem[] = [];
  let steps_total = 0;
  for (const step of preOrder(entity.children)) {
    steps_total++;
    if (steps.length < MAX_STEPS) steps.push(stepItem(entity, step, now, mayBegin));
  }
  return { steps, steps_total };
}

function stepItem(entity: Entity, step: Step, now: string, mayBegin: MayBegin): StepItem {
  const lease = holding(step, now) ?? step.lease;
  const waits = step.done ? [] : waitsFor(entity, step);
  return {
    ...stepRef(step),
    parent: step.parent?.id ?? null,
    depth: depthOf(step),
    state: stateOf(entity, step, now, mayBegin),
    done: step.done,
    done_at: step.done_at,
    done_by: step.done_by,
    forced: step.forced,
    reopened: step.reopened,
    blocked: step.blocked,
    block_reason: step.block_reason,
    blockers: [...step.blockers],
    success_criteria: [...step.success_criteria],
    tests: [...step.tests],
    files: [...step.files],
    confirm: CHECKPOINTS.filter((c) => step.confirm[c]),
    claim: lease && { by: lease.by, claimed_at: lease.claimed_at, expires_at: lease.expires_at },
    depends_on: step.depends_on.flatMap((id) => stepRefOf(entity, id) ?? []),
    waits_for: waits.map(stepRef),
    checkpoints: CHECKPOINTS.map((checkpoint) => checkpointItem(step, checkpoint)),
    due: step.done ? [] : dueOn(step),
    notes: step.notes,
    nodes: nodeItems(entity, step),
  };
}

/** `ready` only where the engine's list of what is ready would have it. */
function stateOf(entity: Entity, step: Step, now: string, mayBegin: MayBegin): StepItem["state"] {
  if (step.done) return "done";
  if (isBlocked(step)) return "blocked";
  if (mayBegin === "never") return "open";
  if (covering(entity, step, now).length > 0) return "claimed";
  if (mayBegin === "later" || !isDue(entity, step)) return "waiting";
  return isFree(entity, step, now) ? "ready" : "claimed";
}

function depthOf({ parent }: Step): number {
  let depth = 0;
  for (let above = parent; above; above = above.parent) depth++;
  return depth;
}

function checkpointItem(step: Step, checkpoint: Checkpoint): CheckpointItem {
  const links = step.linked[checkpoint];
  const failed = failedRuns(links);
  const proof = checkpoint === "criteria" ? "off" : proofMode(step, checkpoint);
  return {
    name: checkpoint,
    required: requiredCheckpoints(step).includes(checkpoint),
    confirmed: step.confirmed[checkpoint],
    proof,
    proof_state: proofState(step, checkpoint, { asked: proof !== "off", failed: failed.length > 0 }),
    failed_commands: failed
      .slice(-MAX_FAILED)
      .map((run) => (checkpoint === "tests" && testThatFails(step, run)) || (run.command ?? run.evidence)),
    other_commands: checkpoint === "tests" ? commandsBesideTests(step).slice(0, MAX_FAILED) : [],
    by_packet: isOfPacket(step, checkpoint),
    links: links.slice(-MAX_LINKS).map(({ evidence, counts, superseded, command, exit_code, time }) => ({
      evidence,
      counts: counts && !superseded,
      command,
      exit_code,
      ts: time,
    })),
    links_total: links.length,
  };
}

function proofState(
  step: Step,
  checkpoint: Checkpoint,
  { asked, failed }: { asked: boolean; failed: boolean },
): CheckpointItem["proof_state"] {
  if (hasProof(step, checkpoint)) return "proved";
  if (failed) return "failed";
  return asked ? "missing" : "none";
}

/** How many live steps have a checkpoint of which the newest run failed. */
export function failedProofs(entity: Entity): number {
  let failed = 0;
  for (const step of preOrder(entity.children))
    if (CHECKPOINTS.some((checkpoint) => failedRuns(step.linked[checkpoint]).length > 0)) failed++;
  return failed;
}

function nodeItems(entity: Entity, step: Step): NodeItem[] {
  return liveNodes(entity, step).map((node) => ({
    id: node.id,
    path: nodePath(entity, node),
    title: node.title,
    status: node.status,
    priority: node.priority,
    description: node.description,
    context: node.context,
    success_criteria: [...node.success_criteria],
    next_steps: [...node.next_steps],
    blockers: [...node.blockers],
    dependencies: [...node.dependencies],
    problems: [...node.problems],
    risks: [...node.risks],
  }));
}
