import { STATUSES } from "../../../state/entity.ts";
import type { CommandDefinition } from "../command/define.ts";
import { option } from "../command/define.ts";
import { collect, LIMIT, planOption, status, TAG } from "../command/values.ts";

export const command = (): CommandDefinition => ({
  name: "list",
  aliases: ["ls"],
  group: "everyday",
  description: "every plan and task with its status, and how many are archived",
  options: [
    option("--archived", "what lies in the archive instead"),
    option("--status <status>", "only those; may be repeated", {
      choices: STATUSES,
      parse: (text, before?: string[]) => collect(status(STATUSES)(text), before),
    }),
    planOption("only this plan and its tasks"),
    TAG,
    option("--mine", "only tasks of which you have claimed something"),
    option("--ready", "only tasks that can be taken up"),
    option("--blocked", "only tasks that something stands in the way of"),
    LIMIT,
    option("--sort <field>", "in which order", { choices: ["id", "priority", "status", "title", "updated"] }),
  ],
  isPlain: true,
  words: { blocked: "--blocked", children: "--plan" },
  tools: ["tasks_context"],
  calls: { tasks_context: () => [] },
  run: async (session, _, options) => (await import("../list.ts")).list(session, options),
});
