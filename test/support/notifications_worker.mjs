// @ts-check
// Another process of ours: it does each call that it is sent, on workspaces that it keeps open, and says what went wrong.
import { openWorkspace } from "../../dist/index.js";

/** @typedef {{ root: string, tool?: string, input: import("../../dist/index.js").JsonObject }} Told without a tool: to be closed */

/** @type {Map<string, ReturnType<typeof openWorkspace>>} */
const open = new Map();

process.on("message", (/** @type {Told} */ told) => void act(told).then((fault) => process.send?.(fault)));

/** @param {Told} told @returns {Promise<string | null>} */
async function act({ root, tool, input }) {
  const ws = open.get(root) ?? openWorkspace({ root, by: "agent:other", durability: "os" });
  open.set(root, ws);
  if (tool !== undefined) return (await ws.callTool(tool, input)).error?.message ?? null;
  open.delete(root);
  await ws.close();
  return null;
}
