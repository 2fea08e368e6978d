import type { CommandDefinition } from "../command/define.ts";
import { option } from "../command/define.ts";
import { ONE_OR_ALL } from "../command/values.ts";

export const command = (): CommandDefinition => ({
  name: "doctor",
  group: "everyday",
  description: "every finding of verify with what it means, why, and what to do",
  arguments: [ONE_OR_ALL],
  options: [option("--fix", "write folded files anew; what stands there is kept aside")],
  run: async (session, [id]: [string?], options) =>
    (await import("../doctor.ts")).doctor(session, session.meant(id), options),
});
