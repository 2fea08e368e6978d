import { onWhole } from "../command/call_words.ts";
import type { CommandDefinition } from "../command/define.ts";
import { argument, option } from "../command/define.ts";
import { ID, STEP_HELP } from "../command/values.ts";

export const command = (): CommandDefinition => ({
  name: "note",
  group: "everyday",
  description: "write down progress, a finding or a decision",
  arguments: [ID, argument("<text...>")],
  options: [option("--step <step>", STEP_HELP, { completes: "steps" })],
  words: { annotate: "", comment: "" },
  calls: {
    tasks_note: onWhole((args) => {
      const [text, step] = [args.take("note"), args.step()];
      return text === undefined || text.startsWith("-") ? undefined : [text, ...(step ? ["--step", step] : [])];
    }),
  },
  tools: ["tasks_note"],
  run: async (session, [id, text]: [string, string[]], options) =>
    (await import("../write.ts")).note(session, session.meant(id), text, options),
});
