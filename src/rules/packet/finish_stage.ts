/** Ending a stage: its gate is judged here, and one op says all that follows from it (PACKET-126, PACKET-128, PACKET-82). */
import type { Warning } from "../../errors.ts";
import type { Draft } from "../../events/define.ts";
import { packetOverrideSet } from "../../events/packet.override_set.ts";
import type { FilePayload } from "../../events/packet_parts.ts";
import { stageFailed } from "../../events/stage.failed.ts";
import { stageFinished } from "../../events/stage.finished.ts";
import { stagePassed } from "../../events/stage.passed.ts";
import type { Subject } from "../../state/entity.ts";
import { shorten } from "../../state/code_points.ts";
import { LIMITS } from "../../state/limits.ts";
import type { AcceptanceResult, Attempt, Packet, StageFile } from "../../state/packet.ts";
import { attemptFile, partsOfStage, STAGE_FILES } from "../../state/packet.ts";
import type { AcceptanceCommand, LookForDispatcher } from "../../state/packet_next.ts";
import { acceptanceOf } from "../../state/packet_next.ts";
import type { AcceptanceMode } from "../../state/packet_config.ts";
import { counted } from "../../state/counted.ts";
import { captureEvidence, isAllPlaceholders } from "../capture_evidence.ts";
import type { StartedRun } from "../evidence_item.ts";
import { sentence } from "../phrase.ts";
import { judgeGate } from "./gate.ts";
import type { GateResult } from "./gate.ts";
import { handOff } from "./hand_off.ts";
import type { FileFact } from "../../state/file_fact.ts";
import type { Blob, Content } from "../../state/named_bytes.ts";
import type { Asking } from "../lease.ts";
import { openFile } from "./open_files.ts";
import { endedBy, packetOf, refuseTaken } from "./packet_of.ts";
import { redactorOf } from "./redact.ts";
import { stepsOfPacket } from "./reopened_steps.ts";
import { setInput } from "./set_input.ts";
import { signatureOf } from "./signature.ts";
import { isVerifying } from "../../state/packet_proof.ts";
import { isSameCommand } from "../../state/same_command.ts";
import { isFailureOf, seenOnPlace } from "../../state/whole_runs.ts";
import type { WholeRun } from "../../state/whole_runs.ts";
import { onlyReported } from "../unproved.ts";
import { textFile } from "./text_file.ts";
import { suggestedActions, triage } from "./triage.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

export interface RunCommand {
  command: string;
  exit_code: number;
  timed_out?: boolean;
  duration_sec?: number;
  stdout?: string;
  stderr?: string;
  /** If Taskfold started the command itself. No tool takes it: it comes from the runner (PROOF-46). */
  captured?: StartedRun;
}

export interface FinishInput {
  stage: string;
  /** The attempt, by the event that started it. */
  run?: string;
  exit_code: number;
  timed_out?: boolean;
  start?: string;
  end?: string;
  duration_sec?: number;
  /** The output of the servant, where it is not in the task's folder yet. */
  out?: string;
  err?: string;
  acceptance?: readonly RunCommand[];
  /** The paths that changed in the work tree while the stage ran, from the root on. */
  changed_paths?: readonly string[];
  applies?: "applies" | "applied" | "neither" | "no_git";
  /** Which commands had to run, if the brief named its own. Default: as the configuration says. */
  commands?: AcceptanceMode;
  /** Why the end could not be recorded with all that it left. */
  refused?: string;
}

export interface Found {
  /** The actor who ends it. */
  by: string;
  now: string;
  dispatcher: LookForDispatcher;
  files: ReadonlyMap<string, FileFact>;
  texts: ReadonlyMap<string, string>;
}

export interface Finished {
  drafts: Draft[];
  blobs: Blob[];
  contents: Content[];
  warnings: Warning[];
}

/** Lines of stderr that an event keeps of each end, and code points of each. */
const ENDS = 20;
const LINE = 500;

/** Head and tail of what a command printed, in code points. */
const EXCERPT = 4000;

