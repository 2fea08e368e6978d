import type { CommandDefinition } from "../command/define.ts";
import { argument, option } from "../command/define.ts";
import { planOption } from "../command/values.ts";

export const command = (): CommandDefinition => ({
  name: "export",
  description: "print every plan and task, for people, programs or a spreadsheet",
  arguments: [argument("<form>", "", { choices: ["markdown", "json", "csv"] })],
  options: [
    planOption("only this plan and its tasks"),
    option("--out <file>", "write it to this new file instead of stdout"),
  ],
  run: async (session, [form]: [never], { plan, out }: { plan?: string; out?: string }) =>
    (await import("../export_tasks.ts")).exportTasks(session, form, { plan: session.planMeant(plan), out }),
});
