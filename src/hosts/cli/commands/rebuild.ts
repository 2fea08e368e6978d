import type { CommandDefinition } from "../command/define.ts";
import { ONE_OR_ALL } from "../command/values.ts";

export const command = (): CommandDefinition => ({
  name: "rebuild",
  description: "write every projected file that is not as the logs say",
  arguments: [ONE_OR_ALL],
  run: async (session, [id]: [string?]) => (await import("../rebuild.ts")).rebuild(session, session.meant(id)),
});
