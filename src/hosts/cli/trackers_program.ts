/** Commands that take in what other trackers kept, and give out what is kept here, for commander to parse and explain. */
import type { Command } from "commander";
import { Argument, Option } from "commander";
import type { CliResult } from "./cli_result.ts";
import type { Session } from "./session.ts";
import { SOURCES } from "./trackers/index.ts";

interface Defining {
  /** Undefined where the program does without this command. */
  add: (name: string) => Command | undefined;
  run: (action: (session: Session) => Promise<CliResult>) => Promise<void>;
}

export function addTrackerCommands({ add, run }: Defining): void {
  add("import")
    ?.description("take in what another tracker kept, as plans and tasks; a repeated import takes in what is new")
    .addArgument(new Argument("<tracker>", "whose files they are").choices(SOURCES))
    .argument("<path>", "the file or folder, from the current folder; - reads a file from stdin")
    .option("--plan <id>", "put all of it under this plan")
    .option("--dry-run", "say what would be made, and change nothing")
    .action((source, path, { plan, ...options }) =>
      run(async (s) =>
        (await import("./import_tracker.ts")).importTracker(s, source, path, {
          ...options,
          ...(plan === undefined ? {} : { plan: s.meant(plan, "plan") }),
        }),
      ),
    );
  add("export")
    ?.description("print every plan and task, for people, programs or a spreadsheet")
    .addArgument(new Argument("<form>").choices(["markdown", "json", "csv"]))
    .option("--plan <id>", "only this plan and its tasks")
    .addOption(new Option("--out <file>", "write it to this new file instead of stdout"))
    .action((form, { plan, out }) =>
      run(async (s) => (await import("./export_tasks.ts")).exportTasks(s, form, { plan: s.planMeant(plan), out })),
    );
}
