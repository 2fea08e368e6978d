import fc from "fast-check";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { branchedWork, logFiles, mergeFolders } from "../support/branched_work.ts";
import { splitLines } from "../support/logs.ts";
import { known, OneLog } from "../support/one_log.ts";
import { randomFrom } from "../support/random.ts";
import { anyWork } from "../support/random_work.ts";
import { inTempFolder } from "../support/temp.ts";
import { runsOf, sized, SWEEP } from "../support/sweep.ts";

describe("laws of snapshots", () => {
  it("[SNAP-2] snapshot and tail are the replay, for any log cut anywhere", SWEEP, async () => {
    let used = 0;
    await fc.assert(
      fc.asyncProperty(anyWork(16), anyWork(8), anyWork(8), fc.nat(), (common, ours, theirs, seed) =>
        inTempFolder(async (folder) => {
          const random = randomFrom(seed);
          const { a, b } = await branchedWork(folder, common, ours, theirs);
          const ab = join(folder, "ab");
          mergeFolders(ab, a, b);
          // Straight logs and, of two writers who did not see each other, merged ones.
          const all = [...logFiles(a), ...logFiles(ab)].map(({ bytes }) => bytes);
          for (const [i, bytes] of all.entries()) {
            const log = new OneLog(join(folder, `cut-${i}`));
            const lines = splitLines(bytes);
            writeFileSync(log.path, Buffer.concat(lines.slice(0, 1 + random.below(lines.length))));
            log.snapshot();
            writeFileSync(log.path, bytes);
            const opened = log.open("with snapshots");
            if (opened.eventsInSnapshot > 0) used++;
            expect(known(opened)).toEqual(known(log.open("whole")));
          }
        }),
      ),
      runsOf(12),
    );
    expect(used).toBeGreaterThanOrEqual(sized(0, 6));
  });
});
