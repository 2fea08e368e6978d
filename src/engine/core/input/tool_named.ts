/** The tool of a name. In a file of its own: it loads every tool, and a reader of few commands needs only theirs. */
import { TaskfoldError } from "../../../errors.ts";
import type { Tool } from "../../../tools/tool.ts";
import { TOOLS } from "../../../tools/index.ts";
import { describeValue } from "./must_be_text.ts";
import { nearest } from "./near.ts";

/** Returns the tool of a name. Throws UNKNOWN_TOOL, which says the names that there are. */
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
