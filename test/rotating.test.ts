/** Which rotating tests a run makes (test/support/sweep.ts). */
import { describe, expect, it } from "vitest";
import { isDrawnIn } from "./support/sweep.ts";

const TITLES = Array.from({ length: 1000 }, (_, n) => `test ${n}`);

describe("rotating tests", () => {
  it("take turns in samples, and each one runs once in a sample and the whole run behind it", () => {
    const drawn = (seed: number) => TITLES.filter((one) => isDrawnIn({ whole: false, seed, ran: null }, one, 40));
    const [today, tomorrow] = [drawn(20_000), drawn(20_001)];
    expect(today.length).toBeGreaterThan(0);
    expect(today.length).toBeLessThan(100);
    expect(tomorrow).not.toEqual(today);
    const rest = TITLES.filter((one) => isDrawnIn({ whole: true, seed: 1, ran: 20_000 }, one, 40));
    expect([...today, ...rest].toSorted()).toEqual(TITLES.toSorted());
    expect(TITLES.filter((one) => isDrawnIn({ whole: true, seed: 1, ran: null }, one, 40))).toEqual(TITLES);
  });
});
