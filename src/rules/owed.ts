/** The things that a caller leaves undone when it stops: open steps that it has claimed, and closed ones of which a run failed since. */
import {
  failedRuns,
  isOfPacket,
  lacksPacket,
  missingCheckpoints,
  missingProofs,
  proofMode,
  proofsAmong,
  testsWithoutRun,
} from "../state/checkpoint.ts";
import type { Checkpoint, Claimable, ProofCheckpoint, Step, Subject } from "../state/entity.ts";
import { heldSteps } from "../state/completion.ts";
import { failedOnWhole, failedElsewhere } from "../state/whole_runs.ts";
import { hasEnded } from "../state/ended.ts";
import { holding } from "../state/lease.ts";
import { ownEyes } from "../state/four_eyes.ts";
import { isRunOfTest } from "../state/same_command.ts";
import { dueAmong, isDue, waitsFor } from "../state/step_waits.ts";
import { pathOf, postOrder, preOrder } from "../state/tree.ts";
import { checkpointsArg } from "./checkpoints_input.ts";
import type { CommandLine } from "./run_line.ts";
import { FILES_CHANGED, NOT_PROVED, packetLines, runLine, wholeRunLine } from "./run_line.ts";

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

/** The actor and the time. `staleOn`: the checkpoint of which the proof is of other files than those of now, where that keeps a step from closing. */
interface Stopping {
  by: string;
  now: string;
  staleOn: (step: Step) => ProofCheckpoint | undefined;
}

/** In the order of paths. A claim of the whole task owes its first open step, or its completion. */
export function owedBy(subject: Subject, stopping: Stopping): Owed[] {
  const { entity, id } = subject;
  const { by, now, staleOn } = stopping;
  const isMine = (of: Claimable): boolean => holding(of, now)?.by === by;
  const steps = [...preOrder(entity.children)];
  const whole = isMine(entity) && !hasEnded(entity) ? [wholeOf(subject, stopping)] : [];
  const held = steps.filter((step) => !step.done && isMine(step));
  const closed = steps.filter((step) => step.done && step.done_by === by);
  const failed = closed.filter((step) => missingProofs(step, by).some((c) => failedRuns(step.linked[c]).length > 0));
  return [
    ...held.map((step) => owedOn(subject, step, stopping, `release ${id} ${pathOf(step)}`)),
    ...whole,
    ...failed.map((step) => owedOn(subject, step, stopping, null)),
    ...closed.flatMap((step) => {
      const checkpoint = staleOn(step);
      return checkpoint ? [{ ...placeOf(step), ...againLine(subject, step, checkpoint), release: null }] : [];
    }),
  ];
}

function placeOf(step: Step): Pick<Owed, "path" | "title"> {
  return { path: pathOf(step), title: step.title };
}

/** The line that proves a step again whose proof is stale (PROOF-51). */
function againLine(subject: Subject, step: Step, checkpoint: ProofCheckpoint): CommandLine & { why: string } {
  const [line] = isOfPacket(step, checkpoint)
    ? packetLines(subject, FILES_CHANGED)
    : [runLine(subject, step, [checkpoint])];
  return { ...line, why: `of which proof of ${checkpoint} is stale` };
}

/** The first thing that keeps a task whose steps are closed from being completed (STEP-20). */
export function heldBy(subject: Subject): Owed | undefined {
  const { entity } = subject;
  const [step] = heldSteps(entity);
  if (step) return owedOn(subject, step, { by: step.done_by ?? "", now: "", staleOn: () => undefined }, null);
  const [run] = failedOnWhole(entity);
  if (!run) return undefined;
  const why = `of which a run for ${run.checkpoints.join(", ")} failed`;
  const place = run.step ? placeOf(run.step) : { path: null, title: entity.title };
  return { ...place, why, ...wholeRunLine(subject, run), release: null };
}

function wholeOf(subject: Subject, stopping: Stopping): Owed {
  const { entity, id } = subject;
  const release = `release ${id}`;
  const open = [...postOrder(entity.children)].filter((step) => !step.done && isDue(entity, step));
  const owed = open.map((step) => owedOn(subject, step, stopping, release));
  const next = owed.find(({ args }) => args !== release) ?? owed[0];
  if (next) return next;
  const held = heldBy(subject);
  if (held) return { ...held, release };
  const because = "which is not completed";
  return { path: null, title: entity.title, why: because, before: "", args: `complete ${id}`, release };
}

