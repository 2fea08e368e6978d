/**
 * A command is one record. From it come the program, its start without a parser, help and completion. Answers suggest
 * commands by it, and errors name them for words of other programs. Each loads its code when it runs.
 */
import type { CliResult } from "../cli_result.ts";
import type { Globals, Session } from "../session.ts";
import type { CommandWords } from "./call_words.ts";

/** The words that completion offers in the place of a value. */
export type Completes = "ids" | "plans" | "archived ids" | "steps" | "confirmations" | "tools" | "topics";

export interface ArgumentDefinition {
  /** Such as `<id>`, `[step]` or `<text...>`. */
  name: string;
  help?: string;
  choices?: readonly string[];
  default?: string;
  /** Of an argument of several words, what fits in the place of each. */
  completes?: Completes | readonly Completes[];
}

export interface OptionDefinition {
  /** Such as `--limit <n>`. */
  flags: string;
  help?: string;
  choices?: readonly string[];
  /** Makes a value of a text, and of the value before where the option is repeated. INVALID_INPUT says what it expected. */
  parse?: (text: string, before: never) => unknown;
  default?: unknown;
  /** The name of the value, where several options make one. */
  into?: string;
  isRequired?: true;
  completes?: Completes;
}

/** The program that parsed the words, as a command may need it. */
export interface Parsed {
  /** How many of the last words stand behind `--`. */
  behindDashes: number;
  /** The help of a command, or of the program; undefined where there is no such command. */
  help: (...names: string[]) => CliResult | undefined;
  /** Every command there is. */
  commands: () => readonly CommandDefinition[];
}

/** Options and words are as the record of the command defines them. */
type Run = (session: Session, args: never, options: never, parsed: Parsed) => Promise<CliResult>;

export interface CommandDefinition extends CommandWords {
  aliases?: readonly string[];
  /** The part of help in which it stands, unless it stands among the others. */
  group?: "everyday";
  isHidden?: true;
  /** Left out of a command that only git or a shell calls. */
  description?: string;
  usage?: string;
  arguments?: readonly ArgumentDefinition[];
  options?: readonly OptionDefinition[];
  /** Commands of a group, which itself does nothing. */
  commands?: readonly CommandDefinition[];
  /** Its first argument at most, and no option, starts it without the parser: to load that costs a tenth of a start. */
  isPlain?: true;
  run?: Run;
  /** An answer that needs no place to work in. Where it gives none, the command runs. */
  answer?: (args: never, parsed: Parsed) => CliResult | undefined;
  /** Options of all commands as this one takes them. */
  globals?: (given: Globals, options: never) => Globals;
  /** The intent of its errors, where no tool is called by its name. */
  intent?: string;
  /** Says why it does not take a word. */
  excess?: (word: string, program: string) => string;
  /** Commands of gh, bd, Taskwarrior and Backlog.md that do the same, with the options that this one needs for it. */
  words?: Readonly<Record<string, string>>;
  /** Groups of commands elsewhere, such as `gh issue`, whose `create` does the same. */
  kinds?: readonly string[];
}

export function argument(name: string, help = "", more: Partial<ArgumentDefinition> = {}): ArgumentDefinition {
  return { name, help, ...more };
}

export function option(flags: string, help = "", more: Partial<OptionDefinition> = {}): OptionDefinition {
  return { flags, help, ...more };
}
