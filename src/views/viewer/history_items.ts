/** The changes of one log as the viewer lists them: who, with which tool, what it wrote, and what was taken back. */
import type { PastOp } from "../../events/history.ts";
import { changesOf } from "../../events/history.ts";
import type { FieldChange } from "../../events/writer.ts";
import { shorten } from "../../state/code_points.ts";
import type { Entity } from "../../state/entity.ts";
import { fieldLabel, partsOf } from "../../state/live.ts";
import { nodePath } from "../../state/task_node.ts";
import { pathOf } from "../../state/tree.ts";
import type { Json } from "../../state/json.ts";
import { isObject } from "../../state/json.ts";
import type { HistoryItem } from "./api.ts";

const MOST_CHANGES = 50;
const MOST_CHARACTERS = 2000;

/** Facts of an op that the log has and the fold does not keep. */
export interface OpFacts {
  agent_instance: string | null;
  turn: string | null;
  merged: boolean;
  /** Which op it took back or brought again. */
  turned: { op: string; how: "undo" | "redo" } | null;
}

export interface HistoryPast {
  entity: Entity;
  ops: readonly PastOp[];
  /** Of the op of that hash. */
  factsOf: (op: string) => OpFacts;
}

/** Those from `from` to `to`, counted from 0. */
export function historyItems({ entity, ops, factsOf }: HistoryPast, from: number, to: number): HistoryItem[] {
  const revisions = new Map(ops.map(({ op, revision }) => [op, revision]));
  const redone = new Set<string>();
  for (const { op } of ops) {
    const { turned } = factsOf(op);
    if (turned?.how === "redo") redone.add(turned.op);
  }
  return ops.slice(from, to).map((past) => {
    const { agent_instance, turn, merged, turned } = factsOf(past.op);
    const changes = changesOf(entity, past);
    return {
      revision: past.revision,
      op: past.op,
      ts: past.ts,
      by: past.by,
      agent_instance,
      turn,
      tool: past.tool,
      message: past.message,
      events: [...past.types],
      undone: past.undone,
      redone: !past.undone && redone.has(past.op),
      undoable: past.undoable && !past.undone,
      turns: turned && { op: turned.op, revision: revisions.get(turned.op) ?? null, how: turned.how },
      merged,
      changes: changes.slice(0, MOST_CHANGES).map((change) => changeItem(entity, change)),
      changes_total: changes.length,
    };
  });
}

function changeItem(entity: Entity, { field, before, after }: FieldChange): HistoryItem["changes"][number] {
  const { label, textOf } = wordsOf(entity, field, [before, after]);
  return { field, label, before: bounded(textOf(before)), after: bounded(textOf(after)) };
}

interface FieldWords {
  label: string;
  textOf: (value: Json) => Json;
}

/** Hashes and ids name what has no name of its own in the log. People know it by its step and its text. */
function wordsOf(entity: Entity, field: string, values: readonly Json[]): FieldWords {
  const [kind = "", id = ""] = field.split(".", 2);
  if (kind === "note" || kind === "trace") {
    const step = values.map((value) => memberOf(value, "step")).find((one) => typeof one === "string");
    return { label: below(entity, step ?? "", kind), textOf: (value) => memberOf(value, "text") };
  }
  if (kind === "card") {
    const card = entity.cards.get(field.slice("card.".length));
    const text = card ? `${card.title}\n${card.text}`.trim() : id;
    return { label: `card ${card?.title ?? id}`, textOf: (value) => (memberOf(value, "gone") === true ? null : text) };
  }
  if (kind === "gate") {
    const gate = field.slice("gate.".length);
    return { label: below(entity, gate.replace(/^gate-/, ""), "gate", `gate ${gate}`), textOf: (value) => value };
  }
  const { step, node, name } = partsOf(entity, field);
  const item = node ?? step;
  if (item && name === "deleted") {
    const path = node ? nodePath(entity, node) : pathOf(step!);
    return { label: path, textOf: (value) => (value === true ? null : item.title) };
  }
  return { label: fieldLabel(entity, field), textOf: (value) => value };
}

/** `s:0 note` where the id is that of a step. */
function below(entity: Entity, id: string, name: string, otherwise = name): string {
  const step = entity.steps.get(id);
  return step ? `${pathOf(step)} ${name}` : otherwise;
}

function memberOf(value: Json, name: string): Json {
  return isObject(value) ? (value[name] ?? null) : null;
}

function bounded(value: Json | undefined): Json {
  if (value === undefined || value === null) return null;
  if (typeof value === "boolean" || typeof value === "number") return value;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const cut = shorten(text, MOST_CHARACTERS);
  return cut === text ? value : cut;
}
