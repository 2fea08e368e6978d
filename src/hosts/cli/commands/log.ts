import type { CommandDefinition } from "../command/define.ts";
import { option } from "../command/define.ts";
import { FOCUS, LIMIT } from "../command/values.ts";

export const command = (): CommandDefinition => ({
  name: "log",
  description: "events of a plan or task, oldest first",
  arguments: [FOCUS],
  options: [option("--since <cursor>", "only what came after; the cursor stands below the events"), LIMIT],
  run: async (session, [id]: [string?], options) =>
    (await import("../log.ts")).log(session, session.meant(id), options),
});
