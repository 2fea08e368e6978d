/**
 * What holds whatever is done, on real tool calls, real logs and real files. `npm run laws -- --runs N --seed S` looks
 * harder than an ordinary test run does.
 */
import fc from "fast-check";
import { appendFileSync, cpSync, existsSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readEntity } from "../../src/engine/entity_on_disk.ts";
import { Handle } from "../../src/engine/handle.ts";
import type { Workspace } from "../../src/engine/workspace.ts";
import { nodeDisk } from "../../src/disk.ts";
import type { Disk } from "../../src/disk.ts";
import { Engine } from "../../src/engine/engine.ts";
import { OsLocks } from "../../src/engine/os_lock.ts";
import { Layout } from "../../src/files/layout.ts";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { anyWork, inTempFolder, lawParameters, RandomWork, UNSYNCED } from "../support/random_work.ts";
import { randomFrom } from "../support/random.ts";
import { counting, ticking } from "../support/workspace.ts";

const LIMIT = 3_600_000;
const PARTS = ["tasks", "archive"] as const;

interface Log {
  id: string;
  part: (typeof PARTS)[number];
  folder: string;
  bytes: Buffer;
}

function logs(root: string): Log[] {
  return PARTS.flatMap((part) => {
    const folder = join(root, ".coco", part);
    if (!existsSync(folder)) return [];
    return readdirSync(folder).map((id) => ({
      id,
      part,
      folder: join(folder, id),
      bytes: readFileSync(join(folder, id, "events.jsonl")),
    }));
  });
}

/** Every file under tasks and archive with its bytes. */
function files(root: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const part of PARTS) {
    const folder = join(root, ".coco", part);
    if (!existsSync(folder)) continue;
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (entry.isFile())
        found.set(
          join(entry.parentPath, entry.name).slice(root.length),
          readFileSync(join(entry.parentPath, entry.name), "latin1"),
        );
    }
  }
  return found;
}

const state = (bytes: Buffer) => {
  const { entity, report } = readEntity(bytes, () => false);
  return { entity, heads: report.heads, ops: report.ops, events: report.events };
};

function expectSound(ws: Workspace): void {
  expect(ws.verify().findings.filter((f) => !f.info)).toEqual([]);
}

