import type { Source } from "../trackers/index.ts";
import { SOURCES } from "../trackers/index.ts";
import type { CommandDefinition } from "../command/define.ts";
import { argument, option } from "../command/define.ts";
import { planOption } from "../command/values.ts";

interface Options {
  plan?: string;
  dryRun?: boolean;
}

export const command = (): CommandDefinition => ({
  name: "import",
  description: "take in what another tracker kept, as plans and tasks; a repeated import takes in what is new",
  arguments: [
    argument("<tracker>", "whose files they are", { choices: SOURCES }),
    argument("<path>", "the file or folder, from the current folder; - reads a file from stdin"),
  ],
  options: [
    planOption("put all of it under this plan"),
    option("--dry-run", "say what would be made, and change nothing"),
  ],
  run: async (session, [source, path]: [Source, string], { plan, ...options }: Options) =>
    (await import("../import_tracker.ts")).importTracker(session, source, path, {
      ...options,
      ...(plan === undefined ? {} : { plan: session.meant(plan, "plan") }),
    }),
});
