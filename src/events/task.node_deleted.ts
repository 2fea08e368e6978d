import { openObject } from "../state/schema.ts";
import { defineEvent } from "./define.ts";
import { nodeId } from "./node_body.ts";
import { liveNode, message, stepId } from "./parts.ts";

export const taskNodeDeleted = defineEvent({
  type: "task.node_deleted",
  doc: "A task node was deleted. Its path is never given to another node.",
  payload: openObject({ step_id: stepId, node_id: nodeId, message }),
  undoable: false,
  undo: "Cannot be undone.",
  apply: (entity, p, _fact, w) => {
    const node = liveNode(entity, p.node_id);
    if (node) w.write(node, "deleted", true);
  },
});
