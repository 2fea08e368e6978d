/** What holds of two branches and what git makes of them. */
import fc from "fast-check";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readEntity } from "../../src/engine/entity/entity_on_disk.ts";
import type { Disk } from "../../src/disk.ts";
import { disksOf } from "../../src/disks.ts";
import { AcknowledgedChanges } from "../../src/engine/core/acknowledged_changes.ts";
import { ChangeNotifications } from "../../src/engine/core/change_notifications.ts";
import { RootBinding } from "../../src/engine/entity/binding.ts";
import { Engine } from "../../src/engine/engine.ts";
import { HoldableLocks } from "../../src/engine/locks/holdable_locks.ts";
import { OsLocks } from "../../src/engine/locks/os_lock.ts";
import { RemoteBytes } from "../../src/engine/core/remote_bytes.ts";
import type { EngineContext } from "../../src/engine/core/context.ts";
import { SparseCheckout } from "../../src/engine/core/sparse_checkout.ts";
import { Layout } from "../../src/files/layout.ts";
import { nodeRuntime } from "../../src/node_runtime.ts";
import { branchedWork, expectSound, filesOf, logFiles, mergeFolders } from "../support/branched_work.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { anyWork, RandomWork, UNSYNCED } from "../support/random_work.ts";
import { inTempFolder } from "../support/temp.ts";
import { runsOf, SWEEP } from "../support/sweep.ts";
import { randomFrom } from "../support/random.ts";
import { counting, ticking } from "../support/workspace.ts";

describe("laws of merging", () => {
  it(
    "[RESOLVE-11] two branches merged in either direction are one state, with the same bytes in every file",
    SWEEP,
    async () => {
      await fc.assert(
        fc.asyncProperty(anyWork(12), anyWork(10), anyWork(10), fc.nat({ max: 10_000 }), (common, ours, theirs, skew) =>
          inTempFolder(async (folder) => {
            const { a, b } = await branchedWork(folder, common, ours, theirs, skew - 5_000);
            const [ab, ba] = [join(folder, "ab"), join(folder, "ba")];
            mergeFolders(ab, a, b);
            mergeFolders(ba, b, a);
            for (const root of [ab, ba]) {
              const merged = new RandomWork(root, "merged");
              await merged.ws.repair.resolve();
              expectSound(merged.ws);
              expect(await merged.ws.repair.resolve()).toMatchObject({ changed: false });
              await merged.ws.close();
            }
            expect(filesOf(ab)).toEqual(filesOf(ba));
            const kept = new Set(logFiles(ab).flatMap(({ bytes }) => bytes.toString("utf8").split("\n")));
            for (const root of [a, b])
              for (const { bytes } of logFiles(root))
                for (const line of bytes.toString("utf8").split("\n")) expect(kept.has(line)).toBe(true);
          }),
        ),
        runsOf(12),
      );
    },
  );

  it(
    "[LOG-23] a call that is refused, or whose write fails, leaves the state that a fresh reading gives, also of a merged log",
    SWEEP,
    async () => {
      await fc.assert(
        fc.asyncProperty(
          anyWork(8),
          anyWork(6),
          anyWork(6),
          anyWork(20),
          fc.nat(),
          (common, ours, theirs, numbers, seed) =>
            inTempFolder(async (folder) => {
              const { a, b, begun } = await branchedWork(folder, common, ours, theirs);
              const root = join(folder, "merged");
              mergeFolders(root, a, b);
              const merged = new RandomWork(root, "merged");
              await merged.ws.repair.resolve();
              await merged.ws.close();

              const disk = new FaultyDisk(UNSYNCED);
              const random = randomFrom(seed);
              const { engine, close } = openEngine(root, disk);
              for (const n of numbers) {
                if (random.chance(0.3)) disk.fail({ kind: "write", path: "events.jsonl" }, "ENOSPC");
                else if (random.chance(0.2)) disk.cut({ path: "events.jsonl" }, random.below(200));
                const call = begun.calls.next(randomFrom(n));
                const reply = await engine.call(call.tool, call.input, { by: "human:cyd" });
                expect(reply.error?.code).not.toBe("INTERNAL");
                begun.calls.heard(call, reply);
                disk.mend();
                // What is in memory now, not what the next look would make of it.
                const known = logFiles(root).filter(
                  ({ id, part }) => part === "tasks" && engine.store.find(id)?.entity,
                );
                for (const { id, bytes } of known) {
                  expect(engine.store.find(id)?.entity).toEqual(readEntity(bytes, () => false).entity);
                }
              }
              await close();
            }),
        ),
        runsOf(12),
      );
    },
  );
});

/** The engine itself, so that its memory can be looked at. */
function openEngine(root: string, disk: Disk): { engine: Engine; close: () => Promise<void> } {
  const layout = new Layout(root);
  const now = ticking(Date.UTC(2027, 0, 1));
  const locks = new OsLocks(disk, layout, now);
  const context: EngineContext = {
    disk,
    disks: disksOf(disk),
    layout,
    notifications: new ChangeNotifications(disk, layout, nodeRuntime),
    marks: new AcknowledgedChanges(disk, layout),
    durability: "os",
    projections: "batch",
    notices: [],
    remote: new RemoteBytes(disk, layout, now),
    sparse: new SparseCheckout({ disk, runtime: nodeRuntime }, root),
    packetConfigs: { given: undefined, own: () => undefined },
    lockTimeoutMs: 1000,
    entitiesInMemory: 1000,
    runtime: nodeRuntime,
    now,
    newId: counting("engine"),
    locks: () => holdable,
  };
  const holdable = new HoldableLocks(locks, context);
  const engine = new Engine(context, new RootBinding(context, "sequential"));
  const close = async (): Promise<void> => {
    await engine.close();
    locks.close();
  };
  return { engine, close };
}
