import type { CommandDefinition } from "../command/define.ts";
import { option } from "../command/define.ts";
import { ONE_OR_ALL } from "../command/values.ts";

export const command = (): CommandDefinition => ({
  name: "resolve",
  description: "put logs in order after a merge, then write the projected files anew",
  arguments: [ONE_OR_ALL],
  options: [
    option("--dry-run", "say what would be done"),
    option("--stage", "git add what was resolved"),
    option("--git", "bring back what the branch had in its logs and lost (verify --git)"),
    option("--accept-gap", "declare lines lost that are missing and nowhere to be found"),
  ],
  words: { sync: "" },
  run: async (session, [id]: [string?], options) =>
    (await import("../resolve.ts")).resolve(session, session.meant(id), options),
});
