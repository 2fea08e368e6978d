import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nodeDisk } from "../../src/disk.ts";
import type { Disk } from "../../src/disk.ts";
import type { JsonObject } from "../../src/state/schema.ts";
import { anyWork, inTempFolder, LAW_LIMIT, lawParameters, RandomWork } from "../support/random_work.ts";
import { newTask, ok, openTemp } from "../support/workspace.ts";

/** Every answer of some work. */
function answersOf(root: string, numbers: number[], entities_in_memory: number): Promise<JsonObject[]> {
  const answers: JsonObject[] = [];
  const work = new RandomWork(root, "memory", { entities_in_memory });
  return work
    .do(numbers, (reply) => void answers.push(JSON.parse(JSON.stringify(reply)) as JsonObject))
    .then(() => work.ws.close())
    .then(() => answers);
}

describe("what stays in memory", () => {
  it(
    "[ENG-61] no answer depends on how much of it does",
    async () => {
      await fc.assert(
        fc.asyncProperty(anyWork(25), async (numbers) => {
          const some = await inTempFolder((root) => answersOf(root, numbers, 1000));
          for (const few of [0, 1]) expect(await inTempFolder((root) => answersOf(root, numbers, few))).toEqual(some);
        }),
        lawParameters(),
      );
    },
    LAW_LIMIT,
  );

  it("[ENG-61] as many as the opening says stay, those that were used last", async () => {
    const read: string[] = [];
    const disk: Disk = {
      ...nodeDisk,
      open: (path, flags) => {
        const id = /([^/]+)\/events\.jsonl$/.exec(path)?.[1];
        if (id !== undefined) read.push(id);
        return nodeDisk.open(path, flags);
      },
    };
    const made = openTemp();
    for (const id of ["TASK-1", "TASK-2", "TASK-3"]) await newTask(made, id);
    const ws = openTemp({ root: made.root, disk, entities_in_memory: 2 });
    const radar = async (n: number): Promise<string[]> => {
      read.length = 0;
      await ok(ws, "tasks_radar", { task: `TASK-${n}` });
      return [...new Set(read)];
    };
    expect(await radar(1)).toEqual(["TASK-1"]);
    expect(await radar(2)).toEqual(["TASK-2"]);
    expect(await radar(1)).toEqual([]);
    expect(await radar(3)).toEqual(["TASK-3"]);
    expect(await radar(1)).toEqual([]);
    expect(await radar(2)).toEqual(["TASK-2"]);
  });
});
