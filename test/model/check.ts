/** Holds a workspace against the model, over random calls. */
import fc from "fast-check";
import { inTempFolder } from "../support/temp.ts";
import { anyCommands, begun } from "./commands.ts";
import type { Real } from "./real.ts";

/** `failures` has the calls of the shortest run that failed. */
export async function checkModel(open: (folder: string) => Real, { numRuns, seed }: { numRuns: number; seed: number }) {
  let story: string[] = [];
  const property = fc.asyncProperty(anyCommands, (commands) =>
    inTempFolder(async (folder) => {
      const real = open(folder);
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
  const failures = found.failed
    ? [`${fc.defaultReportMessage(found)}\n${[...story, told(found.errorInstance)].join("\n")}`]
    : [];
  return { found, failures };
}

/** What was found and what was expected, where an assertion says so. */
function told(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, stack, actual, expected } = error as Error & { actual?: unknown; expected?: unknown };
  if (actual === undefined) return stack ?? message;
  return `${message}\nfound:    ${JSON.stringify(actual)}\nexpected: ${JSON.stringify(expected)}`;
}