/** STAGE_NOT_RUNNING where no attempt of the stage is under way, STAGE_RUNNING where another process runs it. */
export function finishStage(subject: Subject, input: FinishInput, found: Found): Finished {
  const packet = packetOf(subject);
  const attempt = endedBy(subject, input, found.by);
  refuseTaken(subject, attempt, found.dispatcher);
  const { stage } = attempt;
  const planned = packet.plan.stages.find((one) => one.stage === stage);
  const { redact } = redactorOf(packet.manifest.security);
  const masked = (text: string): string => redact(text).text;
  const given = textsOf(packet, attempt, input, found, masked);
  const commands = acceptanceOf(packet, input.commands, attempt);
  const acceptance = withSources(
    (input.acceptance ?? []).map((one) => resultOf(one, masked)),
    commands.map(({ command, from }) => ({ command: masked(command), from })),
  );
  const finished = stageFinished.draft({
    stage,
    run: attempt.run,
    exit_code: input.exit_code,
    timed_out: input.timed_out ?? false,
    start: input.start ?? null,
    end: input.end ?? null,
    duration_sec: input.duration_sec ?? null,
    files: given.files,
    stderr: ends(masked(given.err)),
    acceptance,
    message: sentence(`Stage ${stage} ended with exit code ${input.exit_code}`),
  });
  const proof = evidenceOf(subject, input.acceptance ?? [], masked);
  const gate = judgeGate(partsOfStage(stage).role, {
    refused: input.refused,
    out: given.out,
    cut_bytes: given.cut_bytes,
    exit_code: input.exit_code,
    timed_out: input.timed_out ?? false,
    scope: attempt.scope ?? packet.manifest.scope,
    changed_paths: input.changed_paths ?? null,
    applies: input.applies === undefined || input.applies === "no_git" ? null : input.applies !== "neither",
    acceptance: input.acceptance ? acceptance : null,
    // Results are masked, so what they are compared with is, too.
    commands: commands.map(({ command }) => masked(command)),
  });
  if (gate.passed && isVerifying(stage)) refuseOnlyReported(subject, acceptance, commands, masked, found);
  const outcome = gate.passed
    ? passed(subject, stage, attempt, given.out ?? "")
    : [failed(stage, attempt, input, maskedGate(gate, masked), masked(given.err), planned?.transient_exit_codes ?? [])];
  return {
    drafts: [finished, ...proof.drafts, ...outcome],
    blobs: proof.blobs,
    contents: given.contents,
    warnings: [...proof.warnings, ...unjudged(gate, input), ...overridden(commands, input, attempt)],
  };
}

/**
 * A report says only what its caller says: Taskfold saw the command fail, and has to see it pass (PROOF-109). No servant failed there,
 * so the attempt goes on and no retry is counted.
 */
function refuseOnlyReported(
  subject: Subject,
  results: readonly AcceptanceResult[],
  commands: readonly AcceptanceCommand[],
  masked: (text: string) => string,
  asking: Asking,
): void {
  const { entity } = subject;
  const reported = new Set(results.flatMap(({ captured, from, command }) => (!captured && from ? [command] : [])));
  const asked = commands.filter(({ command }) => reported.has(masked(command)));
  // A brief may name a command as its text has it: behind masks.
  const isOf = (run: WholeRun, command: string): boolean =>
    isFailureOf(entity, run, command) || (run.cwd === "." && isSameCommand(masked(run.command), command));
  const failed = seenOnPlace(entity).filter((run) => asked.some(({ command }) => isOf(run, command)));
  if (failed.length > 0) throw onlyReported(subject, failed, asking);
}

/** Each result with the source of its command, if the gate asked for that command. */
function withSources(results: readonly AcceptanceResult[], commands: readonly AcceptanceCommand[]): AcceptanceResult[] {
  const left = [...commands];
  return results.map((result) => {
    const at = left.findIndex(({ command }) => command === result.command);
    const [named] = at < 0 ? [] : left.splice(at, 1);
    return named ? { ...result, from: named.from } : result;
  });
}

