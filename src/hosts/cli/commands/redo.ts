import type { CommandDefinition } from "../command/define.ts";
import { FOCUS } from "../command/values.ts";

export const command = (): CommandDefinition => ({
  name: "redo",
  group: "everyday",
  description: "bring back what was undone last",
  arguments: [FOCUS],
  tools: ["tasks_redo"],
  run: async (session, [id]: [string?], options) =>
    (await import("../call.ts")).onEntity(session, "tasks_redo", session.meant(id), options),
});
