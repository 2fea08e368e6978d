/** An entity made from another program's task file, for folders that have no log of ours yet. */
import { CHECKPOINTS } from "./entity.ts";
import type { Config } from "./config.ts";
import type { Entity, Gate, GateType, Status, Step, Topology } from "./entity.ts";
import type { EvidenceEntry } from "./evidence.ts";
import type { HumanFile } from "./human_files.ts";
import { newEntity } from "./new_entity.ts";
import { agentStateOf } from "./roster.ts";
import { newStep } from "./step.ts";

/** The parts that are taken of such a file. */
export interface ForeignTask {
  id: string;
  title: string;
  description: string;
  topology: Topology;
  state: "created" | "working" | "input-required" | "completed" | "failed" | "canceled";
  /** RFC 3339, as written; null when the file does not say. */
  createdAt: string | null;
  updatedAt: string | null;
  milestones: readonly {
    id: string;
    title: string;
    state: "pending" | "working" | "done" | "blocked";
    dependsOn: readonly string[];
  }[];
  roster: readonly {
    instance: string;
    agent: string;
    state: string;
    assignedMilestone: string | null;
    skills: readonly string[];
  }[];
  gates: readonly {
    id: string;
    type: GateType;
    state: Gate["state"];
    instructionsRef: string | null;
    reason: string | null;
    blockedAt: string | null;
    resolvedAt: string | null;
    resolvedBy: string | null;
  }[];
  config: Config;
}

/** Everything that adoption reads of another program's folder. */
export interface ForeignFolder {
  /** Undefined when task.yaml is one of ours, or is not there. */
  task: ForeignTask | undefined;
  /** Members of its task file that it does not know itself, with their values as JSON text. */
  extra: readonly { path: string; json: string }[];
  /** In UTC with nine fractional digits. */
  created: string;
  updated: string;
  evidence: readonly EvidenceEntry[];
  people: readonly { file: HumanFile; content: string; sha256: string }[];
  /** Digests of task.yaml and the evidence index, read with LF. */
  files: readonly { path: string; sha256: string }[];
}

export const FOREIGN_STATUS: Record<ForeignTask["state"], Status> = {
  created: "TODO",
  working: "ACTIVE",
  "input-required": "ACTIVE",
  completed: "DONE",
  failed: "FAILED",
  canceled: "CANCELED",
};

/** A gate with all that the task file says of it. */
export type ForeignGate = Required<Omit<Gate, "said_at">>;

/** Stands in where a file tells no time: views are pure and know no other. */
const NO_TIME = "1970-01-01T00:00:00.000Z";

/** How the root of an entity without a log of ours begins: no hash has a colon. */
export const FOREIGN_ROOT = "foreign:";

/** Milestones become top-level steps under their own ids; revision is 0 because no op of ours was applied (PROJ-11). */
export function entityOfCocoTask(task: ForeignTask): Entity {
  const children = task.milestones.map(stepOf);
  return {
    ...newEntity({
      root: `${FOREIGN_ROOT}${task.id}`,
      kind: "task",
      created_at: task.createdAt ?? task.updatedAt ?? NO_TIME,
      created_by: "system",
      updated_at: task.updatedAt ?? task.createdAt ?? NO_TIME,
      title: task.title,
      description: task.description,
      topology: task.topology,
    }),
    status: FOREIGN_STATUS[task.state],
    steps: new Map(children.map((step) => [step.id, step])),
    children,
    gates: new Map(foreignGates(task).map((gate) => [gate.id, gate])),
    agents: new Map(
      task.roster.map((r) => [r.instance, { instance: r.instance, agent: r.agent, ...agentStateOf(r.state) }]),
    ),
  };
}

function stepOf(milestone: ForeignTask["milestones"][number], ordinal: number): Step {
  const body = {
    title: milestone.title,
    success_criteria: [],
    tests: [],
    blockers: [],
    depends_on: [...milestone.dependsOn],
  };
  const step = newStep(milestone.id, null, ordinal, body);
  step.done = milestone.state === "done";
  step.blocked = milestone.state === "blocked";
  // Milestones have no checkpoints. One that is done had all it needed, one in work has been looked at.
  for (const c of CHECKPOINTS) step.confirmed[c] = step.done;
  step.confirmed.criteria ||= milestone.state === "working";
  return step;
}

/** Stands for waiting that no gate explains. */
export const WAITING_GATE = "input-required";

export function foreignGates(task: ForeignTask): ForeignGate[] {
  const gates = task.gates.map((g): ForeignGate => ({
    id: g.id,
    own: false,
    type: g.type,
    state: g.state,
    reason: g.reason,
    instructions: g.instructionsRef,
    blocked_at: g.blockedAt,
    resolved_at: g.resolvedAt,
    resolved_by: g.resolvedBy,
  }));
  // People set the state by hand. Without a gate that says why, the waiting itself has to show as one.
  if (task.state === "input-required" && !gates.some((g) => g.state === "blocked")) {
    const none = { reason: null, instructions: null, blocked_at: null, resolved_at: null, resolved_by: null };
    gates.push({ id: WAITING_GATE, own: false, type: "human-approval", state: "blocked", ...none });
  }
  return gates;
}
