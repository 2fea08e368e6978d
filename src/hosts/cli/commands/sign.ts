import type { CommandDefinition } from "../command/define.ts";
import { argument, option } from "../command/define.ts";

export const SIGNING_KEY = option(
  "--key <file>",
  "the private key, or a public one that the agent has (default: git's user.signingKey)",
);
export const ENVELOPES_OUT = option("--out <file>", "also write the envelopes to this new file, one a line");

export const command = (): CommandDefinition => ({
  name: "sign",
  description: "sign the history of logs as it is now, so that one that is written anew is found",
  arguments: [argument("[ids...]", "default: every plan and task", { completes: "ids" })],
  options: [SIGNING_KEY, ENVELOPES_OUT],
  run: async (session, [ids]: [string[]], options) => (await import("../attest.ts")).sign(session, ids, options),
});
