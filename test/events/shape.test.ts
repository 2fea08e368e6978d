import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EVENTS } from "../../src/events/index.ts";
import { validates } from "../support/given.ts";
import { mutationsOf, samplesOf } from "../support/schema_samples.ts";
import { runsOf, sized, SWEEP } from "../support/sweep.ts";

describe("the shape check of payloads", () => {
  it.each(Object.keys(EVENTS))("[EVENT-13] agrees with ajv on %s", SWEEP, (type) => {
    const { payload, fits } = EVENTS[type]!;
    const told = { fit: 0, misfit: 0 };
    const same = (value: unknown): void => {
      const verdict = validates(payload, value);
      told[verdict ? "fit" : "misfit"]++;
      expect(fits(value), JSON.stringify(value)).toBe(verdict);
    };
    const whole = samplesOf(payload);
    fc.assert(
      fc.property(
        whole.chain((value) => fc.tuple(fc.constant(value), mutationsOf(value))),
        ([sample, mutant]) => {
          expect(validates(payload, sample), JSON.stringify(sample)).toBe(true);
          same(sample);
          same(mutant);
        },
      ),
      runsOf(60),
    );
    // A test of agreement says little unless both verdicts came up.
    expect(told.fit).toBeGreaterThan(0);
    expect(told.misfit).toBeGreaterThanOrEqual(sized(0, 1));
  });
});
