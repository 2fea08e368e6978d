// One of several processes that write the same task: for as long as it is told, it writes notes, and says what each took.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { openWorkspace } from "../../dist/index.js";
import { note, taskWorkspace } from "./workspaces.mjs";

/** Without syncs, in a folder of its own: one change of its own after one of another writer. */
const WARM_ALONE = 2000;

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

const ws = openWorkspace({ root, projections: "manual", lockTimeoutMs: 60_000, ...(lock ? { lock } : {}) });
process.send({});

process.on("message", async ({ ms }) => {
  // Not sooner than all is written: what is not written to the channel yet would be lost.
  if (ms === 0) return ws.close().then(() => process.disconnect());
  const micros = [];
  const end = performance.now() + ms;
  while (performance.now() < end) {
    const start = performance.now();
    await note(ws);
    micros.push((performance.now() - start) * 1000);
  }
  process.send({ micros });
});
