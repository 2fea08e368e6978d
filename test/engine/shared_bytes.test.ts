/** A machine and its disk, over a model of the shared log (test/sim). */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { nodeDisk } from "../../src/disk.ts";
import type { OutgoingMessage, SharedLog, SharedLogPort } from "../../src/engine/core/shared_log.ts";
import { TaskfoldError } from "../../src/errors.ts";
import { Place, Stream } from "../sim/stream.mjs";
import { connect } from "../sim/stream_log.mjs";
import { FaultyDisk } from "../support/faulty_disk.ts";
import { openTemp, WORKSPACE } from "../support/workspace.ts";

const CLOCK = { now: () => performance.now(), after: (ms: number, run: () => void) => void setTimeout(run, ms) };
const STEP = { title: "A step", success_criteria: ["it works"], tests: ["npm test"] };

function port(stream: Stream, publishing?: (log: SharedLog, message: OutgoingMessage) => Promise<void>): SharedLogPort {
  const connectIt = (): Promise<SharedLog> => {
    const log = connect(stream, new Place(), TaskfoldError) as SharedLog;
    const publish = log.publish.bind(log);
    log.publish = async (message, expected) => {
      await publishing?.(log, message);
      return publish(message, expected);
    };
    return Promise.resolve(log);
  };
  return { mode: "merge", blobs: "on_demand", address: "nats://modelled", connect: connectIt };
}

it("[SHARED-19] bytes that are captured while a publish loses its race are in the object store before the next try names them", async () => {
  const stream = new Stream(CLOCK);
  const other = openTemp({ shared: port(stream) });
  await other.shared.init(WORKSPACE);
  const told: boolean[] = [];
  let isFirst = true;
  const one = openTemp({
    shared: port(stream, async (log, { body }) => {
      const blobs = blobsOf(one.root);
      for (const blob of blobs.filter((name) => body.includes(name))) told.push(await log.hasBlob(blob));
      if (!isFirst || !body.includes("first of this machine")) return;
      isFirst = false;
      await other.callTool("tasks_create", { workspace: WORKSPACE, kind: "task", id: "TASK-009", title: "Faster" });
      await other.shared.sync();
      const items = [{ kind: "run", command: "npm test", exit_code: 0, stdout: "line\n".repeat(20_000) }];
      const evidence = { workspace: WORKSPACE, task: "TASK-001", path: "s:0", items, checkpoint: "tests" };
      expect(await one.callTool("tasks_evidence_capture", evidence)).toMatchObject({ success: true });
    }),
  });
  await one.shared.init(WORKSPACE);
  const title = "The first of this machine";
  const made = { workspace: WORKSPACE, kind: "task", id: "TASK-001", title, steps: [STEP] };
  expect(await one.callTool("tasks_create", made)).toMatchObject({ success: true });
  await one.shared.sync();
  expect(isFirst).toBe(false);
  expect(told.length).toBeGreaterThan(0);
  expect(told).not.toContain(false);
});

it.each([
  ["mkdir", "EACCES", "READ_ONLY"],
  ["mkdir", "ENOSPC", "STORAGE_FULL"],
  ["mkdir", "EIO", "STORAGE_FAILED"],
] as const)(
  "[SHARED-20] an exchange for which the disk refuses a %s with %s is refused with %s",
  async (kind, errno, code) => {
    const stream = new Stream(CLOCK);
    await openTemp({ shared: port(stream) }).shared.init(WORKSPACE);
    const disk = new FaultyDisk(nodeDisk);
    const one = openTemp({ disk, shared: port(stream) });
    disk.fail({ kind, path: /\/shared$/ }, errno);
    await expect(one.shared.sync(WORKSPACE)).rejects.toMatchObject({ name: "TaskfoldError", code });
    await expect(one.shared.sync(WORKSPACE)).resolves.toMatchObject({ lacking: [] });
  },
);

function blobsOf(root: string): string[] {
  try {
    return readdirSync(join(root, ".coco/tasks/TASK-001/shared/evidence/blobs"));
  } catch {
    return [];
  }
}
