import { ENDED } from "../../../state/ended.ts";
import type { CommandDefinition } from "../command/define.ts";
import { option } from "../command/define.ts";
import { FOCUS, status, WHY } from "../command/values.ts";

export const command = (): CommandDefinition => ({
  name: "complete",
  group: "everyday",
  description: "set the status of a plan or task",
  arguments: [FOCUS],
  options: [
    option("--status <status>", "how it ended", { choices: ENDED, parse: status(ENDED), default: "DONE" }),
    WHY,
  ],
  tools: ["tasks_complete"],
  calls: {
    // Statuses of what has not ended are those of reopen.
    tasks_complete: (args) => {
      const id = args.id();
      if (id === undefined || args.has("status", "ACTIVE") || args.has("status", "TODO")) return undefined;
      return [id, ...args.option("status"), ...args.option("reason")];
    },
  },
  run: async (session, [id]: [string?], options) =>
    (await import("../write.ts")).complete(session, session.meant(id), options),
});
