import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/state/schema.ts";
import { deltaOf } from "../../src/views/delta.ts";
import type { DeltaPage } from "../../src/views/delta.ts";
import { anyText } from "../support/random_story.ts";
import { runsOf, SWEEP } from "../support/sweep.ts";

const sizeOf = (value: unknown): number => Array.from(JSON.stringify(value)).length;

const event = fc.record({
  event_id: fc.stringMatching(/^[A-Za-z0-9_-]{43}$/),
  type: fc.constantFrom("step_noted", "evidence_captured"),
  ts: fc.constant("2026-01-01T00:00:00.000Z"),
  task: fc.string({ minLength: 1, maxLength: 72 }),
  note: anyText,
  list: fc.array(anyText, { maxLength: 3 }),
});
const ops = fc.array(fc.array(event, { minLength: 1, maxLength: 4 }), { maxLength: 12 });
const cursor = fc.integer({ min: 22, max: 110 });

function pageOf(list: JsonObject[][], length: number, later: number): DeltaPage {
  const name = (count: number, some: number): string => `${count}.${some}`.padStart(length, "x");
  return { ops: list, events: list.flat().length + later, cursor: name, warnings: [] };
}

/** Whole ops, and events of the next, that the cursor stands behind. */
const placeOf = (result: JsonObject): [number, number] => {
  const [, given, some] = /(\d+)\.(\d+)$/.exec(result["cursor"] as string)!;
  return [Number(given), Number(some)];
};

describe("a page of whole ops", () => {
  it(
    "[DELTA-2] [BUDGET-1] fits, holds as many whole ops as do, and its cursor stands behind the last of them",
    SWEEP,
    () => {
      fc.assert(
        fc.property(
          ops,
          cursor,
          fc.nat({ max: 300 }),
          fc.integer({ min: 1, max: 4000 }),
          (list, length, later, max) => {
            const page = pageOf(list, length, later);
            const { result, warnings } = deltaOf({ workspace: "acme/repo" }, page, 50, max);
            const limit = Math.max(max, 256);
            expect(sizeOf(result)).toBeLessThanOrEqual(limit);
            const [given, some] = placeOf(result);
            const passed = [...list.slice(0, given).flat(), ...(list[given] ?? []).slice(0, some)];
            expect(result["next"]).toBe(page.events - passed.length);
            const events = result["events"] as JsonObject[];
            expect(events.map((e) => e["event_id"])).toEqual(passed.map((e) => e["event_id"]));
            expect(events.length).toBeGreaterThanOrEqual(Math.min(1, list.length));
            expect(some === 0 || given === 0).toBe(true);
            const alone = passed.length === 1 && JSON.stringify(events) !== JSON.stringify(passed);
            if (alone) return;
            expect(events).toEqual(passed);
            expect(warnings.some((w) => w.code === "BUDGET_TRUNCATED")).toBe(given < list.length && "budget" in result);
            const budget = result["budget"] as { used_chars: number; full_chars: number } | undefined;
            expect(budget?.used_chars ?? sizeOf(result)).toBe(sizeOf(result));
            const full = budget?.full_chars ?? limit;
            expect("budget" in deltaOf({ workspace: "acme/repo" }, page, 50, full).result).toBe(false);
          },
        ),
        runsOf(300),
      );
    },
  );

  it("[DELTA-2] of an op that does not fit, the events stay and what they say goes first", () => {
    fc.assert(
      fc.property(event, cursor, fc.integer({ min: 600, max: 900 }), (one, length, max) => {
        const big = { ...one, event_id: "e".repeat(43), task: "TASK-001", note: "x".repeat(2000) };
        const { result } = deltaOf({ workspace: "acme/repo" }, pageOf([[big], [big]], length, 0), 50, max);
        expect(result["events"]).toEqual([{ event_id: big.event_id, type: big.type, ts: big.ts, task: big.task }]);
        expect(placeOf(result)).toEqual([1, 0]);
        expect(result["next"]).toBe(1);
      }),
    );
  });

  it("[BUDGET-1] is the same with and without max_chars where it fits", () => {
    fc.assert(
      fc.property(ops, cursor, (list, length) => {
        const page = pageOf(list, length, 7);
        const whole = deltaOf({ workspace: "acme/repo" }, page, 50, undefined).result;
        expect(deltaOf({ workspace: "acme/repo" }, page, 50, Math.max(256, sizeOf(whole)))).toEqual({
          result: whole,
          warnings: [],
        });
      }),
    );
  });
});
