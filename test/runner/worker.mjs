// @ts-check
// A worker for tests, on the built package: works as long as each test of a step takes. Arguments: root, actor, seconds that a claim lasts.
import { openWorkspace } from "taskfold";
import { runWorker } from "taskfold/runner";

const [root = "", by = "", ttl = ""] = process.argv.slice(2);
const workspace = openWorkspace({ root, by, workspace: "acme/repo" });
/** @param {object} event */
const tell = (event) => void process.stdout.write(`${JSON.stringify(event)}\n`);
const run = await runWorker(
  workspace,
  async (work) => {
    for (const test of work.tests) await work.run(["sh", "-c", test], { test });
  },
  { ttlSeconds: Number(ttl), on: tell },
);
tell(run);
await workspace.close();
