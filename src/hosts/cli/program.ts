/**
 * Commands and options, for commander to parse and explain. Each command's code is loaded when it runs: people
 * wait for a command line, and most of what is here is not needed this time.
 */
import { createRequire } from "node:module";
import { Command, InvalidArgumentError, Option } from "commander";
import type { Completed } from "./completion.ts";
import { addEverydayCommands, collect, count, proofModes, status } from "./everyday_program.ts";
import { ENDED } from "./ended.ts";
import { addGitCommands } from "./git/program.ts";
import type { Io } from "./io.ts";
import { sentences } from "./text/layout.ts";
import type { McpCommand } from "./mcp.ts";
import { okReply } from "../../engine/entity/reply.ts";
import { EXIT } from "../../errors.ts";
import type { Human, CliResult } from "./cli_result.ts";
import { addOnboardCommands } from "./onboard_program.ts";
import { addPacketCommands } from "./packet/program.ts";
import { addSharedCommands } from "./shared_program.ts";
import { Session } from "./session.ts";
import type { Globals } from "./session.ts";
import { addTrackerCommands } from "./trackers_program.ts";

type Action = (session: Session) => Promise<CliResult>;

const EVERYDAY = "Everyday commands:";
/** Of a list. Here and not with its code: every command loads this file. */
const SORTS = ["id", "priority", "status", "title", "updated"] as const;
const AT = "as of a revision, or of the change with this event id";
/** Cells beside the names of commands and options in which help still wraps by words: a terminal of 60 columns leaves so many. */
const NARROWEST_HELP = 20;
const MAX_CHARS = "at most so many characters of JSON; what was cut is said";

/**
 * Texts of commander itself go into `said`, and the answer of a command goes to `answer`. With `only`, the program knows just
 * the commands of these names and no version. To define all of them costs a short command more than its answer.
 */