/** Commands of a model ran, and none of those of the manifest. */
function overridden(
  commands: readonly AcceptanceCommand[],
  { acceptance = [] }: FinishInput,
  { commands: were }: Attempt,
): Warning[] {
  const own = were?.manifest ?? [];
  if (acceptance.length === 0 || own.length === 0 || !commands.every(({ from }) => from === "brief")) return [];
  return [
    {
      code: "ACCEPTANCE_OVERRIDDEN",
      message: `The brief's commands ran in the place of the manifest's (${counted(own.length, "command")}), which did not run. Steps that name the packet are not proved by that.`,
      ...remedy`To run both: ${TASKFOLD} packet run with --allow-commands both. To run those of the manifest alone: --allow-commands manifest.`,
    },
  ];
}

/** The engine does not look at the work tree: its callers do. */
function unjudged({ passed }: GateResult, { stage, changed_paths }: FinishInput): Warning[] {
  if (!passed || changed_paths !== undefined) return [];
  return [
    {
      code: "CHANGES_NOT_KNOWN",
      message: `Expected changed_paths with the end of ${stage}, found none: the gate judged no change of a file.`,
      ...remedy`Give all paths that changed since packet_stage_start, [] for none; ${TASKFOLD} packet start and finish look themselves.`,
    },
  ];
}

/**
 * Returns the events that follow from a gate that let a stage through. A brief hands its pack and its commands to those
 * behind it.
 */
function passed(subject: Subject, stage: string, { run }: Attempt, out: string): Draft[] {
  const drafts = [stagePassed.draft({ stage, run, checks: [], message: sentence(`Stage ${stage} passed its gate`) })];
  if (partsOfStage(stage).role !== "brief") return drafts;
  const { pack, commands } = handOff(out);
  const message = commands
    ? sentence("The brief named the commands that verify the work")
    : sentence("The brief named no commands: those of the manifest count");
  return [
    ...drafts,
    ...(pack === null ? [] : setInput(packetOf(subject), "context_pack.md", pack, "brief")),
    packetOverrideSet.draft({ commands, run, message }),
  ];
}

function failed(
  stage: string,
  { run }: Attempt,
  { exit_code, timed_out = false }: FinishInput,
  gate: GateResult,
  stderr: string,
  transient_exit_codes: readonly number[],
): Draft {
  const kind = triage({ exit_code, timed_out, stderr, gate, transient_exit_codes });
  const text = gate.judged || stderr.trim() === "" ? gate.reasons.join("\n") : stderr;
  const { signature, normalized } = signatureOf(kind, stage, text);
  return stageFailed.draft({
    stage,
    run,
    class: kind,
    signature,
    normalized,
    exit_code,
    gate: gate.judged ? "failed" : "not_judged",
    reasons: gate.reasons,
    ...(gate.forms.some((form) => form !== null) ? { forms: gate.forms } : {}),
    suggested_actions: suggestedActions(kind),
    message: sentence(`Stage ${stage} failed (${kind})`, gate.reasons[0]),
  });
}

/** The form of a reason holds the same words as the reason, so it goes where a mask changes these. */
function maskedGate(gate: GateResult, masked: (text: string) => string): GateResult {
  const reasons = gate.reasons.map(masked);
  return { ...gate, reasons, forms: gate.forms.map((form, i) => (reasons[i] === gate.reasons[i] ? form : null)) };
}

interface Texts {
  /** Null: there is none. */
  out: string | null;
  /** Size of `.out` where its text is only the beginning of it. */
  cut_bytes: number | null;
  err: string;
  files: Partial<Record<StageFile, FilePayload>>;
  contents: Content[];
}

