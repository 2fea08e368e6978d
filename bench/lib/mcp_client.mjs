// A client of `taskfold mcp` that does nothing but write lines and wait for the answers.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { WORKSPACE } from "./workspaces.mjs";

const CLI = join(import.meta.dirname, "../../dist/cli.cjs");

/** @param {string} root */
export async function mcpClient(root) {
  const server = spawn(process.execPath, [CLI, "mcp", "--root", root], { stdio: ["pipe", "pipe", "inherit"] });
  const ended = new Promise((done) => server.on("exit", done));
  const waiting = new Map();
  createInterface({ input: server.stdout }).on("line", (line) => {
    const answer = JSON.parse(line);
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  let last = 0;
  const request = (method, params) =>
    new Promise((done) => {
      const id = ++last;
      waiting.set(id, done);
      server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    });
  const clientInfo = { name: "bench", version: "1" };
  await request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
  return {
    request,
    /** Calls a tool; a bench that measures refusals would measure nothing. */
    call: async (name, input) => {
      const { result } = await request("tools/call", { name, arguments: { workspace: WORKSPACE, ...input } });
      const reply = result.structuredContent;
      if (!reply.success) throw new Error(`${name}: ${reply.error.code} ${reply.error.message}`);
      return reply;
    },
    close: () => {
      server.stdin.end();
      return ended;
    },
  };
}
