import fc from "fast-check";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Workspace } from "../../src/engine/workspace.ts";
import { entityFromJson, entityToJson } from "../../src/state/entity_json.ts";
import type { EntityJson } from "../../src/state/entity_json.ts";
import { machinePath } from "../support/machine.ts";
import { splitLines } from "../support/logs.ts";
import { known, OneLog } from "../support/one_log.ts";
import { randomFrom } from "../support/random.ts";
import type { Random } from "../support/random.ts";
import { anyWork, RandomWork } from "../support/random_work.ts";
import { inTempFolder } from "../support/temp.ts";
import { ROTATING, runsOf, SWEEP } from "../support/sweep.ts";
import { call, code, logPath, newTask, ok, openTemp, ticking, tree, WORKSPACE } from "../support/workspace.ts";

const snapshotPath = (root: string, id = "TASK-001"): string => machinePath(root, "snapshots", `${id}.json`);

function logsOf(root: string): Buffer[] {
  const tasks = join(root, ".coco", "tasks");
  return readdirSync(tasks).map((id) => readFileSync(join(tasks, id, "events.jsonl")));
}

/** What git, an editor or another program may do to a log. */
const CHANGES: Record<string, (bytes: Buffer, random: Random) => Buffer> = {
  "a byte changed, the length kept": (bytes, random) => {
    const changed = Buffer.from(bytes);
    changed[random.below(bytes.length)]! ^= 1;
    return changed;
  },
  "a line taken out": (bytes, random) => {
    const lines = splitLines(bytes);
    return Buffer.concat(lines.toSpliced(random.below(lines.length), 1));
  },
  "cut short": (bytes, random) => bytes.subarray(0, random.below(bytes.length)),
  "a line of another program at the front": (bytes) =>
    Buffer.concat([Buffer.from('{"ts":"2026-01-01T00:00:00Z","type":"agent.started"}\n'), bytes]),
  "the last line changed and another appended": (bytes) => {
    const lines = splitLines(bytes);
    const last = lines.at(-1)!.toString("utf8").replace('"v":1', '"v":2');
    return Buffer.concat([...lines.slice(0, -1), Buffer.from(last), Buffer.from("\n\n")]);
  },
  "an empty line at the front and the lines in another order": (bytes) =>
    Buffer.concat([Buffer.from("\n"), ...splitLines(bytes).toReversed()]),
};

async function busyTask(ws: Workspace, notes: number): Promise<void> {
  await newTask(ws);
  await Promise.all(
    Array.from({ length: notes }, (_, i) => ok(ws, "tasks_note", { task: "TASK-001", note: `note ${i}` })),
  );
}

