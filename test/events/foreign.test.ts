import { describe, expect, it } from "vitest";
import { inShortest, millis, takeEvidence, takeGates, takeRoster } from "../../src/events/adopted.ts";
import { withPending } from "../../src/events/foreign.adopted.ts";
import { Writer } from "../../src/events/writer.ts";
import type { ForeignLine } from "../../src/log/types.ts";
import type { Entity } from "../../src/state/entity.ts";
import { Branches } from "../support/branches.ts";
import { creation } from "../support/logs.ts";

const log = new Branches();
log.op([], "agent:a", creation("A sentence."));

const TS = "2026-01-02T00:00:00.123456789Z";
const LATER = "2026-01-03T00:00:00.000000000Z";
const line = (type: string, payload: object, more: Partial<ForeignLine> = {}): ForeignLine =>
  ({ hash: "h", ts: TS, type, agentInstance: null, payload, ...more }) as ForeignLine;
const after = (...lines: ForeignLine[]): Entity => withPending(log.entity(), lines);
const rosterEntry = (change: object = {}) =>
  ({ instance: "w1", agent: "codex", state: "active", assigned: null, skills: [], ...change }) as never;
const gateEntry = (change: object = {}) =>
  ({
    id: "g",
    type: "human",
    state: "blocked",
    reason: "why",
    instructions: "look",
    blocked_at: "t",
    resolved_at: null,
    resolved_by: null,
    ...change,
  }) as never;

describe("lines of another program", () => {
  it.each([
    ["agent.started", "active"],
    ["agent.completed", "completed"],
    ["agent.failed", "failed"],
    ["agent.cancelled", "failed"],
    ["agent.blocked", "awaiting"],
  ])("[EVENT-11] %s makes an agent of the roster %s", (type, state) => {
    const agent = { agent: "w1", instance: "w1", state, said_at: TS };
    expect(after(line(type, { agentInstance: "w1" })).agents.get("w1")).toEqual(agent);
    expect(after(line(type, {}, { agentInstance: "w1" })).agents.get("w1")).toEqual(agent);
    expect(after(line(type, { agentInstance: "w2" }, { agentInstance: "w1" })).agents.get("w1")).toEqual(agent);
  });

  it("[EVENT-11] of an agent that is no name, or that did what is not known, say nothing", () => {
    const odd = ["", "a b", "a/b", "ä", " a", "a ", 1, null, undefined].map((agentInstance) =>
      line("agent.started", { agentInstance }),
    );
    expect(
      after(...odd, line("agent.danced", { agentInstance: "w1" }), line("agents.started", { agentInstance: "w1" }))
        .agents.size,
    ).toBe(0);
  });

  it("[EVENT-11] block, approve and reject gates that are not ours", () => {
    const blocked = line("gate.blocked", { gateId: "g", reason: "why" });
    const gate = {
      id: "g",
      own: false,
      state: "blocked",
      reason: "why",
      blocked_at: millis(TS),
      resolved_at: null,
      resolved_by: null,
      said_at: TS,
    };
    expect(after(blocked).gates.get("g")).toEqual(gate);
    expect(after(line("gate.blocked", { gateId: "g", reason: 1 })).gates.get("g")).toEqual({ ...gate, reason: null });
    for (const state of ["approved", "rejected"]) {
      const resolved = line(`gate.${state}`, { gateId: "g" }, { ts: LATER });
      expect(after(blocked, resolved).gates.get("g")).toEqual({
        ...gate,
        state,
        resolved_at: millis(LATER),
        resolved_by: "foreign",
        said_at: LATER,
      });
      expect(after(resolved).gates.size).toBe(0);
    }
    expect(after(blocked, line("gate.opened", { gateId: "g" })).gates.get("g")).toEqual(gate);
    expect(after(line("gate.blocked", { gateId: 1 }), line("gates.blocked", { gateId: "g" })).gates.size).toBe(0);
  });

  it("[EVENT-11] change the answer and not the entity, and nothing from before the task file was read", () => {
    const entity = log.entity();
    expect(withPending(entity, [])).toBe(entity);
    const placed = withPending(entity, [line("agent.started", { agentInstance: "w1" })]);
    expect([placed.agents.size, entity.agents.size, entity.gates.size]).toEqual([1, 0, 0]);
    const taken = { ...entity, taken_until: TS };
    const lines = [
      line("agent.started", { agentInstance: "w1" }),
      line("agent.started", { agentInstance: "w2" }, { ts: LATER }),
    ];
    expect([...withPending(taken, lines).agents.keys()]).toEqual(["w2"]);
  });
});

