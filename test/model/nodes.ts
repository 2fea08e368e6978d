/** The model's task nodes (NODES rules): they gate nothing. */
import type { Change } from "./entity.ts";
import { below, children, parentOf, refuse } from "./entity.ts";
import type { Input } from "./input.ts";
import type { Model, Turn } from "./model.ts";
import { clean, titled } from "./steps.ts";

export function addNode(change: Change, { model, input }: Turn): void {
  const at = input.parent_step!;
  const step = model.stepOf(change.entity, at.startsWith("STEP-") ? { step_id: at } : { path: at });
  change.add(`${step}.t:${below(change.entity, step, "t").length}`, {
    title: titled(input.title!),
    status: input.status ?? "TODO",
    risks: clean(input.risks ?? []),
  });
  change.about(step);
}

/** By id, by path, or by both when they agree. */
export function nodeOf({ entity }: Change, model: Model, { task_node_id, path }: Input): string {
  if (entity.kind === "plan") refuse("INVALID_INPUT");
  const byId = task_node_id === undefined ? undefined : model.byId(entity, task_node_id);
  if (path === undefined) return byId ?? refuse("TARGET_REQUIRED");
  if (!/\.t:\d+$/.test(path)) refuse("INVALID_INPUT");
  const step = model.stepOf(entity, { path: parentOf(path) });
  if (!children(entity, step, "t").includes(path)) refuse("UNKNOWN_ID");
  return byId === undefined || byId === path ? path : refuse("TARGET_CONTRADICTION");
}

export function setNode(change: Change, node: string, { title, status, risks }: Input): void {
  if (title === undefined && status === undefined && risks === undefined) refuse("INVALID_INPUT");
  if (title !== undefined) change.write(node, "title", titled(title));
  if (status !== undefined) change.write(node, "status", status);
  if (risks !== undefined) change.write(node, "risks", clean(risks));
  change.about(parentOf(node));
}

export function defineNode(change: Change, { model, input }: Turn): void {
  setNode(change, nodeOf(change, model, input), input);
}

export function deleteNode(change: Change, { model, input }: Turn): void {
  const node = nodeOf(change, model, input);
  change.undoable = false;
  change.write(node, "deleted", true);
  change.about(parentOf(node));
}
