import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { assertHashable, canonicalJson, sha256 } from "../../src/log/canonical.ts";
import { checkEnvelope, MAX_LINE, sealOp } from "../../src/log/envelope.ts";
import type { Json } from "../../src/log/types.ts";
import { makeOp, minute, upon } from "../support/logs.ts";
import { ajv } from "../support/outputs.ts";
import { ROOT } from "../support/source.ts";

const FULL = {
  taskId: "TASK-001",
  by: "agent:codex/1",
  ts: minute(0),
  tool: "tasks_note",
  opId: "o1",
  key: 'k"1',
  req: sha256("input"),
  txn: { roots: [sha256("r")], id: "t" },
  agentInstance: "worker-é",
  turnId: "turn\n1",
  heads: [sha256("b"), sha256("a")],
  seq: 6,
  drafts: [
    { type: "note.added", payload: { z: 1, a: { y: "é\u2028", b: [] } } },
    { type: "step.done", payload: {} },
  ],
};

describe("sealOp", () => {
  it("[LOG-1] writes each event as the canonical text of itself, and LF", () => {
    const { events, bytes } = sealOp(FULL);
    expect(bytes.toString()).toBe(events.map((event) => `${canonicalJson(event)}\n`).join(""));
    expect(bytes.toString()).toBe(
      bytes
        .toString()
        .split("\n")
        .map((l) => l && canonicalJson(JSON.parse(l)))
        .join("\n"),
    );
  });

  it("[LOG-2] the events are what a reader parses, keys in the same order", () => {
    const { events, bytes } = sealOp(FULL);
    const lines = bytes.toString().trimEnd().split("\n");
    for (const [i, event] of events.entries()) {
      expect(JSON.parse(lines[i]!)).toEqual(event);
      expect(Object.keys(event)).toEqual(Object.keys(JSON.parse(lines[i]!) as object));
      expect(checkEnvelope(event)).toBeNull();
      expect(assertHashable(event)).toBeNull();
    }
  });

  it("[LOG-5] an op is refused whose line would be nested deeper than its readers take", () => {
    const nested = (levels: number): Json => (levels === 0 ? 1 : [nested(levels - 1)]);
    const seal = (levels: number) => sealOp({ ...FULL, drafts: [{ type: "x.y", payload: { p: nested(levels) } }] });
    expect(assertHashable(seal(62).events[0])).toBeNull();
    expect(() => seal(63)).toThrow("levels");
  });

  it("[LOG-4] the hash is over everything else", () => {
    for (const { hash, ...rest } of sealOp(FULL).events) expect(hash).toBe(sha256(canonicalJson(rest)));
  });

  it("[LOG-7] the first event names the heads, sorted, each further one the event before it", () => {
    const [first, second] = sealOp(FULL).events;
    expect(first).toMatchObject({ seq: 7, prev: [...FULL.heads].sort(), op: { n: 1, of: 2 } });
    expect(second).toMatchObject({ seq: 8, prev: [first!.hash], op: { n: 2, of: 2, id: "o1", tool: "tasks_note" } });
  });

  it("[LOG-2] optional keys are left out, not null", () => {
    const [event] = makeOp(0).events;
    expect(Object.keys(event!)).toEqual(["by", "hash", "op", "payload", "prev", "seq", "taskId", "ts", "type", "v"]);
    expect(Object.keys(event!.op)).toEqual(["id", "n", "of", "tool"]);
  });

  it("[LOG-22] refuses a line above 2 MiB and an op above 4 MiB, counted in bytes", () => {
    const draft = (text: string) => ({ type: "note.added", payload: { text } });
    const third = "é".repeat(700_000);
    expect(() => makeOp(0, { events: [draft("x".repeat(MAX_LINE))] })).toThrow(/at most 2097152 bytes/);
    expect(() => makeOp(0, { events: [draft("é".repeat(MAX_LINE / 2))] })).toThrow(/at most 2097152 bytes/);
    expect(() => makeOp(0, { events: [draft(third), draft(third), draft(third)] })).toThrow(/at most 4194304 bytes/);
    expect(makeOp(0, { events: [draft(third), draft(third)] }).bytes.length).toBeGreaterThan(2_800_000);
  });

  it("[LOG-2] refuses an envelope that no reader would take", () => {
    expect(() => makeOp(0, { by: "somebody" })).toThrow(/by: expected/);
    expect(() => makeOp(0, { ts: "2026-01-01T00:00:00Z" })).toThrow(/ts: expected/);
    expect(() => makeOp(0, { events: [] })).toThrow(/at least one event/);
  });
});

