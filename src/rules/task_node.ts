/** Task nodes: pieces of work inside a step (NODES rules). They gate nothing, so nothing is reopened for them. */
import { messageOf } from "../message.ts";
import { isTaskfoldError, TaskfoldError } from "../errors.ts";
import { remedy, remedyOf, toolName } from "../remedy.ts";
import type { Draft } from "../events/define.ts";
import { taskNodeAdded } from "../events/task.node_added.ts";
import { taskNodeDefined } from "../events/task.node_defined.ts";
import { taskNodeDeleted } from "../events/task.node_deleted.ts";
import type { NodeBody, NodeList, Status, Subject, TaskNode } from "../state/entity.ts";
import { isStepId } from "../state/ids.ts";
import type { NodeSelector } from "../state/select_node.ts";
import { selectNode } from "../state/select_node.ts";
import { nodePath } from "../state/task_node.ts";
import { NODE_LISTS } from "../state/entity.ts";
import { pathOf } from "../state/tree.ts";
import { sentence } from "./phrase.ts";
import { refusePlan, stepOf } from "./step_of.ts";
import { callOn } from "./suggest.ts";
import { checkText, checkTitle, cleanList } from "./text.ts";

export interface NodeFields extends Partial<Record<NodeList, readonly string[]>> {
  title?: string;
  status?: Status;
  priority?: string;
  description?: string | null;
  context?: string | null;
}

/** Adds a node at the end of the step that `parentStep` (a path or step id) names. */
export function addNode(
  subject: Subject,
  parentStep: string,
  input: NodeFields & { title: string },
  newNodeId: () => string,
): Draft[] {
  const step = stepOf(subject, isStepId(parentStep) ? { step_id: parentStep } : { path: parentStep });
  const title = checkTitle(input.title);
  const where = `${pathOf(step)}.t:${step.nodes.length}`;
  return [
    taskNodeAdded.draft({
      step_id: step.id,
      node_id: newNodeId(),
      ...checked(input),
      title,
      message: sentence(`Added task node ${where} "${title}"`),
    }),
  ];
}

/** Sets what is given and nothing else. INVALID_INPUT when nothing is. */
export function defineNode(subject: Subject, node: TaskNode, input: NodeFields): Draft[] {
  const set = checked(input);
  const fields = Object.keys(set);
  if (fields.length === 0) {
    throw new TaskfoldError("INVALID_INPUT", "Expected at least one field of the task node to set, found none.", {
      recovery: `Give title, status, priority, description, context, ${NODE_LISTS.join(", ")}.`,
      suggestions: [
        callOn(
          subject,
          "tasks_task_define",
          { task_node_id: node.id, title: "<fill: its new title>" },
          "Give it another title.",
        ),
      ],
    });
  }
  const message = sentence(`Defined ${fields.join(", ")} of ${nodeName(subject, node)}`);
  return [taskNodeDefined.draft({ step_id: node.step, node_id: node.id, ...set, message })];
}

export function deleteNode(subject: Subject, node: TaskNode): Draft[] {
  const message = sentence(`Deleted ${nodeName(subject, node)}`);
  return [taskNodeDeleted.draft({ step_id: node.step, node_id: node.id, message })];
}

/** The node a write means (NODES-2): INVALID_INPUT on a plan, else as `selectNode` refuses, with a call that shows what is there. */
export function nodeOf(subject: Subject, by: NodeSelector): TaskNode {
  refusePlan(subject);
  try {
    return selectNode(subject.entity, by);
  } catch (e) {
    if (!isTaskfoldError(e)) throw e;
    throw new TaskfoldError(e.code, messageOf(e), {
      ...remedy`Name the node by the task_node_id or path that ${toolName("tasks_mirror")} gives.`,
      ...remedyOf(e),
      suggestions: [callOn(subject, "tasks_mirror", {}, "See the steps and nodes that are there.")],
      ...(e.details === undefined ? {} : { details: e.details }),
      cause: e,
    });
  }
}

function nodeName({ entity }: Subject, node: TaskNode): string {
  return `task node ${nodePath(entity, node)} "${node.title}"`;
}

function checked(input: NodeFields): Partial<NodeBody> {
  const { title, status, priority, description, context } = input;
  const lists = NODE_LISTS.filter((name) => input[name] !== undefined);
  return {
    ...(title === undefined ? {} : { title: checkTitle(title) }),
    ...(status === undefined ? {} : { status }),
    ...(priority === undefined ? {} : { priority: checkTitle(priority, "priority") }),
    ...(description === undefined ? {} : { description: checkText(description ?? "", "description") }),
    ...(context === undefined ? {} : { context: context === null ? null : checkText(context, "context") }),
    ...Object.fromEntries(lists.map((name) => [name, cleanList(input[name]!, name)])),
  };
}
