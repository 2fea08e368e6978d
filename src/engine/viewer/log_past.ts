/** The whole past of one log as the viewer needs it: every op with what it wrote, and what only events tell. */
import { Fold } from "../../events/fold.ts";
import type { PastOp } from "../../events/history.ts";
import { isKnownType } from "../../events/index.ts";
import { shortHex } from "../../events/evidence.captured.ts";
import { refuseAboveHeld } from "../../log/limits.ts";
import { Replay } from "../../log/replay.ts";
import type { Event, Op } from "../../log/types.ts";
import { headDigest } from "../../log/canonical.ts";
import type { OpFacts } from "../../views/viewer/history_items.ts";
import type { LogActivity } from "../../views/viewer/log_activity.ts";
import { ActivityReader } from "../../views/viewer/log_activity.ts";
import { WROTE_NOTHING, writtenBy } from "../../views/viewer/written.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";

export interface LogPast {
  head: string;
  ops: readonly PastOp[];
  factsOf: (op: string) => OpFacts;
  /** Addresses that evidence was captured with, by the entry's id. */
  addresses: ReadonlyMap<string, readonly string[]>;
}

const NO_FACTS: OpFacts = { agent_instance: null, turn: null, merged: false, turned: null, written: WROTE_NOTHING };

/** Undefined where the log holds no entity. Costs a replay, and memory for the values of each op, of which the first characters are kept. */
export function logPast(loaded: LoadedEntity): LogPast | undefined {
  const fold = new Fold(Infinity, true);
  let facts = new Map<string, OpFacts>();
  let addresses = new Map<string, readonly string[]>();
  let before: string | undefined;
  const replay = new Replay(
    {
      reset: () => {
        fold.reset();
        facts = new Map();
        addresses = new Map();
        before = undefined;
      },
      op: (op, place) => {
        const again = fold.op(op, place);
        const { entity, history } = fold;
        const past = history.ops.at(-1);
        const told = factsOf(op, before);
        const turned = told.turned ? facts.get(told.turned.op)?.written : undefined;
        const written = entity && past?.op === op.hash ? writtenBy({ op, past, entity, turned }) : WROTE_NOTHING;
        facts.set(op.hash, { ...told, written });
        before = op.last;
        for (const event of op.events) noteAddresses(event, addresses);
        return again;
      },
    },
    { isKnownType },
  );
  loaded.log.withSource((source) => {
    refuseAboveHeld(source.size());
    replay.load(source);
  });
  const { entity } = fold;
  if (!entity) return undefined;
  const head = headDigest(replay.report.heads);
  return { head, ops: fold.history.ops, factsOf: (op) => facts.get(op) ?? NO_FACTS, addresses };
}

function factsOf({ events }: Op, before: string | undefined): Omit<OpFacts, "written"> {
  const [first] = events;
  const { agentInstance, turnId, prev, type, payload } = first!;
  const how: "undo" | "redo" | null = type === "undo.applied" ? "undo" : type === "redo.applied" ? "redo" : null;
  const turned = how && typeof payload["op"] === "string" ? { op: payload["op"], how } : null;
  return {
    agent_instance: agentInstance ?? null,
    turn: turnId ?? null,
    merged: before !== undefined && !prev.includes(before),
    turned,
  };
}

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
    for (const kind of ["cmd", "file", "log"]) addresses.set(`${kind}-${shortHex(hash)}-${i + 1}`, given);
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

/** Undefined where the log holds no entity. */
export function logOverTime(loaded: LoadedEntity): LogOverTime | undefined {
  const fold = new Fold(1);
  let reader = new ActivityReader(loaded.id);
  let waiting: Op | null = null;
  let end = 0;
  // An op's bytes reach to the next one: each is told once that is met.
  const tell = (until: number): void => {
    const { entity } = fold;
    if (waiting && entity) reader.take(waiting, entity, Math.max(0, until - waiting.offset));
    waiting = null;
  };
  const replay = new Replay(
    {
      reset: () => {
        fold.reset();
        reader = new ActivityReader(loaded.id);
        waiting = null;
      },
      op: (op, place) => {
        tell(op.offset);
        const again = fold.op(op, place);
        waiting = op;
        return again;
      },
    },
    { isKnownType },
  );
  loaded.log.withSource((source) => {
    end = source.size();
    replay.load(source);
  });
  tell(end);
  const { entity } = fold;
  const { report } = replay;
  return entity ? { activity: reader.end(entity), events: report.events, revisions: report.ops } : undefined;
}
