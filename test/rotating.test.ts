/** Which rotating tests a sample makes (test/support/sweep.ts). */
import { describe, expect, it } from "vitest";
import { isDrawnBy } from "./support/random.ts";
import { ROTATION } from "./support/sweep.ts";

const TITLES = Array.from({ length: 1000 }, (_, n) => `test ${n}`);
const [TODAY, THREE_YEARS] = [20_000, 3 * 365];

describe("rotating tests", () => {
  it("take turns: each seed draws others, and each test is drawn on some day of three years", () => {
    const drawn = (seed: number) => TITLES.filter((one) => isDrawnBy(seed, one, ROTATION));
    const today = drawn(TODAY);
    expect(today.length).toBeGreaterThan(0);
    expect(today.length).toBeLessThan((2 * TITLES.length) / ROTATION);
    expect(drawn(TODAY + 1)).not.toEqual(today);
    const days = Array.from({ length: THREE_YEARS }, (_, day) => TODAY + day);
    expect(TITLES.filter((one) => !days.some((day) => isDrawnBy(day, one, ROTATION)))).toEqual([]);
  });
});
