/** Commands of Task Packets, for commander to parse and explain. */
import type { Command } from "commander";
import { InvalidArgumentError } from "commander";
import type { CliResult } from "../cli_result.ts";
import type { Session } from "../session.ts";

type Run = (action: (session: Session) => Promise<CliResult>) => Promise<void>;

const CONFIG = [
  "--config <dir>",
  "folder with servant/ and pipeline/ (default: configs of the workspace, else what is built in)",
] as const;
const STAGE = "such as codex_impl";
const COMMANDS = "run the acceptance commands: those of the brief, else those of the manifest";

export function addPacketCommands(program: Command, run: Run): void {
  const packet = program.command("packet").description("Task Packets: stages run by models, with gates and budgets");
  packet
    .command("validate")
    .description("check a manifest and write nothing")
    .argument("<manifest>", "a YAML file; - reads it from stdin")
    .option("--task <id>", "for this task, whatever the manifest says")
    .option("--id <id>", "for a task that is to be made with this id")
    .option(...CONFIG)
    .action((manifest, options) => run(async (s) => (await import("./packet.ts")).validate(s, manifest, options)));
  packet
    .command("create")
    .description("make a task of a manifest, with the id that it gives")
    .argument("<manifest>", "a YAML file; - reads it from stdin")
    .option("--task <id>", "give the packet to this task instead")
    .option("--id <id>", "make the task with this id instead")
    .option("--inputs <dir>", "folder with user_request.md, context_pack.md and attachments/")
    .option(...CONFIG)
    .action((manifest, options) => run(async (s) => (await import("./packet.ts")).create(s, manifest, options)));
  packet
    .command("plan")
    .description("the stages with model and time limit, and where each value comes from")
    .argument("[id]")
    .option("--manifest <file>", "of a manifest instead of a task")
    .option(...CONFIG)
    .action((id, options) => run(async (s) => (await import("./packet.ts")).plan(s, s.meant(id, "task"), options)));
  packet
    .command("compose")
    .description("write the prompt of a stage and print where it is; runs nothing")
    .argument("<id>")
    .argument("<stage>", STAGE)
    .option(...CONFIG)
    .action((id, stage, options) =>
      run(async (s) => (await import("./stage.ts")).compose(s, s.meant(id, "task"), stage, options)),
    );
  packet
    .command("run")
    .description("run the stages until the packet is done or stops; goes on where a killed run left it")
    .argument("<id>")
    .option("--stage <stage>", "one attempt of this stage, whatever stands before it")
    .option("--allow-commands", COMMANDS)
    .option("--progress <sec>", "seconds between two lines about a stage that runs; 0: none (default: 10)", seconds)
    .option(...CONFIG)
    .action((id, options) => run(async (s) => (await import("./run.ts")).run(s, s.meant(id, "task"), options)));
  packet
    .command("start")
    .description("begin a stage that you run yourself: its prompt is written, and it is paid for")
    .argument("<id>")
    .argument("<stage>", STAGE)
    .option("--model <name>", "the one that runs it (default: that of the plan)")
    .option(...CONFIG)
    .action((id, stage, options) =>
      run(async (s) => (await import("./stage.ts")).start(s, s.meant(id, "task"), stage, options)),
    );
  packet
    .command("finish")
    .description("end a stage that you ran yourself: its gate is judged")
    .argument("<id>")
    .argument("<stage>", STAGE)
    .requiredOption("--exit-code <n>", "of the program that ran it", exitCode)
    .option("--out <file>", "what it printed to stdout")
    .option("--err <file>", "what it printed to stderr")
    .option("--timed-out", "it ran out of time")
    .option("--allow-commands", COMMANDS)
    .option(...CONFIG)
    .action((id, stage, options) =>
      run(async (s) => (await import("./stage.ts")).finish(s, s.meant(id, "task"), stage, options)),
    );
  packet
    .command("next")
    .description("what the packet needs next, and whether that is allowed")
    .argument("<id>")
    .option(...CONFIG)
    .action((id, options) => run(async (s) => (await import("./stage.ts")).next(s, s.meant(id, "task"), options)));
  packet
    .command("reopen")
    .description("open a stage that is done, to run it again")
    .argument("<id>")
    .argument("<stage>", STAGE)
    .requiredOption("--reason <text>", "why, for those who read the log")
    .option(...CONFIG)
    .action((id, stage, options) =>
      run(async (s) => (await import("./stage.ts")).reopen(s, s.meant(id, "task"), stage, options)),
    );
  packet
    .command("reset-budget")
    .description("let paid calls, or retries, count from zero again")
    .argument("<id>")
    .argument("<kind>", "paid_call_budget or retry_budget")
    .requiredOption("--reason <text>", "why, for those who read the log")
    .option(...CONFIG)
    .action((id, kind, options) =>
      run(async (s) => (await import("./stage.ts")).resetBudget(s, s.meant(id, "task"), kind, options)),
    );
  addFolderCommands(packet, run);
  addScriptCommands(packet, run);
}

