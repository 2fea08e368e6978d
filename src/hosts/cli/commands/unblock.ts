import { onStep } from "../command/call_words.ts";
import type { CommandDefinition } from "../command/define.ts";
import { ID, stepOr } from "../command/values.ts";

export const command = (): CommandDefinition => ({
  name: "unblock",
  group: "everyday",
  description: "take a block back, or blockers in words",
  arguments: [ID, stepOr("the only blocked one")],
  calls: {
    tasks_block: onStep((args) => (args.has("blocked", false) ? [] : undefined)),
    tasks_define: onStep((args) => (args.hasEmpty("blockers") ? [] : undefined)),
  },
  run: async (session, [id, step]: [string, string?]) =>
    (await import("../write.ts")).unblock(session, session.meant(id, "task"), step),
});
