import { askedCommands } from "../state/asked_commands.ts";
import { declaredTest, failedRuns, runsToRepeat, testsWithoutProof, testsWithoutRun } from "../state/checkpoint.ts";
import type { Checkpoint, Entity, Link, ProofMode, Step, Subject } from "../state/entity.ts";
import { holdsMask, isMaskedFormOf } from "../state/packet_masks.ts";
import { verifiedIn } from "../state/packet_proof.ts";
import { commandKey, isRunOfTest, withoutShell } from "../state/same_command.ts";
import { quoted, startable } from "../state/shell_quote.ts";
import { pathOf } from "../state/tree.ts";
import type { WholeRun } from "../state/whole_runs.ts";
import { remedy, TASKFOLD } from "../remedy.ts";
import type { Remedy } from "../remedy.ts";

/** A command line: the begin of it, such as a change of folder, and the arguments of taskfold. */
export interface CommandLine {
  before: string;
  args: string;
  /** The folder into which `before` leads, from the root; left out for the root itself. */
  folder?: string;
}

export function wholeLine({ before, args }: CommandLine): string {
  return `${before}taskfold ${args}`;
}

/** Whether it would have to start outside of the workspace, where no run is recorded. */
export function isOutside({ folder = "." }: CommandLine): boolean {
  return /^(?:[\\/]|[A-Za-z]:|\.\.(?:[\\/]|$))/.test(folder);
}

/** The same in a sentence of a remedy. */
export function lineToRun({ before, args, folder }: CommandLine): Remedy {
  return remedy`${folder === undefined ? TASKFOLD : { ...TASKFOLD, folder, text: `${before}taskfold` }} ${args}`;
}

/** A line that is cut short runs another command, so a longer command has to be looked up. */
const LONGEST = 2000;

/** The command line that runs what is missing and keeps the run as evidence. A repeat is made in a clean checkout. */
export function runLine(
  subject: Subject,
  step: Step,
  missing: readonly Checkpoint[],
  test = missing.includes("tests")
    ? (testsWithoutProof(step)[0] ?? testsWithoutRun(step)[0] ?? step.tests[0])
    : undefined,
): CommandLine {
  const failing = missing.flatMap((c) => failedRuns(step.linked[c]));
  // It runs the declared tests alone: a run of another command that failed has to pass by itself.
  const failed = failing.find((run) => declaredTest(step, run) === undefined) ?? failing[0];
  if (isRepeat(step, missing, failed))
    return { before: "", args: `prove ${subject.id} ${pathOf(step)} --allow-commands` };
  const command = failed?.command ?? test ?? COMMAND;
  return lineOf(subject, step, missing, { command, cwd: failed?.cwd ?? "." });
}

/** Whether `taskfold prove` makes the proof: it runs the declared tests, and repeats runs on record. `failed`: what has to pass first. */
function isRepeat(step: Step, missing: readonly Checkpoint[], failed: Link | undefined): boolean {
  const declared = step.proof.tests === "repeated" && missing.includes("tests") ? step.tests : [];
  const recorded = runsToRepeat(step).filter(({ checkpoints }) => checkpoints.some((c) => missing.includes(c)));
  const commands = [...declared, ...recorded.map(({ command }) => command)];
  return failed === undefined ? commands.length > 0 : commands.some((command) => isRunOfTest(failed, command));
}

/**
 * How proof of this mode is made, as sentences. `prove` sees commits alone, and repeats a run that is on record. `changed`: files changed since, or
 * have to.
 */
export function howToProve(
  subject: Subject,
  step: Step,
  line: CommandLine,
  { mode, changed }: { mode: ProofMode; changed?: "changed" },
): Remedy {
  const run = lineToRun(line);
  const place = `${subject.id} ${pathOf(step)}`;
  if (mode === "attested") return remedy`Run "${run}", then "${TASKFOLD} attest ${place}".`;
  if (mode !== "repeated") return remedy`Run "${run}".`;
  const back = "Give a claim on it back first, because a held step takes runs of its holder alone.";
  const other = `${back} Let another actor than the one who closes the step run`;
  if (isProve(line)) return remedy`${changed ? "Commit what changed. " : ""}${other} "${run}".`;
  return remedy`Run "${run}" and commit what it ran on. ${other} "${TASKFOLD} prove ${place} --allow-commands" then.`;
}

export function isProve({ args }: CommandLine): boolean {
  return args.startsWith("prove ");
}

/** The command line that runs a declared test, whatever else failed. */
export function testLine(subject: Subject, step: Step, test: string): CommandLine {
  return lineOf(subject, step, ["tests"], { command: test, cwd: "." });
}

/** The same for a failed run on a plan or task as a whole, or on another place than the step that asks for it. */
export function wholeRunLine(subject: Subject, run: WholeRun): CommandLine {
  return lineOf(subject, run.step, run.checkpoints, run);
}

function lineOf(
  { id, entity }: Subject,
  step: Step | undefined,
  missing: readonly Checkpoint[],
  { command, cwd }: Pick<WholeRun, "command" | "cwd">,
): CommandLine {
  const place = step ? `${id} ${pathOf(step)}` : id;
  const words = holdsMask(command) ? (withoutMask(entity, step, command) ?? WITH_SECRET) : command;
  return {
    ...(cwd === "." ? { before: "" } : { before: `cd ${quoted(startable(cwd))} && `, folder: cwd }),
    args: `run ${place} --for ${missing.join(",")} -- ${words.length > LONGEST ? COMMAND : withoutShell(words.trim())}`,
  };
}

const COMMAND = "COMMAND";

/** A mask runs as no secret. */
const WITH_SECRET = "COMMAND_WITH_ITS_SECRET";

/** The declared test, or the command of the manifest, that the log has behind masks in this place. */
export function withoutMask(entity: Entity, step: Step | undefined, command: string): string | undefined {
  const key = commandKey(command);
  return askedCommands(entity, step).find((one) => !holdsMask(one) && isMaskedFormOf(key, commandKey(one)));
}

/**
 * The command lines by which the packet runs the acceptance commands, one after the other. A stage that is done has to be opened again, with `why` as
 * the reason. If a brief named its own commands, those of the manifest have to run beside them.
 */
export function packetLines({ id, entity: { packet } }: Subject, why: string): [CommandLine, ...CommandLine[]] {
  const isBriefs = (packet?.override ?? null) !== null;
  const run = { before: "", args: `packet run ${id} --allow-commands${isBriefs ? " both" : ""}` };
  const done = packet && verifiedIn(packet);
  return done ? [{ before: "", args: `packet reopen ${id} ${done} --reason '${why}'` }, run] : [run];
}

/** Reasons that go into the log if the line is run as it is. */
export const FILES_CHANGED = "files changed since";
export const NOT_PROVED = "the commands have to run again";

/** `"taskfold packet reopen ...", then "taskfold packet run ..."`: all of them in a sentence. */
export function linesToRun([first, ...others]: [CommandLine, ...CommandLine[]]): Remedy {
  return others.reduce((before, line) => remedy`${before}, then "${lineToRun(line)}"`, remedy`"${lineToRun(first)}"`);
}
