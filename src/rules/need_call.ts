/** Makes the one call that ends a need (STATUS-2). */
import type { Suggestion } from "../errors.ts";
import { stepNoted } from "../events/step.noted.ts";
import { failedRuns, isOtherCommand } from "../state/checkpoint.ts";
import type { Checkpoint, Link, Step, Subject } from "../state/entity.ts";
import { valueAt } from "../state/fields.ts";
import { partsOf } from "../state/live.ts";
import type { Need } from "../state/need.ts";
import { failedOnWhole } from "../state/whole_runs.ts";
import { isOutside, runLine, testLine, wholeLine } from "./run_line.ts";
import {
  blockersCall,
  callOn,
  fieldsCall,
  proofCall,
  radarCall,
  supersedeCalls,
  unblockAllCall,
  unblockCall,
  verifyCall,
  wholeRunCall,
} from "./suggest.ts";

export interface NeedCall {
  call: Suggestion;
  /** The command line that does it, where no tool does the same. */
  command?: string;
  /** No claim refuses it: it only looks, or what it writes is free (LEASE-4). */
  free?: true | undefined;
}

export function callFor(subject: Subject, need: Need): NeedCall {
  const { step } = need;
  const place = step ? { step_id: step.id } : {};
  const call = (tool: string, args: Record<string, unknown>, reason: string): NeedCall => ({
    call: callOn(subject, tool, args, reason),
  });
  switch (need.kind) {
    case "complete":
      return call("tasks_complete", {}, "Every step is closed.");
    case "conflict":
      return writeAgain(subject, need.field);
    case "proof":
      return proofOf(subject, need);
    case "claim_over":
      return call("tasks_claim", place, "Take it up.");
    case "blocked":
      return unblocking(subject, need.step);
    case "gate":
      return gateCall(subject, need);
    case "drift": {
      const note = "<fill: what was changed by hand, and where it belongs>";
      return noteCall(subject, note, "A change sets the edit aside, and folds the files anew.");
    }
    case "note":
      return noteCall(subject, "<fill: what you take from it>", "A change says that you have read it.");
  }
}

/** A command line does in one step what takes a batch of two calls. */
function unblocking(subject: Subject, step: Step): NeedCall {
  if (!step.blocked) return { call: blockersCall(subject, step) };
  if (step.blockers.length === 0) return { call: unblockCall(subject, step) };
  return { call: unblockAllCall(subject, step), command: `taskfold unblock ${subject.id} ${step.id}` };
}

function noteCall(subject: Subject, note: string, reason: string): NeedCall {
  return { call: callOn(subject, "tasks_note", { note }, reason), free: stepNoted.free };
}

function look(call: Suggestion): NeedCall {
  return { call, free: true };
}

/** Writes the value that is shown once more. A value that no edit sets is looked at. */
function writeAgain(subject: Subject, field: string | null): NeedCall {
  if (field === null) return look(fieldsCall(subject));
  const { entity } = subject;
  const { step, node, name } = partsOf(entity, field);
  const value = valueAt(entity, field);
  const edit = step ? "tasks_define" : "tasks_edit";
  if (node || value === undefined || !EDITED[edit].includes(name)) return look(fieldsCall(subject));
  const place = step ? { step_id: step.id } : {};
  return { call: callOn(subject, edit, { ...place, [name]: value }, "Write the value that holds.") };
}

/** Fields whose value goes into the call as it stands. */
const EDITED: Readonly<Record<"tasks_define" | "tasks_edit", readonly string[]>> = {
  tasks_define: ["title", "success_criteria", "tests", "blockers", "depends_on", "files"],
  tasks_edit: ["title", "description", "context", "priority", "tags", "complete_when_done", "contract"],
};

function proofOf(subject: Subject, { step, checkpoints }: Need & { kind: "proof" }): NeedCall {
  if (step) {
    const others = failedOthers(step, checkpoints);
    const [aside] = supersedeCalls(
      subject,
      others.map(({ evidence }) => evidence),
      step,
    );
    if (aside) return { call: aside, command: wholeLine(testLine(subject, step, step.tests[0]!)) };
    const line = runLine(subject, step, checkpoints);
    return { call: proofCall(subject, step, checkpoints), ...(isOutside(line) ? {} : { command: wholeLine(line) }) };
  }
  const [run] = failedOnWhole(subject.entity);
  return run ? { call: wholeRunCall(subject, run) } : look(radarCall(subject));
}

/** The failed runs, where none is of a declared test. No run of a test takes them back, so they are put aside. */
function failedOthers(step: Step, checkpoints: readonly Checkpoint[]): Link[] {
  const failed = checkpoints.flatMap((c) => failedRuns(step.linked[c]).map((run) => ({ c, run })));
  const isOther = failed.every(({ c, run }) => c === "tests" && isOtherCommand(step, run));
  return isOther ? failed.map(({ run }) => run) : [];
}

function gateCall(subject: Subject, { waits, checkpoints, step }: Need & { kind: "gate" }): NeedCall {
  if (waits === "confirm" && step) return { call: verifyCall(subject, step, checkpoints) };
  if (waits === "confirm" || waits === "other_program") return look(radarCall(subject));
  const args = { kind: waits, reason: "<fill: why it may go on>" };
  return { call: callOn(subject, "packet_budget_reset", args, "Once the cause is gone.") };
}