export function buildProgram(
  io: Io,
  said: Human,
  answer: (outcome: CliResult) => void,
  only?: readonly string[],
): Command {
  const program = new Command("taskfold")
    .description("Plans and tasks of people and agents: one folder each, one log each, everything else folded from it.")
    .usage("[options] <command>")
    .option("-C <dir>", "work in this folder (default: the nearest one upwards that holds .coco)")
    .option(
      "--by <who>",
      "who acts: NAME, human:NAME, agent:NAME or system (default: TASKFOLD_BY, else git's user.name)",
    )
    .option("--shared <servers>", "write through this shared log, nats://HOST:4222 (default: TASKFOLD_SHARED)")
    .option("--json", "one JSON document on stdout, errors included")
    .option("-q, --quiet", "print no more than ids, errors and warnings of lost work")
    .configureOutput({
      writeOut: (text) => {
        said.out += text;
      },
      writeErr: (text) => {
        said.err += text;
      },
    })
    .configureHelp({ minWidthToWrap: NARROWEST_HELP })
    .exitOverride()
    .showSuggestionAfterError();
  // Finding its own package costs a program more than most of its answers.
  if (!only) program.version(packageVersion(), "--version", "print the version");

  const runIn = async (globals: Globals, action: Action): Promise<void> =>
    answer(await action(new Session(io, globals)));
  const run = (action: Action): Promise<void> => runIn(program.opts<Globals>(), action);
  const wants = (...names: string[]): boolean => only === undefined || names.some((name) => only.includes(name));
  const add = (name: string, ...aliases: string[]): Command | undefined =>
    wants(name, ...aliases) ? program.command(name).aliases(aliases) : undefined;

  program.commandsGroup(EVERYDAY);
  add("init")
    ?.description("bind this folder to a workspace id and write .coco")
    .option(
      "--workspace <id>",
      "the id, such as acme/repo (default: from the git remote origin, else the folder's name)",
    )
    .addOption(
      new Option("--ids <kind>", "TASK-001, or TASK-001-k3f9, which two branches never take both").choices([
        "sequential",
        "suffixed",
      ]),
    )
    .addOption(
      new Option(
        "--lock <kind>",
        "locks of the system, or of lock files where it has none (default: os where it loads)",
      ).choices(["os", "lockfile"]),
    )
    .option("--rename <id>", "give a bound folder another id; no log changes")
    .option("--proof <modes>", "what steps need proof of from now on: require, or tests=warn,docs=require", proofModes)
    .option("--overview", "also write .coco/README.md, an overview that rebuild and resolve keep up to date")
    .action((options) => run(async (s) => (await import("./init.ts")).init(s, options)));
  addEverydayCommands({ add, run });
  addOnboardCommands({ add, run });
  program.commandsGroup("Other commands:");

  add("call")
    ?.description("call a tool with a JSON object; workspace is filled in")
    .argument("<tool>", "its name; taskfold tools lists them")
    .argument("[json]", "its input; - reads it from stdin", "{}")
    .action((tool, input) => run(async (s) => (await import("./call.ts")).call(s, tool, input)));
  add("radar")
    ?.description("now, why, verify, next and blockers of a plan or task")
    .argument("[id]", "default: the focus")
    .option("--at <when>", AT)
    .option("--max-chars <n>", MAX_CHARS, count)
    .action((id, options) => run(async (s) => (await import("./radar.ts")).radar(s, s.meant(id), options)));
  add("handoff")
    ?.description("what is done, what remains and what may go wrong")
    .argument("[id]", "default: the focus")
    .option("--at <when>", AT)
    .option("--max-chars <n>", MAX_CHARS, count)
    .action((id, options) => run(async (s) => (await import("./handoff.ts")).handoff(s, s.meant(id), options)));
  add("list", "ls")
    ?.helpGroup(EVERYDAY)
    .description("every plan and task with its status, and how many are archived")
    .option("--archived", "what lies in the archive instead")
    .addOption(new Option("--status <status>", "only those; may be repeated").choices(STATUSES).argParser(statuses))
    .option("--plan <id>", "only this plan and its tasks")
    .option("--tag <tag>", "only with this tag; may be repeated", collect)
    .option("--mine", "only tasks of which you have claimed something")
    .option("--ready", "only tasks that can be taken up")
    .option("--blocked", "only tasks that something stands in the way of")
    .option("--limit <n>", "at most so many", count)
    .addOption(new Option("--sort <field>", "in which order").choices(SORTS))
    .action((options) => run(async (s) => (await import("./list.ts")).list(s, options)));
  add("archive")
    ?.helpGroup(EVERYDAY)
    .description("put ended tasks into the archive: those named, or all that the options choose")
    .argument("[id...]", "tasks")
    .option("--done-before <when>", "ended, and unchanged since: 30d, 12h, or a date or time in UTC")
    .option("--plan <id>", "only tasks of this plan")
    .addOption(new Option("--status <status>", "only tasks that ended so").choices(ENDED).argParser(status(ENDED)))
    .option("--dry-run", "say which would go and which stay")
    .action((ids, options) =>
      run(async (s) =>
        (await import("./archive.ts")).archive(
          s,
          ids.map((id: string) => s.meant(id, "task")),
          options,
        ),
      ),
    );
  add("restore")
    ?.helpGroup(EVERYDAY)
    .description("bring a task back from the archive")
    .argument("<id>")
    .action((id) => run(async (s) => (await import("./archive.ts")).restore(s, s.meant(id))));
  add("log")
    ?.description("events of a plan or task, oldest first")
    .argument("[id]", "default: the focus")
    .option("--since <cursor>", "only what came after; the cursor stands below the events")
    .option("--limit <n>", "at most so many", count)
    .action((id, options) => run(async (s) => (await import("./log.ts")).log(s, s.meant(id), options)));
  add("history")
    ?.description("what was done to a plan or task, or in the workspace, newest first, and what of it was undone")
    .argument("[id]", "default: the focus, else the workspace")
    .option("--limit <n>", "at most so many", count)
    .option("--before <place>", "only what came before it: a revision, or an op of the workspace's history")
    .action((id, options) => run(async (s) => (await import("./history.ts")).history(s, s.meant(id), options)));
  add("delta")
    ?.description("what happened since a cursor, in the workspace or in one plan or task")
    .argument("[id]", "default: the workspace")
    .option("--since <cursor>", "only what came after; the cursor stands below the events")
    .option("--limit <n>", "at most so many events", count)
    .option("--max-chars <n>", MAX_CHARS, count)
    .action((id, options) => run(async (s) => (await import("./delta.ts")).delta(s, s.meant(id), options)));
  add("undo")
    ?.helpGroup(EVERYDAY)
    .description("take back the last change of a plan or task")
    .argument("[id]", "default: the focus")
    .option("--op <event>", "the change with this event id, also one by another actor")
    .action((id, options) =>
      run(async (s) => (await import("./call.ts")).onEntity(s, "tasks_undo", s.meant(id), options)),
    );
  add("redo")
    ?.helpGroup(EVERYDAY)
    .description("bring back what was undone last")
    .argument("[id]", "default: the focus")
    .action((id, options) =>
      run(async (s) => (await import("./call.ts")).onEntity(s, "tasks_redo", s.meant(id), options)),
    );
  add("verify")
    ?.description("check logs, projected files and evidence; changes nothing")
    .argument("[id]", "default: all of them")
    .option("--git", "also find what the branch had in its logs and lost: by a revert, a dropped commit, a merge")
    .option("--git-base <ref>", "the same, of what was lost since it left this branch, tag or commit")
    .action((id, options) => run(async (s) => (await import("./verify.ts")).verify(s, s.meant(id), options)));
  add("rebuild")
    ?.description("write every projected file that is not as the logs say")
    .argument("[id]", "default: all of them")
    .action((id) => run(async (s) => (await import("./rebuild.ts")).rebuild(s, s.meant(id))));
  add("resolve")
    ?.description("put logs in order after a merge, then write the projected files anew")
    .argument("[id]", "default: all of them")
    .option("--dry-run", "say what would be done")
    .option("--stage", "git add what was resolved")
    .option("--git", "bring back what the branch had in its logs and lost (verify --git)")
    .option("--accept-gap", "declare lines lost that are missing and nowhere to be found")
    .action((id, options) => run(async (s) => (await import("./resolve.ts")).resolve(s, s.meant(id), options)));
  add("adopt")
    ?.description(
      "give a folder that Coco made a log of its own; its milestones, roster, gates and evidence come along",
    )
    .argument("<id...>", "the folder's name")
    .option("--dry-run", "say what would be taken in")
    .option("--again", "take in what Coco changed since it was adopted")
    .action((ids, options) => run(async (s) => (await import("./adopt.ts")).adopt(s, ids, options)));
  const taskdoc = add("taskdoc")?.description("the Taskdoc of a plan or task: what agents have before them");
  taskdoc
    ?.command("show")
    .description("as it is put before agents; what does not belong in its package is told on stderr")
    .argument("[id]", "default: the focus")
    .addOption(new Option("--lang <language>", "of the heading and the words around").choices(["en", "zh"]))
    .option("--max-bytes <n>", "at most so many bytes; what was cut is said", count)
    .option("--at <when>", AT)
    .action((id, options) => run(async (s) => (await import("./taskdoc.ts")).show(s, s.meant(id), options)));
  taskdoc
    ?.command("history")
    .description("every text it ever had, newest first, with who wrote it when")
    .argument("[id]", "default: the focus")
    .option("--section <name>", "one section: goals, or ux/checklist")
    .option("--limit <n>", "at most so many", count)
    .option("--before <revision>", "only what came before it", count)
    .action((id, options) => run(async (s) => (await import("./taskdoc.ts")).history(s, s.meant(id), options)));
  taskdoc
    ?.command("adopt-edits")
    .description("show what a person changed in its files, and take it in as that person's change (--by human:NAME)")
    .argument("<id>")
    .option("--dry-run", "show it and change nothing")
    .action((id, options) => run(async (s) => (await import("./taskdoc.ts")).adoptEdits(s, s.meant(id), options)));
  taskdoc
    ?.command("import")
    .description("take in a Taskdoc of the old form, one Markdown file; fills empty sections only and leaves the file")
    .argument("<file>", "from the current folder")
    .argument("[id]", "default: the focus")
    .option("--dry-run", "show what would go where and change nothing")
    .action((file, id, options) =>
      run(async (s) => (await import("./taskdoc_import.ts")).importFile(s, file, s.meant(id), options)),
    );
  if (wants("packet")) addPacketCommands(program, run);
  addGitCommands(program, wants, run);
  addSharedCommands(program, wants, run);
  addTrackerCommands({ add, run });
  add("tools")
    ?.description("the tools, or one of them with its input and examples")
    .argument("[name]")
    .action((name) => run(async (s) => (await import("./tools.ts")).tools(s, name)));
  add("mcp")
    ?.description("serve the tools to a client of the Model Context Protocol on stdin and stdout")
    .option("--root <dir>", "as -C; repeated, each is the root of another workspace", collect)
    .option(
      "--workspace <id>",
      "what macros, tasks_snapshot and Taskdoc tools mean when a call names none (default: TASKFOLD_WORKSPACE, BRANCHMIND_WORKSPACE, that of the first root)",
    )
    .addOption(
      new Option("--toolset <set>", "which tools are listed; all can be called")
        .choices(["core", "daily", "packet", "full"])
        .default("core"),
    )
    .option("--output-schemas", "also list what answers look like, which costs an agent three times the context")
    .option("--print-tools", "print what tools/list would say, and end")
    .action((options: McpCommand) => {
      const [first] = options.root ?? [];
      const globals = { ...program.opts<Globals>(), ...(first === undefined ? {} : { C: first }) };
      return runIn(globals, async (s) => (await import("./mcp.ts")).mcp(s, options, packageVersion()));
    });
  add("view")
    ?.helpGroup(EVERYDAY)
    .description("show the workspace in a browser, live, or write its pages as files; changes nothing in it")
    .option("--port <n>", "listen on this port (default: any that is free)", portNumber)
    .option("--host <host>", "listen there (default: 127.0.0.1, which this machine alone reaches)")
    .option("--open", "open the address in the browser of the system")
    .option("--export <dir>", "write pages that any static host serves, and that open from disk, and end")
    .option("--task <id>", "with --export: one HTML file about this plan or task")
    .action((options) => run(async (s) => (await import("./view.ts")).view(s, options, packageVersion())));
  if (wants("__complete"))
    program
      .command("__complete", { hidden: true })
      .argument("[words...]")
      .action((words: string[]) =>
        run(async (s) => {
          const whole = buildProgram(io, said, answer);
          return (await import("./completion.ts")).complete(s, completedOf(whole), words);
        }),
      );
  program.helpCommand(false);
  add("help")
    ?.description(
      "help on a command, or on a topic: start, ids, steps, proof, claims, agents, trackers, merge, scripts",
    )
    .argument("[topic]")
    .argument("[command]", "of a command that has some")
    .action(async (name?: string, inner?: string) => {
      const whole = buildProgram(io, said, answer);
      const command =
        name === undefined ? whole : whole.commands.find((one) => [one.name(), ...one.aliases()].includes(name));
      if (command) return answer(helpOf(command.commands.find((one) => one.name() === inner) ?? command, said));
      await run(async (s) =>
        (await import("./help_topics.ts")).topic(
          s,
          name!,
          whole.commands.map((one) => one.name()),
        ),
      );
    });
  const wide = io.screen?.().columns;
  program.addHelpText(
    "after",
    sentences(
      "\nTopics: taskfold help start, ids, steps, proof, claims, merge, scripts.\nExit codes: 0 ok, 1 refused or findings, 2 usage, 3 unknown id, 4 conflict, 5 outcome unknown, 6 storage, 70 internal.",
      wide,
    ),
  );
  return program;
}

