import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fitBudget } from "../../src/views/budget.ts";
import { LAW_LIMIT, lawParameters } from "../support/random_work.ts";
import { codes, limit, sizeOf, views } from "../support/view_results.ts";

describe("laws of budgets", () => {
  it(
    "[BUDGET-1] every view fits max(max_chars, 256), for any max_chars from 1 to 100,000",
    () => {
      fc.assert(
        fc.property(views, limit, ([result, order], max) => {
          const fitted = fitBudget(result, max, order);
          expect(sizeOf(fitted.result)).toBeLessThanOrEqual(Math.max(max, 256));
          expect(codes(fitted.warnings).includes("BUDGET_MIN_CLAMPED")).toBe(max < 256);
        }),
        lawParameters(100),
      );
    },
    LAW_LIMIT,
  );
});
