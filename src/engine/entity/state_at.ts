/**
 * The state as it was right after one op: the log replayed up to it, in the order it has now. Costs a read of the log, so
 * it is for rare questions; the state at the present end is in memory.
 */
import { TaskfoldError } from "../../errors.ts";
import { remedy, toolName } from "../../remedy.ts";
import { millis } from "../../events/adopted.ts";
import type { Fold } from "../../events/fold.ts";
import { withPending } from "../../events/foreign.adopted.ts";
import { isKnownType } from "../../events/index.ts";
import { headDigest } from "../../log/canonical.ts";
import { readOps } from "../../log/read_ops.ts";
import type { Op } from "../../log/types.ts";
import type { Entity, Subject } from "../../state/entity.ts";
import type { Packet } from "../../state/packet.ts";
import { foldLog } from "../../fold_log.ts";
import type { LoadedEntity } from "./loaded_entity.ts";

export interface Moment {
  subject: Subject;
  fold: Fold;
  op: Op;
}

/** Undefined when no op of the log is the one. `ring`: how many past ops the fold keeps in detail; `whole`: it keeps all notes and trace. */
export function stateAt(
  loaded: LoadedEntity,
  workspace: string,
  isIt: (op: Op) => boolean,
  { reversed = [], ...kept }: { ring?: number; whole?: boolean; reversed?: readonly string[] } = {},
): Moment | undefined {
  const options = { until: isIt, want: reversed, ...kept };
  const { fold, entity, last } = loaded.log.withSource((source) => foldLog(source, options));
  if (!last || !entity) return undefined;
  // In a log with branches the heads of a prefix are not one op; the state is named by the op all the same.
  return { subject: { id: loaded.id, workspace, entity, head: headDigest([last.last]) }, fold, op: last };
}

/** All that the packet of an entity was, the present one last. */
export function packetStates(loaded: LoadedEntity): Packet[] {
  const each = (_op: Op, { entity }: Fold, states: Packet[]): void => {
    const packet = entity?.packet;
    if (packet && packet !== states.at(-1)) states.push(packet);
  };
  return loaded.log.withSource((source) => foldLog(source, { start: (): Packet[] => [], each })).gathered;
}

/** The state right after the op of that hash, which the log is known to hold. */
export function stateAfter(loaded: LoadedEntity, workspace: string, opHash: string): Moment {
  const moment = stateAt(loaded, workspace, (op) => op.hash === opHash);
  if (!moment) throw new TaskfoldError("INTERNAL", `Expected op ${opHash} in the log of ${loaded.id}, found none.`);
  return moment;
}

/**
 * The state that another program read at a time (nine digits). It has the ops and the program's own lines that were written
 * by then, as far as their times tell.
 */
export function stateAtTime(loaded: LoadedEntity, time: string): Entity {
  const { ops, report } = loaded.log.withSource((source) => readOps(source, { isKnownType, checkHash: false }));
  const last = Math.max(
    0,
    ops.findLastIndex((op) => op.events.at(-1)!.ts <= millis(time)),
  );
  const { entity } = stateAfter(loaded, "", ops[last]!.hash).subject;
  const later = ops.slice(last + 1).flatMap((op) => [...(op.foreign?.values() ?? [])].flat());
  const lines = [...later, ...report.foreign].filter((line) => line.ts <= time);
  return withPending(
    entity,
    lines.toSorted((a, b) => (a.ts < b.ts ? -1 : 1)),
  );
}

/** `at` of a read: a revision (ops applied), or the id of an event. */
export function stateAtInput(loaded: LoadedEntity, workspace: string, at: number | string): Subject {
  const isIt =
    typeof at === "number"
      ? (op: Op): boolean => op.index === at - 1
      : (op: Op): boolean => op.events.some((e) => e.hash === at);
  const moment = stateAt(loaded, workspace, isIt);
  if (moment) return moment.subject;
  const last = loaded.entity?.revision ?? 0;
  throw new TaskfoldError(
    "UNKNOWN_ID",
    `Expected at to be a revision from 1 to ${last} or the id of an event of ${loaded.id}, found ${JSON.stringify(at)}.`,
    {
      ...remedy`${toolName("tasks_history")} lists revisions and events.`,
      suggestions: [{ tool: "tasks_history", args: { workspace, target: loaded.id }, reason: "see which there are" }],
    },
  );
}
