/** The views for a caller that takes a plan or task up again (RESUME rules). */
import { textOf } from "../sentence.ts";
import type { IdOf, Subject } from "../state/entity.ts";
import { reasoningRef } from "../state/reasoning.ts";
import type { JsonObject } from "../state/schema.ts";
import type { Timeline } from "../events/past.ts";
import type { NextAction } from "./capsule.ts";
import { capsuleOf } from "./capsule.ts";
import { contextCauses } from "./context_health.ts";
import type { GraphDiff } from "./graph_diff.ts";
import { troubles } from "./lines.ts";
import type { Memory } from "./memory.ts";
import { lastDecisions } from "./memory.ts";
import type { OpenNodes } from "./node_rows.ts";
import { openNodes } from "./node_rows.ts";
import type { Reader } from "./human_files.ts";
import type { TasksBlock } from "./plan_tasks.ts";
import { taskTroubles } from "./plan_tasks.ts";
import type { Radar } from "./radar.ts";
import { radarOf } from "./radar.ts";
import { stepRows } from "./step_rows.ts";
import type { StepsSummary } from "./steps_summary.ts";
import { stepsSummary } from "./steps_summary.ts";
import type { Target } from "./target.ts";
import { targetOf } from "./target.ts";

/** The members that every answer of the family begins with. */
export interface ResumeParts {
  subject: Subject;
  idOf: IdOf;
  reader: Reader;
  focus: string | null;
  target_from: "focus" | "workspace_focus" | undefined;
  /** Only where the call moved the focus. */
  focus_previous?: string | null;
  /** The tasks in an answer about a plan; the reader has them too. */
  tasks?: TasksBlock | undefined;
  /** Lines of `radar.blockers`, where the call says how many it wants. */
  mostBlockers?: number | undefined;
}

type Head = {
  workspace: string;
  target: Target;
  target_from?: "focus" | "workspace_focus";
  focus: string | null;
  focus_restored?: true;
  focus_previous?: string | null;
  radar: Radar;
  steps?: StepsSummary;
  tasks?: TasksBlock;
};

type TimelineBlock = Timeline & { limit: number };

export function resumeHead({
  subject,
  idOf,
  reader,
  focus,
  target_from,
  tasks,
  mostBlockers,
  ...moved
}: ResumeParts): Head {
  const steps = stepsSummary(subject.entity);
  return {
    workspace: subject.workspace,
    target: targetOf(subject, idOf),
    ...(target_from === undefined ? {} : { target_from }),
    focus,
    ...("focus_previous" in moved ? { focus_restored: true, focus_previous: moved.focus_previous ?? null } : {}),
    radar: radarOf(subject, reader, mostBlockers),
    ...(steps === null ? {} : { steps }),
    ...(tasks === undefined ? {} : { tasks }),
  };
}

/** `tasks_resume`: the entity itself, its steps one by one, and what happened last. */
export function resumeOf(parts: ResumeParts, timeline: TimelineBlock | undefined): JsonObject {
  const { entity } = parts.subject;
  const { description, context, contract, contract_data, priority, tags, depends_on, complete_when_done } = entity;
  return {
    ...resumeHead(parts),
    detail: {
      description,
      context,
      contract,
      contract_data,
      priority,
      tags,
      depends_on: depends_on.map(parts.idOf),
      ...(complete_when_done === null ? {} : { complete_when_done }),
    },
    step_list: stepRows(entity),
    ...(timeline === undefined ? {} : { timeline }),
  };
}

export interface SignalsAsked {
  blockers: number;
  decisions: number;
  evidence: number;
}

type Signals = {
  blockers: string[];
  decisions: { card_id: string; title: string; status: string; ts: string; by: string }[];
  evidence: { id: string; kind: string; title: string; ts: string; cite: string }[];
  stats: { blockers: number; decisions: number; evidence: number };
};

/** Returns the obstacles, the last decisions and the last evidence; oldest first, with how many there are in all. */
export function signalsOf({ entity }: Subject, asked: SignalsAsked, { waits = [], tasks }: Reader = {}): Signals {
  const blockers = [...troubles(entity), ...waits, ...(tasks ? taskTroubles(tasks) : [])];
  const decisions = lastDecisions(entity, asked.decisions);
  const evidence = asked.evidence === 0 ? [] : entity.evidence.slice(-asked.evidence);
  return {
    blockers: blockers.slice(0, asked.blockers).map(textOf),
    decisions: decisions.map(({ id, title, status, ts, by }) => ({ card_id: id, title, status, ts, by })),
    evidence: evidence.map(({ id, kind, title, createdAt }) => ({
      id,
      kind,
      title,
      ts: createdAt,
      cite: `evidence:${id}`,
    })),
    stats: {
      blockers: blockers.length,
      decisions: entity.card_counts.decision,
      evidence: entity.evidence.length,
    },
  };
}

/** `tasks_resume_pack`: the radar with what happened last, and the signals. */
export function resumePack(parts: ResumeParts, timeline: TimelineBlock, signals: Signals): JsonObject {
  return { ...resumeHead(parts), ...nodesBlock(parts), timeline, signals };
}

/** Task nodes shown of those that are open; `tasks_resume` and the mirror have all of them under their steps. */
const NODES = 20;

function nodesBlock({ subject }: ResumeParts): { task_nodes?: OpenNodes } {
  const nodes = openNodes(subject.entity, NODES);
  return nodes ? { task_nodes: nodes } : {};
}

export interface SuperParts extends ResumeParts {
  timeline: TimelineBlock;
  signals: Signals;
  memory: Memory;
  graphDiff?: GraphDiff;
  action: NextAction | null;
}

/** `tasks_resume_super` and `tasks_snapshot`: all of it, with the capsule and what is missing of it. */
export function resumeSuper({ timeline, signals, memory, graphDiff, action, ...parts }: SuperParts): JsonObject {
  const { workspace, target, radar, steps, tasks, ...head } = resumeHead(parts);
  const capsule = capsuleOf({
    subject: parts.subject,
    idOf: parts.idOf,
    focus: parts.focus,
    radar,
    steps: steps ?? null,
    tasks: parts.reader.tasks,
    now: parts.reader.now,
    action,
    ...(graphDiff ? { graphDiff } : {}),
  });
  return {
    workspace,
    target,
    ...head,
    reasoning_ref: reasoningRef(),
    radar,
    ...(steps ? { steps } : {}),
    ...(tasks ? { tasks } : {}),
    ...nodesBlock(parts),
    capsule,
    signals,
    memory,
    timeline,
    ...(graphDiff ? { graph_diff: graphDiff } : {}),
    degradation: { signals: missing(parts.subject, graphDiff), truncated_fields: [] },
  };
}

/** Returns the causes that lint tells in full, and a difference that could not be made: a caller that resumes knows less than usual. */
function missing({ entity }: Subject, graphDiff: GraphDiff | undefined): string[] {
  const causes = contextCauses(entity).map(({ code }) => code.toLowerCase());
  return [...causes, ...(graphDiff?.available === false ? ["graph_diff_unavailable"] : [])];
}
