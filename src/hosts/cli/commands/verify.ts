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
    option(
      "--signers [file]",
      "every closed step needs proof signed by a key that this file of allowed signers names (default: that of git)",
    ),
    option(
      "--seen <file>",
      "with --signers: envelopes kept elsewhere (attest --out, sign --out); each log has to hold what they signed",
    ),
    option("--fresh", "with --signers: a proof counts only if no file in the scope of its task changed since"),
    option("--by-mode", "with --signers: only steps of proof mode attested need a signed proof, not every closed one"),
  ],
  run: async (session, [id]: [string?], options) =>
    (await import("../verify.ts")).verify(session, session.meant(id), options),
});
