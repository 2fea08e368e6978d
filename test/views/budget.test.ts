import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/state/schema.ts";
import { fitBudget } from "../../src/views/budget.ts";
import type { CutOrder } from "../../src/views/cuts.ts";
import { CONTEXT_CUTS, HANDOFF_CUTS, RADAR_CUTS } from "../../src/views/cuts.ts";
import { RESUME_SUPER_CUTS } from "../../src/views/cuts_resume.ts";
import type { Handoff } from "../../src/views/handoff.ts";
import { handoffOf } from "../../src/views/handoff.ts";
import type { Radar } from "../../src/views/radar.ts";
import { radarOf } from "../../src/views/radar.ts";
import { ANY_CHARACTER } from "../support/any_character.ts";
import { anyText } from "../support/random_story.ts";
import * as t from "../support/story.ts";
import { Story } from "../support/story.ts";
import {
  busy,
  codes,
  contextResult,
  handoffResult,
  limit,
  radarResult,
  sizeOf,
  superResult,
  views,
} from "../support/view_results.ts";
import { runsOf, SWEEP } from "../support/sweep.ts";

describe("budget", SWEEP, () => {
  it("[BUDGET-1] anything fits, also what no view would say", () => {
    const object = fc.dictionary(fc.string({ unit: ANY_CHARACTER, maxLength: 8 }), fc.jsonValue({ maxDepth: 3 }), {
      maxKeys: 6,
    });
    const odd = fc.record({
      radar: fc.oneof(object, fc.jsonValue()),
      steps: fc.jsonValue(),
      [`a${"b".repeat(300)}`]: anyText,
    });
    fc.assert(
      fc.property(
        fc.oneof(object, odd),
        limit,
        fc.constantFrom(RADAR_CUTS, HANDOFF_CUTS, CONTEXT_CUTS, []),
        (result, max, order) => {
          const fitted = fitBudget(result as JsonObject, max, order);
          expect(sizeOf(fitted.result)).toBeLessThanOrEqual(Math.max(max, 256));
        },
      ),
    );
  });

  it("[BUDGET-1] code points count, not bytes or code units", () => {
    const result = { workspace: "a", radar: { now: "🚀".repeat(300), why: "", verify: [], next: [], blockers: [] } };
    expect(fitBudget(result, sizeOf(result), RADAR_CUTS).result).toBe(result);
    expect(fitBudget(result, sizeOf(result) - 1, RADAR_CUTS).warnings).not.toEqual([]);
  });

  it("[BUDGET-1] what fits is the same with and without max_chars", () => {
    fc.assert(
      fc.property(views, ([result, order]) => {
        expect(fitBudget(result, undefined, order)).toEqual({ result, warnings: [] });
        const size = Math.max(256, sizeOf(result));
        expect(fitBudget(result, size, order)).toEqual({ result, warnings: [] });
      }),
      runsOf(100),
    );
  });

  it("[BUDGET-1] the same result and limit give the same bytes, and the input is left alone", () => {
    fc.assert(
      fc.property(views, limit, ([result, order], max) => {
        const before = JSON.stringify(result);
        const once = JSON.stringify(fitBudget(result, max, order));
        expect(JSON.stringify(result)).toBe(before);
        expect(JSON.stringify(fitBudget(JSON.parse(before) as JsonObject, max, order))).toBe(once);
      }),
      runsOf(100),
    );
  });

  it("[BUDGET-1] most of the budget is used", () => {
    const result = handoffResult(busy("x".repeat(3000)));
    for (const max of [700, 1500, 3000, 6000]) {
      const used = sizeOf(fitBudget(result, max, HANDOFF_CUTS).result);
      expect(used, `of ${max}`).toBeGreaterThan(max * 0.6);
    }
  });

  it("[BUDGET-4] a long description never pushes the rest of the radar out", () => {
    const short = radarOf(busy("").subject);
    for (const max of [3000, 2500, 2000, 1800]) {
      const { radar } = fitBudget(radarResult(busy("x".repeat(100_000))), max, RADAR_CUTS).result as { radar: Radar };
      expect({ ...radar, why: "" }, `at ${max}`).toEqual({ ...short, why: "" });
    }
    const { result } = fitBudget(radarResult(busy("x".repeat(100_000))), 3000, RADAR_CUTS);
    expect(result["budget"]).toMatchObject({ truncated: ["radar.why"] });
    expect(Object.keys(result)).toEqual(["workspace", "target", "focus", "radar", "steps", "budget"]);
  });

  it("[BUDGET-4] while anything of why is left, nothing else of the core is gone", () => {
    const others = (result: JsonObject): unknown => ({ ...(result["radar"] as Radar), why: "" });
    fc.assert(
      fc.property(views, limit, ([result, order], max) => {
        const fitted = fitBudget(result, max, order).result;
        fc.pre((fitted["radar"] as Radar | undefined)?.why !== "" && "radar" in result);
        expect(others(fitted)).toEqual(others(result));
      }),
      runsOf(100),
    );
  });

  it("[BUDGET-4] a handoff is not left out while there is text in why", () => {
    const story = new Story({ description: "a long reason ".repeat(40) })
      .do(t.addSteps(0, ["Reproduce", "Repair", "Tell"]))
      .do(t.note("Ask Eve.", 1));
    const result = handoffResult(story);
    const at = (max: number) => fitBudget(result, max, HANDOFF_CUTS).result as { radar: Radar; handoff?: Handoff };
    const { handoff, radar } = at(600);
    expect(radar).toEqual({ ...radarOf(story.subject), why: "" });
    expect(handoff?.remaining[0]).toBe("s:0 Reproduce: confirm criteria, tests, close");
    const limits = Array.from({ length: 100 }, (_, i) => 256 + 13 * i);
    const without = limits.map((max) => at(max)).filter((answer) => answer.handoff === undefined);
    expect(without.length).toBeGreaterThan(0);
    expect(without.map((answer) => answer.radar.why).filter((why) => why !== "")).toEqual([]);
  });

  it("[BUDGET-4] the least budget keeps a line of each part of the core", () => {
    const { result, warnings } = fitBudget(handoffResult(busy("x".repeat(3000))), 256, HANDOFF_CUTS);
    const { radar } = result as { radar: Radar };
    expect(Object.keys(result)).toEqual(["radar"]);
    expect(radar.now).toMatch(/^Task TASK-001: Fix the parser/);
    expect([radar.verify.length, radar.next.length, radar.blockers.length]).toEqual([1, 1, 1]);
    expect(codes(warnings)).toEqual(["BUDGET_TRUNCATED", "BUDGET_MINIMAL"]);
  });

  it("[BUDGET-4] what is left of the core never shrinks when the budget grows", () => {
    const left = (result: JsonObject, max: number, order: CutOrder): number[] => {
      const { radar } = fitBudget(result, max, order).result as { radar?: Radar };
      if (!radar) return [0, 0, 0, 0, 0];
      return [radar.now, radar.why, radar.verify, radar.next, radar.blockers].map((part) => part.length);
    };
    fc.assert(
      fc.property(views, limit, limit, ([result, order], a, b) => {
        const less = left(result, Math.min(a, b), order);
        const more = left(result, Math.max(a, b), order);
        less.forEach((n, i) => expect(more[i]).toBeGreaterThanOrEqual(n));
      }),
      runsOf(100),
    );
  });

  it("[BUDGET-6] budget tells the exact size and what went", () => {
    fc.assert(
      fc.property(views, limit, ([result, order], max) => {
        const fitted = fitBudget(result, max, order);
        fc.pre("budget" in fitted.result);
        expect(fitted.result["budget"]).toMatchObject({
          max_chars: Math.max(max, 256),
          used_chars: sizeOf(fitted.result),
          full_chars: sizeOf(result),
        });
        expect((fitted.result["budget"] as { truncated: string[] }).truncated).not.toEqual([]);
        expect(codes(fitted.warnings)).not.toContain("BUDGET_MINIMAL");
      }),
      runsOf(100),
    );
  });

  it("[BUDGET-6] what went whole is named once, so that it can be told beside the core", () => {
    const story = new Story().do(t.addSteps(0, ["Reproduce", "Repair"]));
    for (let i = 0; i < 20; i++) story.do(t.note(`Looked at ${i}.`, 1));
    const { radar, ...others } = superResult(story);
    for (const max of [600, 800, 1000, 1500, 2500]) {
      const { result } = fitBudget({ ...others, radar: radar! }, max, RESUME_SUPER_CUTS);
      const { truncated, omitted } = result["budget"] as { truncated: string[]; omitted: object };
      for (const at of [...truncated, ...Object.keys(omitted)]) {
        expect(
          truncated.filter((whole) => at.startsWith(`${whole}.`) && !(whole in result)),
          `of ${max}`,
        ).toEqual([]);
      }
      expect(Object.keys(others).filter((key) => !(key in result) && !truncated.includes(key))).toEqual([]);
    }
  });

  it("[BUDGET-6] the size is exact also where nothing else is left", () => {
    const { result } = fitBudget({ steps: "x".repeat(1000) }, 300, [{ cut: "field", at: "steps" }]);
    expect(Object.keys(result)).toEqual(["budget"]);
    expect(result["budget"]).toMatchObject({ used_chars: sizeOf(result) });
  });

  it("[BUDGET-6] whatever was cut, a bounded warning says so, and full_chars cuts nothing", () => {
    fc.assert(
      fc.property(views, limit, ([result, order], max) => {
        const fitted = fitBudget(result, max, order);
        expect(codes(fitted.warnings).includes("BUDGET_TRUNCATED")).toBe(sizeOf(result) > Math.max(max, 256));
        expect(sizeOf(fitted.warnings)).toBeLessThan(1500);
        expect(fitBudget(result, Math.max(256, sizeOf(result)), order).result).toBe(result);
      }),
      runsOf(100),
    );
  });

  it("[BUDGET-6] counts the items left out of a list", () => {
    const { result } = fitBudget(handoffResult(busy("")), 3000, HANDOFF_CUTS);
    const whole = handoffOf(busy("").subject);
    const { handoff, budget } = result as unknown as {
      handoff: typeof whole;
      budget: { omitted: Record<string, number> };
    };
    expect(budget.omitted["handoff.remaining"]).toBe(whole.remaining.length - handoff.remaining.length);
    expect(handoff.remaining).toEqual(whole.remaining.slice(0, handoff.remaining.length));
  });

  it("[BUDGET-1] a text ends between code points, with an ellipsis", () => {
    for (let max = 300; max < 340; max++) {
      const { radar } = fitBudget(radarResult(new Story({ description: "🚀".repeat(900) })), max, RADAR_CUTS)
        .result as {
        radar: Radar;
      };
      expect(radar.why).toMatch(/^🚀+…$/u);
    }
  });

  it("[BUDGET-8] the cursor of a cut page names the first row left out", () => {
    const whole = contextResult(120) as { tasks: { id: string }[] };
    for (const max of [9000, 4000, 2000, 1200]) {
      const cut = fitBudget(whole as unknown as JsonObject, max, CONTEXT_CUTS).result as {
        tasks: { id: string }[];
        tasks_pagination: { count: number; next_cursor: number; total: number };
      };
      expect(cut.tasks_pagination).toMatchObject({ count: cut.tasks.length, next_cursor: cut.tasks.length, total: 96 });
      expect(cut.tasks).toEqual(whole.tasks.slice(0, cut.tasks.length));
      expect(cut.tasks.length).toBeLessThan(whole.tasks.length);
    }
  });
});
