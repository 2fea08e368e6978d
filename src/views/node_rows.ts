/** Task nodes of a step with everything that was said of them (NODES-4). */
import type { Entity } from "../state/entity.ts";
import { DEFAULT_PRIORITY } from "../state/new_entity.ts";
import type { JsonObject } from "../state/schema.ts";
import type { Step } from "../state/step.ts";
import type { TaskNode } from "../state/task_node.ts";
import { liveNodes, NODE_LISTS, nodePath } from "../state/task_node.ts";

/** A member of the step's own row; none where there are no nodes. */
export function nodeRows(entity: Entity, step: Step): { task_nodes?: JsonObject[] } {
  const nodes = liveNodes(entity, step);
  return nodes.length === 0 ? {} : { task_nodes: nodes.map((node) => nodeRow(entity, node)) };
}

/** What says nothing is left out. */
function nodeRow(entity: Entity, node: TaskNode): JsonObject {
  const { id, title, status, priority, description, context } = node;
  const lists = NODE_LISTS.filter((name) => node[name].length > 0);
  return {
    task_node_id: id,
    path: nodePath(entity, node),
    title,
    status,
    ...(priority === DEFAULT_PRIORITY ? {} : { priority }),
    ...(description === "" ? {} : { description }),
    ...(context === null ? {} : { context }),
    ...Object.fromEntries(lists.map((name) => [name, [...node[name]]])),
  };
}
