import type { Draft } from "../events/define.ts";
import { taskReadopted } from "../events/task.readopted.ts";
import type { Agent, Entity, Gate } from "../state/entity.ts";
import type { ForeignFolder, ForeignTask } from "../state/foreign_entity.ts";
import { FOREIGN_STATUS, WAITING_GATE } from "../state/foreign_entity.ts";
import { gatesOf, rosterOf } from "./adopt_task.ts";
import { newEvidence } from "./new_evidence.ts";

export interface Readopted {
  /** Null when the other program changed nothing that is taken in. */
  draft: Draft | null;
  /** What is taken in, and what differs and is not: words of task.yaml. */
  fields: string[];
  left: string[];
  roster: number;
  gates: number;
  evidence: number;
}

/** What another program changed since in a folder that has a log of ours (ADOPT-6, ADOPT-7). */
export function readoptTask(entity: Entity, folder: ForeignFolder): Readopted {
  const { task } = folder;
  const patch = task ? patchOf(entity, task) : {};
  const roster = task ? rosterOf(task).filter((one) => !isEcho(entity.agents.get(one.instance), one)) : [];
  const gates = task ? changedGates(entity, task, folder.updated) : [];
  const evidence = newEvidence(entity.evidence, folder.evidence);
  const fields = [
    ...Object.keys(patch),
    ...(roster.length > 0 ? ["roster"] : []),
    ...(gates.length > 0 ? ["gates"] : []),
    ...(evidence.length > 0 ? ["evidence"] : []),
  ];
  const draft =
    fields.length === 0
      ? null
      : taskReadopted.draft({
          ...patch,
          roster,
          gates,
          evidence,
          updated_at: folder.updated,
          files: folder.files.map((one) => ({ ...one })),
          message: `Took in what another program changed: ${fields.join(", ")}.`,
        });
  const left = task ? leftOut(entity, task) : [];
  return { draft, fields, left, roster: roster.length, gates: gates.length, evidence: evidence.length };
}

function patchOf(entity: Entity, task: ForeignTask) {
  const { config } = entity;
  const sameConfig =
    config.maxConcurrentAgents === task.config.maxConcurrentAgents &&
    config.timeoutSeconds === task.config.timeoutSeconds &&
    config.autoApprove === task.config.autoApprove;
  return {
    ...(task.title === entity.title ? {} : { title: task.title }),
    ...(task.description === entity.description ? {} : { description: task.description }),
    ...(sameConfig ? {} : { config: { ...task.config } }),
  };
}

/** The other program writes back what it read of us, and an agent at work is shown to it as `awaiting` (DIR-17). */
function isEcho(known: Agent | undefined, one: ReturnType<typeof rosterOf>[number]): boolean {
  if (!known) return false;
  const shown = known.state === "active" ? ["active", "awaiting"] : [known.state];
  return (
    known.agent === one.agent &&
    shown.includes(one.state) &&
    (known.assigned ?? null) === one.assigned &&
    JSON.stringify(known.skills ?? []) === JSON.stringify(one.skills)
  );
}

function changedGates(entity: Entity, task: ForeignTask, updated: string) {
  const waiting = entity.gates.get(WAITING_GATE);
  const gates = gatesOf(task).filter((gate) => gate.id !== WAITING_GATE || task.state === "input-required");
  // The gate that stood for waiting without a reason goes with the waiting.
  if (waiting && !waiting.own && waiting.state === "blocked" && task.state !== "input-required") {
    const { reason, blocked_at } = waiting;
    const passed = { state: "approved" as const, reason, blocked_at, resolved_at: updated, resolved_by: "foreign" };
    gates.push({ id: WAITING_GATE, type: "human-approval", instructions: null, ...passed });
  }
  return gates.filter((gate) => {
    const known = entity.gates.get(gate.id);
    return !known || (!known.own && !sameGate(known, gate));
  });
}

function sameGate(known: Gate, gate: ReturnType<typeof gatesOf>[number]): boolean {
  const { type = "human-approval", instructions = "./shared/human-notes.md" } = known;
  return (
    type === gate.type &&
    instructions === gate.instructions &&
    known.state === gate.state &&
    known.reason === gate.reason &&
    known.blocked_at === gate.blocked_at &&
    known.resolved_at === gate.resolved_at &&
    known.resolved_by === gate.resolved_by
  );
}

/** Steps and status are ours: a task file cannot say who closed what, and with which proof. */
function leftOut(entity: Entity, task: ForeignTask): string[] {
  const status = FOREIGN_STATUS[task.state];
  const ended = status === "DONE" || status === "FAILED" || status === "CANCELED";
  const ours = entity.children.filter((step) => !step.deleted);
  const milestones =
    task.milestones.length !== ours.length ||
    task.milestones.some((m, i) => {
      const step = ours[i]!;
      return m.id !== step.id || m.title !== step.title || (m.state === "done") !== step.done;
    });
  return [
    ...(ended && status !== entity.status ? ["state"] : []),
    ...(task.topology === entity.topology ? [] : ["topology"]),
    ...(milestones ? ["milestones"] : []),
  ];
}
