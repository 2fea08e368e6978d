// @ts-check
// One process of a machine of the cluster. It does several jobs at once, reports each, and ends when it is told to.
//   node worker.mjs ROOT MODE SERVERS
import { openWorkspace } from "../../../dist/index.js";
import { jetstream } from "taskfold/jetstream";

const [root = ".", mode = "strict", servers = ""] = process.argv.slice(2);
const workspace = openWorkspace({
  root,
  by: `agent:w${process.pid}`,
  lockTimeoutMs: 8000,
  shared: jetstream({ servers: servers.split(","), mode: mode === "merge" ? "merge" : "strict", timeoutMs: 1000 }),
});

/** @typedef {{key: string, tool: string, input: import("../../../dist/index.js").JsonObject}} Job */

/** @param {Job | "stop"} job */
async function work(job) {
  if (job === "stop") {
    await workspace.close();
    process.disconnect();
    return;
  }
  const { key, tool } = job;
  const input = { workspace: "acme/cluster", ...job.input, idempotency_key: key };
  const { success, error, warnings } = await workspace.callTool(tool, input);
  if (!process.connected) return;
  const { code, message } = error ?? {};
  process.send?.({ key, ok: success, code, message, warnings: warnings.map((w) => w.code) });
}

process.on("message", (/** @type {Job | "stop"} */ job) => void work(job));
process.send?.({ ready: true });
