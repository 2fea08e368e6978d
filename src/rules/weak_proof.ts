/** Warnings about proof that is half or not there (PROOF-3). They keep nothing from closing. */
import type { Warning } from "../errors.ts";
import type { CapturedItem } from "../events/evidence.captured.ts";
import { CHECKPOINTS } from "../state/entity.ts";
import type { Checkpoint, Step, Subject } from "../state/entity.ts";
import { hasProof, isOfPacket, isProvedByPacket, missingReceipts, runKey, weakProofs } from "../state/checkpoint.ts";
import type { ReceiptKind } from "../state/evidence.ts";
import { parseReceipt } from "../state/evidence.ts";
import { isSameCommand } from "../state/same_command.ts";
import { nameOf, oneLine } from "./phrase.ts";
import { lineToRun, runLine } from "./run_line.ts";
import { failedOn, failedWords } from "./unproved.ts";
import type { FailedRun } from "./unproved.ts";
import { remedy, TASKFOLD, toolName } from "../remedy.ts";

const WORDS: Record<ReceiptKind, string> = {
  CMD: "a command that was run",
  LINK: "a link to where its result can be read",
};

/** After receipts were captured for checkpoints: which of them still lack their other half. */
export function weakReceipts(step: Step, checkpoints: readonly Checkpoint[], checks: readonly string[]): Warning[] {
  if (!checks.some((line) => parseReceipt(line).kind !== null)) return [];
  return checkpoints.flatMap((c) => withoutHalf(step, c));
}

/** After a step was closed with receipts of which none was filled in: the same, unless closing warned of it. */
export function weakPlaceholders(step: Step, checkpoints: readonly Checkpoint[]): Warning[] {
  const weak: readonly Checkpoint[] = weakProofs(step);
  return checkpoints.filter((c) => !weak.includes(c)).flatMap((c) => withoutHalf(step, c));
}

function withoutHalf(step: Step, c: Checkpoint): Warning[] {
  if (isOfPacket(step, c)) return isProvedByPacket(step) ? [] : [ofPacket(step)];
  const missing = missingReceipts(step, c);
  return missing.length === 0 ? [] : [weak(`${nameOf(step)} has proof of ${c} without ${words(missing)}.`)];
}

/** After a step was closed: proof that was asked for and is not there, or only half, in the words of its capture (TXN-11). */
export function weakOnClosing(step: Step): Warning[] {
  return weakProofs(step).flatMap((c) => {
    if (hasProof(step, c)) return withoutHalf(step, c);
    return [weak(`${nameOf(step)} was closed without proof of ${c}, which was asked for.`)];
  });
}

/**
 * After runs were captured that failed: they are kept, prove nothing, and keep the step from closing (PROOF-30, PROOF-39). So does a failure
 * that a claim was to take back (PROOF-108).
 */
export function failedCapture(subject: Subject, step: Step, evidence: readonly string[]): Warning[] {
  const links = CHECKPOINTS.flatMap((c) => step.linked[c]);
  const keys = new Set(links.flatMap((link) => (evidence.includes(link.evidence) ? [runKey(link)] : [])));
  const meant = new Set(links.flatMap((link) => (keys.has(runKey(link)) ? [link.evidence] : [])));
  const isMeant = (run: FailedRun): boolean => meant.has(run.evidence);
  const runs = failedOn(subject, step, CHECKPOINTS).filter(isMeant);
  if (runs.length === 0) return [];
  const about = [...new Set(runs.map((run) => run.checkpoint))].join(", ");
  const message = `${nameOf(step)} has no proof of ${about} in ${failedWords(runs)}.`;
  const recovery = "Run the command again until it passes, or supersede this run with a reason.";
  return [{ code: "PROOF_FAILED", message, recovery }];
}

/** After a run was captured for a declared test that its caller named, and that is another command (PROOF-3). */
export function otherThanNamed(subject: Subject, step: Step, items: readonly CapturedItem[]): Warning[] {
  return items.flatMap(({ test, command }) => {
    if (test === undefined || command === undefined || isSameCommand(test, command)) return [];
    const run = lineToRun(runLine(subject, step, ["tests"], test));
    const warning = weak(
      `${nameOf(step)} has a run of "${oneLine(command)}" for the declared test "${oneLine(test)}", which is another command.`,
    );
    return [{ ...warning, ...remedy`Run the test itself with "${run}".` }];
  });
}

function ofPacket(step: Step): Warning {
  return {
    code: "PROOF_WEAK",
    message: `${nameOf(step)} names the packet: only a passed stage that ran the acceptance commands proves its tests.`,
    ...remedy`Run the packet with its commands allowed, or call ${toolName("packet_stage_finish")} with acceptance.`,
  };
}

function words(missing: readonly ReceiptKind[]): string {
  return missing.map((kind) => WORDS[kind]).join(" and ");
}

function weak(message: string): Warning {
  return {
    code: "PROOF_WEAK",
    message,
    ...remedy`Run it with ${TASKFOLD} run, or capture the run: its command, exit code and output.`,
  };
}
