import { newChecklist } from "./checklist.ts";
import { DEFAULT_CONFIG } from "./config.ts";
import type { Entity } from "./entity.ts";
import { newHumanTexts } from "./human_files.ts";

/** The fields of an entity that the first event gives. */
export type Beginning = Pick<
  Entity,
  "root" | "kind" | "created_at" | "created_by" | "updated_at" | "title" | "description" | "topology"
>;

/** Views leave out a priority that was not chosen. */
export const DEFAULT_PRIORITY = "MEDIUM";

/** An entity at its first event, before anything else has happened to it. */
export function newEntity(beginning: Beginning): Entity {
  return {
    $: "",
    ...beginning,
    context: null,
    priority: DEFAULT_PRIORITY,
    tags: [],
    depends_on: [],
    proof: {},
    domain: null,
    phase: null,
    component: null,
    assignee: null,
    complete_when_done: null,
    contract: null,
    contract_data: null,
    checklist: newChecklist(),
    parent: null,
    status: "TODO",
    status_reason: null,
    ended_at: null,
    ended_by: null,
    deleted: false,
    archived: false,
    archived_tasks: new Map(),
    lease: null,
    steps: new Map(),
    children: [],
    nodes: new Map(),
    evidence: [],
    facts: new Map(),
    notes: [],
    note_count: 0,
    cards: new Map(),
    card_counts: { frame: 0, hypothesis: 0, test: 0, evidence: 0, decision: 0 },
    card_order: [],
    decisions: [],
    trace: [],
    trace_count: 0,
    gone: new Map(),
    manifest: null,
    packet: null,
    report: null,
    recent: [],
    acted: new Map(),
    gates: new Map(),
    agents: new Map(),
    config: DEFAULT_CONFIG,
    people: newHumanTexts(),
    taskdoc: new Map(),
    lost_ends: [],
    taken_until: null,
    revision: 0,
    conflicts: new Map(),
    moved: new Map(),
  };
}
