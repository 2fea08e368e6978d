/** The refusal for proof that is asked for and not there (STEP-8), or that failed (PROOF-30). */
import { TaskfoldError } from "../errors.ts";
import { highestDegree, takesNoClaim } from "../state/degree.ts";
import type { Suggestion } from "../errors.ts";
import { remedy, toolName } from "../remedy.ts";
import type { Remedy } from "../remedy.ts";
import type { Checkpoint, Entity, Link, ProofMode, Step, Subject } from "../state/entity.ts";
import {
  declaredTest,
  failedRuns,
  isOfPacket,
  lacksPacket,
  isOtherCommand,
  proofMode,
  proofsAmong,
  runsOfNoTest,
  testsWithoutProof,
} from "../state/checkpoint.ts";
import { cited, keptNothing, listed, nameOf, oneLine } from "./phrase.ts";
import { isFree, maySupersede } from "./lease.ts";
import type { Asking } from "./lease.ts";
import { isRunOfTest } from "../state/same_command.ts";
import type { WholeRun } from "../state/whole_runs.ts";
import {
  howToProve,
  isProve,
  isOutside,
  lineToRun,
  linesToRun,
  NOT_PROVED,
  packetLines,
  runLine,
  wholeLine,
  wholeRunLine,
} from "./run_line.ts";
import { acceptanceCall, callOn, proofCall, provingCall, supersedeCalls, wholeRunCall } from "./suggest.ts";

/** A failed run as details name it. `output`: a path in the task folder. `test`: the declared test, if it ran another command for that. */
export type FailedRun = {
  checkpoint: Checkpoint;
  evidence: string;
  command: string | null;
  exit_code: number;
  test?: string;
  output?: string;
  failing_line?: string;
};

export function failedOn({ entity }: Subject, step: Step, checkpoints: readonly Checkpoint[]): FailedRun[] {
  return checkpoints.flatMap((checkpoint) =>
    failedRuns(step.linked[checkpoint]).map((run) => {
      const { evidence, command, exit_code } = run;
      const test = checkpoint === "tests" && isOtherCommand(step, run) ? declaredTest(step, run) : undefined;
      return {
        checkpoint,
        evidence,
        command,
        exit_code: exit_code!,
        ...(test === undefined ? {} : { test }),
        ...outputOf(entity, evidence),
      };
    }),
  );
}

