/** Which rotating tests a sample makes (test/support/sweep.ts). */
import { describe, expect, it } from "vitest";
import { isDrawnBy } from "./support/random.ts";
import { ROTATING } from "./support/sweep.ts";

const TITLES = Array.from({ length: 1000 }, (_, n) => `test ${n}`);

describe("rotating tests", () => {
  it("take turns: each seed draws others, and each test is drawn on some day", ROTATING, () => {
    const drawn = (seed: number) => TITLES.filter((one) => isDrawnBy(seed, one, 40));
    const [today, tomorrow] = [drawn(20_000), drawn(20_001)];
    expect(today.length).toBeGreaterThan(0);
    expect(today.length).toBeLessThan(100);
    expect(tomorrow).not.toEqual(today);
    const year = new Set(Array.from({ length: 365 }, (_, day) => drawn(20_000 + day)).flat());
    expect(year.size).toBe(TITLES.length);
  });
});
