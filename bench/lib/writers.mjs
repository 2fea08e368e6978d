import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { nodeDisk } from "../../dist/disk.js";
import { isKnownType } from "../../dist/events/index.js";
import { FileLog } from "../../dist/log/file_log.js";
import { readOps } from "../../dist/log/read_ops.js";
import { TASK, taskWorkspace } from "./workspaces.mjs";

const WRITER = join(import.meta.dirname, "writer.mjs");

/** Processes that write one task, and keep what they have compiled from one turn to the next. */
export class Writers {
  #folder;
  #children;
  /** The creation is one. */
  #acknowledged = 1;

  /** @param {string} folder @param {number} count @param {string} [lock] @returns {Promise<Writers>} */
  static async start(folder, count, lock) {
    const ws = await taskWorkspace(folder, { projections: "manual", ...(lock ? { lock } : {}) });
    await ws.close();
    const children = Array.from({ length: count }, () => new Child([folder, lock ?? ""]));
    await Promise.all(children.map((child) => child.answer()));
    return new Writers(folder, children);
  }

  constructor(folder, children) {
    this.#folder = folder;
    this.#children = children;
  }

  /** Microseconds of every mutation, by process. @param {number} ms @param {number} [count] how many of them write @returns {Promise<number[][]>} */
  async write(ms, count = this.#children.length) {
    const writing = this.#children.slice(0, count);
    const told = writing.map((child) => child.answer());
    for (const child of writing) child.send({ ms });
    const micros = (await Promise.all(told)).map((answer) => answer.micros);
    this.#acknowledged += micros.flat().length;
    return micros;
  }

  /** Throws when anything that was acknowledged is not in the log, once. */
  async end() {
    for (const child of this.#children) child.send({ ms: 0 });
    await Promise.all(this.#children.map((child) => child.ended));
    check(this.#folder, this.#acknowledged);
  }
}

class Child {
  #process;
  ended;

  constructor(args) {
    this.#process = fork(WRITER, args);
    this.ended = once(this.#process, "exit");
  }

  send(told) {
    this.#process.send(told);
  }

  async answer() {
    const died = this.ended.then(([code]) => {
      throw new Error(`a writer ended with ${code}`);
    });
    // If the answer came first, ignore the later end of the process.
    died.catch(() => undefined);
    const [answer] = await Promise.race([once(this.#process, "message"), died]);
    return answer;
  }
}

function check(folder, expected) {
  const log = new FileLog(nodeDisk, join(folder, ".coco", "tasks", TASK, "events.jsonl"));
  const { ops, report } = log.withSource((source) => readOps(source, { isKnownType }));
  const seqs = new Set(ops.flatMap((op) => op.events.map((event) => event.seq)));
  const faults = { lost: expected - ops.length, torn: report.torn !== null, doubled: report.events - seqs.size };
  if (faults.lost !== 0 || faults.torn || faults.doubled !== 0 || !report.linear)
    throw new Error(`expected ${expected} ops in a straight log, found ${JSON.stringify(faults)}`);
}
