// @ts-check
// One process of a machine of the cluster: does what it is told, several things at once, and reports each.
//   node cluster_worker.mjs ROOT MODE SERVERS
import { openWorkspace } from "../dist/index.js";
import { jetstream } from "taskfold/jetstream";
import { serveJobs } from "./serve_jobs.mjs";

const [root = ".", mode = "strict", servers = ""] = process.argv.slice(2);
const workspace = openWorkspace({
  root,
  by: `agent:w${process.pid}`,
  lockTimeoutMs: 8000,
  shared: jetstream({ servers: servers.split(","), mode: mode === "merge" ? "merge" : "strict", timeoutMs: 1000 }),
});

serveJobs(workspace, ({ key, input, isRead }) => {
  return { workspace: "acme/cluster", ...input, ...(isRead ? {} : { idempotency_key: key }) };
});
