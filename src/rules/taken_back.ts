/** Failures behind masks that a run of Taskfold takes back where it is recorded (PROOF-100). */
import { failedRuns } from "../state/checkpoint.ts";
import type { Checkpoint, Step, Subject } from "../state/entity.ts";
import { CHECKPOINTS } from "../state/entity.ts";
import { askedCommands } from "../state/asked_commands.ts";
import { holdsMask, isMaskedFormOf } from "../state/packet_masks.ts";
import { commandKey, isSameCommand } from "../state/same_command.ts";
import { failedOnWhole } from "../state/whole_runs.ts";
import { checkpointsOf } from "./capture_evidence.ts";
import type { EvidenceInput } from "./capture_evidence.ts";
import type { EvidenceItem } from "./evidence_item.ts";

/**
 * The same input, which puts those failures aside. The log has no plain text of them, so no fold could compare it. The command has to be one
 * that the task asks for: a mask fits other commands as well.
 */
export function takingBack<I extends EvidenceInput>(subject: Subject, step: Step | null, input: I): I {
  if (input.supersedes !== undefined || input.reason !== undefined) return input;
  const asked = askedCommands(subject.entity, step);
  const passed = (input.items ?? []).filter(
    ({ captured, exit_code, command }) =>
      captured && exit_code === 0 && command !== undefined && asked.some((one) => isSameCommand(one, command)),
  );
  if (passed.length === 0) return input;
  const { checkpoint = [] } = input;
  const proved = checkpointsOf(checkpoint);
  const failures = failedOn(subject, step).filter(
    (failed) => failed.of.every((c) => proved.includes(c)) && passed.some((run) => isBehindMask(failed, run)),
  );
  if (failures.length === 0) return input;
  const supersedes = [...new Set(failures.map(({ evidence }) => evidence))];
  return { ...input, supersedes, reason: "Taskfold saw a run of that command pass, which was recorded without masks" };
}

interface Failure {
  evidence: string;
  command: string | null;
  cwd: string | null;
  /** The checkpoints for which it failed. */
  of: readonly Checkpoint[];
}

/** Those of this very place. A pass takes back what failed elsewhere in the task without that. */
function failedOn({ entity }: Subject, step: Step | null): Failure[] {
  if (!step) return failedOnWhole(entity).flatMap((run) => (run.step ? [] : [{ ...run, of: run.checkpoints }]));
  const isLinked = (evidence: string, c: Checkpoint): boolean =>
    step.linked[c].some((link) => link.evidence === evidence);
  return CHECKPOINTS.flatMap((checkpoint) =>
    failedRuns(step.linked[checkpoint]).map(({ evidence, command, cwd }) => {
      return { evidence, command, cwd, of: CHECKPOINTS.filter((c) => isLinked(evidence, c)) };
    }),
  );
}

function isBehindMask({ command, cwd }: Failure, run: EvidenceItem): boolean {
  if (command === null || !holdsMask(command) || (cwd ?? ".") !== (run.cwd ?? ".")) return false;
  return isMaskedFormOf(commandKey(command), commandKey(run.command!));
}
