/** Task nodes of a step with everything that was said of them (NODES-4). */
import { hasEnded } from "../state/ended.ts";
import type { Entity, Step, TaskNode } from "../state/entity.ts";
import { DEFAULT_PRIORITY } from "../state/new_entity.ts";
import type { JsonObject } from "../state/schema.ts";
import { postOrder } from "../state/tree.ts";
import { liveNodes, nodePath } from "../state/task_node.ts";
import { NODE_LISTS } from "../state/entity.ts";

/** A member of the step's own row; none where there are no nodes. */
export function nodeRows(entity: Entity, step: Step): { task_nodes?: JsonObject[] } {
  const nodes = liveNodes(entity, step);
  return nodes.length === 0 ? {} : { task_nodes: nodes.map((node) => nodeRow(entity, node)) };
}

export type OpenNodes = { entries: JsonObject[]; open: number; total: number };

/** The first nodes of open steps that have not ended, with how many there are; null where no step has nodes. */
export function openNodes(entity: Entity, most: number): OpenNodes | null {
  const found: OpenNodes = { entries: [], open: 0, total: 0 };
  for (const step of postOrder(entity.children)) {
    const nodes = liveNodes(entity, step);
    found.total += nodes.length;
    const open = step.done ? [] : nodes.filter((node) => !hasEnded(node));
    found.open += open.length;
    found.entries.push(...open.slice(0, most - found.entries.length).map((node) => nodeRow(entity, node)));
  }
  return found.total === 0 ? null : found;
}

/** Members without a value are left out. */
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
