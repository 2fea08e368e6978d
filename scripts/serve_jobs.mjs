// @ts-check
/** @typedef {{key: string, tool: string, input: import("../dist/index.js").JsonObject, isRead?: boolean}} Job */

/**
 * A process that does what it is told, several things at once, and reports each, until it is told to stop.
 * @param {import("../dist/index.js").Workspace} workspace
 * @param {(job: Job) => import("../dist/index.js").JsonObject} inputOf the input of the call
 */
export function serveJobs(workspace, inputOf) {
  /** @param {Job | "stop"} job */
  const work = async (job) => {
    if (job === "stop") {
      await workspace.close();
      process.disconnect();
      return;
    }
    const { success, error, warnings, result } = await workspace.callTool(job.tool, inputOf(job));
    if (!process.connected) return;
    const { code, message } = error ?? {};
    process.send?.({ key: job.key, ok: success, code, message, warnings: warnings.map((w) => w.code), result });
  };
  process.on("message", (/** @type {Job | "stop"} */ job) => void work(job));
  process.send?.({ ready: true });
}
