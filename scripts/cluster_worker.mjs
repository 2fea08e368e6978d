// @ts-check
// One process of a machine of the cluster: does what it is told, several things at once, and reports each.
//   node cluster_worker.mjs ROOT MODE SERVERS
import { openWorkspace } from "../dist/index.js";
import { jetstream } from "taskfold/jetstream";

const [root = ".", mode = "strict", servers = ""] = process.argv.slice(2);
const workspace = openWorkspace({
  root,
  by: `agent:w${process.pid}`,
  lock_timeout_ms: 8000,
  shared: jetstream({ servers: servers.split(","), mode: mode === "merge" ? "merge" : "strict", timeoutMs: 1000 }),
});

process.on(
  "message",
  (/** @type {{key: string, tool: string, input: Record<string, unknown>} | "stop"} */ job) => void work(job),
);

/** @param {{key: string, tool: string, input: Record<string, unknown>} | "stop"} job */
async function work(job) {
  if (job === "stop") {
    await workspace.close();
    process.disconnect();
    return;
  }
  const { key, tool, input } = job;
  const reply = await workspace.callTool(tool, { workspace: "acme/cluster", ...input, idempotency_key: key });
  const { success, error, warnings, result } = reply;
  if (!process.connected) return;
  process.send?.({
    key,
    ok: success,
    code: error?.code,
    message: error?.message,
    warnings: warnings.map((w) => w.code),
    result,
  });
}

process.send?.({ ready: true });
