/**
 * What holds whatever is done, on real tool calls, real logs and real files. `npm run laws -- --runs N --seed S` looks
 * harder than an ordinary test run does.
 */
import fc from "fast-check";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { nodeRuntime } from "../../src/node_runtime.ts";
import { readEntity } from "../../src/engine/entity/entity_on_disk.ts";
import { LoadedEntity } from "../../src/engine/entity/loaded_entity.ts";
import { nodeDisk } from "../../src/disk.ts";
import { Layout } from "../../src/files/layout.ts";
import { expectSound, filesOf, logFiles } from "../support/branched_work.ts";
import { anyWork, RandomWork } from "../support/random_work.ts";
import { inTempFolder } from "../support/temp.ts";
import { runsOf, SWEEP } from "../support/sweep.ts";
import { randomFrom } from "../support/random.ts";

const state = (bytes: Buffer) => {
  const { entity, report } = readEntity(bytes, () => false);
  return { entity, heads: report.heads, ops: report.ops, events: report.events };
};

describe("laws", () => {
  it(
    "[VERIFY-1] [REBUILD-1] after any calls verify finds nothing, and what is folded anew is what was written",
    SWEEP,
    async () => {
      await fc.assert(
        fc.asyncProperty(anyWork(30), (numbers) =>
          inTempFolder(async (root) => {
            const work = new RandomWork(root, "a");
            await work.do(numbers);
            expectSound(work.ws);
            const before = filesOf(root);
            for (const { folder } of logFiles(root)) {
              for (const name of ["task.yaml", "README.md", "shared/evidence/index.json", "shared/human-notes.md"])
                rmSync(join(folder, name));
            }
            await work.ws.repair.rebuild();
            expect(filesOf(root)).toEqual(before);
            await work.ws.close();
          }),
        ),
        runsOf(12),
      );
    },
  );

  it(
    "[LOG-23] state carried forward, read at once, and read from lines in any order with copies, is one state",
    SWEEP,
    async () => {
      await fc.assert(
        fc.asyncProperty(anyWork(30), fc.nat(), (numbers, seed) =>
          inTempFolder(async (root) => {
            const work = new RandomWork(root, "a", { projections: "manual" });
            const followed = new Map<string, LoadedEntity>();
            await work.do(numbers, () => {
              // A reader in another process, which looks after every change.
              for (const { id, folder } of logFiles(root)) {
                const here = { disk: nodeDisk, layout: new Layout(root), runtime: nodeRuntime };
                const loaded = followed.get(folder) ?? new LoadedEntity(here, id, folder);
                followed.set(folder, loaded);
                loaded.catchUp();
              }
            });
            const random = randomFrom(seed);
            for (const { folder, bytes } of logFiles(root)) {
              const whole = state(bytes);
              const loaded = followed.get(folder)!;
              expect({
                entity: loaded.entity,
                heads: loaded.report.heads,
                ops: loaded.report.ops,
                events: loaded.report.events,
              }).toEqual(whole);
              const lines = bytes
                .toString("utf8")
                .split("\n")
                .filter((line) => line !== "");
              const mixed = random.shuffle([...lines, ...lines.filter(() => random.chance(0.3))]);
              expect(state(Buffer.from(mixed.map((line) => `${line}\n`).join("")))).toEqual(whole);
            }
            await work.ws.close();
          }),
        ),
        runsOf(12),
      );
    },
  );
});
