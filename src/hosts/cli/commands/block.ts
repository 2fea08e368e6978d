import type { CommandDefinition } from "../command/define.ts";
import { ID, stepOr, WHY } from "../command/values.ts";

export const command = (): CommandDefinition => ({
  name: "block",
  group: "everyday",
  description: "mark a step as blocked: it does not close until it is unblocked",
  arguments: [ID, stepOr("the only open one")],
  options: [{ ...WHY, help: "what it waits for" }],
  tools: ["tasks_block"],
  run: async (session, [id, step]: [string, string?], options) =>
    (await import("../write.ts")).block(session, session.meant(id, "task"), step, options),
});
