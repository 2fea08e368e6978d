import { onStep, onWhole } from "../command/call_words.ts";
import type { CommandDefinition } from "../command/define.ts";
import { ID, STEP, WHY } from "../command/values.ts";

export const command = (): CommandDefinition => ({
  name: "reopen",
  group: "everyday",
  description: "open a closed step again, or a plan or task that has ended",
  arguments: [ID, STEP],
  options: [WHY],
  calls: {
    tasks_progress: onStep((args) => (args.has("completed", false) ? args.option("reason") : undefined)),
    tasks_complete: onWhole((args) =>
      args.has("status", "ACTIVE") || args.has("status", "TODO") ? args.option("reason") : undefined,
    ),
  },
  run: async (session, [id, step]: [string, string?], options) =>
    (await import("../write.ts")).reopen(session, session.meant(id), step, options),
});
