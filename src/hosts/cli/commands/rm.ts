import type { CommandDefinition } from "../command/define.ts";
import { option } from "../command/define.ts";
import { ID, STEP } from "../command/values.ts";

export const command = (): CommandDefinition => ({
  name: "rm",
  group: "everyday",
  description:
    "delete a step, a task, or a plan with its tasks from every answer; archive puts a task away that restore brings back",
  arguments: [ID, STEP],
  options: [option("--yes", "without asking")],
  words: { delete: "", remove: "" },
  run: async (session, [id, step]: [string, string?], options) =>
    (await import("../edit.ts")).remove(session, session.meant(id), step, options),
});
