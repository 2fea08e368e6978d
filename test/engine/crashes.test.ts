import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isKnownType } from "../../src/events/index.ts";
import { readOps } from "../../src/log/read_ops.ts";
import { bytesSource } from "../../src/log/source.ts";
import { FaultyDisk, Stop } from "../support/faulty_disk.ts";
import { note, processIsGone, quick, withTask } from "../support/faulty_task.ts";
import { keysInLogs, run, SCRIPT } from "../support/script.ts";
import { numbersOf, SWEEP } from "../support/sweep.ts";
import { tempFolder } from "../support/temp.ts";
import { call, ok, openTemp } from "../support/workspace.ts";

/** A sample stops at every so many changes of some hundred. */
const STRIDE = 50;

/** Runs the script until the process dies at change `n`; gives what was acknowledged. */
async function crashAt(
  root: string,
  n: number,
  tear: number,
  power: boolean,
): Promise<{ acknowledged: string[]; died: boolean }> {
  const disk = new FaultyDisk(quick);
  disk.stop(n, tear);
  const ws = openTemp({ root, disk });
  const acknowledged: string[] = [];
  for (const step of SCRIPT) {
    const reply = await run(ws, step);
    if (reply.success) acknowledged.push(step.key);
    if (disk.dead) break;
    expect(reply.error).toBeNull();
  }
  const died = disk.dead;
  if (power) disk.losePower();
  else disk.die();
  processIsGone(root);
  return { acknowledged, died };
}

/** Everything acknowledged is there once, and the script can be finished with the same keys. */
async function recover(root: string, acknowledged: string[], where: string): Promise<void> {
  const there = keysInLogs(root);
  for (const key of acknowledged) expect(there, where).toContain(key);
  const ws = openTemp({ root, disk: quick });
  for (const step of SCRIPT) {
    const reply = await run(ws, step);
    // What was applied to a task that is in the archive by now: a definite no, and nothing is applied twice.
    if (/^(UNKNOWN_ID|ID_TAKEN)$/.test(reply.error?.code ?? "") && there.includes(step.key)) continue;
    expect(reply.error, `${where}, ${step.key}`).toBeNull();
  }
  // A write heals what the crash left stale; calls that were only repeated wrote nothing.
  await ok(ws, "tasks_note", { plan: "PLAN-001", note: "went on" });
  await ws.close();
  expect(keysInLogs(root).toSorted(), where).toEqual(SCRIPT.map(({ key }) => key));
  const { findings } = openTemp({ root }).verify();
  // Half an op stays where it is, and files of the archive come back by `rebuild` only.
  const harmless = /^(LINE_TORN|LINE_NOT_JSON|LINE_DUPLICATE|OP_INCOMPLETE)$/;
  const left = findings.filter((f) => !harmless.test(f.code) && !f.file?.startsWith(".coco/archive"));
  expect(left, where).toEqual([]);
}

describe("a crash", () => {
  it.each([
    ["the process dies", 0, false],
    ["the process dies in the middle of a write", 37, false],
    ["the power goes, and with it what no sync covered", 0, true],
  ])(
    "[DUR-1] [DUR-3] [DUR-6] %s at any change: what was acknowledged is there once, and the work goes on",
    SWEEP,
    async (_how, tear, power) => {
      for (const n of numbersOf(STRIDE)) {
        const root = tempFolder();
        const { acknowledged, died } = await crashAt(root, n, tear, power);
        await recover(root, acknowledged, `stopped at change ${n}`);
        if (died) continue;
        expect(n).toBeGreaterThan(50);
        break;
      }
    },
  );

  it("[DUR-3] the dead process does nothing more: the disk of these tests keeps its word", async () => {
    const { disk, ws, log } = await withTask();
    const before = readFileSync(log);
    disk.stop(0);
    const reply = await call(ws, "tasks_note", note("lost"));
    expect(reply.success).toBe(false);
    expect(() => disk.readFile(log)).toThrow(Stop);
    expect(readFileSync(log)).toEqual(before);
    disk.die();
  });
});

describe("a torn log", () => {
  it("[DUR-3] every length a log can be cut to opens, and takes the next change", async () => {
    const { ws, log } = await withTask();
    await ws.close();
    const whole = readFileSync(log);
    const first = whole.indexOf("\n", whole.indexOf("\n") + 1) + 1; // the op that creates it is two events
    for (let length = whole.length - 1; length > first; length -= 97) {
      writeFileSync(log, whole.subarray(0, length));
      const again = openTemp({ root: ws.root, projections: "manual", durability: "os" });
      await ok(again, "tasks_note", note("after"));
      expect(notesOf2(log), `cut to ${length}`).toContain("after");
      await again.close();
    }
  });
});

/** Notes in effect, read as a reader would: damaged lines are passed over. */
function notesOf2(log: string): string[] {
  const { ops } = readOps(bytesSource(readFileSync(log)), { isKnownType });
  return ops.flatMap((op) => op.events.flatMap((e) => (e.type === "step.noted" ? [e.payload["note"] as string] : [])));
}
