import type { McpCommand } from "../mcp.ts";
import { packageVersion } from "../package_version.ts";
import type { CommandDefinition } from "../command/define.ts";
import { option } from "../command/define.ts";
import { collect } from "../command/values.ts";

export const command = (): CommandDefinition => ({
  name: "mcp",
  description: "serve the tools to a client of the Model Context Protocol on stdin and stdout",
  options: [
    option("--root <dir>", "as -C; repeated, each is the root of another workspace", { parse: collect }),
    option(
      "--workspace <id>",
      "what macros, tasks_snapshot and Taskdoc tools mean when a call names none (default: TASKFOLD_WORKSPACE, BRANCHMIND_WORKSPACE, that of the first root)",
    ),
    option("--toolset <set>", "which tools are listed; all can be called", {
      choices: ["core", "daily", "packet", "full"],
      default: "core",
    }),
    option("--output-schemas", "also list what answers look like, which costs an agent three times the context"),
    option("--print-tools", "print what tools/list would say, and end"),
  ],
  globals: (given, { root: [first] = [] }: McpCommand) => (first === undefined ? given : { ...given, C: first }),
  run: async (session, _, options) => (await import("../mcp.ts")).mcp(session, options, packageVersion()),
});
