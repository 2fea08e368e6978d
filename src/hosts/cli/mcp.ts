/** `taskfold mcp`: the tools for a client of the Model Context Protocol on stdin and stdout (MCP rules). */
import { okReply } from "../../engine/entity/reply.ts";
import type { Workspace } from "../../engine/workspace.ts";
import { EXIT } from "../../errors.ts";
import type { JsonObject } from "../../index.ts";
import type { Toolset } from "../mcp/toolsets.ts";
import type { CliResult } from "./cli_result.ts";
import type { Session } from "./session.ts";

export interface McpCommand {
  workspace?: string;
  toolset: Toolset;
  printTools?: boolean;
  outputSchemas?: boolean;
}

export async function mcp(session: Session, options: McpCommand, version: string): Promise<CliResult> {
  const { env } = session.io;
  const defaultWorkspace = options.workspace ?? (env["TASKFOLD_WORKSPACE"] || env["BRANCHMIND_WORKSPACE"] || undefined);
  const configured = { anywhere: true, ...(defaultWorkspace === undefined ? {} : { workspace: defaultWorkspace }) };
  if (options.printTools) {
    const id = await session.within((workspace) => defaultWorkspace ?? workspace.id, configured);
    return printTools(options, defaultWorkspace !== undefined, id);
  }
  const { serveMcp } = await import("../mcp/serve.ts");
  const telemetry = await session.telemetry();
  const serve = async (workspace: Workspace): Promise<void> => {
    process.stderr.on("error", () => undefined);
    if (process.stdin.isTTY)
      log("speaks the Model Context Protocol on stdin and stdout; a client starts it. Ctrl-C ends it.");
    const { ended, stop } = serveMcp({
      workspace,
      ...(defaultWorkspace === undefined
        ? { proposedWorkspace: await session.workspaceId(workspace) }
        : { defaultWorkspace }),
      toolset: options.toolset,
      outputs: options.outputSchemas ?? false,
      ...(session.givenBy === undefined ? {} : { by: session.givenBy }),
      ...(telemetry ? { under: telemetry.under } : {}),
      version,
      input: process.stdin,
      output: process.stdout,
      log,
    });
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
    await ended;
    process.stdin.destroy();
  };
  await session.within(serve, configured);
  return { exit: EXIT.ok, json: {}, human: () => ({ out: "", err: "" }), silent: true };
}

function log(message: string): void {
  process.stderr.write(`taskfold mcp: ${message}\n`);
}

async function printTools(
  { toolset, outputSchemas = false }: McpCommand,
  hasDefault: boolean,
  workspace: string | undefined,
): Promise<CliResult> {
  const { listedTools } = await import("../mcp/listed_tool.ts");
  const tools = listedTools(toolset, hasDefault, { workspace, outputs: outputSchemas }) as unknown as JsonObject[];
  const out = `${JSON.stringify({ tools })}\n`;
  return { exit: EXIT.ok, json: okReply("mcp", { tools }, [], []), human: () => ({ out, err: "" }) };
}
