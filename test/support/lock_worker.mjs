// @ts-check
// A process that takes and frees locks when told to: node lock_worker.mjs KIND ROOT, then messages over IPC.
import { readFileSync, writeFileSync } from "node:fs";
import { nodeDisk } from "../../dist/disk.js";
import { acquire } from "../../dist/engine/core/lock.js";
import { LockfileLocks } from "../../dist/engine/locks/lockfile_lock.js";
import { OsLocks } from "../../dist/engine/locks/os_lock.js";
import { nodeRuntime } from "../../dist/node_runtime.js";
import { Layout } from "../../dist/files/layout.js";

const [kind, root = "."] = process.argv.slice(2);
const layout = new Layout(root);
const locks =
  kind === "os"
    ? new OsLocks(nodeDisk, layout, Date.now)
    : new LockfileLocks({ disk: nodeDisk, layout, now: Date.now, runtime: nodeRuntime });
/** @type {import("../../dist/engine/core/lock.js").Lock | undefined} */
let last;

/** @param {number} timeoutMs */
const take = (timeoutMs) =>
  acquire({ locks: () => locks, lockTimeoutMs: timeoutMs, now: Date.now, runtime: nodeRuntime }, "TASK-001");

const orders = {
  /** @param {{timeoutMs: number}} order */
  acquire: async ({ timeoutMs }) => {
    last = await take(timeoutMs);
  },
  /** Frees the last lock once more than it has to, as often as it is told. */
  release: () => last?.release(),
  /** Adds one to a number in a file, `times` times: what is lost without a lock. @param {{file: string, times: number}} order */
  count: async ({ file, times }) => {
    for (let i = 0; i < times; i++) {
      const lock = await take(30_000);
      writeFileSync(file, String(Number(readFileSync(file, "utf8")) + 1));
      lock.release();
      if (i % 3 === 0) await new Promise((done) => setTimeout(done, Math.random() * 8));
    }
  },
  close: () => locks.close(),
};

process.on("message", (/** @type {any} */ message) => void obey(message));

/** @param {any} message */
async function obey(message) {
  try {
    await orders[/** @type {keyof typeof orders} */ (message.order)](message);
    process.send?.({ ok: true });
  } catch (e) {
    const { code, message: text, details } = /** @type {any} */ (e);
    process.send?.({ ok: false, code, text, details });
  }
}

process.send?.({ ok: true });
