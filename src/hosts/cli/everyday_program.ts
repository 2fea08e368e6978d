/** The commands of a day's work by hand, for commander to parse and explain. */
import type { Command } from "commander";
import { Argument, InvalidArgumentError, Option } from "commander";
import type { CliResult } from "./cli_result.ts";
import { ENDED } from "./ended.ts";
import type { Session } from "./session.ts";
import { parseProofModes } from "../../state/proof_modes.ts";
import type { ProofModes } from "../../state/proof_modes.ts";
import { StepOptions } from "./step_options.ts";

type Action = (session: Session) => Promise<CliResult>;

export interface Defining {
  /** Undefined where the program does without this command. */
  add: (name: string) => Command | undefined;
  run: (action: Action) => Promise<void>;
}

const ID = "such as TASK-001; 1 and task-1 mean it where only one fits";
const STEP = "its path (s:0), id, or a part of its title";
const PROOF = "what it needs proof of: tests, or tests=warn,docs=require; off, warn or require (default)";
const CHECKPOINTS = ["criteria", "tests", "security", "perf", "docs"];

export function addEverydayCommands({ add, run }: Defining): void {
  writingCommands(add, run);
  stepCommands(add, run);
  readingCommands(add, run);
  otherCommands(add, run);
}

function writingCommands(add: Defining["add"], run: Defining["run"]): void {
  const made = add("add");
  if (made) {
    const steps = new StepOptions();
    listedOptions(made)
      .description("make a task; criteria and tests belong to the step before them")
      .argument("[title...]", "asked for on a terminal when left out")
      .option("--plan <id>", "the plan that it belongs to")
      .option("--step <title>", "a step of it, in order", steps.step)
      .option("--criteria <text>", "what must be so for the step to count as done", steps.criteria)
      .option("--test <text>", "how that is checked", steps.test)
      .option("--proof <modes>", PROOF, (text) => steps.proof(proofModes(text)))
      .action((title, { step: _step, criteria: _criteria, test: _test, proof: _proof, ...options }) =>
        run(async (s) => (await import("./add.ts")).add(s, "task", title, options, steps)),
      );
  }
  const plan = add("plan")?.description("plans, under which tasks stand");
  if (plan)
    listedOptions(plan.command("add"))
      .description("make a plan")
      .argument("[title...]", "asked for on a terminal when left out")
      .option("--contract <text>", "what it promises")
      .option("--proof <modes>", "what steps of its tasks need proof of, unless they name it", proofModes)
      .action((title, options) => run(async (s) => (await import("./add.ts")).add(s, "plan", title, options)));
  add("note")
    ?.description("write down progress, a finding or a decision")
    .argument("<id>", ID)
    .argument("<text...>")
    .option("--step <step>", STEP)
    .action((id, text, options) => run(async (s) => (await import("./write.ts")).note(s, s.meant(id), text, options)));
  add("edit")
    ?.description(
      "change a plan, a task or a step; a plan or task without options in the editor that VISUAL or EDITOR names",
    )
    .argument("<id>", ID)
    .argument("[step]", STEP)
    .option("--title <text>")
    .option("--description <text>", "what it is about")
    .option("--context <text>", "what the next worker has to know")
    .option("--priority <word>", "LOW, MEDIUM, HIGH or another word")
    .option("--tag <tag>", "replaces the tags; may be repeated; '' for none", collect)
    .option("--depends-on <id>", "replaces what has to be DONE before; may be repeated; '' for none", collect)
    .option("--contract <text>", "of a plan: what it promises")
    .option("--criteria <text>", "of a step: replaces its criteria; may be repeated", collect)
    .option("--test <text>", "of a step: replaces its tests; may be repeated", collect)
    .option("--proof <modes>", `of a step: ${PROOF}`, proofModes)
    .action((id, step, options) => run(async (s) => (await import("./edit.ts")).edit(s, s.meant(id), step, options)));
  add("rm")
    ?.description(
      "delete a step, a task, or a plan with its tasks from every answer; archive puts a task away that restore brings back",
    )
    .argument("<id>", ID)
    .argument("[step]", STEP)
    .option("--yes", "without asking")
    .action((id, step, options) => run(async (s) => (await import("./edit.ts")).remove(s, s.meant(id), step, options)));
  add("complete")
    ?.description("set the status of a plan or task")
    .argument("[id]", "default: the focus")
    .addOption(new Option("--status <status>", "how it ended").choices(ENDED).argParser(status(ENDED)).default("DONE"))
    .option("--reason <text>", "why")
    .action((id, options) => run(async (s) => (await import("./write.ts")).complete(s, s.meant(id), options)));
}

