// One of several processes that write the same task: notes until told to stop, then says how many were acknowledged.
import { openWorkspace } from "../../dist/index.js";
import { note } from "./workspaces.mjs";

const [root, lock] = process.argv.slice(2);
const ws = openWorkspace({ root, projections: "manual", lock_timeout_ms: 60_000, ...(lock ? { lock } : {}) });
await note(ws);
process.send({ ready: true });

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