describe("checkEnvelope", () => {
  const [first] = makeOp(0).events;
  const [second] = makeOp(1, upon(makeOp(0))).events;
  const hashes = [sha256("1"), sha256("2"), sha256("3")].sort();

  it.each<[string, object]>([
    ["LOG-2", { ts: "2026-01-01T00:00:00.000+00:00" }],
    ["LOG-2", { ts: "2026-13-01T00:00:00.000Z" }],
    ["LOG-2", { ts: 1 }],
    ["LOG-2", { type: "created" }],
    ["LOG-2", { type: "Task.created" }],
    ["LOG-2", { type: "task..created" }],
    ["LOG-2", { by: "agent:" }],
    ["LOG-2", { by: "agent:a b" }],
    ["LOG-2", { by: `agent:${"a".repeat(65)}` }],
    ["LOG-2", { by: { name: "agent:a" } }],
    ["LOG-2", { taskId: "" }],
    ["LOG-2", { payload: [] }],
    ["LOG-2", { payload: null }],
    ["LOG-2", { agentInstance: null }],
    ["LOG-2", { turnId: 1 }],
    ["LOG-5", { agentInstance: "\ud800" }],
    ["LOG-5", { turnId: "a\udc00" }],
    ["LOG-2", { hash: "abc" }],
    ["LOG-6", { op: [] }],
    ["LOG-6", { op: { id: "a", n: 2, of: 1, tool: "t" } }],
    ["LOG-6", { op: { id: "a", n: 0, of: 1, tool: "t" } }],
    ["LOG-6", { op: { id: "a", n: 1, of: 1.5, tool: "t" } }],
    ["LOG-6", { op: { id: "", n: 1, of: 1, tool: "t" } }],
    ["LOG-6", { op: { id: "a", n: 1, of: 1 } }],
    ["LOG-6", { op: { id: "a", n: 1, of: 1, tool: "t", key: 1 } }],
    ["LOG-6", { op: { id: "a", n: 1, of: 1, tool: "t", txn: { id: "t" } } }],
    ["LOG-9", { prev: hashes.toReversed() }],
    ["LOG-9", { prev: [hashes[0], hashes[0]] }],
    ["LOG-9", { prev: ["short"] }],
    ["LOG-9", { prev: [`${"a".repeat(42)}!`] }],
    ["LOG-9", { prev: hashes[0] }],
    ["LOG-9", { prev: [] }],
    ["LOG-9", { seq: 0 }],
    ["LOG-9", { seq: "2" }],
    ["LOG-7", { prev: hashes, op: { id: "a", n: 2, of: 2, tool: "t" } }],
    ["LOG-7", { prev: [], seq: 1, op: { id: "a", n: 2, of: 2, tool: "t" } }],
  ])("[%s] refuses %j", (_, change) => {
    expect(checkEnvelope({ ...second, ...change })).toMatch(/: expected/);
  });

  const op = { id: "a", n: 1, of: 1, tool: "t" };
  const LONG = `"${"x".repeat(79)}...`;

  it.each<[object, string]>([
    [{ ts: "today" }, 'ts: expected YYYY-MM-DDTHH:MM:SS.sssZ, found "today"'],
    [{ ts: "2026-01-01T00:00:00.000Z0" }, 'ts: expected YYYY-MM-DDTHH:MM:SS.sssZ, found "2026-01-01T00:00:00.000Z0"'],
    [{ ts: "x2026-01-01T00:00:00.000Z" }, 'ts: expected YYYY-MM-DDTHH:MM:SS.sssZ, found "x2026-01-01T00:00:00.000Z"'],
    [{ type: ["a.b"] }, 'type: expected names joined by dots, found ["a.b"]'],
    [{ type: "a.b." }, 'type: expected names joined by dots, found "a.b."'],
    [{ by: ["system"] }, 'by: expected human, agent or system, a colon and a name, found ["system"]'],
    [{ by: "xsystem" }, 'by: expected human, agent or system, a colon and a name, found "xsystem"'],
    [{ by: "systems" }, 'by: expected human, agent or system, a colon and a name, found "systems"'],
    [{ hash: 1 }, "hash: expected 43 characters of base64url, found 1"],
    [{ hash: ["x".repeat(43)] }, `hash: expected 43 characters of base64url, found ["${"x".repeat(43)}"]`],
    [{ hash: "x".repeat(100) }, `hash: expected 43 characters of base64url, found ${LONG}`],
    [{ hash: "x".repeat(78) }, `hash: expected 43 characters of base64url, found "${"x".repeat(78)}"`],
    [{ taskId: undefined }, "taskId: expected a name, found nothing"],
    [{ taskId: "" }, 'taskId: expected a name, found ""'],
    [{ payload: "x" }, 'payload: expected an object, found "x"'],
    [{ agentInstance: 1 }, "agentInstance: expected text, found 1"],
    [{ turnId: "a\ud800" }, 'turnId: expected text, found "a\\ud800"'],
    [{ op: null }, "op: expected an object, found null"],
    [{ op: "x" }, 'op: expected an object, found "x"'],
    [{ op: { ...op, id: 1 } }, "op.id: expected text, found 1"],
    [{ op: { ...op, tool: "" } }, 'op.tool: expected a name, found ""'],
    [{ op: { ...op, tool: 1 } }, "op.tool: expected a name, found 1"],
    [{ op: { ...op, of: 0 } }, "op.of: expected a whole number from 1, found 0"],
    [{ op: { ...op, n: 3, of: 2 } }, "op.n: expected a whole number from 1 to 2, found 3"],
    [{ op: { ...op, key: 1 } }, "op.key: expected text, found 1"],
    [{ op: { ...op, req: 1 } }, "op.req: expected text, found 1"],
    [{ op: { ...op, txn: "t" } }, 'op.txn: expected an object with an id, found "t"'],
    [{ op: { ...op, txn: { roots: [] } } }, 'op.txn: expected an object with an id, found {"roots":[]}'],
    [{ op: { ...op, txn: { id: "t", roots: "x" } } }, 'op.txn.roots: expected a list of texts, found "x"'],
    [{ op: { ...op, txn: { id: "t", roots: ["a", 1] } } }, 'op.txn.roots: expected a list of texts, found ["a",1]'],
    [{ prev: "x" }, 'prev: expected a list, found "x"'],
    [{ prev: [[hashes[0]]] }, `prev: expected hashes, found ["${hashes[0]}"]`],
    [{ prev: [`${hashes[0]}x`] }, `prev: expected hashes, found "${hashes[0]}x"`],
    [{ prev: hashes.toReversed() }, "prev: expected hashes sorted and without repeats"],
    [{ prev: [], op: { ...op, n: 2, of: 2 } }, 'prev: expected one hash at event 2 of an op, found "0 hashes"'],
    [{ seq: 1.5 }, "seq: expected a whole number from 1, found 1.5"],
    [{ prev: [], seq: 2 }, "seq: expected 1 where prev is empty, found 2"],
  ])("[LOG-2] says of %j what was expected and what was found", (change, message) => {
    expect(checkEnvelope({ ...second, ...change })).toBe(message);
  });

  it("[LOG-2] agrees with the schema that is published, whatever a member holds", () => {
    const fits = ajv.compile(JSON.parse(readFileSync(join(ROOT, "schemas/log/event.json"), "utf8")) as object);
    const whole = sealOp(FULL).events[0]!;
    const odd = [
      undefined,
      null,
      true,
      0,
      1,
      2,
      7,
      1.5,
      "",
      "a",
      "a.b",
      "system",
      "system:",
      hashes[0],
      [],
      ["a"],
      [hashes[0]],
      {},
    ];
    const same = (value: object): void => {
      const sorted = (value as { prev?: unknown[] }).prev?.length !== 2;
      const seen = JSON.parse(JSON.stringify(value)) as object;
      expect([fits(seen), sorted, seen]).toEqual([checkEnvelope(seen) === null, sorted, seen]);
    };
    let taken = 0;
    for (const event of [whole, sealOp(FULL).events[1]!, first!]) {
      same(event);
      for (const key of Object.keys(event).filter((one) => one !== "v"))
        for (const value of odd) same({ ...event, [key]: value });
      for (const key of [...Object.keys(whole.op), "more"]) {
        for (const value of odd) {
          // That n is at most of is no matter of the schema.
          if (key === "of" && value === 1) continue;
          if (key === "n" && typeof value === "number" && value > event.op.of) continue;
          same({ ...event, op: { ...event.op, [key]: value } });
          taken++;
        }
      }
      for (const key of ["id", "roots"])
        for (const value of odd) same({ ...event, op: { ...event.op, txn: { ...whole.op.txn, [key]: value } } });
    }
    expect(taken).toBeGreaterThan(300);
    for (const v of [0, -1, 1.5, "1", null]) expect(fits({ ...whole, v })).toBe(false);
    expect([1, 2, 90].map((v) => fits({ ...whole, v }))).toEqual([true, true, true]);
  });

  it("[LOG-2] an event that follows a valid one of its writer and type is looked at as any other", () => {
    expect(checkEnvelope(second!)).toBeNull();
    expect(checkEnvelope({ ...second, by: "x" })).toMatch(/^by: /);
    expect(checkEnvelope({ ...second, by: "x" })).toMatch(/^by: /);
    expect(checkEnvelope({ ...second, type: "x" })).toMatch(/^type: /);
    expect(checkEnvelope({ ...second, type: "x" })).toMatch(/^type: /);
    expect(checkEnvelope(second!)).toBeNull();
  });

  it.each<object>([
    {},
    { by: "system" },
    { by: "human:me@x.org" },
    { type: "a.b.c_d" },
    { prev: hashes },
    { unknown: { any: 1 } },
    { agentInstance: "a", turnId: "" },
    { op: { id: "a", n: 1, of: 1, tool: "t", key: "", req: "", txn: { id: "t", roots: [] } } },
  ])("[LOG-2] takes %j", (change) => {
    expect(checkEnvelope({ ...second, ...change })).toBeNull();
    expect(checkEnvelope(first!)).toBeNull();
  });
});
