// Prints what an open task holds in memory: run with --expose-gc ROOT.
import { openWorkspace } from "../../dist/index.js";
import { call, TASK } from "./workspaces.mjs";

const ws = openWorkspace({ root: process.argv[2], durability: "os" });
await call(ws, "tasks_radar", { task: TASK });
for (let i = 0; i < 4; i++) {
  globalThis.gc();
  await new Promise((done) => setImmediate(done));
}
const { heapUsed, external } = process.memoryUsage();
console.log(heapUsed + external);
// Not closed: that would leave a snapshot, and the next one would not read the log.
