/** Finding the task node that a caller means, by id, by path, or by both when they agree (NODES-2). */
import { TaskfoldError } from "../errors.ts";
import { remedy, toolName } from "../remedy.ts";
import type { Entity, TaskNode } from "./entity.ts";
import { isLiveNode } from "./live.ts";
import { nodeListName, nodePath } from "./task_node.ts";
import { selectStep } from "./tree.ts";

export interface NodeSelector {
  task_node_id?: string;
  path?: string;
}

const NODE_PATH = /^(.+)\.t:(0|[1-9]\d{0,6})$/;

/** Refusals as `selectStep` has them. */
export function selectNode(entity: Entity, by: NodeSelector): TaskNode {
  const byId = by.task_node_id === undefined ? undefined : nodeById(entity, by.task_node_id);
  if (by.path === undefined) {
    if (byId) return byId;
    throw new TaskfoldError("TARGET_REQUIRED", "Expected task_node_id or path to name a task node, found neither.", {
      recovery: "Give task_node_id (safe against moves) or path, such as s:0.t:1.",
    });
  }
  const atPath = nodeAt(entity, by.path, byId === undefined);
  if (byId && byId !== atPath) {
    throw new TaskfoldError(
      "TARGET_CONTRADICTION",
      `Expected task_node_id and path to name one node; ${byId.id} stands at ${nodePath(entity, byId)}, ${by.path} is ${atPath.id}.`,
      { recovery: "Give one of the two.", details: { task_node_id: byId.id, at_path: atPath.id } },
    );
  }
  return atPath;
}

function nodeById(entity: Entity, id: string): TaskNode {
  const node = entity.nodes.get(id);
  if (node && isLiveNode(entity, node)) return node;
  throw new TaskfoldError("UNKNOWN_ID", `Expected the id of a task node of this task, found ${JSON.stringify(id)}.`, {
    ...remedy`${toolName("tasks_mirror")} names the nodes that are there.`,
  });
}

function nodeAt(entity: Entity, path: string, byPathAlone: boolean): TaskNode {
  const match = NODE_PATH.exec(path);
  if (!match) {
    throw new TaskfoldError(
      "INVALID_INPUT",
      `Expected the path of a task node such as s:0.t:1, found ${JSON.stringify(path.slice(0, 80))}.`,
    );
  }
  const step = selectStep(entity, { path: match[1]! }, byPathAlone ? "write" : "read");
  const node = entity.nodes.get(step.nodes[Number(match[2])] ?? "");
  if (!node || node.deleted) {
    throw new TaskfoldError("UNKNOWN_ID", `Expected a path of this task, found ${path}, where no task node stands.`, {
      ...remedy`${toolName("tasks_mirror")} names the nodes that are there.`,
    });
  }
  const moved = byPathAlone ? entity.moved.get(nodeListName(step.id)) : undefined;
  if (moved?.includes(node.id)) {
    throw new TaskfoldError(
      "PATH_MOVED",
      `Expected a path that names one task node on every branch; a merge moved ${path}, which is now ${node.id}.`,
      {
        recovery: `Name the node by task_node_id: ${node.id} stands at ${path} now.`,
        details: { path, task_node_id: node.id, moved },
      },
    );
  }
  return node;
}