function listedOptions(command: Command): Command {
  return command
    .option("--description <text>", "what it is about")
    .option("--priority <word>", "LOW, MEDIUM, HIGH or another word")
    .option("--tag <tag>", "may be repeated", collect)
    .option("--depends-on <id>", "what has to be DONE before; may be repeated", collect)
    .option("--id <id>", "an id of your own (default: the next number)");
}

function stepCommands(add: Defining["add"], run: Defining["run"]): void {
  add("done")
    ?.description("close a step, or complete a task that has no open step")
    .argument("<id>", ID)
    .argument("[step]", `${STEP} (default: the only open one)`)
    .option("--confirm <checkpoints>", "gate (criteria and tests), all, or a list: criteria,tests", checkpoints)
    .option("--force", "pass a block or open steps below; needs --reason")
    .option("--reason <text>", "why it is forced")
    .action((id, step, options) => run(async (s) => (await import("./write.ts")).done(s, s.meant(id), step, options)));
  add("run")
    ?.description("run a command and keep its output and exit code as evidence; the exit code is that of the command")
    .usage("[options] <id> [step] -- <command...>")
    .argument("[words...]", `an id, ${STEP} (default: the only open one); behind --, the command and its arguments`)
    .option("--for <checkpoints>", "what it proves: a list of checkpoints", namesOf, ["tests"])
    .option("--close", "if it passed, confirm criteria and tests too, and close the step")
    .action((words: string[], options, command: Command) =>
      run(async (s) => {
        const at = words.length - behindDashes(command);
        return (await import("./run_command.ts")).runCommand(s, words.slice(0, at), words.slice(at), options);
      }),
    );
  add("reopen")
    ?.description("open a closed step again, or a plan or task that has ended")
    .argument("<id>", ID)
    .argument("[step]", STEP)
    .option("--reason <text>", "why")
    .action((id, step, options) =>
      run(async (s) => (await import("./write.ts")).reopen(s, s.meant(id), step, options)),
    );
  add("block")
    ?.description("mark a step as blocked: it does not close until it is unblocked")
    .argument("<id>", ID)
    .argument("[step]", `${STEP} (default: the only open one)`)
    .option("--reason <text>", "what it waits for")
    .action((id, step, options) =>
      run(async (s) => (await import("./write.ts")).block(s, s.meant(id, "task"), step, options)),
    );
  add("unblock")
    ?.description("take a block back")
    .argument("<id>", ID)
    .argument("[step]", `${STEP} (default: the only blocked one)`)
    .action((id, step) => run(async (s) => (await import("./write.ts")).unblock(s, s.meant(id, "task"), step)));
  add("claim")
    ?.description("take a step or a whole task to work on; without an id the next ready step")
    .argument("[id]", ID)
    .argument("[step]", STEP)
    .option("--for <time>", "how long: 30m, 2h, or seconds (default: 15m)", duration)
    .option("--next", "the next ready step of this plan or task")
    .action((id, step, options) => run(async (s) => (await import("./write.ts")).claim(s, s.meant(id), step, options)));
  add("release")
    ?.description("give a claim back")
    .argument("[id]", `${ID} (default: your only claim)`)
    .argument("[step]", STEP)
    .option("--force", "end the claim of another; needs --reason")
    .option("--reason <text>", "why")
    .action((id, step, options) =>
      run(async (s) => (await import("./write.ts")).release(s, s.meant(id), step, options)),
    );
}

/** How many words stand behind `--`, which commander takes out. */
export function behindDashes(command: Command): number {
  let program = command;
  while (program.parent) program = program.parent;
  const argv = (program as { rawArgs?: string[] }).rawArgs ?? [];
  const at = argv.indexOf("--");
  return at === -1 ? 0 : argv.length - at - 1;
}

