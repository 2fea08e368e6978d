/** The commands for commander to parse and explain. Each command's code is loaded when it runs: people wait for a command line. */
import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { okReply } from "../../engine/entity/reply.ts";
import { EXIT, isTaskfoldError } from "../../errors.ts";
import type { CliResult, Human } from "./cli_result.ts";
import type { ArgumentDefinition, CommandDefinition, OptionDefinition, Parsed } from "./command/define.ts";
import { GLOBALS, VERSION } from "./command/values.ts";
import { commands, commandsNamed } from "./commands/index.ts";
import type { Io } from "./io.ts";
import { programOf, Session } from "./session.ts";
import type { Globals } from "./session.ts";
import { sentences } from "./text/layout.ts";

const GROUPS = { everyday: "Everyday commands:", other: "Other commands:" };
/** Cells beside the names of commands and options in which help still wraps by words: a terminal of 60 columns leaves so many. */
const NARROWEST_HELP = 20;

/**
 * Texts of commander itself go into `printed`, and the answer of a command goes to `answer`. With `only`, the program knows just
 * the commands of these names and no version. To define all of them costs a short command more than its answer.
 */
export function buildProgram(
  io: Io,
  printed: Human,
  answer: (outcome: CliResult) => void,
  only?: readonly string[],
): Command {
  const program = new Command(programOf(io))
    .description("Plans and tasks of people and agents: one folder each, one log each, everything else folded from it.")
    .usage("[options] <command>")
    .configureOutput({
      writeOut: (text) => {
        printed.out += text;
      },
      writeErr: (text) => {
        printed.err += text;
      },
    })
    .configureHelp({ minWidthToWrap: NARROWEST_HELP })
    .exitOverride()
    .showSuggestionAfterError();
  for (const definition of GLOBALS) program.addOption(optionOf(definition));
  // The answer has code of its own (version.ts).
  if (!only) program.version("", VERSION.flags, VERSION.help);

  const act = async (command: Command, definition: CommandDefinition, args: never): Promise<void> => {
    const parsed: Parsed = {
      behindDashes: behindDashes(program),
      help: (...names) => helpOf(buildProgram(io, printed, answer), names, printed),
      commands,
    };
    const early = definition.answer?.(args, parsed);
    if (early) return answer(early);
    const options: never = command.opts() as never;
    const given = program.opts<Globals>();
    const session = new Session(io, definition.globals?.(given, options) ?? given, commands);
    answer(await definition.run!(session, args, options, parsed));
  };
  const wanted = only ? commandsNamed(only) : commands();
  for (const definition of wanted) addTo(program, definition, act).helpGroup(GROUPS[definition.group ?? "other"]);
  program.helpCommand(false);
  program.addHelpText(
    "after",
    sentences(
      `\nTopics: ${programOf(io)} help start, ids, steps, proof, claims, agents, trackers, merge, scripts.\nExit codes: 0 ok, 1 refused or findings, 2 usage, 3 unknown id, 4 conflict, 5 outcome unknown, 6 storage, 70 internal.`,
      io.screen?.().columns,
    ),
  );
  return program;
}

type Act = (command: Command, definition: CommandDefinition, args: never) => Promise<void>;

function addTo(parent: Command, definition: CommandDefinition, act: Act): Command {
  const { name, aliases = [], isHidden = false, description, usage, commands: inner = [], run } = definition;
  const command = parent.command(name, { hidden: isHidden }).aliases([...aliases]);
  if (description !== undefined) command.description(description);
  if (usage !== undefined) command.usage(usage);
  for (const one of definition.arguments ?? []) command.addArgument(argumentOf(one));
  for (const one of definition.options ?? []) command.addOption(optionOf(one));
  for (const one of inner) addTo(command, one, act);
  // Behind the arguments commander gives the options and the command.
  if (run) command.action((...given: unknown[]) => act(command, definition, given.slice(0, -2) as never));
  return command;
}

function argumentOf({ name, help, choices, default: otherwise }: ArgumentDefinition): Argument {
  const argument = new Argument(name, help).default(otherwise);
  return choices ? argument.choices(choices) : argument;
}

/** An option whose value may have another name than the option. */
class NamedOption extends Option {
  readonly #into: string | undefined;

  constructor({ flags, help, into }: OptionDefinition) {
    super(flags, help);
    this.#into = into;
  }

  override attributeName(): string {
    return this.#into ?? super.attributeName();
  }
}

function optionOf(definition: OptionDefinition): Option {
  const { choices, parse, default: otherwise, isRequired = false } = definition;
  const option = new NamedOption(definition);
  if (choices) option.choices(choices);
  if (parse) option.argParser((text, before) => unlessRefused(() => parse(text, before as never)));
  return option.default(otherwise).makeOptionMandatory(isRequired);
}

/** Commander adds to the message which option had the value. */
function unlessRefused<T>(parse: () => T): T {
  try {
    return parse();
  } catch (e) {
    throw isTaskfoldError(e) ? new InvalidArgumentError(e.message) : e;
  }
}

/** How many words stand behind `--`, which commander takes out. */
function behindDashes(program: Command): number {
  const argv = (program as { rawArgs?: string[] }).rawArgs ?? [];
  const at = argv.indexOf("--");
  return at === -1 ? 0 : argv.length - at - 1;
}

/** Not by `help()`: it ends the program with the exit code that stands for an end before the answer. */
function helpOf(program: Command, names: readonly string[], printed: Human): CliResult | undefined {
  let command = program;
  for (const name of names) {
    const inner = command.commands.find((one) => [one.name(), ...one.aliases()].includes(name));
    if (!inner) return undefined;
    command = inner;
  }
  command.outputHelp();
  const { out: text } = printed;
  return { exit: EXIT.ok, json: okReply("help", { text }, [], []), human: () => ({ out: text, err: "" }) };
}
