/** The things that a caller leaves undone when it stops: open steps that it has claimed, and closed ones of which a run failed since. */
import {
  failedRuns,
  isOfPacket,
  lacksPacket,
  missingCheckpoints,
  missingProofs,
  testsWithoutRun,
} from "../state/checkpoint.ts";
import type { Claimable, ProofCheckpoint, Step, Subject } from "../state/entity.ts";
import { heldSteps } from "../state/completion.ts";
import { failedOnWhole } from "../state/whole_runs.ts";
import { hasEnded } from "../state/ended.ts";
import { holding } from "../state/lease.ts";
import { dueAmong } from "../state/step_waits.ts";
import { firstOpen, pathOf, preOrder } from "../state/tree.ts";
import { checkpointsArg } from "./checkpoints_input.ts";
import type { CommandLine } from "./run_line.ts";
import { packetAgainLine, packetRunLine, runLine } from "./run_line.ts";

/** One thing, with the command line that is missing. */
export type Owed = {
  path: string | null;
  title: string;
  /** Why it is open, as the end of a sentence. */
  why: string;
  /** The begin of the line, such as a change of folder; behind it stand the arguments of taskfold. */
  before: string;
  args: string;
  /** Arguments of taskfold that give a claim back; null where none is held. */
  release: string | null;
};

/** In the order of paths. A claim of the whole task owes its first open step, or its completion. */
export function owedBy(subject: Subject, by: string, now: string): Owed[] {
  const { entity, id } = subject;
  const isMine = (of: Claimable): boolean => holding(of, now)?.by === by;
  const steps = [...preOrder(entity.children)];
  const whole = isMine(entity) && !hasEnded(entity) ? [wholeOf(subject, by)] : [];
  const held = steps.filter((step) => !step.done && isMine(step));
  const failed = steps.filter(
    (step) =>
      step.done && step.done_by === by && missingProofs(step, by).some((c) => failedRuns(step.linked[c]).length > 0),
  );
  return [
    ...held.map((step) => owedOn(subject, step, by, `release ${id} ${pathOf(step)}`)),
    ...whole,
    ...failed.map((step) => owedOn(subject, step, by, null)),
  ];
}

/** A step that the caller closed, or holds, and of which the proof is stale (PROOF-51). */
export function owedAgain(subject: Subject, step: Step, checkpoint: ProofCheckpoint): Owed {
  const why = `of which proof of ${checkpoint} is stale`;
  const line = isOfPacket(step, checkpoint) ? packetAgainLine(subject) : runLine(subject, step, [checkpoint]);
  return { path: pathOf(step), title: step.title, why, ...line, release: null };
}

/** The first thing that keeps a task whose steps are closed from being completed (STEP-20). */
export function heldBy(subject: Subject): Owed | undefined {
  const { entity, id } = subject;
  const [step] = heldSteps(entity);
  if (step) return owedOn(subject, step, step.done_by ?? "", null);
  const [run] = failedOnWhole(entity);
  if (!run) return undefined;
  const why = `of which a run for ${run.checkpoints.join(", ")} failed`;
  return { path: null, title: entity.title, why, before: "", args: `complete ${id}`, release: null };
}

function wholeOf(subject: Subject, by: string): Owed {
  const { entity, id } = subject;
  const release = `release ${id}`;
  const open = firstOpen(entity);
  if (open) return owedOn(subject, open, by, release);
  const held = heldBy(subject);
  if (held) return { ...held, release };
  const because = "which is not completed";
  return { path: null, title: entity.title, why: because, before: "", args: `complete ${id}`, release };
}

function owedOn(subject: Subject, step: Step, by: string, release: string | null): Owed {
  const { before, args, why } = missingOn(subject, step, by);
  return { path: pathOf(step), title: step.title, why, before, args, release };
}

function missingOn(subject: Subject, held: Step, by: string): CommandLine & { why: string } {
  const { id, entity } = subject;
  // An open step below comes first.
  const step = dueAmong(entity, held.children) ?? held;
  const path = pathOf(step);
  if (step.blocked) return { before: "", args: `release ${id} ${pathOf(held)}`, why: "which is blocked" };
  const proofs = missingProofs(step, by);
  const missing = `of which proof of ${proofs.join(", ")} is missing`;
  if (proofs.some((c) => lacksPacket(step, c))) return { ...packetRunLine(subject), why: missing };
  const failed = proofs.filter((c) => failedRuns(step.linked[c]).length > 0);
  if (failed.length > 0)
    return { ...runLine(subject, step, failed), why: `of which a run for ${failed.join(", ")} failed` };
  if (proofs.length > 0) return { ...runLine(subject, step, proofs), why: missing };
  const open = missingCheckpoints(step);
  const [test] = open.includes("tests") ? testsWithoutRun(step) : [];
  if (test !== undefined)
    return { ...runLine(subject, step, ["tests"], test), why: "of which a declared test has no run" };
  if (open.length === 0) return { before: "", args: `done ${id} ${path}`, why: "which is open" };
  if (step.done) {
    const args = `call tasks_verify '${JSON.stringify({ task: id, step_id: step.id, checkpoints: checkpointsArg(open) })}'`;
    return { before: "", args, why: `of which ${open.join(", ")} not confirmed` };
  }
  const args = `done ${id} ${path} --confirm gate`;
  return { before: "", args, why: `which is open: ${open.join(", ")} not confirmed` };
}
