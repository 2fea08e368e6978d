// @ts-check
// Small inputs that cost far more than they are (items 8, 10, 15 and 17 to 19).
import * as fs from "node:fs";
import { join } from "node:path";
import { createdLine, noteLine } from "./lines.mjs";
import { Server, sleep } from "./server.mjs";
import { makeForeign, WORKSPACE } from "./world.mjs";

/** @typedef {import("./attack.mjs").Attack} Attack */
/** @typedef {import("./exact_links.mjs").Exact} Exact */

const LOG = ".coco/tasks/TASK-002/events.jsonl";
/** Another message is answered within this. */
const ANSWERED_MS = 2000;
const MB = 2 ** 20;

/** Two lines at each step, each after both of the step before. @param {number} bytes */
function crosswise(bytes) {
  const first = createdLine({ id: "TASK-002" }, "Crosswise");
  const lines = [first.bytes];
  let heads = [first.hash];
  for (let seq = 1, size = 0; size < bytes; seq++) {
    const two = [0, 1].map((side) => noteLine({ id: "TASK-002", heads, seq, n: 2 * seq + side }, "x"));
    lines.push(...two.map((line) => line.bytes));
    heads = two.map((line) => line.hash).toSorted();
    size += two.reduce((sum, line) => sum + line.bytes.length, 0);
  }
  return Buffer.concat(lines);
}

/** Of a log that is only in the work tree: to commit it would show nothing more. @param {number} seconds @param {(log: string) => void} write @param {readonly string[]} operations @param {number} [item] @returns {Exact} */
function largeLog(seconds, write, operations, item = 17) {
  return {
    item,
    seconds,
    run: async (attack) => {
      await attack.planted((root) => write(join(root, LOG)));
      for (const name of operations) await attack.operation(name);
    },
  };
}

/** @param {number} keys @returns {Exact} */
function manyKeys(keys) {
  return {
    item: 10,
    run: async (attack) => {
      const more = Array.from({ length: keys }, (_, i) => `k${i}: 1\n`).join("");
      await attack.cloned((root) => makeForeign(join(root, ".coco/tasks/many"), more));
      for (const name of ["list", "verify"]) await attack.operation(name);
      await attack.within((workspace) => workspace.repair.adopt("many", { dryRun: true }));
      await attack.within((workspace) => workspace.repair.adopt("many"));
    },
  };
}

/** @type {Record<string, Exact>} */
export const LOAD = {
  "12 MB of two heads that merge crosswise": largeLog(
    10,
    (log) => fs.writeFileSync(log, crosswise(12 * MB)),
    ["list", "tasks_mirror"],
    8,
  ),
  "20,000 keys in a foreign task.yaml": manyKeys(20_000),
  "85,000 keys in a foreign task.yaml": manyKeys(85_000),
  "64 MB of line ends as a file anchor": {
    item: 15,
    run: async (attack) => {
      await attack.planted((root) => fs.writeFileSync(join(root, "lines.txt"), Buffer.alloc(64 * MB, "\n")));
      const items = [{ kind: "code", path: "lines.txt", start_line: 3, end_line: 5 }];
      await attack.call("tasks_evidence_capture", { workspace: WORKSPACE, task: "TASK-001", path: "s:1", items });
      await attack.operation("tasks_evidence_verify");
    },
  },
  "a line of 500 MB, resolve": largeLog(
    20,
    (log) => {
      const fd = fs.openSync(log, "a");
      for (let i = 0; i < 500; i++) fs.writeSync(fd, Buffer.alloc(MB, "x"));
      fs.writeSync(fd, "\n");
      fs.closeSync(fd);
    },
    ["list", "resolve"],
  ),
  "400,000 junk lines, resolve": largeLog(
    10,
    (log) => fs.appendFileSync(log, Array.from({ length: 400_000 }, (_, i) => `junk ${i}\n`).join("")),
    ["resolve"],
  ),
  "1,000,000 foreign lines, list": largeLog(
    8,
    (log) => {
      for (let i = 0; i < 10; i++) fs.appendFileSync(log, foreignLines(i * 100_000, 100_000));
    },
    ["list"],
  ),
  "a message of 4.7 MB with many unknown keys": unknownKeys(4.7 * MB),
  "a message of 12 MB with many unknown keys": unknownKeys(12 * MB),
  "20,000 tools/list with stdout unread": {
    item: 18,
    seconds: 30,
    run: async (attack) => {
      await attack.planted(() => undefined);
      const server = new Server(attack.root);
      // A server that reads no more while its answers are not taken is as it should be.
      for (let id = 1, reads = true; reads && id <= 20_000 && server.alive; id++)
        if (!server.send({ jsonrpc: "2.0", id, method: "tools/list" }))
          reads = await Promise.race([server.drained().then(() => true), sleep(3000).then(() => false)]);
      await sleep(1000);
      for (const fault of server.faults()) attack.fault(...fault);
      await server.end();
    },
  },
  "a batch of 200 notes of 250 kB": {
    item: 19,
    seconds: 15,
    run: async (attack) => {
      await attack.planted(() => undefined);
      const args = { task: "TASK-001", note: "x".repeat(250_000) };
      const operations = Array.from({ length: 200 }, () => ({ tool: "tasks_note", args }));
      for (const atomic of [false, true])
        await attack.call("tasks_batch", { workspace: WORKSPACE, atomic, operations });
    },
  },
};

/** @param {number} from @param {number} count */
function foreignLines(from, count) {
  const lines = Array.from({ length: count }, (_, i) => {
    return `{"ts":"2026-01-01T00:00:00Z","type":"other.event","taskId":"TASK-002","payload":{"n":${from + i}}}\n`;
  });
  return lines.join("");
}

/** @param {number} bytes @returns {Exact} */
function unknownKeys(bytes) {
  return {
    item: 18,
    seconds: 30,
    run: async (attack) => {
      await attack.planted(() => undefined);
      const server = new Server(attack.root);
      await server.handshake();
      const keys = Array.from({ length: Math.floor(bytes / 13) }, (_, i) => `"k${String(i).padStart(7, "0")}":1`);
      const args = `{"workspace":"${WORKSPACE}","task":"TASK-001","note":"x",${keys.join(",")}}`;
      server.write(
        `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"tasks_note","arguments":${args}}}\n`,
      );
      await server.answered("behind", ANSWERED_MS);
      for (const fault of server.faults()) attack.fault(...fault);
      await server.end();
    },
  };
}
