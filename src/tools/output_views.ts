/**
 * The members of the views, as schemas (see output.ts). A member that a budget takes out of the middle of a view is
 * optional here.
 */
import { DEGREES } from "../state/degree.ts";
import { CHECKPOINTS, NODE_LISTS, PROOF_CHECKPOINTS, PROOF_MODES, STATUSES } from "../state/entity.ts";
import type { TSchema } from "../state/schema.ts";
import {
  boolean,
  cut,
  either,
  integer,
  json,
  jsonObject,
  list,
  object,
  oneOf,
  optional,
  orNull,
  record,
  text,
} from "../state/schema.ts";
import { checkpointList, cutEvent, cuttable, kind, named, namesPacket, reasoningRef, stage, status } from "./output.ts";

/** The same schema under several names. */
function each<N extends string, T extends TSchema>(names: readonly N[], schema: T): { [K in N]: T } {
  return Object.fromEntries(names.map((name) => [name, schema])) as { [K in N]: T };
}

/** Of what is DONE, FAILED or CANCELED: null where its log does not tell. */
export const ended = { ended_at: optional(orNull(text())), ended_by: optional(orNull(text())) };

export const target = object({
  id: text(),
  kind,
  qualified_id: text(),
  title: text(),
  status,
  ...ended,
  revision: integer(),
  head: text(),
  parent: orNull(text()),
});

export const radar = object({
  now: text(),
  why: text(),
  verify: list(text()),
  next: list(text()),
  blockers: list(text()),
});

const proofFields = {
  ...each(
    PROOF_CHECKPOINTS.map((c) => `proof_${c}_mode` as const),
    optional(oneOf(PROOF_MODES)),
  ),
  ...each(
    PROOF_CHECKPOINTS.map((c) => `proof_${c}_present` as const),
    optional(boolean()),
  ),
  ...each(
    PROOF_CHECKPOINTS.map((c) => `proof_${c}_degree` as const),
    optional(oneOf(DEGREES)),
  ),
};

const stepCounts = { total: integer(), open: integer(), completed: integer(), blocked: integer() };
const MISSING = [
  ...CHECKPOINTS.map((c) => `missing_${c}` as const),
  ...PROOF_CHECKPOINTS.map((c) => `missing_proof_${c}` as const),
];
const firstOpen = orNull(
  object({
    ...named,
    title: text(),
    missing_checkpoints: checkpointList,
    missing_proofs: checkpointList,
    blocked: boolean(),
    ...proofFields,
  }),
);

export const steps = object({ ...stepCounts, ...each(MISSING, integer()), first_open: firstOpen });
/** In a super-resume, whose budget leaves the counts longer than the rest. */
const stepsInBrief = object({
  ...stepCounts,
  ...each(MISSING, cut(integer())),
  first_open: cut(firstOpen),
});

const ofTask = { id: text(), title: cut(text()) };
const explained = optional(list(object({ ...ofTask, why: optional(list(text())) })));

/** The tasks of a plan. Absent where the answer is about a task, or about the past. */
export const planTasks = object({
  total: integer(),
  by_status: object(each(STATUSES, integer())),
  archived: optional(integer()),
  counts: cut(object(each(["ready", "claimed", "blocked", "at_risk", "in_conflict", "ready_to_complete"], integer()))),
  next: orNull(object({ tool: text(), purpose: text(), args: jsonObject() })),
  ready: optional(list(object({ ...ofTask, path: text(), step: optional(text()) }))),
  claimed: optional(list(object({ ...ofTask, path: orNull(text()), by: text(), expires_at: text() }))),
  blocked: explained,
  at_risk: explained,
  in_conflict: explained,
  ready_to_complete: optional(list(object(ofTask))),
});

/** Of a radar or handoff as of a moment of the past. */
export const moment = optional(either(integer(), text()));
export const targetFrom = optional(oneOf(["focus", "workspace_focus"]));

export const notes = list(object({ ts: text(), by: text(), path: orNull(text()), text: text() }));
export const notesLeftOut = optional(
  object(
    {
      earlier: integer({ description: "Notes before those that are shown." }),
      cut: integer({ description: "Notes of which only the beginning is shown." }),
      whole: text({ description: "The command that prints all of them." }),
    },
    { description: "Only where `notes` has not all of them whole." },
  ),
);
const report = { done: list(text()), remaining: list(text()), risks: list(text()) };
export const handoff = cuttable({
  workspace: text(),
  target,
  at: moment,
  handoff: object({ ...report, notes, notes_left_out: notesLeftOut }),
  radar,
  steps: optional(steps),
  tasks: optional(planTasks),
});

/** The members that every answer of the resume family begins with. */
export const resumeHead = {
  workspace: text(),
  target,
  focus: orNull(text()),
  focus_restored: optional(oneTrue()),
  focus_previous: optional(orNull(text())),
  radar,
  steps: optional(steps),
  tasks: optional(planTasks),
};

function oneTrue() {
  return boolean({ const: true });
}

export const timeline = object({ events: list(cutEvent), earlier: integer(), cursor: text(), limit: integer() });

const nodeList = list(
  object({
    task_node_id: text(),
    path: text(),
    title: text(),
    status,
    priority: optional(text()),
    description: optional(text()),
    context: optional(text()),
    ...each(NODE_LISTS, optional(list(text()))),
  }),
);
export const taskNodes = optional(nodeList);
/** Those that are open, in short. */
export const openNodes = object({ entries: nodeList, open: integer(), total: integer() });

