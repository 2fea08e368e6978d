// @ts-check
// One process of the storm: does what it is told, several things at once, and reports each before it takes the next.
//   node storm_worker.mjs ROOT os|lockfile|broken [SABOTAGE]
import { nodeDisk } from "../dist/disk.js";
import { openWorkspace } from "../dist/testing.js";
import { brokenLocks } from "./broken_locks.mjs";
import { serveJobs } from "./serve_jobs.mjs";

const [root = ".", lock, sabotage] = process.argv.slice(2);

/** A disk that now and then takes a line of the log and keeps it for itself, and swears that it is there. */
function lyingDisk() {
  let last = Buffer.alloc(0);
  let lying = 0;
  let writes = 0;
  return {
    ...nodeDisk,
    /** @type {typeof nodeDisk.write} */
    write: (fd, bytes, position) => {
      const isLine = position === undefined && Buffer.from(bytes.subarray(0, 1)).toString() === "{";
      if (!isLine) return nodeDisk.write(fd, bytes, position);
      lying = ++writes % 10 === 0 ? fd : 0;
      last = Buffer.from(bytes);
      return lying ? bytes.length : nodeDisk.write(fd, bytes, position);
    },
    /** @type {typeof nodeDisk.read} */
    read: (fd, into, position) => {
      if (fd !== lying || into.length < last.length) return nodeDisk.read(fd, into, position);
      into.set(last);
      return last.length;
    },
  };
}

/** A disk on which another process gets between the look at a log and the write to it: what a lock is there to prevent. */
const slowDisk = {
  ...nodeDisk,
  /** @type {typeof nodeDisk.write} */
  write: (fd, bytes, position) => {
    if (position === undefined) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.random() * 20);
    return nodeDisk.write(fd, bytes, position);
  },
};

const workspace = openWorkspace({
  root,
  by: `agent:storm-${process.pid}`,
  lockTimeoutMs: 20_000,
  ...(lock === "broken"
    ? { lockProvider: brokenLocks, disk: slowDisk }
    : { lock: lock === "lockfile" ? "lockfile" : "os" }),
  ...(sabotage === "lying-disk" ? { disk: lyingDisk() } : {}),
});

serveJobs(workspace, ({ key, input }) => ({
  workspace: "acme/storm",
  ...input,
  ...(sabotage === "forget-keys" ? {} : { idempotency_key: key }),
}));
