import type { CommandDefinition } from "../command/define.ts";
import { argument } from "../command/define.ts";

/** The scripts of `completion` call it. */
export const command = (): CommandDefinition => ({
  name: "__complete",
  isHidden: true,
  arguments: [argument("[words...]")],
  run: async (session, [words]: [string[]], _, { commands }) =>
    (await import("../completion.ts")).complete(session, commands(), words),
});
