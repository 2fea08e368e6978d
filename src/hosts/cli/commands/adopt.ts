import type { CommandDefinition } from "../command/define.ts";
import { argument, option } from "../command/define.ts";

export const command = (): CommandDefinition => ({
  name: "adopt",
  description: "give a folder that Coco made a log of its own; its milestones, roster, gates and evidence come along",
  arguments: [argument("<id...>", "the folder's name", { completes: "ids" })],
  options: [
    option("--dry-run", "say what would be taken in"),
    option("--again", "take in what Coco changed since it was adopted"),
  ],
  run: async (session, [ids]: [string[]], options) => (await import("../adopt.ts")).adopt(session, ids, options),
});