/** Commands about the programs of a repository, and about the helper that other tools call. */
function addScriptCommands(packet: Command, run: Run): void {
  packet
    .command("trust")
    .description("let packet run start the programs that configs/ of this workspace names, until a file there changes")
    .option("--revoke", "take all trust in this workspace away")
    .action((options) => run(async (s) => (await import("./trust.ts")).trust(s, options)));
  packet
    .command("init-scripts")
    .description("write scripts/agent-cli/post_impl_review.sh, which calls packet review")
    .action(() => run(async (s) => (await import("./init_scripts.ts")).initScripts(s)));
}

/** Commands that move a whole packet: into the archive and back, from another program and to one. */
function addFolderCommands(packet: Command, run: Run): void {
  packet
    .command("archive")
    .description("move a task and its packet to the archive; its log, summary and markers stay whole")
    .argument("<id>")
    .option("--outputs <policy>", "keep, drop, or drop those above so many bytes (default: keep)", outputPolicy)
    .option(...CONFIG)
    .action((id, options) => run(async (s) => (await import("./archive.ts")).archive(s, s.meant(id, "task"), options)));
  packet
    .command("restore")
    .description("bring a packet back from the archive")
    .argument("<id>")
    .option(...CONFIG)
    .action((id, options) => run(async (s) => (await import("./archive.ts")).restore(s, s.meant(id, "task"), options)));
  packet
    .command("import")
    .description("take in a packet's folder that another program made, or changes by hand in the folder of a task")
    .argument("<dir>", "such as .tmp/task/20260218-001")
    .option(...CONFIG)
    .action((dir, options) => run(async (s) => (await import("./import.ts")).importFolder(s, dir, options)));
  packet
    .command("export")
    .description("write a packet as a folder that another program can go on with")
    .argument("<id>")
    .argument("<dir>", "not there yet, or empty")
    .option(...CONFIG)
    .action((id, dir, options) =>
      run(async (s) => (await import("./export.ts")).exportFolder(s, s.meant(id, "task"), dir, options)),
    );
  packet
    .command("review")
    .description("review an implementation: make the packet, run it, and leave its six artifacts and the summary")
    .argument("<context-pack>", "what was to be done")
    .argument("<impl-report>", "what was done")
    .argument("[out-dir]", "where the artifacts go (default: .tmp/review/<id>)")
    .option("--allow-commands", COMMANDS)
    .option("--progress <sec>", "seconds between two lines about a stage that runs; 0: none (default: 10)", seconds)
    .option(...CONFIG)
    .action((pack, report, dir, options) =>
      run(async (s) => (await import("./review.ts")).review(s, pack, report, dir, options)),
    );
  packet
    .command("export-review")
    .description("write the six artifacts of a review and the summary")
    .argument("<id>")
    .argument("<dir>")
    .option(...CONFIG)
    .action((id, dir, options) =>
      run(async (s) => (await import("./export.ts")).exportReview(s, s.meant(id, "task"), dir, options)),
    );
}

/** `keep`, `drop`, or a number of bytes. */
function outputPolicy(text: string): "keep" | "drop" | number {
  if (text === "keep" || text === "drop") return text;
  if (/^[0-9]{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected keep, drop or a number of bytes.");
}

function seconds(text: string): number {
  if (/^[0-9]{1,6}(?:\.[0-9]{1,3})?$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected a number of seconds, such as 10.");
}

function exitCode(text: string): number {
  if (/^-?[0-9]{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected a whole number, such as 0.");
}
