/** An entity made from another program's task file, for folders that have no log of ours yet. */
import { CHECKPOINTS } from "./checkpoint.ts";
import type { Agent, Entity, Gate, Status, Topology } from "./entity.ts";
import { newEntity } from "./new_entity.ts";
import type { Step } from "./step.ts";
import { newStep } from "./step.ts";

/** What is taken of such a file. */
export interface ForeignTask {
  id: string;
  title: string;
  description: string;
  topology: Topology;
  state: "created" | "working" | "input-required" | "completed" | "failed" | "canceled";
  /** RFC 3339, as written; null when the file does not say. */
  createdAt: string | null;
  updatedAt: string | null;
  milestones: readonly { id: string; title: string; state: "pending" | "working" | "done" | "blocked" }[];
  roster: readonly { instance: string; agent: string; state: string }[];
  gates: readonly {
    id: string;
    state: Gate["state"];
    reason: string | null;
    blockedAt: string | null;
    resolvedAt: string | null;
    resolvedBy: string | null;
  }[];
}

const STATUS: Record<ForeignTask["state"], Status> = {
  created: "TODO",
  working: "ACTIVE",
  "input-required": "ACTIVE",
  completed: "DONE",
  failed: "FAILED",
  canceled: "CANCELED",
};

/** Stands in where a file tells no time: views are pure and know no other. */
const NO_TIME = "1970-01-01T00:00:00.000Z";

/** Milestones become top-level steps under their own ids; revision is 0 because no op of ours was applied (PROJ-12). */
export function entityOfCocoTask(task: ForeignTask): Entity {
  const children = task.milestones.map(stepOf);
  return {
    ...newEntity({
      root: `foreign:${task.id}`,
      kind: "task",
      created_at: task.createdAt ?? task.updatedAt ?? NO_TIME,
      created_by: "system",
      updated_at: task.updatedAt ?? task.createdAt ?? NO_TIME,
      title: task.title,
      description: task.description,
      topology: task.topology,
    }),
    status: STATUS[task.state],
    steps: new Map(children.map((step) => [step.id, step])),
    children,
    gates: gatesOf(task),
    agents: new Map(
      task.roster.map((r) => [r.instance, { instance: r.instance, agent: r.agent, state: agentState(r.state) }]),
    ),
  };
}

function stepOf(milestone: ForeignTask["milestones"][number], ordinal: number): Step {
  const body = { title: milestone.title, success_criteria: [], tests: [], blockers: [] };
  const step = newStep(milestone.id, null, ordinal, body);
  step.done = milestone.state === "done";
  step.blocked = milestone.state === "blocked";
  // Milestones have no checkpoints. One that is done had all it needed, one in work has been looked at.
  for (const c of CHECKPOINTS) step.confirmed[c] = step.done;
  step.confirmed.criteria ||= milestone.state === "working";
  return step;
}

function gatesOf(task: ForeignTask): Map<string, Gate> {
  const gates = task.gates.map((g): Gate => ({
    id: g.id,
    own: false,
    state: g.state,
    reason: g.reason,
    blocked_at: g.blockedAt,
    resolved_at: g.resolvedAt,
    resolved_by: g.resolvedBy,
  }));
  // People set the state by hand. Without a gate that says why, the waiting itself has to show as one.
  if (task.state === "input-required" && !gates.some((g) => g.state === "blocked")) {
    const none = { reason: null, blocked_at: null, resolved_at: null, resolved_by: null };
    gates.push({ id: "input-required", own: false, state: "blocked", ...none });
  }
  return new Map(gates.map((g) => [g.id, g]));
}

function agentState(state: string): Agent["state"] {
  return state === "completed" || state === "failed" || state === "awaiting" ? state : "active";
}