function owedOn(subject: Subject, step: Step, stopping: Stopping, release: string | null): Owed {
  const { before, args, why } = missingOn(subject, step, stopping, release);
  return { ...placeOf(step), why, before, args, release };
}

/** `release`: gives the claim back. That is the call where no other one of this actor would go through. */
function missingOn(
  subject: Subject,
  held: Step,
  { by, staleOn }: Stopping,
  release: string | null,
): CommandLine & { why: string } {
  const { id, entity } = subject;
  // An open step below comes first, and of those one that its holder can go on with.
  const free = [...postOrder(held.children)].find((one) => !one.done && !one.blocked && isDue(entity, one));
  const step = free ?? dueAmong(entity, held.children) ?? held;
  const path = pathOf(step);
  const call = (args: string, why: string): CommandLine & { why: string } => ({ before: "", args, why });
  const waits = waitsFor(entity, step);
  if (release !== null && step.blocked) return call(release, "which is blocked");
  if (release !== null && waits.length > 0) return call(release, `which waits for ${waits.map(pathOf).join(", ")}`);
  const proofs = missingProofs(step, by);
  const missing = `of which proof of ${proofs.join(", ")} is missing`;
  const isWithout = entity.packet === null && proofs.some((c) => lacksPacket(step, c));
  if (isWithout && release !== null) return call(release, "which names a packet, and the task has none");
  if (proofs.some((c) => lacksPacket(step, c))) return { ...packetLines(subject, NOT_PROVED)[0], why: missing };
  const failed = proofs.filter((c) => failedRuns(step.linked[c]).length > 0);
  if (failed.length > 0)
    return { ...runLine(subject, step, failed), why: `of which a run for ${failed.join(", ")} failed` };
  const [left] = failedElsewhere(entity, step);
  if (left) return { ...wholeRunLine(subject, left), why: "of which a run for tests failed" };
  const repeats = proofs.filter((c) => c !== "criteria" && proofMode(step, c) === "repeated");
  // The holder of the step makes no repeat of it.
  if (release !== null && repeats.length > 0)
    return call(release, `of which another actor repeats ${repeats.join(", ")}`);
  const unsigned = proofs.filter((c) => isUnsigned(step, c));
  if (unsigned.length > 0)
    return call(`attest ${id} ${path}`, `of which proof of ${unsigned.join(", ")} is not signed`);
  if (proofs.length > 0) return { ...runLine(subject, step, proofs), why: missing };
  const stale = staleOn(step);
  if (stale) return againLine(subject, step, stale);
  const open = missingCheckpoints(step);
  const [test] = open.includes("tests") ? testsWithoutRun(step) : [];
  if (test !== undefined)
    return { ...runLine(subject, step, ["tests"], test), why: "of which a declared test has no run" };
  const others = release === null ? [] : othersConfirm(step, open, by);
  const own = open.filter((c) => !others.includes(c));
  if (release !== null && others.length > 0 && own.length === 0)
    return call(release, `of which another actor confirms ${others.join(", ")}`);
  if (own.length === 0) return call(`done ${id} ${path}`, "which is open");
  const why = `${step.done ? "of which" : "which is open:"} ${own.join(", ")} not confirmed`;
  if (step.done || others.length > 0) {
    const input = { task: id, step_id: step.id, checkpoints: checkpointsArg(own) };
    return call(`call tasks_verify '${JSON.stringify(input)}'`, why);
  }
  const names = own.every((c) => c === "criteria" || c === "tests") ? "gate" : own.join(",");
  return call(`done ${id} ${path} --confirm ${names}`, why);
}

/** Whether a signature alone is missing: what it is to stand upon has passed. */
function isUnsigned(step: Step, c: Checkpoint): boolean {
  if (c === "criteria" || proofMode(step, c) !== "attested") return false;
  const passed = proofsAmong(step.linked[c]);
  const tests = c === "tests" ? step.tests : [];
  return passed.length > 0 && tests.every((test) => passed.some((run) => isRunOfTest(run, test)));
}

/** Checkpoints that this actor may not confirm: it claimed the step, or would close it (PROOF-55). */
function othersConfirm(step: Step, open: readonly Checkpoint[], by: string): Checkpoint[] {
  const isBound = step.claimants === undefined || step.claimants.includes(by);
  return [...(isBound ? open.filter((c) => step.confirm[c]) : []), ...ownEyes(step, by)];
}
