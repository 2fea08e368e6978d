/** A task node: a piece of work inside a step, written down with what is known of it. It gates nothing (NODES rules). */
import type { Entity, NodeBody, TaskNode } from "./entity.ts";
import { DEFAULT_PRIORITY } from "./new_entity.ts";
import { pathOf } from "./tree.ts";

export function newTaskNode(
  id: string,
  step: string,
  ordinal: number,
  body: Partial<NodeBody> & { title: string },
): TaskNode {
  return {
    $: `node.${id}.`,
    id,
    step,
    ordinal,
    status: "TODO",
    priority: DEFAULT_PRIORITY,
    description: "",
    context: null,
    success_criteria: [],
    next_steps: [],
    blockers: [],
    dependencies: [],
    problems: [],
    risks: [],
    deleted: false,
    ...body,
  };
}

/** `s:0.t:1` */
export function nodePath(entity: Entity, node: TaskNode): string {
  return `${pathOf(entity.steps.get(node.step)!)}.t:${node.ordinal}`;
}

/** Name of the list that a step's nodes make, as `Entity.moved` uses it. */
export function nodeListName(stepId: string): string {
  return `step.${stepId}.nodes`;
}

/** The nodes of a step that were not deleted, in the order of their paths. */
export function liveNodes(entity: Entity, step: { readonly nodes: readonly string[] }): TaskNode[] {
  return step.nodes.map((id) => entity.nodes.get(id)!).filter((node) => !node.deleted);
}
