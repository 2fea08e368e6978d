import type { CommandDefinition } from "../command/define.ts";
import { argument, option } from "../command/define.ts";
import { STEP_HELP } from "../command/values.ts";
import { ENVELOPES_OUT, SIGNING_KEY } from "./sign.ts";

export const command = (): CommandDefinition => ({
  name: "attest",
  description: "sign the proof of steps with a key of SSH, as an in-toto attestation",
  arguments: [
    argument(
      "[words...]",
      `ids, and behind an id steps of it: ${STEP_HELP} (default: every step of which you captured proof that no signature names)`,
      { completes: ["ids", "steps"] },
    ),
  ],
  options: [
    SIGNING_KEY,
    ENVELOPES_OUT,
    option("--all", "also sign what other actors recorded: read it first (default: what you recorded yourself)"),
    option("--claims", "also sign proof that Taskfold did not capture, such as a link"),
  ],
  run: async (session, [words]: [string[]], options) => (await import("../attest.ts")).attest(session, words, options),
});
