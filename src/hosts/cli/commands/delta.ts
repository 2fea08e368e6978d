import type { CommandDefinition } from "../command/define.ts";
import { option } from "../command/define.ts";
import { whenOrCursor } from "../command/when.ts";
import { idOr, LIMIT, MAX_CHARS } from "../command/values.ts";

export const command = (): CommandDefinition => ({
  name: "delta",
  description: "what happened since a cursor, in the workspace or in one plan or task",
  arguments: [idOr("the workspace")],
  options: [
    option(
      "--since <when>",
      "only what came after: the cursor that stands below the events, or a time such as yesterday",
      { parse: whenOrCursor },
    ),
    { ...LIMIT, help: "at most so many events" },
    MAX_CHARS,
  ],
  tools: ["tasks_delta"],
  run: async (session, [id]: [string?], options) =>
    (await import("../delta.ts")).delta(session, session.meant(id), options),
});
