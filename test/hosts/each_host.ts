/** The library, the command line and the MCP server by their names: a test makes the same calls through each. */
import type { Reply } from "../../src/engine/entity/reply.ts";
import { openWorkspace } from "../../src/engine/workspace.ts";
import { openGit } from "../../src/hosts/git/git_port.ts";
import { WORKSPACE } from "../support/workspace.ts";
import { run } from "./cli_support.ts";
import { callTool, connect } from "./mcp_support.ts";

type Call = (tool: string, input: object) => Promise<Reply>;

/** The hosts by their names; each makes calls on a root. */
export const HOSTS: Record<string, (root: string) => Promise<Call>> = {
  "the library": async (root) => {
    const ws = openWorkspace({ root, git: () => openGit(root) });
    return (tool, input) => ws.callTool(tool, { workspace: WORKSPACE, ...input });
  },
  "the command line": async (root) => async (tool, input) => {
    const { out } = await run(
      { cwd: root },
      "--json",
      "call",
      tool,
      JSON.stringify({ workspace: WORKSPACE, ...input }),
    );
    return JSON.parse(out) as Reply;
  },
  "the MCP server": async (root) => {
    const client = await connect(root);
    return (tool, input) => callTool(client, tool, { workspace: WORKSPACE, ...input });
  },
};
