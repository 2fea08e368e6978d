import type { CommandDefinition } from "../command/define.ts";
import { option } from "../command/define.ts";
import { when } from "../command/when.ts";
import { idOr, LIMIT } from "../command/values.ts";

export const command = (): CommandDefinition => ({
  name: "history",
  description: "what was done to a plan or task, or in the workspace, newest first, and what of it was undone",
  arguments: [idOr("the focus, else the workspace")],
  options: [
    LIMIT,
    option("--since <when>", 'only what was done after it: 2h, yesterday, "mon 9:00", "24 nov"', { parse: when }),
    option("--until <when>", "only what was done until then", { parse: when }),
    option("--before <place>", "only what came before it: a revision, or an op of the workspace's history"),
  ],
  tools: ["tasks_history"],
  calls: {
    tasks_history: (args) => {
      const id = args.id();
      return id === undefined ? [] : [id];
    },
  },
  run: async (session, [id]: [string?], options) =>
    (await import("../history.ts")).history(session, session.meant(id), options),
});
