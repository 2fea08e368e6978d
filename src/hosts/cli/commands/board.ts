import type { CommandDefinition } from "../command/define.ts";
import { planOption, TAG } from "../command/values.ts";

export const command = (): CommandDefinition => ({
  name: "board",
  group: "everyday",
  description: "tasks in columns by status",
  options: [planOption("only of this plan"), TAG],
  isPlain: true,
  words: { kanban: "" },
  run: async (session, _, options) => (await import("../board.ts")).board(session, options),
});
