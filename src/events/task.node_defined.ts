import { openObject, optional, text } from "../state/schema.ts";
import type { NodeBody } from "../state/entity.ts";
import { defineEvent } from "./define.ts";
import { bodyOf, nodeDetails, nodeId } from "./node_body.ts";
import { liveNode, message, stepId } from "./parts.ts";

export const taskNodeDefined = defineEvent({
  type: "task.node_defined",
  doc: "Fields of a task node were set; a list replaces the list.",
  payload: openObject({ step_id: stepId, node_id: nodeId, title: optional(text()), ...nodeDetails, message }),
  undoable: true,
  undo: "Restores every field it set.",
  apply: (entity, p, _fact, w) => {
    const node = liveNode(entity, p.node_id);
    if (!node) return;
    for (const [field, value] of Object.entries(bodyOf(p))) w.write(node, field as keyof NodeBody, value as never);
  },
});
