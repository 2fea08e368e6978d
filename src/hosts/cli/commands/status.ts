import type { CommandDefinition } from "../command/define.ts";
import { option } from "../command/define.ts";
import { MAX_CHARS } from "../command/values.ts";
import { whenOrCursor } from "../command/when.ts";

export const command = (): CommandDefinition => ({
  name: "status",
  group: "everyday",
  description: "what needs you, each with the command that ends it, what happened, what is yours, and what is ready",
  options: [
    option(
      "--since <when>",
      'changes after it: 2h, yesterday, "mon 9:00", a cursor, or visit, your own last change (default)',
      { parse: (text) => (text === "visit" ? text : whenOrCursor(text)) },
    ),
    option("--only <actor>", "only what is about this actor"),
    option("--all", "look into every plan and task"),
    MAX_CHARS,
  ],
  isPlain: true,
  words: { stats: "" },
  tools: ["tasks_status"],
  run: async (session, _, options) => (await import("../status.ts")).status(session, options),
});
