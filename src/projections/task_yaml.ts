import { missingCheckpoints, missingProofs } from "../state/checkpoint.ts";
import type { Agent, Entity, Gate, Subject } from "../state/entity.ts";
import { liveGates } from "../state/live.ts";
import type { Step } from "../state/step.ts";
import { TASKDOC_PACKAGE } from "../state/taskdoc.ts";
import { pathOf, preOrder } from "../state/tree.ts";
import { cocoState } from "./coco_state.ts";
import { stepState } from "./step_state.ts";
import type { YamlMap } from "./yaml.ts";
import { yaml } from "./yaml.ts";

/**
 * Version of everything that is rendered. Goes up with any change of a projection's bytes: an engine with a smaller
 * number leaves the files alone, or two releases would rewrite each other's in every review.
 */
export const RENDERER = 1;

/** Coco's TaskFile, its keys first and in its writer's order, then ours (DIR-9, PROJ-2 to PROJ-6). */
export function taskYaml({ id, entity, head }: Subject): string {
  return yaml({
    id,
    title: entity.title,
    description: entity.description,
    topology: entity.topology,
    state: cocoState(entity),
    createdAt: entity.created_at,
    updatedAt: entity.updated_at,
    milestones: entity.children.filter((step) => !step.deleted).map(milestone),
    roster: [...entity.agents.values()].map(instance),
    gates: liveGates(entity).map(gateMap),
    // All three: Coco's reader wants them once there is one.
    config: configMap(entity),
    kind: entity.kind,
    status: entity.status,
    revision: entity.revision,
    head,
    // As they were written (PROJ-15): what their roots are called now stands in other logs.
    parent: entity.parent?.id ?? null,
    priority: entity.priority,
    tags: entity.tags,
    dependsOn: entity.depends_on.map((ref) => ref.id),
    taskdoc: TASKDOC_PACKAGE,
    renderer: RENDERER,
    steps: [...preOrder(entity.children)].map(stepMap),
  });
}

function configMap({ config: { maxConcurrentAgents, timeoutSeconds, autoApprove } }: Entity): YamlMap {
  return { maxConcurrentAgents, timeoutSeconds, autoApprove };
}

function milestone(step: Step): YamlMap {
  return { id: step.id, title: step.title, state: stepState(step), dependsOn: step.depends_on ?? [] };
}

/**
 * Coco turns a roster entry that says `active` without a live process into a failure, at the next look; whether the
 * process lives is not in the log. `awaiting` it leaves as it is, and a live process it finds by itself (DIR-17).
 */
function instance(agent: Agent): YamlMap {
  const state = agent.state === "active" ? "awaiting" : agent.state;
  return {
    instance: agent.instance,
    agent: agent.agent,
    state,
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
  const missing = step.done ? [] : [...missingCheckpoints(step), ...missingProofs(step).map((c) => `proof of ${c}`)];
  return { id: step.id, path: pathOf(step), title: step.title, state: stepState(step), missing: missing.join(", ") };
}
