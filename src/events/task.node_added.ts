import { openObject, text } from "../state/schema.ts";
import { newTaskNode } from "../state/task_node.ts";
import { defineEvent } from "./define.ts";
import { bodyOf, nodeDetails, nodeId } from "./node_body.ts";
import { liveStep, message, stepId } from "./parts.ts";

export const taskNodeAdded = defineEvent({
  type: "task.node_added",
  doc: "A task node was added at the end of a step's nodes.",
  payload: openObject({ step_id: stepId, node_id: nodeId, title: text(), ...nodeDetails, message }),
  undoable: true,
  undo: "Deletes the node, unless work was done on it since.",
  apply: (entity, p, _fact, w) => {
    const step = liveStep(entity, p.step_id);
    if (!step || entity.nodes.has(p.node_id)) return;
    const node = newTaskNode(p.node_id, step.id, step.nodes.length, { ...bodyOf(p), title: p.title });
    w.put("nodes", entity.nodes, node.id, node);
    w.push(step, "nodes", step.nodes, node.id);
  },
});
