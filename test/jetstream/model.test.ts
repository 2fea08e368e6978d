import { describe, expect, it } from "vitest";
import { SHARED_MODES } from "../../src/engine/core/shared_log.ts";
import { checkModel } from "../model/check.ts";
import { Real } from "../model/real.ts";
import { ownLog } from "../support/machines.ts";
import { natsServer } from "../support/nats.ts";
import { runsOf } from "../support/sweep.ts";

const { numRuns, seed } = runsOf(12, 12);

describe("the model of every tool, on a shared log", () => {
  it.each(SHARED_MODES)("[SHARED-33] in mode %s: every call comes to what it comes to without one", async (mode) => {
    const server = await natsServer();
    const { found, failures } = await checkModel((folder) => new Real(folder, ownLog(server.url, mode)), {
      numRuns,
      seed,
    });
    expect(failures).toEqual([]);
    expect(found.numRuns).toBe(numRuns);
  });
});
