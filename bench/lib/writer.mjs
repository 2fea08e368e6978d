// One of several processes that write the same task: notes until told to stop, then says how many were acknowledged.
import { openWorkspace } from "../../dist/index.js";
import { note } from "./workspaces.mjs";

/** Without syncs, so that the code is warm before anything is measured: a writer alone writes more, and would be sooner. */
const WARM = 500;

const [root, lock] = process.argv.slice(2);
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
  process.send({ micros });
  await ws.close();
  process.disconnect();
});
