import type { Draft } from "../events/define.ts";
import { taskReadopted, withReadopted } from "../events/task.readopted.ts";
import type { Config } from "../state/config.ts";
import { hasEnded } from "../state/ended.ts";
import type { Agent, Entity, Gate } from "../state/entity.ts";
import type { ForeignFolder, ForeignTask } from "../state/foreign_entity.ts";
import { FOREIGN_STATUS, WAITING_GATE } from "../state/foreign_entity.ts";
import { rosterState } from "../state/roster.ts";
import { gatesOf, rosterOf } from "./adopt_task.ts";
import { newEvidence } from "./new_evidence.ts";

export interface Readopted {
  /** Empty when the other program changed nothing that is taken in. */
  drafts: Draft[];
  /** The fields that are taken in, and those that differ and are not: words of task.yaml. */
  fields: string[];
  left: string[];
  title: string;
  /** Of the newest task file that is taken in. */
  updated: string | null;
  roster: number;
  gates: number;
  evidence: number;
}

/** A version of another program's files, and what the log folded to when that program read ours. */
export interface ForeignVersion {
  folder: ForeignFolder;
  base: Entity;
}

/**
 * Returns the changes that another program made since in a folder that has a log of ours (ADOPT-6, ADOPT-7, ADOPT-50).
 * Versions come oldest first; each change is against the version's own base, so that a later change of ours is not
 * taken back.
 */
export function readoptTask(entity: Entity, versions: readonly ForeignVersion[]): Readopted {
  const readopted: Readopted = {
    drafts: [],
    fields: [],
    left: [],
    title: entity.title,
    updated: null,
    roster: 0,
    gates: 0,
    evidence: 0,
  };
  let now = entity;
  for (const { folder, base } of versions) {
    const { task } = folder;
    const patch = task ? patchOf(now, base, task) : { taken: {}, left: [] };
    const roster = task ? changedRoster(now, base, task) : [];
    const gates = task ? changedGates(now, base, task, folder.updated) : [];
    // An entry of ours stands in the log, whatever the index says of it.
    const { evidence: known, facts } = now;
    const foreign = folder.evidence.filter(({ id }) => !facts.has(id));
    const evidence = newEvidence(known, foreign);
    readopted.left.push(...patch.left, ...(task ? leftOut(entity, base, task) : []));
    const fields = [
      ...Object.keys(patch.taken),
      ...(roster.length > 0 ? ["roster"] : []),
      ...(gates.length > 0 ? ["gates"] : []),
      ...(evidence.length > 0 ? ["evidence"] : []),
    ];
    if (fields.length === 0) continue;
    const payload = {
      ...patch.taken,
      roster,
      gates,
      evidence,
      // An index tells no time, and must not make lines old that wait for their place.
      updated_at: task ? folder.updated : (entity.taken_until ?? ""),
      files: folder.files.map((one) => ({ ...one })),
      message: `Took in what another program changed: ${fields.join(", ")}.`,
    };
    now = withReadopted(now, payload);
    readopted.drafts.push(taskReadopted.draft(payload));
    readopted.fields.push(...fields);
    readopted.title = now.title;
    if (task) readopted.updated = folder.updated;
    readopted.roster += roster.length;
    readopted.gates += gates.length;
    readopted.evidence += evidence.length;
  }
  return { ...readopted, fields: [...new Set(readopted.fields)], left: [...new Set(readopted.left)] };
}

const CONFIG = ["maxConcurrentAgents", "timeoutSeconds", "autoApprove"] as const;

/** A field that both changed stays as it is here, and is named. */
function patchOf(now: Entity, base: Entity, task: ForeignTask) {
  const same = (a: Config, b: Config): boolean => CONFIG.every((key) => a[key] === b[key]);
  const left: string[] = [];
  const isTaken = (field: string, at: { base: boolean; now: boolean; kept: boolean }): boolean => {
    if (at.base || at.now) return false;
    if (!at.kept) left.push(field);
    return at.kept;
  };
  const { title, description, config } = task;
  const text = (field: "title" | "description") =>
    isTaken(field, {
      base: task[field] === base[field],
      now: task[field] === now[field],
      kept: base[field] === now[field],
    });
  const configAt = {
    base: same(config, base.config),
    now: same(config, now.config),
    kept: same(base.config, now.config),
  };
  const taken = {
    ...(text("title") ? { title } : {}),
    ...(text("description") ? { description } : {}),
    ...(isTaken("config", configAt) ? { config: { ...config } } : {}),
  };
  return { taken, left };
}

function changedRoster(now: Entity, base: Entity, task: ForeignTask) {
  return rosterOf(task).filter(
    (one) => !isEcho(base.agents.get(one.instance), one) && !isEcho(now.agents.get(one.instance), one),
  );
}

/** The other program writes back what it read of us. */
function isEcho(known: Agent | undefined, one: ReturnType<typeof rosterOf>[number]): boolean {
  if (!known) return false;
  return (
    known.agent === one.agent &&
    rosterState(known) === rosterState(one) &&
    (known.assigned ?? null) === one.assigned &&
    JSON.stringify(known.skills ?? []) === JSON.stringify(one.skills)
  );
}

function changedGates(now: Entity, base: Entity, task: ForeignTask, updated: string) {
  const waiting = base.gates.get(WAITING_GATE);
  const gates = gatesOf(task).filter((gate) => gate.id !== WAITING_GATE || task.state === "input-required");
  // The gate that stood for waiting without a reason goes with the waiting.
  if (waiting && !waiting.own && waiting.state === "blocked" && task.state !== "input-required") {
    const { reason, blocked_at } = waiting;
    const passed = { state: "approved" as const, reason, blocked_at, resolved_at: updated, resolved_by: "foreign" };
    gates.push({ id: WAITING_GATE, type: "human-approval", instructions: null, ...passed });
  }
  return gates.filter((gate) => {
    const [before, known] = [base.gates.get(gate.id), now.gates.get(gate.id)];
    if (known?.own || (before && sameGate(before, gate))) return false;
    return !known || !sameGate(known, gate);
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
function leftOut(entity: Entity, base: Entity, task: ForeignTask): string[] {
  const status = FOREIGN_STATUS[task.state];
  const ended = hasEnded({ status });
  const ours = base.children.filter((step) => !step.deleted);
  const milestones =
    task.milestones.length !== ours.length ||
    task.milestones.some((m, i) => {
      const step = ours[i]!;
      return m.id !== step.id || m.title !== step.title || (m.state === "done") !== step.done;
    });
  return [
    ...(ended && status !== base.status && status !== entity.status ? ["state"] : []),
    ...(task.topology === entity.topology ? [] : ["topology"]),
    ...(milestones ? ["milestones"] : []),
  ];
}
