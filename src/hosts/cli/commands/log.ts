import type { CommandDefinition } from "../command/define.ts";
import { option } from "../command/define.ts";
import { whenOrCursor } from "../command/when.ts";
import { FOCUS, LIMIT } from "../command/values.ts";

export const command = (): CommandDefinition => ({
  name: "log",
  description: "events of a plan or task, oldest first",
  arguments: [FOCUS],
  options: [
    option(
      "--since <when>",
      "only what came after: the cursor that stands below the events, or a time such as yesterday",
      { parse: whenOrCursor },
    ),
    LIMIT,
  ],
  run: async (session, [id]: [string?], options) =>
    (await import("../log.ts")).log(session, session.meant(id), options),
});