/** Not by `help()`: it ends the program with the exit code that stands for an end before the answer. */
function helpOf(command: Command, said: Human): CliResult {
  command.outputHelp();
  const { out: text } = said;
  return { exit: EXIT.ok, json: okReply("help", { text }, [], []), human: () => ({ out: text, err: "" }) };
}

function completedOf(command: Command): Completed {
  return {
    name: command.name(),
    help: command.description(),
    options: command.options.map((option) => ({
      name: option.long ?? option.short ?? "",
      help: option.description,
      choices: option.argChoices ?? [],
      takesValue: option.required || option.optional,
    })),
    arguments: command.registeredArguments.map((argument) => ({
      name: argument.name(),
      choices: argument.argChoices ?? [],
    })),
    commands: command
      .createHelp()
      .visibleCommands(command)
      .filter((one) => command.commands.includes(one))
      .map(completedOf),
  };
}

const STATUSES = ["TODO", "ACTIVE", "DONE", "FAILED", "CANCELED"];

/** One for each time the option is given. */
function statuses(text: string, before?: string[]): string[] {
  return collect(status(STATUSES)(text), before);
}

function portNumber(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 65_536;
  if (port > 65_535) throw new InvalidArgumentError("Expected a port from 0 to 65535.");
  return port;
}

/** The package asks for itself by name, so it does not matter in which folder this code ends up. */
function packageVersion(): string {
  const { version } = createRequire(import.meta.url)("taskfold/package.json") as { version: string };
  return version;
}
