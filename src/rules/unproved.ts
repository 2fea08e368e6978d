/** The refusal for proof that is asked for and not there (STEP-8), or that failed (PROOF-30). */
import { TaskfoldError } from "../errors.ts";
import type { Checkpoint, ProofCheckpoint, Step, Subject } from "../state/entity.ts";
import { failedRuns, isOfPacket } from "../state/checkpoint.ts";
import { listed, nameOf, oneLine } from "./phrase.ts";
import { acceptanceCall, proofCall } from "./suggest.ts";

/** A failed run as details name it. */
export type FailedRun = { checkpoint: Checkpoint; evidence: string; command: string | null; exit_code: number };

export function failedOn(step: Step, checkpoints: readonly Checkpoint[]): FailedRun[] {
  return checkpoints.flatMap((checkpoint) =>
    failedRuns(step.linked[checkpoint]).map(({ evidence, command, exit_code }) => ({
      checkpoint,
      evidence,
      command,
      exit_code: exit_code!,
    })),
  );
}

/** `evidence:cmd-0a1b2c3d-1 "npm test", which ended with exit code 1`, each capture once. */
export function failedWords(runs: readonly Pick<FailedRun, "evidence" | "command" | "exit_code">[]): string {
  const byId = new Map(runs.map((run) => [run.evidence, run]));
  const words = [...byId.values()].map(({ evidence, command, exit_code }) => {
    const what = command === null ? "" : ` "${oneLine(command)}"`;
    return `evidence:${evidence}${what}, which ended with exit code ${exit_code}`;
  });
  return listed(words);
}

/** For a refusal that is about something else first: what its caller would be told next. */
export function proofsToo(step: Step, missing: readonly ProofCheckpoint[]): string {
  if (missing.length === 0) return "";
  const failed = failedOn(step, missing);
  const found = failed.length === 0 ? "none counts" : `there is ${failedWords(failed)}`;
  const packet = isTestsMissing(step, missing) ? ` ${ONLY_PACKET}` : "";
  return ` Proof of ${missing.join(", ")} is asked for too, and ${found}.${packet}`;
}

/** The same for programs. */
export function proofDetails(step: Step, missing: readonly ProofCheckpoint[]): Record<string, unknown> {
  if (missing.length === 0) return {};
  const failed = failedOn(step, missing);
  return { missing_proofs: missing, ...(failed.length === 0 ? {} : { failed }) };
}

const ONLY_PACKET = "Only a passed stage of the packet that ran the acceptance commands proves tests of this step.";

/** Whether the packet is to prove the tests, and has not. */
function isTestsMissing(step: Step, missing: readonly ProofCheckpoint[]): boolean {
  return missing.some((c) => isOfPacket(step, c));
}

export function unproved(subject: Subject, step: Step, missing: readonly ProofCheckpoint[]): TaskfoldError {
  const failed = failedOn(step, missing);
  if (isTestsMissing(step, missing)) return unaccepted(subject, step, missing, failed);
  const expected = `Expected proof of ${missing.join(", ")} attached to ${nameOf(step)}; found`;
  const suggestions = [proofCall(subject, step, missing)];
  if (failed.length === 0) {
    return new TaskfoldError("PROOF_REQUIRED", `${expected} none that counts.`, {
      recovery: "Capture a real command or link as evidence for it; lines still to be filled in are no proof.",
      suggestions,
      details: { step_id: step.id, missing },
    });
  }
  return new TaskfoldError("PROOF_FAILED", `${expected} ${failedWords(failed)}.`, {
    recovery: "Make it pass, run it again and capture that run: the newest run of a command decides.",
    suggestions,
    details: { step_id: step.id, missing, failed },
  });
}

/** The packet is to prove the tests; any other missing proof has to be attached (PACKET-223). */
function unaccepted(
  subject: Subject,
  step: Step,
  missing: readonly ProofCheckpoint[],
  failed: readonly FailedRun[],
): TaskfoldError {
  const { id, entity } = subject;
  const others = missing.filter((c) => !isOfPacket(step, c));
  const found = failed.length > 0 ? failedWords(failed) : entity.packet ? "none" : `none, and ${id} carries no packet`;
  const more = others.length === 0 ? "" : ` and proof of ${others.join(", ")} attached`;
  const run = `taskfold packet run ${id} --allow-commands`;
  const first = entity.packet ? "Run" : "Give the task a packet with packet_define, then run";
  return new TaskfoldError(
    failed.length === 0 ? "PROOF_REQUIRED" : "PROOF_FAILED",
    `Expected tests of ${nameOf(step)} proved by the packet's stage that runs the acceptance commands${more}; found ${found}.`,
    {
      recovery: `${first} "${run}", or call packet_stage_start and packet_stage_finish with acceptance. No confirmation and no other evidence proves them.`,
      suggestions: [acceptanceCall(subject, step), ...(others.length === 0 ? [] : [proofCall(subject, step, others)])],
      details: { step_id: step.id, missing, ...(failed.length === 0 ? {} : { failed }) },
    },
  );
}
