import type { CommandDefinition } from "../command/define.ts";
import { option } from "../command/define.ts";
import { ONE_OR_ALL } from "../command/values.ts";

export const command = (): CommandDefinition => ({
  name: "verify",
  description: "check logs, projected files and evidence; changes nothing",
  arguments: [ONE_OR_ALL],
  options: [
    option("--git", "also find what the branch had in its logs and lost: by a revert, a dropped commit, a merge"),
    option("--git-base <ref>", "the same, of what was lost since it left this branch, tag or commit"),
  ],
  run: async (session, [id]: [string?], options) =>
    (await import("../verify.ts")).verify(session, session.meant(id), options),
});
