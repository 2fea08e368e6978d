/** Fields by name, for undo: `title`, `step.STEP-0A1B2C3D.confirmed.tests`, `gate.<id>`, `note.<hash>` (EVENT-4). */
import type { Entity } from "./entity.ts";
import type { Node } from "./node.ts";
import type { Step } from "./step.ts";
import { NODE_LISTS } from "./task_node.ts";

const STEP_FIELD = /^step\.(STEP-[0-9A-F]{8})\.(?:(confirmed|proof)\.)?([a-z_]+)$/;

/** What of an entity undo may set; the rest is identity, bookkeeping or additions. */
const OWN: ReadonlySet<string> = new Set([
  "title",
  "description",
  "context",
  "priority",
  "tags",
  "depends_on",
  "domain",
  "phase",
  "component",
  "assignee",
  "contract",
  "contract_data",
  "status",
  "status_reason",
]);

const OF_CHECKLIST: ReadonlySet<string> = new Set(["checklist.doc", "checklist.steps", "checklist.current"]);

const NODE_FIELD = /^node\.(NODE-[0-9A-F]{8})\.([a-z_]+)$/;
const OF_NODE: ReadonlySet<string> = new Set([
  ...NODE_LISTS,
  "title",
  "status",
  "priority",
  "description",
  "context",
  "deleted",
]);

const OF_STEP: ReadonlySet<string> = new Set([
  "title",
  "success_criteria",
  "tests",
  "blockers",
  "depends_on",
  "done",
  "done_at",
  "done_by",
  "forced",
  "reopened",
  "blocked",
  "block_reason",
  "deleted",
]);

/** The node and key that a field's name means; undefined when it is no field that can be set. */
export function fieldAt(entity: Entity, field: string): { node: Node; key: string; step?: Step } | undefined {
  if (OWN.has(field)) return { node: entity, key: field };
  if (OF_CHECKLIST.has(field)) return { node: entity.checklist, key: field.slice(entity.checklist.$.length) };
  const ofNode = NODE_FIELD.exec(field);
  const taskNode = ofNode && entity.nodes.get(ofNode[1]!);
  if (taskNode) return OF_NODE.has(ofNode[2]!) ? { node: taskNode, key: ofNode[2]! } : undefined;
  const match = STEP_FIELD.exec(field);
  const step = match && entity.steps.get(match[1]!);
  if (!step) return undefined;
  const [, , group, key] = match;
  if (group === undefined) return OF_STEP.has(key!) ? { node: step, key: key!, step } : undefined;
  const node = group === "confirmed" ? step.confirmed : step.proof;
  return key! in node && key !== "$" ? { node, key: key!, step } : undefined;
}

/** True when `value` is of the kind the field holds: what a log says may be anything. */
export function fits(current: unknown, value: unknown, field: string): boolean {
  if (field === "contract_data") return true;
  if (Array.isArray(current)) return Array.isArray(value);
  if (typeof current === "number") return Number.isSafeInteger(value);
  if (typeof current === "boolean") return typeof value === "boolean";
  return value === null || typeof value === "string";
}
