import { ENDED } from "../../../state/ended.ts";
import type { CommandDefinition } from "../command/define.ts";
import { argument, option } from "../command/define.ts";
import { planOption, status } from "../command/values.ts";

export const command = (): CommandDefinition => ({
  name: "archive",
  group: "everyday",
  description: "put ended tasks into the archive: those named, or all that the options choose",
  arguments: [argument("[id...]", "tasks", { completes: "ids" })],
  options: [
    option("--done-before <when>", "ended, and unchanged since: 30d, 12h, or a date or time in UTC"),
    planOption("only tasks of this plan"),
    option("--status <status>", "only tasks that ended so", { choices: ENDED, parse: status(ENDED) }),
    option("--dry-run", "say which would go and which stay"),
  ],
  words: { cleanup: "--done-before" },
  tools: ["tasks_archive"],
  calls: {
    tasks_archive: (args) => {
      const plan = args.take("plan");
      return plan === undefined ? undefined : ["--plan", plan];
    },
  },
  run: async (session, [ids]: [string[]], options) => {
    const meant = ids.map((id) => session.meant(id, "task"));
    return (await import("../archive.ts")).archive(session, meant, options);
  },
});