/** Where the output of a run is kept, and its line that first tells of the failure. */
function outputOf({ evidence, facts }: Entity, id: string): Pick<FailedRun, "output" | "failing_line"> {
  const sources = evidence.find((entry) => entry.id === id)?.sources ?? [];
  const refs = sources.flatMap((source) =>
    source.type === "commandExecution" ? [source.stdoutRef ?? source.stderrRef] : [],
  );
  const output = refs.find((ref) => ref !== undefined)?.replace(/^\.\//, "");
  const line = facts.get(id)?.failing_line;
  return { ...(output === undefined ? {} : { output }), ...(line === undefined ? {} : { failing_line: line }) };
}

/** `evidence:cmd-0a1b2c3d-1 "npm test", which ended with exit code 1 (not ok 3; shared/evidence/blobs/...)`, each capture once. */
export function failedWords(runs: readonly FailedRun[], subject?: Subject): string {
  const byId = new Map(runs.map((run) => [run.evidence, run]));
  const words = [...byId.values()].map(({ evidence, command, exit_code, test, output, failing_line }) => {
    const what = command === null ? "" : ` "${oneLine(command)}"`;
    const declared = test === undefined ? "" : ` for the declared test "${oneLine(test)}"`;
    const isKept = output !== undefined && !subject?.unrecorded?.has(evidence);
    const kept = { ...(failing_line === undefined ? {} : { failing_line }), ...(isKept ? { output } : {}) };
    return `${cited(evidence, subject)}${what}${declared}, which ended with exit code ${exit_code}${outputWords(kept)}`;
  });
  return listed(words);
}

/** The same for programs: a run that the refused call would have brought has no id, and its output is not kept (TXN-1). */
function failedDetails({ unrecorded }: Subject, runs: readonly FailedRun[]): Record<string, unknown>[] {
  return runs.map(({ output, ...run }) =>
    unrecorded?.has(run.evidence)
      ? { ...run, evidence: null }
      : { ...run, ...(output === undefined ? {} : { output }) },
  );
}

/** Evidence of the runs that failed. */
export function failedIds(subject: Subject, step: Step, checkpoints: readonly Checkpoint[]): string[] {
  return idsOf(failedOn(subject, step, checkpoints));
}

function idsOf(runs: readonly { evidence: string }[]): string[] {
  return runs.map(({ evidence }) => evidence);
}

/** ` (not ok 3 - parses; output in shared/evidence/blobs/...)`, or nothing. */
export function outputWords({ output, failing_line: line }: Pick<FailedRun, "output" | "failing_line">): string {
  const parts = [...(line === undefined ? [] : [line]), ...(output === undefined ? [] : [`output in ${output}`])];
  return parts.length === 0 ? "" : ` (${parts.join("; ")})`;
}

/** For a refusal that is about something else first: what its caller would be told next. */
export function proofsToo(subject: Subject, step: Step, missing: readonly Checkpoint[]): string {
  if (missing.length === 0) return "";
  const failed = failedOn(subject, step, missing);
  const found = failed.length === 0 ? "none counts" : `there is ${failedWords(failed, subject)}`;
  const packet = isTestsMissing(step, missing) ? ` ${ONLY_PACKET}` : "";
  return ` Proof of ${missing.join(", ")} is asked for too, and ${found}.${packet}`;
}

/** The same for programs. */
export function proofDetails(subject: Subject, step: Step, missing: readonly Checkpoint[]): Record<string, unknown> {
  if (missing.length === 0) return {};
  const failed = failedOn(subject, step, missing);
  return { missing_proofs: missing, ...(failed.length === 0 ? {} : { failed: failedDetails(subject, failed) }) };
}

const ONLY_PACKET = "Only a passed stage of the packet that ran the acceptance commands proves tests of this step.";

/** Whether the packet is to prove the tests, and has not. */
function isTestsMissing(step: Step, missing: readonly Checkpoint[]): boolean {
  return missing.some((c) => lacksPacket(step, c));
}

/** `closer`: the actor who closes, where the refusal is about that. */
export function unproved(subject: Subject, step: Step, missing: readonly Checkpoint[], closer?: string): TaskfoldError {
  const failed = failedOn(subject, step, missing);
  if (isTestsMissing(step, missing)) return unaccepted(subject, step, missing, failed);
  const expected = `Expected proof of ${missing.join(", ")} attached to ${nameOf(step)}; found`;
  const aside = supersedeCalls(subject, idsOf(failed), step);
  const suggestions = [proofCall(subject, step, missing), ...aside];
  const line = runLine(subject, step, missing);
  const run = lineToRun(line);
  const strict = missing.find((c) => takesNoClaim(modeOf(step, c)));
  const isSeen = missing.some((c) => failedRuns(step.linked[c]).some(({ degree }) => degree !== undefined));
  if (failed.length === 0 && strict !== undefined) return tooWeak(subject, step, { missing, strict, closer });
  if (failed.length === 0) {
    return new TaskfoldError("PROOF_REQUIRED", `${expected} none that counts.`, {
      ...remedy`Run it with "${run}", or capture a run that was made: its command, exit code and output. Lines still to be filled in are no proof.`,
      suggestions,
      details: { step_id: step.id, missing },
    });
  }
  const again = remedy`Make it pass${isProve(line) ? ", commit that," : ""} and run it again, such as with "${run}": the newest run of a command decides.${isSeen ? ONLY_SEEN : ""}${orSupersede(aside)}`;
  return new TaskfoldError("PROOF_FAILED", `${expected} ${failedWords(failed, subject)}.`, {
    ...remedy`${isOutside(line) ? `No run in ${oneLine(line.folder!)} takes it back, because none is recorded outside of the workspace. Supersede it with a reason.` : again}${keptNothing(subject, idsOf(failed))}`,
    suggestions,
    details: { step_id: step.id, missing, failed: failedDetails(subject, failed) },
  });
}

function modeOf(step: Step, c: Checkpoint): ProofMode {
  return c === "criteria" ? "off" : proofMode(step, c);
}

/** The refusal for proof of a lower degree than the mode of `strict` takes (PROOF-48). */
function tooWeak(
  subject: Subject,
  step: Step,
  { missing, strict, closer }: { missing: readonly Checkpoint[]; strict: Checkpoint; closer: string | undefined },
): TaskfoldError {
  const mode = modeOf(step, strict);
  const left = strict === "tests" ? testsWithoutProof(step, closer) : [];
  const there = proofsAmong(step.linked[strict]).filter(
    (link) => left.length === 0 || left.some((test) => isRunOfTest(link, test)),
  );
  // A signature makes no run of a claim, so it is no degree where a run is asked for.
  const unsigned = there.map(({ signed: _signed, ...link }) => link);
  // A repeat is made in a clean checkout, by another line than a run here.
  const repeats = missing.filter((c) => modeOf(step, c) === "repeated");
  const isByProve = (c: Checkpoint): boolean => repeats.includes(c) && isProve(runLine(subject, step, repeats));
  const together = missing.filter((c) => isByProve(c) === isByProve(strict));
  const degree = highestDegree(mode === "attested" ? there : unsigned, closer);
  const of = left.length === 0 ? "" : ` of ${listed(left.map((test) => `"${oneLine(test)}"`))}`;
  const others = left.length === 0 ? [] : runsOfNoTest(step, closer);
  const found =
    others.length > 0
      ? listed(others.map((link) => otherWords(subject, step, link)))
      : degree === undefined
        ? "none that counts"
        : `none of that degree, the highest is ${degree}`;
  const declare = declareCalls(subject, step, left, others);
  const run = runLine(subject, step, together);
  const inRoot = others.some(({ cwd }) => !isInRoot(cwd)) ? " Start it in the root folder of the workspace." : "";
  const orDeclare =
    declare.length === 0
      ? ""
      : remedy` Or declare the command that ran as the test, with ${toolName("tasks_define")}, and run it again.`;
  return new TaskfoldError(
    "PROOF_REQUIRED",
    `Expected ${mode} proof of ${together.join(", ")} for ${nameOf(step)}${of}; found ${found}.`,
    {
      ...remedy`${howToProve(subject, step, run, { mode })}${inRoot}${orDeclare} What a call only reports is no ${mode} proof.${keptNothing(subject, idsOf(others))}`,
      suggestions: [provingCall(subject, step, wholeLine(run)), ...declare],
      details: { step_id: step.id, missing, mode, ...(left.length === 0 ? {} : { tests: left }) },
    },
  );
}

/** `evidence:cmd-0a1b2c3d-1, a run of "true"`, with what keeps it from being one of a declared test. */
function otherWords(subject: Subject, { tests }: Step, link: Link): string {
  const { evidence, command, cwd } = link;
  const what = command === null ? "no run" : `a run of "${oneLine(command)}"`;
  const where = isInRoot(cwd) ? "" : ` in the folder "${oneLine(cwd!)}"`;
  const when = tests.some((test) => isRunOfTest(link, test)) ? " that was not recorded for that test" : "";
  return `${cited(evidence, subject)}, ${what}${where}${when}`;
}

function isInRoot(cwd: string | null): boolean {
  return (cwd ?? ".") === ".";
}

/** The call that puts the commands that ran in the place of the tests that are left; none where they are the tests, run elsewhere. */
function declareCalls(subject: Subject, step: Step, left: readonly string[], others: readonly Link[]): Suggestion[] {
  const commands = others.flatMap(({ command, cwd }) => (command !== null && isInRoot(cwd) ? [command] : []));
  const ran = commands.filter((command) => !step.tests.some((test) => isRunOfTest({ command }, test)));
  if (ran.length === 0) return [];
  const kept = step.tests.filter((test) => !left.includes(test));
  const args = { step_id: step.id, tests: [...kept, ...new Set(ran.slice(0, RERUNS))] };
  return [callOn(subject, "tasks_define", args, "Or declare what ran as the tests of the step.")];
}

/**
 * The refusal for runs on the whole of which the newest failed (PROOF-90), and for those that were recorded elsewhere in the task (PROOF-108). Its
 * lines are for the step that asks, which the caller may change. It offers to supersede no run of a step that another actor holds.
 */
export function wholeFailed(subject: Subject, runs: readonly WholeRun[], asking: Asking): TaskfoldError {
  const { id } = subject;
  const left = runs.flatMap(({ step }) => step ?? []);
  const place = left.length === runs.length ? nameOf(left[0]!) : `${id} as a whole`;
  const elsewhere =
    left.length === 0 ? "" : ` Taskfold saw that elsewhere in the task, and ${nameOf(left[0]!)} asks for that test.`;
  const checkpoints = [...new Set(runs.flatMap((run) => run.checkpoints))];
  const failed = failedFrom(subject, runs);
  const items = runs.slice(0, RERUNS).map(({ command, cwd }) => ({
    kind: "run",
    command,
    cwd,
    exit_code: 0,
    stdout: "<fill: what it printed when it passed>",
  }));
  // A claim takes no failure back that Taskfold saw.
  const seen = runs.filter(({ isClaim }) => !isClaim);
  const again = seen[0] ? runAgain(subject, seen) : "run it again and capture that run";
  const aside = asideFor(subject, runs, asking);
  return new TaskfoldError(
    "PROOF_FAILED",
    `Expected proof of ${checkpoints.join(", ")} attached to ${place}; found ${failedWords(failed, subject)}.${elsewhere}`,
    {
      ...remedy`Make it pass, ${again}: the newest run of a command decides.${seen[0] ? ONLY_SEEN : ""}${orSupersede(aside)}${keptNothing(subject, idsOf(failed))}`,
      suggestions: [
        seen[0]
          ? wholeRunCall(subject, seen[0])
          : callOn(
              subject,
              "tasks_evidence_capture",
              { checkpoint: checkpoints, items },
              "Capture the run that passed.",
            ),
        ...aside,
      ],
      details: { missing: checkpoints, failed: failedDetails(subject, failed) },
    },
  );
}

/** The refusal of a result that a caller reports to the packet, where Taskfold saw that command fail (PROOF-109). */
export function onlyReported(subject: Subject, seen: readonly WholeRun[], asking: Asking): TaskfoldError {
  // A run anywhere in the task takes such a failure back. So the task is the place for one of a step that another actor holds.
  const runs = seen.map(({ step, checkpoints, ...run }): WholeRun => {
    if (step && isFree(subject, step, asking)) return { ...run, checkpoints, step };
    return { ...run, checkpoints: step ? ["tests"] : checkpoints };
  });
  const aside = asideFor(subject, seen, asking);
  const failed = failedFrom(subject, runs);
  const commands = listed([...new Set(runs.map(({ command }) => `"${oneLine(command)}"`))]);
  return new TaskfoldError(
    "PROOF_FAILED",
    `Expected ${commands} to pass where Taskfold starts it; found ${failedWords(failed, subject)}.`,
    {
      ...remedy`Make it pass, ${runAgain(subject, runs)}, and end the attempt then: it goes on, and no retry is counted.${ONLY_SEEN}${orSupersede(aside)}`,
      suggestions: [wholeRunCall(subject, runs[0]!), ...aside],
      details: { failed },
    },
  );
}

function asideFor(subject: Subject, runs: readonly WholeRun[], asking: Asking): Suggestion[] {
  return supersedeCalls(
    subject,
    idsOf(runs).filter((id) => maySupersede(subject, id, asking)),
  );
}

function failedFrom({ entity }: Subject, runs: readonly WholeRun[]): FailedRun[] {
  return runs.flatMap(({ evidence, command, exit_code, checkpoints }) =>
    checkpoints.map((checkpoint) => ({ checkpoint, evidence, command, exit_code, ...outputOf(entity, evidence) })),
  );
}

/** `run it again with "taskfold run ..."`: each command line once. */
function runAgain(subject: Subject, runs: readonly WholeRun[]): Remedy {
  const lines = new Map(
    runs.map((run) => {
      const line = wholeRunLine(subject, run);
      return [wholeLine(line), line];
    }),
  );
  const [first, ...others] = [...lines.values()].slice(0, RERUNS).map(lineToRun);
  const named = others.reduce((before, line) => remedy`${before}, "${line}"`, remedy`"${first!}"`);
  const rest = lines.size > RERUNS ? ` and ${lines.size - RERUNS} more` : "";
  return remedy`run ${lines.size === 1 ? "it" : "each of them"} again with ${named}${rest}`;
}

const RERUNS = 5;
const ONLY_SEEN = " No call that only reports a run takes such a failure back.";

/** Of a run that the refused call would have brought there is nothing to be put aside. */
function orSupersede(calls: readonly Suggestion[]): string {
  return calls.length === 0
    ? ""
    : " Or supersede the failed run with a reason: it stays on record and no longer counts.";
}

/** The packet is to prove the tests; any other missing proof has to be attached (PACKET-220). */
function unaccepted(
  subject: Subject,
  step: Step,
  missing: readonly Checkpoint[],
  failed: readonly FailedRun[],
): TaskfoldError {
  const { id, entity } = subject;
  const others = missing.filter((c) => !isOfPacket(step, c));
  const reported = "results that a caller reported, and not runs that Taskfold started";
  const briefs = "commands of a brief alone, and none of the manifest";
  const given = step.accepted === "brief" ? briefs : reported;
  const none = step.accepted ? given : entity.packet ? "none" : `none, and ${id} carries no packet`;
  const found = failed.length > 0 ? failedWords(failed, subject) : none;
  const more = others.length === 0 ? "" : ` and proof of ${others.join(", ")} attached`;
  const run = linesToRun(packetLines(subject, NOT_PROVED));
  const { packet } = entity;
  const isNamed = packet && packet.manifest.acceptance.commands.length > 0;
  const name = packet ? "Name the acceptance commands with packet_patch" : "Give the task a packet with packet_define";
  const first = isNamed ? "Run" : `${name}, then run`;
  return new TaskfoldError(
    failed.length === 0 ? "PROOF_REQUIRED" : "PROOF_FAILED",
    `Expected tests of ${nameOf(step)} proved by the packet's stage that runs the acceptance commands${more}; found ${found}.`,
    {
      ...remedy`${first} ${run}, or call packet_stage_start and packet_stage_finish with acceptance. No confirmation and no other evidence proves them.${keptNothing(subject, idsOf(failed))}`,
      suggestions: [acceptanceCall(subject, step), ...(others.length === 0 ? [] : [proofCall(subject, step, others)])],
      details: {
        step_id: step.id,
        missing,
        ...(failed.length === 0 ? {} : { failed: failedDetails(subject, failed) }),
      },
    },
  );
}
