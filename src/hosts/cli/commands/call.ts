import type { CommandDefinition } from "../command/define.ts";
import { argument } from "../command/define.ts";

export const command = (): CommandDefinition => ({
  name: "call",
  description: "call a tool with a JSON object; workspace is filled in",
  arguments: [
    argument("<tool>", "its name; taskfold tools lists them", { completes: "tools" }),
    argument("[json]", "its input; - reads it from stdin", { default: "{}" }),
  ],
  run: async (session, [tool, input]: [string, string]) => (await import("../call.ts")).call(session, tool, input),
});
