/** Random calls of every tool, each predicted by a small model (test/model) and compared; `npm run model` makes many runs. */
import fc from "fast-check";
import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { TOOLS } from "../src/tools/index.ts";
import { anyCommands, begun, coverage } from "./model/commands.ts";
import { DRAWN } from "./model/calls.ts";
import { Real } from "./model/real.ts";
import { MODEL_TOOLS } from "./model/tools.ts";
import { inTempFolder } from "./support/temp.ts";
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
      // Of the last run that failed, which is the shortest one found.
      let story: string[] = [];
      const property = fc.asyncProperty(anyCommands, (commands) =>
        inTempFolder(async (folder) => {
          const real = new Real(folder);
          try {
            await fc.asyncModelRun(() => begun(real), commands);
          } catch (e) {
            story = real.story;
            throw e;
          } finally {
            await real.ws.close();
          }
        }),
      );
      const found = await fc.check(property, { numRuns, seed });
      const calls = Object.values(coverage).reduce((sum, n) => sum + n, 0);
      const failures = found.failed
        ? [`${fc.defaultReportMessage(found)}\n${[...story, told(found.errorInstance)].join("\n")}`]
        : [];
      const report = process.env["MODEL_REPORT"];
      if (report !== undefined)
        writeFileSync(report, JSON.stringify({ runs: found.numRuns, calls, failures, coverage }));
      if (found.failed) throw new Error(failures[0], { cause: found.errorInstance });
      expect(found.numRuns).toBe(numRuns);
    },
  );
});

/** What was found and what was expected, where an assertion says so. */
function told(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, stack, actual, expected } = error as Error & { actual?: unknown; expected?: unknown };
  if (actual === undefined) return stack ?? message;
  return `${message}\nfound:    ${JSON.stringify(actual)}\nexpected: ${JSON.stringify(expected)}`;
}
