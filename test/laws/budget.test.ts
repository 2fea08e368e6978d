import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/state/schema.ts";
import { fitBudget } from "../../src/views/budget.ts";
import { anyWork, RandomWork } from "../support/random_work.ts";
import { inTempFolder } from "../support/temp.ts";
import { runsOf, sized, SWEEP } from "../support/sweep.ts";
import { codes, limit, sizeOf, views } from "../support/view_results.ts";
import { START, WORKSPACE } from "../support/workspace.ts";

const FAMILY = [
  "tasks_context_pack",
  "tasks_resume",
  "tasks_resume_pack",
  "tasks_resume_super",
  "tasks_snapshot",
] as const;

describe("laws of budgets", () => {
  it("[BUDGET-1] every view fits max(max_chars, 256), for any max_chars from 1 to 100,000", SWEEP, () => {
    fc.assert(
      fc.property(views, limit, ([result, order], max) => {
        const fitted = fitBudget(result, max, order);
        expect(sizeOf(fitted.result)).toBeLessThanOrEqual(Math.max(max, 256));
        expect(codes(fitted.warnings).includes("BUDGET_MIN_CLAMPED")).toBe(max < 256);
      }),
      runsOf(100),
    );
  });

  it(
    "[BUDGET-1] [RESUME-13] so do the tools, after any work, twice with the same bytes, and full_chars brings back what went",
    SWEEP,
    async () => {
      let cut = 0;
      await fc.assert(
        fc.asyncProperty(anyWork(25), limit, fc.constantFrom(...FAMILY), (numbers, max_chars, tool) =>
          inTempFolder(async (root) => {
            // The clock stands: no claim ends between two looks at one state.
            const work = new RandomWork(root, "a", { now: () => START });
            await work.do(numbers);
            for (const target of work.calls.entities.keys()) {
              const ask = async (more: object): Promise<JsonObject> =>
                (await work.ws.callTool(tool, { workspace: WORKSPACE, target, ...more })).result!;
              const result = await ask({ max_chars });
              expect(sizeOf(result)).toBeLessThanOrEqual(Math.max(max_chars, 256));
              expect(JSON.stringify(await ask({ max_chars }))).toBe(JSON.stringify(result));
              const whole = await ask({});
              const budget = result["budget"] as { full_chars: number } | undefined;
              if (budget) cut++;
              expect(await ask({ max_chars: budget?.full_chars ?? sizeOf(whole) })).toEqual(whole);
            }
            await work.ws.close();
          }),
        ),
        runsOf(12),
      );
      expect(cut).toBeGreaterThanOrEqual(sized(0, 1));
    },
  );
});
