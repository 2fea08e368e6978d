import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PastOp } from "../../src/events/history.ts";
import { UndoHistory } from "../../src/events/undo_history.ts";
import type { Reversal, ReversalPlace } from "../../src/events/undo_history.ts";
import type { Change } from "../../src/events/writer.ts";
import type { Op } from "../../src/log/types.ts";
import type { Json } from "../../src/state/schema.ts";
import { Branches } from "../support/branches.ts";
import { creation } from "../support/logs.ts";

const log = new Branches();
log.op([], "agent:a", creation("A sentence."));
const entity = log.entity();
const FIELDS = ["title", "description"];

/** An op of a straight log: it writes fields, or turns an op before it. */
type Step = { writes: string[] } | { turns: number };

/** What the fields come to, by a list of all writes and nothing else. */
class Oracle {
  readonly writes: { op: number; field: string; value: Json; undone: boolean }[] = [];

  value(field: string): Json {
    return this.writes.findLast((w) => w.field === field && !w.undone)?.value ?? "at first";
  }

  /** The fields that are set: those in which no later write stands. */
  turn(op: number, undo: boolean): { set: string[]; said: string[] } {
    const own = this.writes.filter((w) => w.op === op);
    for (const write of own) write.undone = undo;
    const said = own.map(({ field }) => field);
    const set = said.filter((field) => !this.writes.some((w) => w.field === field && w.op > op && !w.undone));
    return { set, said };
  }
}

/** Reads a log as the fold does: with the last ops in detail, and again from its start when that does not tell enough. */
class Reader {
  readonly turns: UndoHistory;
  readonly ring: number;
  readings = 0;
  values: Record<string, Json> = {};
  past: PastOp[] = [];

  constructor(most: number, ring: number) {
    this.turns = new UndoHistory(most);
    this.ring = ring;
  }

  /** Of each turn its outcome. */
  read(steps: readonly Step[]): Reversal[] {
    for (;;) {
      this.turns.clear();
      this.values = Object.fromEntries(FIELDS.map((field) => [field, "at first"]));
      this.past = [];
      this.readings++;
      const outcomes = this.#all(steps);
      if (outcomes) return outcomes;
    }
  }

  #all(steps: readonly Step[]): Reversal[] | null {
    const outcomes: Reversal[] = [];
    for (const [index, step] of steps.entries()) {
      if ("writes" in step) this.write(index, step.writes);
      else {
        const turn = this.turn(index, `op ${step.turns}`);
        if (!turn) return null;
        outcomes.push(turn);
      }
    }
    return outcomes;
  }

  write(index: number, fields: readonly string[]): void {
    this.#take(
      index,
      "task.edited",
      fields.map((field) => ({ field, value: `${field} ${index}` })),
      [],
    );
  }

  turn(index: number, op: string): Reversal | undefined {
    const at = this.past.findIndex((one) => one.op === op);
    const undo = !this.past[at]!.undone;
    const fields = this.past[at]!.record.map((change) => ({
      field: (change as { field: string }).field,
      value: "said",
    }));
    const turn = this.turns.reverse(entity, { op, undo, fields }, this.#place());
    if (!turn) {
      this.turns.want(op);
      return undefined;
    }
    this.past[at] = { ...this.past[at]!, undone: undo };
    this.#take(index, undo ? "undo.applied" : "redo.applied", turn.fields, [turn]);
    return turn;
  }

  #take(
    index: number,
    type: string,
    fields: readonly { field: string; value: Json }[],
    turns: readonly Reversal[],
  ): void {
    const record = fields.map(({ field, value }): Change => ({ how: "mark", field, old: this.values[field], value }));
    for (const { field, value } of fields) this.values[field] = value;
    const op = `op ${index}`;
    this.turns.take(
      entity,
      { hash: op, index, events: [{ v: 1, by: "human:a", type }] } as unknown as Op,
      record,
      turns,
    );
    this.past.push({
      op,
      revision: index + 1,
      types: [type],
      undoable: type === "task.edited",
      undone: false,
      record,
    } as unknown as PastOp);
  }

  #place(): ReversalPlace {
    const recent = this.past.slice(-this.ring);
    return { recent, whole: recent.length === this.past.length, saw: () => true, forked: false, leaves: () => false };
  }
}

const logs = fc
  .array(fc.record({ fields: fc.nat(2), turn: fc.option(fc.nat(40), { freq: 2 }) }), { minLength: 4, maxLength: 40 })
  .map((list) => {
    const edits: number[] = [];
    return list.map(({ fields, turn }, index): Step => {
      if (turn !== null && edits.length > 0) return { turns: edits[turn % edits.length]! };
      edits.push(index);
      return { writes: fields === 2 ? FIELDS : [FIELDS[fields]!] };
    });
  });