/** Texts that a caller hands over are written, masked; texts that lie in the folder already are named. */
function textsOf(
  packet: Packet,
  attempt: Attempt,
  input: FinishInput,
  found: Found,
  masked: (text: string) => string,
): Texts {
  const texts: Texts = { out: null, cut_bytes: null, err: "", files: {}, contents: [] };
  for (const name of STAGE_FILES) {
    const given = name === "out" ? input.out : name === "err" ? input.err : undefined;
    let text: string | undefined;
    if (given !== undefined) {
      text = masked(given.toWellFormed());
      const { file, bytes } = textFile(attemptFile(packet, attempt, name), text);
      texts.contents.push({ path: file.path, bytes });
      texts.files[name] = file;
    } else {
      const own = openFile(packet, attempt, name, { look: (path) => found.files.get(path) });
      if (!own) continue;
      const { path, from, fact } = own;
      texts.files[name] = { path, size: fact.size, sha256: fact.sha256, lines: fact.lines };
      texts.contents.push({ path, from });
      text = found.texts.get(from);
      if (name === "out" && fact.size > LIMITS.judgedBytes) texts.cut_bytes = fact.size;
    }
    if (name === "out") texts.out = text ?? "";
    if (name === "err") texts.err = text ?? "";
  }
  return texts;
}

/** Commands name no files, no commits and no folders. */
const NOTHING_FOUND = { files: new Map(), anchors: new Map(), commits: new Map(), folders: new Map() };

/** Each command that ran is evidence: of the tests of the first step that names the packet, else on the task. */
function evidenceOf(
  subject: Subject,
  commands: readonly RunCommand[],
  masked: (text: string) => string,
): Pick<Finished, "drafts" | "blobs" | "warnings"> {
  const items = commands.map(({ command, exit_code, stdout, stderr, captured }) => ({
    kind: "acceptance",
    command: masked(command),
    exit_code,
    ...(stdout === undefined ? {} : { stdout: masked(stdout.toWellFormed()) }),
    ...(stderr === undefined ? {} : { stderr: masked(stderr.toWellFormed()) }),
    ...(captured ? { captured: { ...captured, argv: captured.argv.map(masked) } } : {}),
  }));
  const [step = null] = stepsOfPacket(subject);
  const batches = inBatches(items, LIMITS.evidenceItems).filter((batch) => !isAllPlaceholders({ items: batch }));
  const captures = batches.map((batch) => {
    const input = { items: batch, ...(step ? { checkpoint: "tests" as const } : {}) };
    return captureEvidence(subject, step, input, NOTHING_FOUND);
  });
  return {
    drafts: captures.flatMap(({ drafts }) => drafts),
    blobs: captures.flatMap(({ blobs }) => blobs),
    warnings: captures.flatMap(({ warnings }) => warnings),
  };
}

/** As many as one capture takes. */
function inBatches<T>(items: readonly T[], most: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / most) }, (_, n) => items.slice(n * most, (n + 1) * most));
}

function resultOf(
  { command, exit_code, timed_out = false, duration_sec = 0, stdout = "", stderr = "", captured }: RunCommand,
  masked: (text: string) => string,
): AcceptanceResult {
  const printed = masked(
    [stdout, stderr]
      .filter((text) => text !== "")
      .join("\n")
      .toWellFormed(),
  );
  return {
    command: masked(command),
    exit_code,
    timed_out,
    duration_sec,
    excerpt: headAndTail(printed, EXCERPT),
    ...(captured ? { captured: true } : {}),
  };
}

function headAndTail(text: string, most: number): string {
  const points = Array.from(text);
  if (points.length <= most) return text;
  const half = Math.floor(most / 2) - 20;
  return `${points.slice(0, half).join("")}\n[...]\n${points.slice(-half).join("")}`;
}

function ends(text: string): { head: string[]; tail: string[] } {
  const lines = text
    .toWellFormed()
    .split(/\r\n|\n|\r/)
    .map((line) => shorten(line, LINE));
  if (lines.at(-1) === "") lines.pop();
  const head = lines.slice(0, ENDS);
  return { head, tail: lines.slice(Math.max(head.length, lines.length - ENDS)) };
}
