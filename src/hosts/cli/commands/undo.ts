import type { CommandDefinition } from "../command/define.ts";
import { option } from "../command/define.ts";
import { FOCUS } from "../command/values.ts";

export const command = (): CommandDefinition => ({
  name: "undo",
  group: "everyday",
  description: "take back the last change of a plan or task",
  arguments: [FOCUS],
  options: [option("--op <event>", "the change with this event id, also one by another actor")],
  tools: ["tasks_undo"],
  run: async (session, [id]: [string?], options) =>
    (await import("../call.ts")).onEntity(session, "tasks_undo", session.meant(id), options),
});
