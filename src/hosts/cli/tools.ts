/** `taskfold tools`: which there are, and what one of them takes. */
import { exampleIn } from "../../engine/core/input/example_in.ts";
import { okReply } from "../../engine/entity/reply.ts";
import { EXIT, TaskfoldError } from "../../errors.ts";
import { TOOLS } from "../../index.ts";
import type { JsonObject, ToolInfo } from "../../index.ts";
import { columns } from "./text/layout.ts";
import type { CliResult } from "./cli_result.ts";
import type { Session } from "./session.ts";
import { shellQuote } from "../../state/shell_quote.ts";

export async function tools(session: Session, name: string | undefined): Promise<CliResult> {
  return name === undefined ? all(session) : one(session, toolNamed(name), await boundWorkspace(session));
}

/** The id to which the root is bound; undefined outside of a workspace. */
function boundWorkspace(session: Session): Promise<string | undefined> {
  return session.within((workspace) => workspace.id, { anywhere: true, root: session.root });
}

function all({ colors, program }: Session): CliResult {
  const known = Object.values(TOOLS);
  // The rest after the first paragraph is for the caller.
  const rows = known.map((tool) => [tool.name, tool.doc.split("\n", 1)[0]!]);
  const json = okReply(
    "tools",
    { tools: known.map(({ name, title, doc, effect, target }) => ({ name, title, doc, effect, target })) },
    [],
    [],
  );
  return {
    exit: EXIT.ok,
    json,
    human: () => ({ out: `${columns(rows)}${colors.dim(`${program} tools NAME shows an input`)}\n`, err: "" }),
  };
}

function toolNamed(name: string): ToolInfo {
  const tool = TOOLS[name];
  if (tool) return tool;
  throw new TaskfoldError(
    "UNKNOWN_TOOL",
    `Expected one of ${Object.keys(TOOLS).length} tools, found ${JSON.stringify(name.slice(0, 80))}.`,
    { recovery: `The tools are: ${Object.keys(TOOLS).join(", ")}.` },
  );
}

function one({ colors, program }: Session, tool: ToolInfo, workspace: string | undefined): CliResult {
  const shown = { ...tool, examples: tool.examples.map((example) => exampleIn(workspace, example)) };
  return {
    exit: EXIT.ok,
    json: okReply("tools", describe(shown), [], []),
    human: () => ({ out: text(shown), err: "" }),
  };

  function text({ name, doc, examples, input }: ToolInfo): string {
    const calls = examples
      .map((example) => `  ${program} call ${name} ${shellQuote(JSON.stringify(example))}\n`)
      .join("");
    return `${colors.bold(name)}\n${doc}\n\n${colors.bold("Examples")}\n${calls}\n${colors.bold("Input (JSON Schema)")}\n${JSON.stringify(input, null, 2)}\n`;
  }
}

/** Through JSON: a schema's objects carry marks that are no part of it. */
function describe({ name, title, doc, effect, target, kinds, destructive, input, examples }: ToolInfo): JsonObject {
  return JSON.parse(
    JSON.stringify({ name, title, doc, effect, target, kinds, destructive, input, examples }),
  ) as JsonObject;
}
