/** Which tools a client is told of: each costs it context. All of them can be called, whichever are told of. */
import { TOOLS } from "../../index.ts";
import type { ToolInfo } from "../../index.ts";
import { CORE, DAILY, PACKET } from "../../tools/toolsets.ts";
import type { Toolset } from "../../tools/toolsets.ts";

export const TOOLSETS = ["core", "daily", "packet", "full"] as const satisfies readonly Toolset[];
export type { Toolset } from "../../tools/toolsets.ts";

/** In a fixed order, so that a client can keep the list. */
export function toolsOf(toolset: Toolset): ToolInfo[] {
  const names = { core: CORE, daily: DAILY, packet: PACKET, full: Object.keys(TOOLS) }[toolset];
  return names.flatMap((name) => TOOLS[name] ?? []);
}
