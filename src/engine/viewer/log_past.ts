/** The whole past of one log as the viewer needs it: every op with what it wrote, and what only events tell. */
import type { Fold } from "../../events/fold.ts";
import type { PastOp } from "../../events/history.ts";
import { derivedId } from "../../events/evidence.captured.ts";
import { refuseAboveHeld } from "../../log/limits.ts";
import type { Event, Op } from "../../log/types.ts";
import { headDigest } from "../../log/canonical.ts";
import type { OpFacts } from "../../views/viewer/history_items.ts";
import type { LogActivity } from "../../views/viewer/log_activity.ts";
import { ActivityReader } from "../../views/viewer/log_activity.ts";
import { WROTE_NOTHING, writtenBy } from "../../views/viewer/written.ts";
import { foldLog } from "../../fold_log.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";

export interface LogPast {
  head: string;
  ops: readonly PastOp[];
  factsOf: (op: string) => OpFacts;
  /** Addresses that evidence was captured with, by the entry's id. */
  addresses: ReadonlyMap<string, readonly string[]>;
}

const NO_FACTS: OpFacts = { agent_instance: null, turn: null, merged: false, reversal: null, written: WROTE_NOTHING };

interface Gathered {
  facts: Map<string, OpFacts>;
  addresses: Map<string, readonly string[]>;
  /** The last event of the op before. */
  before: string | undefined;
}

/** Undefined where the log holds no entity. Costs a replay, and memory for the values of each op, of which the first characters are kept. */
export function logPast(loaded: LoadedEntity): LogPast | undefined {
  const start = (): Gathered => ({ facts: new Map(), addresses: new Map(), before: undefined });
  const each = (op: Op, { entity, history }: Fold, gathered: Gathered): void => {
    const { facts, addresses, before } = gathered;
    const past = history.ops.at(-1);
    const ownFacts = factsOf(op, before);
    const reversed = ownFacts.reversal ? facts.get(ownFacts.reversal.op)?.written : undefined;
    const written = entity && past?.op === op.hash ? writtenBy({ op, past, entity, reversed }) : WROTE_NOTHING;
    facts.set(op.hash, { ...ownFacts, written });
    gathered.before = op.last;
    for (const event of op.events) noteAddresses(event, addresses);
  };
  const { fold, entity, report, gathered } = loaded.log.withSource((source) => {
    refuseAboveHeld(source.size());
    return foldLog(source, { ring: Infinity, whole: true, start, each });
  });
  if (!entity) return undefined;
  const { facts, addresses } = gathered;
  const head = headDigest(report.heads);
  return { head, ops: fold.history.ops, factsOf: (op) => facts.get(op) ?? NO_FACTS, addresses };
}

function factsOf({ events }: Op, before: string | undefined): Omit<OpFacts, "written"> {
  const [first] = events;
  const { agentInstance, turnId, prev, type, payload } = first!;
  const how: "undo" | "redo" | null = type === "undo.applied" ? "undo" : type === "redo.applied" ? "redo" : null;
  const reversal = how && typeof payload["op"] === "string" ? { op: payload["op"], how } : null;
  return {
    agent_instance: agentInstance ?? null,
    turn: turnId ?? null,
    merged: before !== undefined && !prev.includes(before),
    reversal,
  };
}

const EVIDENCE_KINDS = ["command-execution", "file-anchor", "runtime-event-range"] as const;

/** As the fold names the entries of an event. */
function noteAddresses({ type, hash, payload }: Event, addresses: Map<string, readonly string[]>): void {
  const items = type === "evidence.captured" ? payload["items"] : undefined;
  if (!Array.isArray(items)) return;
  for (const [i, item] of items.entries()) {
    const {
      url,
      external_uri,
      evidence_id: id,
    } = (item ?? {}) as Partial<Record<"url" | "external_uri" | "evidence_id", unknown>>;
    const given = [url, external_uri].filter((one) => typeof one === "string");
    if (given.length === 0) continue;
    for (const kind of EVIDENCE_KINDS) addresses.set(derivedId({ kind }, hash, i, payload["long_ids"] === true), given);
    // Of two entries that were given one id, the first has it.
    if (typeof id === "string" && !addresses.has(id)) addresses.set(id, given);
  }
}

/** One log over time, and how many events there are. */
export interface LogOverTime {
  activity: LogActivity;
  events: number;
  revisions: number;
}

interface Reading {
  reader: ActivityReader;
  waiting: Op | null;
}

/** Undefined where the log holds no entity. */
export function logOverTime(loaded: LoadedEntity): LogOverTime | undefined {
  // An op's bytes reach to the next one: each is told once that is met.
  const tell = ({ reader, waiting }: Reading, { entity }: Fold, until: number): void => {
    if (waiting && entity) reader.take(waiting, entity, Math.max(0, until - waiting.offset));
  };
  return loaded.log.withSource((source) => {
    const end = source.size();
    const { fold, entity, report, gathered } = foldLog(source, {
      ring: 1,
      start: (): Reading => ({ reader: new ActivityReader(loaded.id), waiting: null }),
      before: (op, before, reading) => tell(reading, before, op.offset),
      each: (op, _fold, reading) => void (reading.waiting = op),
    });
    tell(gathered, fold, end);
    const { events, ops: revisions } = report;
    return entity ? { activity: gathered.reader.end(entity), events, revisions } : undefined;
  });
}
