/** The tool of a name, or a refusal that says which there are. */
import { TaskfoldError } from "../errors.ts";
import type { Tool } from "../tools/define.ts";
import { nearest } from "./near.ts";
import { TOOLS } from "../tools/index.ts";

export function toolNamed(name: string): Tool {
  return Object.hasOwn(TOOLS, name) ? (TOOLS as Record<string, Tool>)[name]! : unknownTool(name);
}

function unknownTool(name: string): never {
  const known = Object.keys(TOOLS);
  const near = nearest(String(name), known);
  const meant = near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
  throw new TaskfoldError(
    "UNKNOWN_TOOL",
    `Expected one of ${known.length} tools, found ${JSON.stringify(String(name).slice(0, 80))}.${meant}`,
    {
      ...(near.length === 0 ? {} : { details: { nearest: near } }),
      recovery: `The tools are: ${known.join(", ")}.`,
    },
  );
}
