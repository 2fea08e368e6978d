// @ts-check
// Another process that holds the same locks at the same time: node second_writer.mjs ROOT CALLS [DIES_AT].
//   CALLS: JSON, [tool, input] each. DIES_AT: this process is killed before the first change of a path that has this text.
import { nodeDisk } from "../../dist/disk.js";
import { openWorkspace } from "../../dist/testing.js";
import { brokenLocks } from "./broken_locks.mjs";

const [root = ".", calls = "[]", diesAt] = process.argv.slice(2);
/** @type {Map<number, string>} */
const open = new Map();

/** @param {string} path */
function reached(path) {
  if (diesAt !== undefined && path.includes(diesAt)) process.kill(process.pid, "SIGKILL");
}

const disk = {
  ...nodeDisk,
  /** @type {typeof nodeDisk.open} */
  open: (path, flags) => {
    const fd = nodeDisk.open(path, flags);
    open.set(fd, path);
    return fd;
  },
  /** @type {typeof nodeDisk.mkdir} */
  mkdir: (path) => {
    reached(path);
    nodeDisk.mkdir(path);
  },
  /** @type {typeof nodeDisk.write} */
  write: (fd, bytes, position) => {
    reached(open.get(fd) ?? "");
    return nodeDisk.write(fd, bytes, position);
  },
};

const ws = openWorkspace({ root, workspace: "acme/repo", by: "agent:second", lockProvider: brokenLocks, disk });
const errors = [];
for (const [tool, input] of JSON.parse(calls)) errors.push((await ws.callTool(tool, input)).error);
await ws.close();
process.stdout.write(JSON.stringify(errors));
