/** The tool of a name, or a refusal that says which there are. */
import { TaskfoldError } from "../../errors.ts";
import type { Tool } from "../../tools/define.ts";
import { nearest } from "./near.ts";
import { TOOLS } from "../../tools/index.ts";
import { describeValue } from "./must_be_text.ts";

export function toolNamed(name: string): Tool {
  const isName = typeof name === "string" && Object.hasOwn(TOOLS, name);
  return isName ? (TOOLS as Record<string, Tool>)[name]! : unknownTool(name);
}

function unknownTool(name: unknown): never {
  const known = Object.keys(TOOLS);
  const near = typeof name === "string" ? nearest(name.slice(0, 80), known) : [];
  const meant = near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`;
  throw new TaskfoldError(
    "UNKNOWN_TOOL",
    `Expected one of ${known.length} tools, found ${describeValue(name)}.${meant}`,
    {
      ...(near.length === 0 ? {} : { details: { nearest: near } }),
      recovery: `The tools are: ${known.join(", ")}.`,
    },
  );
}