function readingCommands(add: Defining["add"], run: Defining["run"]): void {
  add("show")
    ?.description("one page: what it is, steps, claims, notes and evidence")
    .argument("[id]", "default: the focus")
    .action((id) => run(async (s) => (await import("./show.ts")).show(s, s.meant(id))));
  add("ready")
    ?.description("steps that can be taken up now, the most urgent first")
    .option("--plan <id>", "only of this plan")
    .option("--limit <n>", "at most so many", count)
    .action((options) => run(async (s) => (await import("./work.ts")).ready(s, options)));
  add("status")
    ?.description("what is yours, what waits for a decision, conflicts, drift, and what is ready")
    .option("--all", "look for conflicts, obstacles and drift in every plan and task")
    .action((options) => run(async (s) => (await import("./work.ts")).status(s, options)));
  add("board")
    ?.description("tasks in columns by status")
    .option("--plan <id>", "only of this plan")
    .option("--tag <tag>", "only with this tag; may be repeated", collect)
    .action((options) => run(async (s) => (await import("./board.ts")).board(s, options)));
  add("whoami")
    ?.description("who acts, where, and what that person has claimed")
    .action(() => run(async (s) => (await import("./work.ts")).whoami(s)));
}

function otherCommands(add: Defining["add"], run: Defining["run"]): void {
  add("search")
    ?.description("find a text in fields, steps, notes and evidence; exit code 1 if it is nowhere")
    .argument("<text...>")
    .option("--archived", "what lies in the archive instead")
    .action((text, options) => run(async (s) => (await import("./search.ts")).search(s, text, options)));
  add("open")
    ?.description("open the folder of a plan or task, or its page; without a terminal print the path")
    .argument("[id]", "default: the focus")
    .addArgument(new Argument("[what]", "view: its README.md").choices(["view"]))
    .option("--print", "print the path and start nothing")
    .action((id, what, options) => run(async (s) => (await import("./open.ts")).open(s, s.meant(id), what, options)));
  add("watch")
    ?.description("on a terminal a live list of open tasks; else a line for each event, until Ctrl-C")
    .action(() => run(async (s) => (await import("./watch.ts")).watch(s)));
  add("doctor")
    ?.description("every finding of verify with what it means, why, and what to do")
    .argument("[id]", "default: all of them")
    .option("--fix", "write folded files anew; what stands there is kept aside")
    .action((id, options) => run(async (s) => (await import("./doctor.ts")).doctor(s, s.meant(id), options)));
  add("completion")
    ?.description("a script that completes commands, options, ids and steps: source <(taskfold completion bash)")
    .addArgument(new Argument("<shell>").choices(["bash", "zsh", "fish"]))
    .action((shell) => run(async () => (await import("./completion.ts")).completion(shell)));
}

export function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

/** One of these statuses, in any case and in both spellings of CANCELED. */
export function status(statuses: readonly string[]): (text: string) => string {
  return (text) => {
    const word = text.toUpperCase().replace("CANCELLED", "CANCELED");
    if (statuses.includes(word)) return word;
    throw new InvalidArgumentError(`Expected ${statuses.join(", ")}.`);
  };
}

export function count(text: string): number {
  if (/^[1-9][0-9]{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Expected a whole number from 1.");
}

export function proofModes(text: string): ProofModes {
  const modes = parseProofModes(text);
  if (modes) return modes;
  throw new InvalidArgumentError(
    "Expected tests, security, perf or docs, each with =off, =warn or =require behind it.",
  );
}

/** Checkpoints as the tools take them. */
function checkpoints(text: string): "gate" | "all" | Record<string, true> {
  if (text === "gate" || text === "all") return text;
  return Object.fromEntries(namesOf(text).map((name) => [name, true]));
}

function namesOf(text: string): string[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.every((name) => CHECKPOINTS.includes(name))) return names;
  throw new InvalidArgumentError(`Expected ${CHECKPOINTS.join(", ")} with commas between them.`);
}

const UNITS: Record<string, number> = { "": 1, s: 1, m: 60, h: 3600, d: 86_400 };

function duration(text: string): number {
  const [, digits, unit = ""] = /^([1-9][0-9]{0,6})([smhd]?)$/.exec(text) ?? [];
  if (digits !== undefined) return Number(digits) * UNITS[unit]!;
  throw new InvalidArgumentError("Expected a time such as 30m, 2h or a number of seconds.");
}
