import { lacksOf } from "../state/checkpoint.ts";
import { hasEnded } from "../state/ended.ts";
import type { Agent, Entity, Folded, Gate, Step } from "../state/entity.ts";
import { listedOf } from "../state/listed.ts";
import { isLive, liveGates } from "../state/live.ts";
import { TASKDOC_PACKAGE } from "../state/taskdoc.ts";
import { anyStep, pathOf, preOrder } from "../state/tree.ts";
import { cocoState } from "./coco_state.ts";
import { rosterState } from "../state/roster.ts";
import { taskHead } from "./task_head.ts";
import type { YamlMap } from "./yaml.ts";
import { yaml } from "./yaml.ts";
import { isBegun } from "../state/status.ts";

/** Coco's TaskFile and our keys: the head of a list, the rest of Coco's in its writer's order, then ours (DIR-9, PROJ-3 and PROJ-5). */
export function taskYaml({ id, entity, head, bytes }: Folded): string {
  const rest = yaml({
    description: entity.description,
    topology: entity.topology,
    state: cocoState(entity),
    createdAt: entity.created_at,
    milestones: entity.children.filter((step) => !step.deleted).map((step) => milestone(entity, step)),
    roster: [...entity.agents.values()].map(instance),
    gates: liveGates(entity).map(gateMap),
    // All three: Coco's reader wants them once there is one.
    config: configMap(entity),
    ...(hasEnded(entity) ? { endedAt: entity.ended_at, endedBy: entity.ended_by } : {}),
    taskdoc: TASKDOC_PACKAGE,
    steps: [...preOrder(entity.children)].map(stepMap),
  });
  return taskHead({ listed: listedOf({ id, entity }), head, logBytes: isWhole(entity) ? bytes : 0 }) + rest;
}

/**
 * A list reads the log itself while an end of it is noted as lost: only the log tells whether the lines came back. So it does for
 * what the head has no line for: a plan's archived tasks.
 */
function isWhole({ lost_ends, archived_tasks }: Entity): boolean {
  return lost_ends.every(({ accepted }) => accepted) && archived_tasks.size === 0;
}

function configMap({ config: { maxConcurrentAgents, timeoutSeconds, autoApprove } }: Entity): YamlMap {
  return { maxConcurrentAgents, timeoutSeconds, autoApprove };
}

function milestone(entity: Entity, step: Step): YamlMap {
  return { id: step.id, title: step.title, state: stepState(step), dependsOn: milestonesOf(entity, step) };
}

/**
 * Milestones are steps at the top: of a step below one, that one. A name that no step of ours has as id stays as it was
 * adopted.
 */
function milestonesOf(entity: Entity, { depends_on }: Step): string[] {
  const ids = depends_on.flatMap((id) => {
    let other = entity.steps.get(id);
    if (!other) return [id];
    if (!isLive(other)) return [];
    while (other.parent) other = other.parent;
    return [other.id];
  });
  return [...new Set(ids)];
}

function instance(agent: Agent): YamlMap {
  return {
    instance: agent.instance,
    agent: agent.agent,
    state: rosterState(agent),
    assignedMilestone: agent.assigned ?? null,
    skills: agent.skills ?? [],
  };
}

/** `reason` is absent when there is none: Coco reads null as the text `null`. */
function gateMap(gate: Gate): YamlMap {
  return {
    id: gate.id,
    type: gate.type ?? "human-approval",
    state: gate.state,
    ...(gate.reason === null ? {} : { reason: gate.reason }),
    instructionsRef: gate.instructions === undefined ? "./shared/human-notes.md" : gate.instructions,
    blockedAt: gate.blocked_at,
    resolvedAt: gate.resolved_at,
    resolvedBy: gate.resolved_by,
  };
}

function stepMap(step: Step): YamlMap {
  return {
    id: step.id,
    path: pathOf(step),
    title: step.title,
    state: stepState(step),
    ...(step.done ? { doneAt: step.done_at, doneBy: step.done_by } : {}),
    ...(step.depends_on.length === 0 ? {} : { dependsOn: step.depends_on }),
    ...(step.packet ? { packet: true } : {}),
    missing: lacksOf(step).join(", "),
  };
}

type StepState = "pending" | "working" | "done" | "blocked";

/** A step's state in the words of Coco's milestones: working once work in it, or in a step below it, has begun. */
function stepState(step: Step): StepState {
  if (step.done) return "done";
  if (step.blocked) return "blocked";
  return isBegun(step) || anyStep(step.children, isBegun) ? "working" : "pending";
}
