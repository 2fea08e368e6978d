/** The tool of a name, or a refusal that says which there are. */
import { TaskfoldError } from "../errors.ts";
import type { Tool } from "../tools/define.ts";
import { TOOLS } from "../tools/index.ts";
import { describeValue } from "./must_be_text.ts";

export function toolNamed(name: string): Tool {
  const isName = typeof name === "string" && Object.hasOwn(TOOLS, name);
  return isName ? (TOOLS as Record<string, Tool>)[name]! : unknownTool(name);
}

function unknownTool(name: unknown): never {
  const known = Object.keys(TOOLS);
  throw new TaskfoldError("UNKNOWN_TOOL", `Expected one of ${known.length} tools, found ${describeValue(name)}.`, {
    recovery: `The tools are: ${known.join(", ")}.`,
  });
}