describe("laws", () => {
  it(
    "[VERIFY-1] [REBUILD-1] after any calls verify finds nothing, and what is folded anew is what was written",
    async () => {
      await fc.assert(
        fc.asyncProperty(anyWork(30), (numbers) =>
          inTempFolder(async (root) => {
            const work = new RandomWork(root, "a");
            await work.do(numbers);
            expectSound(work.ws);
            const before = files(root);
            for (const { folder } of logs(root)) {
              for (const name of ["task.yaml", "README.md", "shared/evidence/index.json", "shared/human-notes.md"])
                rmSync(join(folder, name));
            }
            await work.ws.rebuild();
            expect(files(root)).toEqual(before);
            await work.ws.close();
          }),
        ),
        lawParameters(),
      );
    },
    LIMIT,
  );

  it(
    "[LOG-23] state carried forward, read at once, and read from lines in any order with copies, is one state",
    async () => {
      await fc.assert(
        fc.asyncProperty(anyWork(30), fc.nat(), (numbers, seed) =>
          inTempFolder(async (root) => {
            const work = new RandomWork(root, "a", { projections: "manual" });
            const followed = new Map<string, Handle>();
            await work.do(numbers, () => {
              // A reader in another process, which looks after every change.
              for (const { id, folder } of logs(root)) {
                const handle = followed.get(folder) ?? new Handle({ disk: nodeDisk }, id, folder);
                followed.set(folder, handle);
                handle.catchUp();
              }
            });
            const random = randomFrom(seed);
            for (const { folder, bytes } of logs(root)) {
              const whole = state(bytes);
              const handle = followed.get(folder)!;
              expect({
                entity: handle.entity,
                heads: handle.report.heads,
                ops: handle.report.ops,
                events: handle.report.events,
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
        lawParameters(),
      );
    },
    LIMIT,
  );

  it(
    "[RESOLVE-11] two branches merged in either direction are one state, with the same bytes in every file",
    async () => {
      await fc.assert(
        fc.asyncProperty(anyWork(12), anyWork(10), anyWork(10), fc.nat({ max: 10_000 }), (common, ours, theirs, skew) =>
          inTempFolder(async (folder) => {
            const [base, a, b, ab, ba] = ["base", "a", "b", "ab", "ba"].map((name) => join(folder, name)) as [
              string,
              string,
              string,
              string,
              string,
            ];
            const begun = new RandomWork(base, "base");
            await begun.do(common);
            await begun.ws.close();
            cpSync(base, a, { recursive: true });
            cpSync(base, b, { recursive: true });
            await branch(a, "a", ours, begun, 10_000);
            await branch(b, "b", theirs, begun, 10_000 + skew - 5_000);
            merge(ab, a, b);
            merge(ba, b, a);
            for (const root of [ab, ba]) {
              const merged = new RandomWork(root, "merged");
              await merged.ws.resolve();
              expectSound(merged.ws);
              expect(await merged.ws.resolve()).toMatchObject({ changed: false });
              await merged.ws.close();
            }
            expect(files(ab)).toEqual(files(ba));
            const kept = new Set(logs(ab).flatMap(({ bytes }) => bytes.toString("utf8").split("\n")));
            for (const root of [a, b])
              for (const { bytes } of logs(root))
                for (const line of bytes.toString("utf8").split("\n")) expect(kept.has(line)).toBe(true);
          }),
        ),
        lawParameters(),
      );
    },
    LIMIT,
  );

  it(
    "[LOG-23] a call that is refused, or whose write fails, leaves the state that a fresh reading gives, also of a merged log",
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
              const [base, a, b, root] = ["base", "a", "b", "merged"].map((name) => join(folder, name)) as [
                string,
                string,
                string,
                string,
              ];
              const begun = new RandomWork(base, "base");
              await begun.do(common);
              await begun.ws.close();
              for (const copy of [a, b]) cpSync(base, copy, { recursive: true });
              await branch(a, "a", ours, begun, 10_000);
              await branch(b, "b", theirs, begun, 20_000);
              merge(root, a, b);
              const merged = new RandomWork(root, "merged");
              await merged.ws.resolve();
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
                const known = logs(root).filter(({ id, part }) => part === "tasks" && engine.store.find(id)?.entity);
                for (const { id, bytes } of known) {
                  expect(engine.store.find(id)?.entity).toEqual(readEntity(bytes, () => false).entity);
                }
              }
              await close();
            }),
        ),
        lawParameters(),
      );
    },
    LIMIT,
  );
});

/** The engine itself, so that its memory can be looked at. */
function openEngine(root: string, disk: Disk): { engine: Engine; close: () => Promise<void> } {
  const layout = new Layout(root);
  const now = ticking(Date.UTC(2027, 0, 1));
  const locks = new OsLocks(disk, layout, now);
  const engine = new Engine(
    {
      disk,
      layout,
      durability: "os",
      projections: "batch",
      lockTimeoutMs: 1000,
      now,
      newId: counting("engine"),
      locks: () => locks,
    },
    "sequential",
  );
  const close = async (): Promise<void> => {
    await engine.close();
    locks.close();
  };
  return { engine, close };
}

async function branch(
  root: string,
  seed: string,
  numbers: number[],
  begun: RandomWork,
  minutes: number,
): Promise<void> {
  const work = new RandomWork(root, seed, {
    calls: begun.calls,
    now: ticking(Date.UTC(2026, 0, 2) + minutes * 60_000),
  });
  await work.do(numbers);
  await work.ws.close();
}

/** What git does on a clone with nothing installed, in short: logs by union, every other file ours. */
function merge(into: string, ours: string, theirs: string): void {
  cpSync(theirs, into, { recursive: true });
  cpSync(ours, into, { recursive: true, force: true });
  for (const { id, part, bytes } of logs(theirs)) {
    const log = join(into, ".coco", part, id, "events.jsonl");
    const have = new Set(readFileSync(log, "utf8").split("\n"));
    const more = bytes
      .toString("utf8")
      .split("\n")
      .filter((line) => !have.has(line));
    appendFileSync(log, more.map((line) => `${line}\n`).join(""));
  }
  // What is this machine's own does not travel.
  for (const name of ["registry", "locks"]) rmSync(join(into, ".coco", name), { recursive: true, force: true });
}
