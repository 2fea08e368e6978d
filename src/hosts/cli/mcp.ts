/** `taskfold mcp`: the tools for a client of the Model Context Protocol on stdin and stdout (MCP rules). */
import { okReply } from "../../engine/entity/reply.ts";
import type { Workspaces } from "../../engine/workspaces.ts";
import { EXIT } from "../../errors.ts";
import type { JsonObject } from "../../index.ts";
import type { Toolset } from "../mcp/toolsets.ts";
import type { CliResult } from "./cli_result.ts";
import type { Session } from "./session.ts";
import { watchPolling } from "./watch_polling.ts";

export interface McpCommand {
  /** Folders to serve; none: that of `-C`. */
  root?: string[];
  workspace?: string;
  toolset: Toolset;
  printTools?: boolean;
  outputSchemas?: boolean;
}

export async function mcp(session: Session, options: McpCommand, version: string): Promise<CliResult> {
  const { env } = session.io;
  const configured = options.workspace ?? (env["TASKFOLD_WORKSPACE"] || env["BRANCHMIND_WORKSPACE"] || undefined);
  const { root: roots = [] } = options;
  if (options.printTools)
    return session.withinEach(roots, configured, (workspaces) => printTools(options, configured, workspaces));
  const { serveMcp } = await import("../mcp/serve.ts");
  const telemetry = await session.telemetry();
  const serve = async (workspaces: Workspaces): Promise<void> => {
    process.stderr.on("error", () => undefined);
    if (process.stdin.isTTY)
      log("speaks the Model Context Protocol on stdin and stdout; a client starts it. Ctrl-C ends it.");
    const { ended, stop } = serveMcp({
      workspaces,
      ...(configured === undefined ? {} : { configured }),
      ...(configured === undefined && roots.length < 2
        ? { proposedWorkspace: await session.workspaceId(workspaces.of()) }
        : {}),
      toolset: options.toolset,
      outputs: options.outputSchemas ?? false,
      polling: watchPolling(env),
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
  await session.withinEach(roots, configured, serve);
  return { exit: EXIT.ok, json: {}, human: () => ({ out: "", err: "" }), silent: true };
}

function log(message: string): void {
  process.stderr.write(`taskfold mcp: ${message}\n`);
}

async function printTools(
  { toolset, outputSchemas: outputs = false }: McpCommand,
  configured: string | undefined,
  workspaces: Workspaces,
): Promise<CliResult> {
  const { serverTools } = await import("../mcp/listed_tool.ts");
  const tools = serverTools({ workspaces, toolset, outputs, ...(configured === undefined ? {} : { configured }) });
  const out = `${JSON.stringify({ tools })}\n`;
  const listed = tools as unknown as JsonObject[];
  return { exit: EXIT.ok, json: okReply("mcp", { tools: listed }, [], []), human: () => ({ out, err: "" }) };
}
