import type { ForeignLine } from "../log/types.ts";
import type { Agent, Entity } from "../state/entity.ts";
import { list, openObject, text } from "../state/schema.ts";
import { millis } from "./adopted.ts";
import { defineEvent } from "./define.ts";
import { message } from "./parts.ts";
import { Writer } from "./writer.ts";

export const foreignAdopted = defineEvent({
  type: "foreign.adopted",
  doc: "Lines that another program wrote into this log get their place here, for good. They change roster and foreign gates only.",
  payload: openObject({ hashes: list(text()), message }),
  undoable: false,
  undo: "Cannot be undone; it is the engine's own.",
  free: true,
  apply: (entity, _p, _fact, w, foreign) => placeLines(entity, foreign, w),
});

/**
 * Returns the entity as the next op leaves it, which places these lines; `entity` stays as it is. Every reader of a log
 * with pending lines answers from this, so that placing them changes no answer (LOG-18).
 */
export function withPending(entity: Entity, lines: readonly ForeignLine[]): Entity {
  if (lines.length === 0) return entity;
  const placed = { ...entity, agents: new Map(entity.agents), gates: new Map(entity.gates) };
  placeLines(placed, lines, new Writer());
  return placed;
}

function placeLines(entity: Entity, lines: readonly ForeignLine[], w: Writer): void {
  for (const line of lines) {
    // The task file that was taken in is the later word.
    if (entity.taken_until !== null && line.ts <= entity.taken_until) continue;
    if (line.type.startsWith("agent.")) adoptAgent(entity, line, w);
    else if (line.type.startsWith("gate.")) adoptGate(entity, line, w);
  }
}

const AGENT_STATES: Record<string, Agent["state"]> = {
  "agent.started": "active",
  "agent.completed": "completed",
  "agent.failed": "failed",
  "agent.cancelled": "failed",
  "agent.blocked": "awaiting",
};

function adoptAgent(entity: Entity, line: ForeignLine, w: Writer): void {
  const instance = line.agentInstance ?? line.payload["agentInstance"];
  const state = AGENT_STATES[line.type];
  if (typeof instance !== "string" || !/^[A-Za-z0-9_-]+$/.test(instance) || !state) return;
  const { word: _word, ...before } = entity.agents.get(instance) ?? { agent: instance };
  w.put("agents", entity.agents, instance, { ...before, instance, state, said_at: line.ts });
}

function adoptGate(entity: Entity, line: ForeignLine, w: Writer): void {
  const id = line.payload["gateId"];
  if (typeof id !== "string") return;
  const before = entity.gates.get(id);
  // A gate of ours is opened and passed by our own events only.
  if (before?.own) return;
  const ts = millis(line.ts);
  if (line.type === "gate.blocked") {
    const reason = line.payload["reason"];
    w.put("gates", entity.gates, id, {
      id,
      own: false,
      state: "blocked",
      reason: typeof reason === "string" ? reason : null,
      blocked_at: ts,
      resolved_at: null,
      resolved_by: null,
      said_at: line.ts,
    });
  } else if (before && (line.type === "gate.approved" || line.type === "gate.rejected")) {
    const state = line.type === "gate.approved" ? "approved" : "rejected";
    w.put("gates", entity.gates, id, { ...before, state, resolved_at: ts, resolved_by: "foreign", said_at: line.ts });
  }
}
