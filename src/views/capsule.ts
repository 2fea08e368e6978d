/**
 * The capsule: a small container for an agent that takes over, whose shape stays the same within a version. Where it
 * stands, what is done, left and risky, how much there is, what happened last, what to do next.
 */
import type { Suggestion } from "../errors.ts";
import { shorten } from "../state/code_points.ts";
import type { IdOf, Subject } from "../state/entity.ts";
import { reasoningRef } from "../state/reasoning.ts";
import type { JsonObject } from "../state/schema.ts";
import type { GraphDiff } from "./graph_diff.ts";
import { handoffOf } from "./handoff.ts";
import { bounded } from "./lines.ts";
import { cardCount } from "./memory.ts";
import type { PlanTasks } from "./plan_tasks.ts";
import type { Radar } from "./radar.ts";
import type { StepsSummary } from "./steps_summary.ts";
import { targetOf } from "./target.ts";

/** Goes up when a member changes its meaning or goes. */
const VERSION = 1;
const WHY = 256;
const LINES = 3;

/** The next call, and which set of tools has it. */
export interface NextAction extends Suggestion {
  toolset: string;
}

export interface CapsuleParts {
  subject: Subject;
  idOf: IdOf;
  focus: string | null;
  radar: Radar;
  steps: StepsSummary | null;
  /** Of a plan. */
  tasks: PlanTasks | undefined;
  /** When the answer is read. */
  now: string | undefined;
  action: NextAction | null;
  graphDiff?: GraphDiff;
}

export function capsuleOf({
  subject,
  idOf,
  focus,
  radar,
  steps,
  tasks,
  now,
  action,
  graphDiff,
}: CapsuleParts): JsonObject {
  const { entity } = subject;
  const { done, remaining, risks } = handoffOf(subject, LINES, { tasks, now });
  const last = entity.recent.at(-1);
  return {
    type: "handoff_capsule",
    version: VERSION,
    workspace: subject.workspace,
    target: targetOf(subject, idOf),
    focus,
    reasoning_ref: reasoningRef(),
    radar: {
      now: radar.now,
      why: shorten(radar.why, WHY),
      verify: bounded(radar.verify, LINES),
      next: bounded(radar.next, LINES),
      blockers: bounded(radar.blockers, LINES),
    },
    handoff: { done, remaining, risks },
    counts: {
      steps: steps?.total ?? 0,
      open: steps?.open ?? 0,
      ...(tasks ? { tasks: tasks.total, open_tasks: tasks.open.length } : {}),
      evidence: entity.evidence.length,
      notes: entity.note_count,
      cards: cardCount(entity),
      decisions: entity.card_counts.decision,
    },
    last_event: last ? { ts: last.ts, by: last.by, tool: last.tool, message: last.message } : null,
    ...(graphDiff ? { graph_diff: briefly(graphDiff) } : {}),
    action: action && actionOf(action),
    escalation: action && action.toolset !== "core" ? { toolset: action.toolset, tool: action.tool } : null,
  };
}

/** `args` where every value is there; `args_hint` where the caller has to fill some in. */
function actionOf({ tool, args, reason }: NextAction): JsonObject {
  const key = JSON.stringify(args).includes("<fill:") ? "args_hint" : "args";
  return { tool, purpose: reason, [key]: args as JsonObject };
}

function briefly(diff: GraphDiff): JsonObject {
  return diff.available ? { available: true, base: diff.base, ...diff.summary } : { ...diff };
}
