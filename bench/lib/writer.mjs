// One of several processes that write the same task: notes until told to stop, then says how many were acknowledged.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { openWorkspace } from "../../dist/index.js";
import { note, taskWorkspace } from "./workspaces.mjs";

/**
 * Without syncs, so that the code is warm before anything is measured: a writer alone writes more in the same time, and
 * would be sooner. First in a folder of its own, one change of its own after one of somebody else, then with the others.
 */
const WARM_ALONE = 2000;
const WARM = 500;

const [root, lock] = process.argv.slice(2);
const own = join(root, `warm-${process.pid}`);
const one = await taskWorkspace(own, { projections: "manual", durability: "os" });
const two = openWorkspace({ root: own, projections: "manual", durability: "os" });
for (let i = 0; i < WARM_ALONE; i++) {
  await note(one);
  await note(two);
}
await one.close();
await two.close();
rmSync(own, { recursive: true });

const options = { root, projections: "manual", lock_timeout_ms: 60_000, ...(lock ? { lock } : {}) };
const warm = openWorkspace({ ...options, durability: "os" });
for (let i = 0; i < WARM; i++) await note(warm);
await warm.close();
const ws = openWorkspace(options);
await note(ws);
process.send({ warmed: WARM + 1 });

process.once("message", async ({ ms }) => {
  const micros = [];
  const end = performance.now() + ms;
  while (performance.now() < end) {
    const start = performance.now();
    await note(ws);
    micros.push((performance.now() - start) * 1000);
  }
  await ws.close();
  // Not sooner: what is not written to the channel yet would be lost.
  process.send({ micros }, () => process.disconnect());
});
