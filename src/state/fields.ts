/** Fields by name, for undo: `title`, `step.STEP-0A1B2C3D.confirmed.tests`, `gate.<id>`, `note.<hash>` (EVENT-4). */
import { CHECKPOINTS, NODE_LISTS, PROOF_CHECKPOINTS, PROOF_MODES, STATUSES } from "./entity.ts";
import type { Entity, Step } from "./entity.ts";
import { isObject } from "./json.ts";
import type { Json } from "./json.ts";
import type { Node } from "./node.ts";

const STEP_FIELD = /^step\.(STEP-[0-9A-F]{8})\.(?:(confirmed|proof)\.)?([a-z_]+)$/;
const STEP_LEASE = /^step\.(STEP-[0-9A-F]{8})\.lease$/;

const PRESENCE = /^(?:step\.STEP|node\.NODE)-[0-9A-F]{8}\.deleted$/;

/** `step.<id>.deleted` or `node.<id>.deleted`: whether a step or node is there. */
export function isPresence(field: string): boolean {
  return PRESENCE.test(field);
}

type Kind = (value: unknown) => boolean;

const text: Kind = (v) => typeof v === "string";
const textOrNull: Kind = (v) => v === null || text(v);
const texts: Kind = (v) => Array.isArray(v) && v.every(text);
const flag: Kind = (v) => typeof v === "boolean";
const refs: Kind = (v) => Array.isArray(v) && v.every((ref) => isObject(ref) && text(ref["id"]) && text(ref["root"]));
const anything: Kind = () => true;
const modes: Kind = (v) =>
  isObject(v) && PROOF_CHECKPOINTS.every((c) => v[c] === undefined || PROOF_MODES.some((mode) => mode === v[c]));
const eyes: Kind = (v) => isObject(v) && CHECKPOINTS.every((c) => v[c] === undefined || v[c] === "other");
const oneOf =
  (words: readonly string[]): Kind =>
  (v) =>
    words.includes(v as string);

/** Fields that go where `status` goes: logs from before there were such fields reverse `status` alone. */
export const OF_STATUS = ["ended_at", "ended_by"] as const;

/**
 * The fields of an entity that undo may set, with the kind of value of each; the rest is identity, bookkeeping or
 * additions.
 */
const OWN = kinds({
  title: text,
  description: text,
  context: textOrNull,
  priority: text,
  tags: texts,
  depends_on: refs,
  domain: textOrNull,
  phase: textOrNull,
  component: textOrNull,
  assignee: textOrNull,
  complete_when_done: (v) => v === null || flag(v),
  contract: textOrNull,
  contract_data: anything,
  proof: modes,
  status: oneOf(STATUSES),
  status_reason: textOrNull,
  ended_at: textOrNull,
  ended_by: textOrNull,
});

const OF_CHECKLIST = kinds({
  doc: text,
  steps: texts,
  current: (v) => Number.isSafeInteger(v) && (v as number) >= 0,
});

const NODE_FIELD = /^node\.(NODE-[0-9A-F]{8})\.([a-z_]+)$/;
const OF_NODE = kinds({
  ...Object.fromEntries(NODE_LISTS.map((list) => [list, texts])),
  title: text,
  status: oneOf(STATUSES),
  priority: text,
  description: text,
  context: textOrNull,
  deleted: flag,
});

const OF_STEP = kinds({
  title: text,
  success_criteria: texts,
  tests: texts,
  blockers: texts,
  depends_on: texts,
  files: texts,
  confirm: eyes,
  packet: flag,
  done: flag,
  done_at: textOrNull,
  done_by: textOrNull,
  forced: textOrNull,
  reopened: textOrNull,
  blocked: flag,
  block_reason: textOrNull,
  deleted: flag,
});

const CONFIRMED = kinds(Object.fromEntries(CHECKPOINTS.map((c) => [c, flag])));
const PROOF = kinds(Object.fromEntries(CHECKPOINTS.map((c) => [c, oneOf(PROOF_MODES)])));

/** Fields that are no part of a node, by the beginning of their names. */
const ENTRIES = kinds({
  gate: (v) => v === null || (isObject(v) && text(v["id"]) && text(v["state"])),
  note: (v) => isObject(v) && (v["gone"] === true || ["ts", "by", "text"].every((key) => text(v[key]))),
  trace: (v) => isObject(v) && (v["gone"] === true || ["ts", "by", "text"].every((key) => text(v[key]))),
  card: (v) => isObject(v) && flag(v["gone"]),
});

function kinds(of: Record<string, Kind>): ReadonlyMap<string, Kind> {
  return new Map(Object.entries(of));
}

export interface FieldPlace {
  node: Node;
  key: string;
  kind: Kind;
  step?: Step;
}

/** The node and key that a field's name means; undefined when it is no field that can be set. */
export function fieldAt(entity: Entity, field: string): FieldPlace | undefined {
  const own = OWN.get(field);
  if (own) return { node: entity, key: field, kind: own };
  const { checklist } = entity;
  if (field.startsWith(checklist.$)) return placeIn(checklist, field.slice(checklist.$.length), OF_CHECKLIST);
  const ofNode = NODE_FIELD.exec(field);
  const taskNode = ofNode && entity.nodes.get(ofNode[1]!);
  if (taskNode) return placeIn(taskNode, ofNode[2]!, OF_NODE);
  const match = STEP_FIELD.exec(field);
  const step = match && entity.steps.get(match[1]!);
  if (!step) return undefined;
  const [, , group, key] = match;
  const place =
    group === undefined
      ? placeIn(step, key!, OF_STEP)
      : placeIn(group === "confirmed" ? step.confirmed : step.proof, key!, group === "confirmed" ? CONFIRMED : PROOF);
  return place && { ...place, step };
}

/** The value of a field that undo may set, or of a claim; undefined where it is none, or is away. */
export function valueAt(entity: Entity, field: string): Json | undefined {
  const claimed = field === "lease" ? entity : entity.steps.get(STEP_LEASE.exec(field)?.[1] ?? "");
  if (claimed) return claimed.lease as Json;
  const at = fieldAt(entity, field);
  return at && (at.node as unknown as Record<string, Json>)[at.key];
}

function placeIn(node: Node, key: string, of: ReadonlyMap<string, Kind>): FieldPlace | undefined {
  const kind = of.get(key);
  return kind && { node, key, kind };
}

/** Whether there is such a field and it can hold the value: what a log says may be anything. */
export function fitsField(entity: Entity, field: string, value: unknown): boolean {
  const entry = ENTRIES.get(field.slice(0, Math.max(0, field.indexOf("."))));
  return (entry ?? fieldAt(entity, field)?.kind)?.(value) ?? false;
}
