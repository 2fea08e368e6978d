import { describe, expect, it } from "vitest";
import { holdsFor } from "../../src/files/look_again.ts";

describe("when files are looked at again", () => {
  it("[regression FRESH-13] a look holds for its least time, or for a multiple of the time that it took, and a check for a minute at most", () => {
    expect(["rows", "all", "unhinted", "hinted", "checks"].map((what) => holdsFor(what as "rows"))).toEqual([
      250, 1000, 1000, 5000, 10_000,
    ]);
    expect(holdsFor("rows", 125)).toBe(250);
    expect(holdsFor("rows", 1000)).toBe(2000);
    for (const what of ["all", "unhinted", "hinted"] as const) expect(holdsFor(what, 1000)).toBe(20_000);
    expect(holdsFor("checks", 2000)).toBe(20_000);
    expect(holdsFor("checks", 60_000)).toBe(60_000);
  });
});
