/** Commands about the shared log, for commander to parse and explain. */
import type { Command } from "commander";
import type { CliResult } from "./cli_result.ts";
import type { Session } from "./session.ts";

type Run = (action: (session: Session) => Promise<CliResult>) => Promise<void>;

export function addSharedCommands(program: Command, wants: (name: string) => boolean, run: Run): void {
  if (!wants("shared")) return;
  const shared = program
    .command("shared")
    .description("a workspace that several machines write through NATS JetStream (--shared, TASKFOLD_SHARED)");
  shared
    .command("init")
    .description("make the shared log, or join it: publish what it lacks and take in what it has")
    .option("--workspace <id>", "the workspace, for a folder that is bound to none yet")
    .option("--replicas <n>", "how many servers of the cluster keep it: 1, 3 or 5", Number)
    .action((options) => run(async (s) => (await import("./shared.ts")).init(s, options)));
  shared
    .command("status")
    .description("how far this machine is, and which plans and tasks are not in step")
    .action(() => run(async (s) => (await import("./shared.ts")).status(s)));
  shared
    .command("sync")
    .description("take in what is new there, and publish what is new here, by git for instance")
    .option("--blobs", "fetch captured output and files of packets, too: all that events name and this machine lacks")
    .action((options) => run(async (s) => (await import("./shared.ts")).sync(s, options)));
  shared
    .command("verify")
    .description(
      "compare the shared log with the logs of this machine, line by line, and read the files that they name there",
    )
    .option(
      "--restore",
      "put files there that the shared log lacks, or has with other bytes, and that this machine has",
    )
    .action((options) => run(async (s) => (await import("./shared.ts")).verify(s, options)));
  shared
    .command("leave")
    .description("forget how far this machine is; files and shared log stay as they are")
    .action(() => run(async (s) => (await import("./shared.ts")).leave(s)));
}