describe("what a task file of another program says", () => {
  const fresh = (): Entity => ({ ...log.entity(), agents: new Map(), gates: new Map(), evidence: [] });

  it("[ADOPT-7] of an agent counts, but for a state that a later line told", () => {
    const entity = fresh();
    takeRoster(entity, [rosterEntry({ word: "busy" }), rosterEntry({ instance: "w2" })] as never, TS, new Writer());
    expect([...entity.agents.values()]).toEqual([
      { instance: "w1", agent: "codex", assigned: null, skills: [], state: "active", word: "busy" },
      { instance: "w2", agent: "codex", assigned: null, skills: [], state: "active" },
    ]);
    const again = (said_at?: string) => {
      entity.agents.set("w1", {
        ...entity.agents.get("w1")!,
        state: "failed",
        ...(said_at ? { said_at } : {}),
      } as never);
      takeRoster(entity, [rosterEntry({ agent: "gpt" })] as never, TS, new Writer());
      const { agent, state } = entity.agents.get("w1")!;
      return [agent, state];
    };
    expect([again(LATER), again(TS)]).toEqual([
      ["gpt", "failed"],
      ["gpt", "active"],
    ]);
    entity.agents.clear();
    takeRoster(entity, [rosterEntry()] as never, TS, new Writer());
    expect(again()).toEqual(["gpt", "active"]);
  });

  it("[ADOPT-7] of a gate counts, but for ours and for one of which a later line told", () => {
    const entity = fresh();
    const taken = (before: object | null) => {
      if (before) entity.gates.set("g", { id: "g", own: false, state: "approved", ...before } as never);
      takeGates(entity, [gateEntry()] as never, TS, new Writer());
      return entity.gates.get("g")!.state;
    };
    expect(taken(null)).toBe("blocked");
    expect(entity.gates.get("g")).toEqual({ ...(gateEntry() as object), own: false });
    expect([taken({ own: true }), taken({ said_at: LATER }), taken({ said_at: TS }), taken({})]).toEqual([
      "approved",
      "approved",
      "blocked",
      "blocked",
    ]);
  });

  it("[ADOPT-6] of evidence is taken once", () => {
    const entity = fresh();
    takeEvidence(entity, [{ id: "a" }, { id: "b" }, { id: "a" }] as never, new Writer());
    takeEvidence(entity, [{ id: "b" }, { id: "c" }] as never, new Writer());
    expect(entity.evidence.map(({ id }) => id)).toEqual(["a", "b", "c"]);
  });

  it.each([
    ["2026-01-01T00:00:00.123456789Z", "2026-01-01T00:00:00.123Z", "2026-01-01T00:00:00.123456789Z"],
    ["2026-01-01T00:00:00.123456000Z", "2026-01-01T00:00:00.123Z", "2026-01-01T00:00:00.123456Z"],
    ["2026-01-01T00:00:00.123000000Z", "2026-01-01T00:00:00.123Z", "2026-01-01T00:00:00.123Z"],
    ["2026-01-01T00:00:00.000000000Z", "2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z"],
    ["2026-01-01T00:00:00.100000001Z", "2026-01-01T00:00:00.100Z", "2026-01-01T00:00:00.100000001Z"],
  ])("[ADOPT-54] of the time %s keeps %s, and exactly %s", (nanos, short, exact) => {
    expect([millis(nanos), inShortest(nanos)]).toEqual([short, exact]);
  });
});
