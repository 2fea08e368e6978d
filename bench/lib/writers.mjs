import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { nodeDisk } from "../../dist/disk.js";
import { isKnownType } from "../../dist/events/index.js";
import { FileLog } from "../../dist/log/file_log.js";
import { readOps } from "../../dist/log/read_ops.js";
import { TASK, taskWorkspace } from "./workspaces.mjs";

const WRITER = join(import.meta.dirname, "writer.mjs");

/**
 * `count` processes write one task for `ms` milliseconds; microseconds of every mutation, by process. Throws when
 * anything that was acknowledged is not in the log, once.
 * @param {string} folder @param {number} count @param {number} ms @param {string} [lock]
 * @returns {Promise<number[][]>}
 */
export async function writers(folder, count, ms, lock) {
  const ws = await taskWorkspace(folder, { projections: "manual", ...(lock ? { lock } : {}) });
  await ws.close();
  const children = Array.from({ length: count }, () => fork(WRITER, [folder, lock ?? ""]));
  const before = (await Promise.all(children.map((child) => message(child)))).map((answer) => answer.warmed);
  const told = children.map((child) => message(child));
  const ended = children.map((child) => once(child, "exit"));
  for (const child of children) child.send({ ms });
  const micros = (await Promise.all(told)).map((answer) => answer.micros);
  await Promise.all(ended);
  check(folder, 1 + before.reduce((a, b) => a + b, 0) + micros.flat().length);
  return micros;
}

async function message(child) {
  const died = once(child, "exit").then(([code]) => {
    throw new Error(`a writer ended with ${code}`);
  });
  // Whichever comes second has nothing to say any more.
  died.catch(() => undefined);
  const [answer] = await Promise.race([once(child, "message"), died]);
  return answer;
}

function check(folder, expected) {
  const log = new FileLog(nodeDisk, join(folder, ".coco", "tasks", TASK, "events.jsonl"));
  const { ops, report } = log.withSource((source) => readOps(source, { isKnownType }));
  const seqs = new Set(ops.flatMap((op) => op.events.map((event) => event.seq)));
  const faults = { lost: expected - ops.length, torn: report.torn !== null, doubled: report.events - seqs.size };
  if (faults.lost !== 0 || faults.torn || faults.doubled !== 0 || !report.linear)
    throw new Error(`expected ${expected} ops in a straight log, found ${JSON.stringify(faults)}`);
}
