import { onWhole } from "../command/call_words.ts";
import type { CommandDefinition } from "../command/define.ts";
import { SOME_ID } from "../command/values.ts";

export const command = (): CommandDefinition => ({
  name: "restore",
  group: "everyday",
  description: "bring a task back from the archive",
  arguments: [{ ...SOME_ID, completes: "archived ids" }],
  tools: ["tasks_restore"],
  calls: { tasks_restore: onWhole() },
  run: async (session, [id]: [string]) => (await import("../archive.ts")).restore(session, session.meant(id)),
});
