import type { CommandDefinition } from "../command/define.ts";
import { argument, option } from "../command/define.ts";

export const command = (): CommandDefinition => ({
  name: "search",
  group: "everyday",
  description: "find a text in fields, steps, notes and evidence; exit code 1 if it is nowhere",
  arguments: [argument("<text...>")],
  options: [option("--archived", "what lies in the archive instead")],
  words: { find: "", grep: "" },
  run: async (session, [text]: [string[]], options) => (await import("../search.ts")).search(session, text, options),
});
