// @ts-check
// An agent in an MCP client, with its own server process, started as a user's client would start it.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { join } from "node:path";

/** @typedef {import("../../../dist/index.js").ToolName} ToolName */
/**
 * @template {ToolName} N
 * @typedef {Omit<import("../../../dist/index.js").Reply, "result"> & { result: import("../../../dist/index.js").ToolOutput<N> }} Reply a refusal has no result
 */

const PROGRAM = join(import.meta.dirname, "../../../dist/cli.cjs");
export const WORKSPACE = "acme/repo";

export class Agent {
  /** @param {Client} client @param {string[]} listed */
  constructor(client, listed) {
    this.client = client;
    this.listed = listed;
  }

  /**
   * @param {string} root
   * @param {string} name
   * @param {{ roots?: string[], toolset?: string, era?: import("@modelcontextprotocol/client").ClientOptions["versionNegotiation"] }} [how]
   */
  static async start(root, name, { roots = [], toolset = "core", era } = {}) {
    const client = new Client({ name, version: "1.0.0" }, era ? { versionNegotiation: era } : {});
    const others = roots.flatMap((other) => ["--root", other]);
    const args = [PROGRAM, "mcp", "--root", root, ...others, "--workspace", WORKSPACE, "--toolset", toolset];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "inherit" }));
    const { tools } = await client.listTools();
    return new Agent(
      client,
      tools.map((tool) => tool.name),
    );
  }

  /**
   * The client checks the answer of a listed tool against its output schema.
   * @template {ToolName} N
   * @param {N} name @param {object} input @returns {Promise<Reply<N>>}
   */
  async call(name, input) {
    const result = await this.client.callTool({ name, arguments: { workspace: WORKSPACE, ...input } });
    const [text] = result.content;
    if (text?.type !== "text" || text.text !== JSON.stringify(result.structuredContent))
      throw new Error(`${name}: the text is not the reply`);
    const reply = /** @type {Reply<N>} */ (/** @type {unknown} */ (result.structuredContent));
    if (Boolean(result.isError) === reply.success) throw new Error(`${name}: isError is not what the reply says`);
    return reply;
  }

  /** @template {ToolName} N @param {N} name @param {object} input */
  async must(name, input) {
    const { success, result, error } = await this.call(name, input);
    if (!success) throw new Error(`${name}: ${error?.code} ${error?.message}`);
    return result;
  }

  /** @param {string} uri */
  async read(uri) {
    const [content] = (await this.client.readResource({ uri })).contents;
    return JSON.parse(content && "text" in content ? content.text : "null");
  }
}