describe("which ops stand undone", () => {
  it("[UNDO-30] [UNDO-31] gives each field its last write in effect, however little of a log is kept", () => {
    fc.assert(
      fc.property(logs, fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 8 }), (steps, most, ring) => {
        const oracle = new Oracle();
        const undone = new Set<number>();
        const expected: { set: string[]; said: string[] }[] = [];
        for (const [op, step] of steps.entries()) {
          if ("writes" in step)
            for (const field of step.writes) oracle.writes.push({ op, field, value: `${field} ${op}`, undone: false });
          else {
            const undo = !undone.delete(step.turns);
            if (undo) undone.add(step.turns);
            expected.push(oracle.turn(step.turns, undo));
          }
        }
        for (const reader of [new Reader(most, ring), new Reader(Infinity, Infinity)]) {
          const turns = reader.read(steps);
          expect(reader.values).toEqual(Object.fromEntries(FIELDS.map((field) => [field, oracle.value(field)])));
          expect(turns.map(({ namedFields }) => namedFields)).toEqual(
            expected.map(({ said }) => said.map((field) => ({ field, value: "said" }))),
          );
          expect(turns.map(({ fields }) => fields.map(({ field }) => field))).toEqual(expected.map(({ set }) => set));
        }
      }),
    );
  });

  it("[UNDO-30] of a field that is written often keeps few writes, and the last ones", () => {
    const reader = new Reader(8, 1);
    reader.turns.want("op 0");
    const title = () => reader.turns.save().fields[0]![1].list;
    const kept = Array.from({ length: 30 }, (_, index) => {
      reader.write(index, ["title"]);
      return title().length;
    });
    expect([Math.max(...kept), Math.min(...kept.slice(8))]).toEqual([8, 5]);
    expect(title().at(-1)).toEqual({ op: "op 29", value: "title 29", undone: false });
  });

  it("[UNDO-30] asks for another reading only when the last ops do not tell enough", () => {
    const edits = Array.from({ length: 6 }, (): Step => ({ writes: ["title"] }));
    const readings = (ring: number, ...turns: number[]): number => {
      const reader = new Reader(Infinity, ring);
      reader.read([...edits, ...turns.map((op) => ({ turns: op }))]);
      return reader.readings;
    };
    expect([readings(6, 0), readings(8, 5, 4, 0, 0), readings(3, 4), readings(3, 4, 5)]).toEqual([1, 1, 1, 1]);
    expect([readings(3, 2), readings(3, 5, 2), readings(3, 5, 4, 3)]).toEqual([2, 2, 2]);
  });
});

describe("what is known of ops that were turned", () => {
  const written = (): Reader => {
    const reader = new Reader(8, Infinity);
    reader.read([{ writes: ["title"] }, { writes: FIELDS }, { turns: 1 }, { writes: ["title"] }]);
    return reader;
  };

  it("[UNDO-30] goes on from plain JSON", () => {
    const [known, other] = [written(), written()];
    other.turns.resume(JSON.parse(JSON.stringify(known.turns.save())));
    for (const reader of [known, other]) reader.turn(4, "op 1");
    expect([other.turns.save(), other.values]).toEqual([known.turns.save(), known.values]);
    expect(known.values).toEqual({ title: "title 3", description: "description 1" });
  });

  it("[UNDO-30] takes back what an op added that was not written, and keeps what was", () => {
    const reader = written();
    const before = reader.turns.save();
    const back = reader.turns.keep();
    reader.write(4, ["title"]);
    reader.turn(5, "op 0");
    expect(reader.turns.save()).not.toEqual(before);
    back();
    expect(reader.turns.save()).toEqual(before);
    const none = reader.turns.keep();
    reader.turns.accept();
    reader.write(6, ["title"]);
    const after = reader.turns.save();
    none();
    expect([reader.turns.save(), after.fields[0]![1].list.at(-1)?.value]).toEqual([after, "title 6"]);
  });

  it("[UNDO-32] an undo of what is no op says so when the log is known from its start", () => {
    const at = { recent: [], saw: () => true, forked: false, leaves: () => false };
    const given = { op: "none", undo: true, fields: [] };
    const none = { op: "none", undo: true, known: false, fields: [], namedFields: [], gate: null };
    const turns = new UndoHistory(8);
    expect([turns.reverse(entity, given, { ...at, whole: false }), turns.awaits]).toEqual([undefined, false]);
    expect(turns.reverse(entity, given, { ...at, whole: true })).toMatchObject(none);
    expect(turns.reverse(entity, given, { ...at, whole: false })).toMatchObject(none);
    expect(turns.awaits).toBe(true);
  });

  it("[UNDO-32] names the first five faults, and of a long name the beginning", () => {
    const reader = written();
    const { past } = reader;
    const fields = Array.from({ length: 6 }, (_, i) => ({ field: `${i}`.repeat(100), value: "x" }));
    const at = { recent: past, whole: true, saw: () => true, forked: false, leaves: () => false };
    const turn = reader.turns.reverse(entity, { op: "op 0", undo: true, fields }, at);
    const faults = [0, 1, 2, 3, 4].map((i) => `no value of a field: ${`${i}`.repeat(80)}`);
    expect([turn?.fault, turn?.fields, turn?.namedFields]).toEqual([faults.join("; "), [], []]);
    const other = { op: "op 0", undo: true, fields: [{ field: "description", value: "x" }] };
    const faultOf = (forked: boolean) => reader.turns.reverse(entity, other, { ...at, forked })?.fault;
    expect([false, true].map(faultOf)).toEqual(["its op did not write description", null]);
  });
});
