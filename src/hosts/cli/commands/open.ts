import type { CommandDefinition } from "../command/define.ts";
import { argument, option } from "../command/define.ts";
import { FOCUS } from "../command/values.ts";

export const command = (): CommandDefinition => ({
  name: "open",
  group: "everyday",
  description: "open the folder of a plan or task, or its page; without a terminal print the path",
  arguments: [FOCUS, argument("[what]", "view: its README.md", { choices: ["view"] })],
  options: [option("--print", "print the path and start nothing")],
  run: async (session, [id, what]: [string?, "view"?], options) =>
    (await import("../open.ts")).open(session, session.meant(id), what, options),
});
