/** `taskfold tools`: which there are, and what one of them takes. */
import { okReply } from "../../engine/reply.ts";
import { EXIT, TaskfoldError } from "../../errors.ts";
import { TOOLS } from "../../index.ts";
import type { JsonObject, ToolInfo } from "../../index.ts";
import { columns } from "./layout.ts";
import type { Outcome } from "./outcome.ts";
import type { Session } from "./session.ts";
import { shellQuote } from "./shell_quote.ts";

export function tools(session: Session, name: string | undefined): Promise<Outcome> {
  return Promise.resolve(name === undefined ? all(session) : one(session, name));
}

function all({ colors, program }: Session): Outcome {
  const known = Object.values(TOOLS);
  // What follows the first paragraph is for who calls it.
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

function one({ colors, program }: Session, name: string): Outcome {
  const tool = TOOLS[name];
  if (!tool) {
    throw new TaskfoldError(
      "UNKNOWN_TOOL",
      `Expected one of ${Object.keys(TOOLS).length} tools, found ${JSON.stringify(name.slice(0, 80))}.`,
      {
        recovery: `The tools are: ${Object.keys(TOOLS).join(", ")}.`,
      },
    );
  }
  return { exit: EXIT.ok, json: okReply("tools", describe(tool), [], []), human: () => ({ out: text(tool), err: "" }) };

  function text({ doc, examples, input }: ToolInfo): string {
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
