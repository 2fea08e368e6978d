/** Random calls of every tool, each predicted by a small model (test/model) and compared; `npm run model` makes many runs. */
import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { TOOLS } from "../src/tools/index.ts";
import { checkModel } from "./model/check.ts";
import { coverage } from "./model/commands.ts";
import { DRAWN } from "./model/calls.ts";
import { Real } from "./model/real.ts";
import { MODEL_TOOLS } from "./model/tools.ts";
import { runsOf, SWEEP } from "./support/sweep.ts";

const { numRuns, seed } = runsOf(30, 5);

describe("the model", () => {
  it("knows every tool, and calls it", () => {
    // Packets have a model of their own (test/packet/laws.test.ts).
    const names = Object.keys(TOOLS)
      .filter((name) => !name.startsWith("packet_"))
      .toSorted();
    expect(Object.keys(MODEL_TOOLS).toSorted()).toEqual(names);
    expect(names.filter((name) => !DRAWN.includes(name))).toEqual([]);
  });

  it(
    "[ENG-17] [STEP-6] [STEP-16] [UNDO-4] [LEASE-4] [TXN-1] every call comes to what the model says, also after the workspace was opened anew",
    SWEEP,
    async () => {
      const { found, failures } = await checkModel((folder) => new Real(folder), { numRuns, seed });
      const calls = Object.values(coverage).reduce((sum, n) => sum + n, 0);
      const report = process.env["MODEL_REPORT"];
      if (report !== undefined)
        writeFileSync(report, JSON.stringify({ runs: found.numRuns, calls, failures, coverage }));
      if (found.failed) throw new Error(failures[0], { cause: found.errorInstance });
      expect(found.numRuns).toBe(numRuns);
    },
  );
});