/** Of a closed step: null where its log does not tell. */
export const closed = { done_at: optional(orNull(text())), done_by: optional(orNull(text())) };

export const stepList = list(
  object({
    ...named,
    title: text(),
    done: boolean(),
    blocked: boolean(),
    ...closed,
    packet: namesPacket,
    block_reason: optional(orNull(text())),
    success_criteria: optional(list(text())),
    tests: optional(list(text())),
    blockers: optional(list(text())),
    depends_on: optional(list(text())),
    waits_for: optional(list(text())),
    files: optional(list(text())),
    confirm: optional(list(text())),
    confirmed: optional(checkpointList),
    missing_checkpoints: checkpointList,
    missing_proofs: checkpointList,
    ...proofFields,
    task_nodes: taskNodes,
  }),
);

export const signals = object({
  blockers: list(text()),
  decisions: list(object({ card_id: text(), title: text(), status: text(), ts: text(), by: text() })),
  evidence: list(object({ id: text(), kind: text(), title: text(), ts: text(), cite: text() })),
  stats: object({ blockers: integer(), decisions: integer(), evidence: integer() }),
});

const pageBack = object({
  cursor: orNull(text()),
  next_cursor: orNull(text()),
  has_more: boolean(),
  limit: integer(),
  count: integer(),
  total: integer(),
});
const written = { ts: text(), by: text(), text: text() };
const page = <T extends TSchema>(entry: T) => object({ entries: list(entry), pagination: pageBack });

const memory = object({
  notes: page(object({ event_id: text(), ...written, path: orNull(text()) })),
  trace: page(object({ id: text(), ...written, kind: text() })),
  cards: page(
    object({
      card_id: text(),
      stage,
      title: text(),
      ...written,
      status: text(),
      tags: list(text()),
      supports: list(text()),
    }),
  ),
  stats: cut(object({ notes: integer(), trace: integer(), cards: integer(), by_stage: record(integer()) })),
});

const away = object({ available: boolean({ const: false }), reason: text() });
const diffSummary = {
  nodes_changed: integer(),
  edges_changed: integer(),
  total: integer(),
  partial: boolean(),
};
const there = { available: boolean({ const: true }), base: text() };
const graphDiff = either(
  away,
  object({
    ...there,
    branch: orNull(text()),
    base_source: text(),
    doc: text(),
    summary: object(diffSummary),
    changes: list(
      object({
        id: text(),
        kind: oneOf(["node", "edge"]),
        change: oneOf(["added", "missing", "changed"]),
        card_id: text(),
        supports: optional(text()),
        stage: optional(stage),
        title: optional(text()),
        status: optional(text()),
      }),
    ),
    pagination: pageBack,
  }),
);

const capsule = object({
  type: oneOf(["handoff_capsule"]),
  version: integer(),
  workspace: text(),
  target: cut(target),
  focus: orNull(text()),
  reasoning_ref: cut(object(reasoningRef)),
  radar: cut(radar),
  handoff: cut(object(report)),
  counts: cut(
    object({
      ...each(["steps", "open", "evidence", "notes", "cards", "decisions"], integer()),
      tasks: optional(integer()),
      open_tasks: optional(integer()),
    }),
  ),
  last_event: cut(orNull(object({ ts: text(), by: text(), tool: text(), message: text() }))),
  graph_diff: optional(either(away, object({ ...there, ...diffSummary }))),
  action: orNull(
    object({ tool: text(), purpose: text(), args: optional(jsonObject()), args_hint: optional(jsonObject()) }),
  ),
  escalation: orNull(object({ toolset: text(), tool: text() })),
});

/** `tasks_resume_super`, `tasks_snapshot`, and what macros answer with. */
export const resumeSuper = cuttable({
  ...resumeHead,
  steps: optional(stepsInBrief),
  task_nodes: optional(openNodes),
  reasoning_ref: object(reasoningRef),
  capsule,
  signals,
  memory,
  timeline,
  graph_diff: optional(graphDiff),
  degradation: object({ signals: list(text()), truncated_fields: list(text()) }),
});

const row = {
  id: text(),
  kind,
  title: text(),
  status,
  revision: integer(),
  parent: orNull(text()),
  priority: optional(text()),
  tags: optional(list(text())),
  depends_on: optional(list(text())),
  waits_for: optional(list(text())),
  steps: object({ total: integer(), completed: integer() }),
  ready_to_complete: optional(oneTrue()),
  progress: integer(),
  updated_at: text(),
  log_warnings: optional(list(text())),
  deleted: optional(oneTrue()),
};
export const taskRows = list(object(row));
export const mirrorTasks = list(object({ ...row, ...ended }));
export const planRows = list(
  object({ ...row, tasks: object({ total: integer(), done: integer(), archived: optional(integer()) }) }),
);

export const issue = { code: text(), message: text(), recovery: text() };

/** A section of the Taskdoc. */
export const section = {
  category: orNull(text()),
  selector: text(),
  path: text(),
  content: text(),
  bytes: integer(),
  sha256: text(),
  updated_at: orNull(text()),
  updated_by: orNull(text()),
  updated_revision: orNull(integer()),
  conflict: optional(list(object({ content: text(), by: text(), ts: text(), op: text() }))),
};

/** A value that was written. */
export const value = json();

/** The facts that the work on a claimed step needs. */
export const work = object({
  task_title: text(),
  why: optional(text()),
  success_criteria: optional(list(text())),
  tests: optional(list(text())),
  proof: optional(record(text())),
  notes: optional(list(object({ ts: text(), by: text(), path: orNull(text()), text: text() }))),
});