describe("snapshots", () => {
  it("[SNAP-2] an entity goes through JSON as it is", SWEEP, async () => {
    await fc.assert(
      fc.asyncProperty(anyWork(40), (numbers) =>
        inTempFolder(async (root) => {
          const work = new RandomWork(root, "a");
          await work.do(numbers);
          await work.ws.close();
          for (const bytes of logsOf(root)) {
            const log = new OneLog(join(root, "one"));
            writeFileSync(log.path, bytes);
            const entity = log.open("whole").entity!;
            const back = entityFromJson(JSON.parse(JSON.stringify(entityToJson(entity))) as EntityJson);
            expect(back).toEqual(entity);
            for (const step of back.steps.values()) expect(step.parent?.children ?? back.children).toContain(step);
          }
        }),
      ),
      runsOf(12),
    );
  });

  it.each(Object.entries(CHANGES))("[SNAP-3] a log with %s is read as it is", SWEEP, async (_, change) => {
    await fc.assert(
      fc.asyncProperty(anyWork(12), fc.nat(), (numbers, seed) =>
        inTempFolder(async (root) => {
          const work = new RandomWork(root, "a");
          await work.do(numbers);
          await work.ws.close();
          const [bytes] = logsOf(root);
          if (!bytes) return;
          const log = new OneLog(join(root, "one"));
          writeFileSync(log.path, bytes);
          log.snapshot();
          expect(log.open("with snapshots").eventsInSnapshot).toBeGreaterThan(0);
          writeFileSync(log.path, change(bytes, randomFrom(seed)));
          const opened = log.open("with snapshots");
          expect(opened.eventsInSnapshot).toBe(0);
          expect(known(opened)).toEqual(known(log.open("whole")));
        }),
      ),
      runsOf(12),
    );
  });

  it("[SNAP-3] with lines of another program in it, a log that has grown is read whole; the same file is not", async () => {
    const ws = openTemp();
    await newTask(ws);
    const log = new OneLog(ws.root);
    appendFileSync(log.path, '{"ts":"2026-01-01T00:00:00Z","type":"agent.started","agentInstance":"x"}\n');
    log.snapshot();
    expect(log.open("with snapshots").eventsInSnapshot).toBe(2);
    appendFileSync(log.path, "\n");
    const opened = log.open("with snapshots");
    expect(opened.eventsInSnapshot).toBe(0);
    expect(known(opened)).toEqual(known(log.open("whole")));
  });

  it("[SNAP-2] a damaged snapshot, or one of another release, is as good as none", async () => {
    const ws = openTemp();
    await newTask(ws);
    const log = new OneLog(ws.root);
    log.snapshot();
    const whole = known(log.open("whole"));
    const sound = readFileSync(snapshotPath(ws.root));
    const damaged = [
      Buffer.alloc(0),
      Buffer.from("null"),
      sound.subarray(0, sound.length / 2),
      Buffer.concat([sound, Buffer.from("x")]),
      Buffer.from(sound.toString("utf8").replace("First", "Frist")),
      Buffer.from(sound.toString("utf8").replace(/^\[\d+,/, "[99,")),
      Buffer.from(sound.toString("utf8").replace(/^\[(\d+),\d+,/, "[$1,99999,")),
    ];
    for (const bytes of damaged) {
      writeFileSync(snapshotPath(ws.root), bytes);
      const opened = log.open("with snapshots");
      expect(opened.eventsInSnapshot).toBe(0);
      expect(known(opened)).toEqual(whole);
    }
    rmSync(snapshotPath(ws.root));
    mkdirSync(snapshotPath(ws.root));
    expect(known(log.open("with snapshots"))).toEqual(whole);
    log.snapshot();
    expect(statSync(snapshotPath(ws.root)).isDirectory()).toBe(true);
  });

  it(
    "[SNAP-2] is written by a write or close once 2,000 events were read since the last, never by a read",
    ROTATING,
    async () => {
      const ws = openTemp({ durability: "os" });
      await newTask(ws, "TASK-002");
      await busyTask(ws, 1990);
      expect(existsSync(snapshotPath(ws.root))).toBe(false);
      await Promise.all(Array.from({ length: 20 }, () => ok(ws, "tasks_note", { task: "TASK-001", note: "more" })));
      const first = readFileSync(snapshotPath(ws.root));
      await ok(ws, "tasks_note", { task: "TASK-001", note: "and more" });
      await ws.close();
      expect(readFileSync(snapshotPath(ws.root))).toEqual(first);
      expect(readdirSync(dirname(snapshotPath(ws.root)))).toEqual(["TASK-001.json"]);
      rmSync(join(ws.root, ".coco", "registry"), { recursive: true });

      const reader = openTemp({ root: ws.root, durability: "os" });
      const before = tree(ws.root);
      for (const tool of ["tasks_radar", "tasks_handoff", "tasks_history"] as const)
        await ok(reader, tool, { task: "TASK-001" });
      expect(tree(ws.root)).toEqual(before);
      await ok(reader, "tasks_note", { task: "TASK-001", note: "written" });
      expect(existsSync(snapshotPath(ws.root))).toBe(true);
      rmSync(snapshotPath(ws.root));
      await reader.close();
      const again = openTemp({ root: ws.root, durability: "os" });
      await ok(again, "tasks_radar", { task: "TASK-001" });
      expect(existsSync(snapshotPath(ws.root))).toBe(false);
      await again.close();
      expect(existsSync(snapshotPath(ws.root))).toBe(true);
    },
  );

  it(
    "[SNAP-2] what was done before the snapshot can be undone, redone, listed and asked for again",
    ROTATING,
    async () => {
      const ws = openTemp({ durability: "os", by: "human:ada" });
      await newTask(ws);
      await ok(ws, "tasks_edit", { task: "TASK-001", priority: "HIGH", idempotency_key: "high" });
      await ok(ws, "tasks_edit", { task: "TASK-001", priority: "LOW" });
      await ok(ws, "tasks_undo", { task: "TASK-001" });
      const captured = { task: "TASK-001", items: [{ kind: "diff" as const, diff: "+x" }] };
      await Promise.all(Array.from({ length: 2000 }, () => ok(ws, "tasks_evidence_capture", captured)));
      await ws.close();
      expect(existsSync(snapshotPath(ws.root))).toBe(true);
      const plain = join(ws.root, "plain");
      cpSync(join(ws.root, ".coco"), join(plain, ".coco"), { recursive: true });
      rmSync(join(plain, ".coco", "registry"), { recursive: true });
      const replies = await Promise.all(
        [ws.root, plain].map(async (root) => {
          const again = openTemp({
            root,
            durability: "os",
            by: "human:ada",
            now: ticking(),
            newId: () => "0123456789abcdef",
          });
          const known = await call(again, "tasks_edit", {
            task: "TASK-001",
            priority: "HIGH",
            idempotency_key: "high",
          });
          const other = await code(again, "tasks_edit", { task: "TASK-001", priority: "LOW", idempotency_key: "high" });
          const redo = await call(again, "tasks_redo", { task: "TASK-001" });
          const undo = await call(again, "tasks_undo", { task: "TASK-001" });
          const history = await call(again, "tasks_history", { task: "TASK-001", limit: 200 });
          const radar = await call(again, "tasks_radar", { task: "TASK-001" });
          return { known, other, redo, undo, history, radar };
        }),
      );
      expect(replies[0]).toEqual(replies[1]);
      expect(replies[0]!.known.warnings.map((w) => w.code)).toEqual(["REPLAYED"]);
      expect(replies[0]!.redo.error).toBeNull();
      expect(replies[0]!.undo.error).toBeNull();
      expect(replies[0]!.other).toBe("IDEMPOTENCY_CONFLICT");
    },
  );

  it("[SNAP-3] rebuild reads the log itself", async () => {
    const ws = openTemp({ durability: "os" });
    await busyTask(ws, 2000);
    await ws.close();
    expect(existsSync(snapshotPath(ws.root))).toBe(true);
    // Nothing a cold open would notice: the last line stands where it stood, and the log has grown.
    const text = readFileSync(logPath(ws.root), "utf8").replace("Task TASK-001", "Task TASK-009");
    writeFileSync(logPath(ws.root), `${text}\n`);
    const again = openTemp({ root: ws.root, durability: "os" });
    expect(await code(again, "tasks_radar", { task: "TASK-001" })).toBeUndefined();
    await again.repair.rebuild();
    expect(await code(again, "tasks_radar", { task: "TASK-001" })).toBe("LOG_UNREADABLE");
  });

  it("[SNAP-2] the registry may vanish at any moment", SWEEP, async () => {
    await fc.assert(
      fc.asyncProperty(anyWork(20), fc.nat(), (numbers, seed) =>
        inTempFolder(async (root) => {
          const random = randomFrom(seed);
          const work = new RandomWork(root, "a");
          let since: string | undefined;
          for (const n of numbers) {
            await work.do([n]);
            const reply = await work.ws.call("tasks_delta", {
              workspace: WORKSPACE,
              ...(since === undefined ? {} : { since }),
            });
            expect([undefined, "CURSOR_EXPIRED"]).toContain(reply.error?.code);
            since = reply.result === null ? undefined : (reply.result["cursor"] as string);
            if (random.chance(0.4)) rmSync(join(root, ".coco", "registry"), { recursive: true, force: true });
          }
          expect(work.ws.verify().findings.filter((f) => !f.info)).toEqual([]);
          await work.ws.close();
        }),
      ),
      runsOf(12),
    );
  });
});
