/** A tool of any kind, as the registry and the engine have it: name, schemas and pure functions. The engine does all that touches the world. */
import type { BatchTool } from "./batch_tool.ts";
import type { EntityBatchContext, Several } from "./calls.ts";
import type { ChangeTool } from "./change_tool.ts";
import type { CreateTool } from "./create_tool.ts";
import type { FocusTool } from "./focus_tool.ts";
import type { ReadTool } from "./read_tool.ts";

/** read: changes nothing. write: appends to one entity. create: makes one. focus: moves the focus. txn: is made of other calls. */
export type Tool = ReadTool | FocusTool | ChangeTool | CreateTool | BatchTool;

/** The part of a tool that decides about one entity, and answers. */
export type Decider = Pick<
  ChangeTool,
  "name" | "refs" | "facts" | "seen" | "destructive" | "archive" | "decide" | "reply"
>;

/** The calls that a tool may be made of. */
export function madeOf(
  tool: Tool,
): Pick<Several<never, EntityBatchContext>, "parts" | "partsAgain" | "reply"> | undefined {
  if (tool.effect === "txn") return tool;
  return tool.effect === "write" || tool.effect === "create" ? tool.several : undefined;
}

/** Whether what the tool is about lies in the archive, or goes there. */
export function archiveOf(tool: Tool): "from" | "to" | undefined {
  return tool.effect === "write" || tool.effect === "txn" ? tool.archive : undefined;
}

/** How a call of a tool that goes to one entity is decided; undefined for one that no entity takes. */
export function deciderOf(tool: Tool): Decider | undefined {
  if (tool.effect === "write" || tool.effect === "create") return tool;
  return tool.effect === "txn" && tool.part ? { name: tool.name, ...tool.part } : undefined;
}
