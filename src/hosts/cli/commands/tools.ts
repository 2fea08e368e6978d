import type { CommandDefinition } from "../command/define.ts";
import { argument } from "../command/define.ts";

export const command = (): CommandDefinition => ({
  name: "tools",
  description: "the tools, or one of them with its input and examples",
  arguments: [argument("[name]", "", { completes: "tools" })],
  run: async (session, [name]: [string?]) => (await import("../tools.ts")).tools(session, name),
});
