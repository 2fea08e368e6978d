/**
 * The ops that worked on each step and node. With them an undo leaves an addition in which a branch worked that it had
 * not seen, and that had not seen it (UNDO-38). Where the undo comes first in replay order only a second reading of the
 * log can leave it.
 */
import type { Op } from "../log/types.ts";
import type { Entity } from "../state/entity.ts";
import { isPresence } from "../state/fields.ts";
import { EVENTS } from "./index.ts";
import type { Ancestry } from "../log/ancestry.ts";
import { WriterFrontier } from "./writer_frontier.ts";

/** An op that worked on something, as a conflict names it. */
export interface Worker {
  index: number;
  by: string;
  ts: string;
  op: string;
}

interface Deletion {
  index: number;
  key: string;
}

export class ConcurrentWork {
  /** The fields that undos leave, by op and field, as far as an earlier reading of the log found them. */
  readonly #left = new Set<string>();
  readonly #workers = new Map<string, WriterFrontier<Worker>>();
  /** Undos that deleted, by field and chain, the last one last. */
  readonly #deletions = new Map<string, Map<number, Deletion[]>>();

  /** The same log comes again from its first op. */
  reset(): void {
    this.#workers.clear();
    this.#deletions.clear();
  }

  /** Another log may come. */
  forget(): void {
    this.#left.clear();
  }

  /** Ops that worked there or below, of each chain the last, oldest first. */
  on(field: string): Worker[] {
    return [...(this.#workers.get(field)?.values() ?? [])];
  }

  /** Whether an undo leaves a step or node that its op added. */
  leaves({ hash, index }: Op, field: string, ancestry: Ancestry): boolean {
    const key = `${hash} ${field}`;
    if (this.#left.has(key) || this.on(field).some((worker) => !ancestry.isAncestor(worker.index, index))) return true;
    const chains = this.#deletions.get(field) ?? new Map<number, Deletion[]>();
    this.#deletions.set(field, chains);
    const chain = ancestry.chainOf(index);
    chains.set(chain, [...(chains.get(chain) ?? []), { index, key }]);
    return false;
  }

  /** Takes note of what an op worked on; "again" where an undo before it should have left that. */
  take(op: Op, fields: readonly string[], ancestry: Ancestry): "again" | undefined {
    let again: "again" | undefined;
    const { by, ts } = op.events.at(-1)!;
    for (const field of fields) {
      const workers = this.#workers.get(field) ?? new WriterFrontier<Worker>();
      this.#workers.set(field, workers);
      workers.see(op.index, ancestry);
      workers.add({ index: op.index, by, ts, op: op.hash }, ancestry);
      for (const deletions of this.#deletions.get(field)?.values() ?? []) {
        // Of one chain an op has seen the first ones.
        for (let last = deletions.at(-1); last && !ancestry.isAncestor(last.index, op.index); last = deletions.at(-1)) {
          this.#left.add(last.key);
          deletions.pop();
          again = "again";
        }
      }
    }
    return again;
  }
}

const ID = /^(?:step|node)\.((?:STEP|NODE)-[0-9A-F]{8})\./;

/** The presence of each step and node that an op worked on, and of those above it. */
export function presencesOf(entity: Entity, op: Op): string[] {
  const ids = new Set<string>();
  for (const { v, type, payload } of op.events) {
    if (v !== 1 || type === "step.deleted" || type === "task.node_deleted" || !EVENTS[type]?.fits(payload)) continue;
    const { step_id, parent, node_id, fields } = payload;
    for (const id of [step_id, parent, node_id, ...reversedIds(type, fields)]) if (typeof id === "string") ids.add(id);
  }
  const found = new Set<string>();
  for (const id of ids) {
    if (entity.nodes.has(id)) found.add(`node.${id}.deleted`);
    const first = entity.steps.get(entity.nodes.get(id)?.step ?? id);
    for (let step = first ?? null; step; step = step.parent) found.add(`step.${step.id}.deleted`);
  }
  return [...found];
}

/** Returns the ids that an undo or redo sets, but for those that an undo deletes. */
function reversedIds(type: string, fields: unknown): (string | undefined)[] {
  if (type !== "undo.applied" && type !== "redo.applied") return [];
  const named = (fields as { field: string }[]).filter(({ field }) => type === "redo.applied" || !isPresence(field));
  return named.map(({ field }) => ID.exec(field)?.[1]);
}
