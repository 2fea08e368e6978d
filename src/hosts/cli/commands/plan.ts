import type { JsonObject } from "../../../index.ts";
import type { CommandDefinition } from "../command/define.ts";
import { argument, option } from "../command/define.ts";
import { LISTED, proofModes } from "../command/values.ts";

const add = (): CommandDefinition => ({
  name: "add",
  description: "make a plan",
  arguments: [argument("[title...]", "asked for on a terminal when left out")],
  options: [
    ...LISTED,
    option("--contract <text>", "what it promises"),
    option("--proof <modes>", "what steps of its tasks need proof of, unless they name it", { parse: proofModes }),
  ],
  kinds: ["project", "epic"],
  calls: {
    tasks_create: (args) => {
      const title = args.take("title");
      return title !== undefined && args.has("kind", "plan") ? [title] : undefined;
    },
  },
  run: async (session, [title]: [string[]], options: JsonObject) =>
    (await import("../add.ts")).add(session, "plan", title, options),
});

export const command = (): CommandDefinition => ({
  name: "plan",
  group: "everyday",
  description: "plans, under which tasks stand",
  commands: [add()],
});
