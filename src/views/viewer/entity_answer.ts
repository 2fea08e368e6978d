/** One state of a plan or task as a page (`EntityAnswer`). A function of the log and of what stands around it. */
import { hasEnded } from "../../state/ended.ts";
import { isBegunTask, planStatus } from "../../state/plan_status.ts";
import { isArchivedOrDeleted } from "../../state/archive.ts";
import { shorten } from "../../state/code_points.ts";
import type { Find } from "../../state/depends.ts";
import { openDependencies } from "../../state/depends.ts";
import { itemsBehind } from "../../state/checklist.ts";
import { STATUSES } from "../../state/entity.ts";
import type { Conflict, Entity, IdOf, Ref, Status, Step, Subject } from "../../state/entity.ts";
import { AFTER_ALL_TIMES, firstReady } from "../../state/first_ready.ts";
import { fieldLabel, liveConflicts, liveGates, partsOf, shownIn } from "../../state/live.ts";
import { HUMAN_FILES } from "../../state/human_files.ts";
import type { LookForDispatcher } from "../../state/packet_next.ts";
import { statusOf } from "../../state/status.ts";
import type { PlanTasks } from "../plan_tasks.ts";
import { radarSentences } from "../radar.ts";
import { waitsOf } from "../waits.ts";
import { API_VERSION, BOARD_PAGE, LIST_PAGE } from "./api.ts";
import type { ApiWarning, Available, BoardRow, ConflictItem, EntityAnswer, EntityRef, PlanPart } from "./api.ts";
import { isToComplete } from "./board_row.ts";
import { cardItem, cardsOf, noteItem, traceItem } from "./entity_lists.ts";
import type { Addresses, BlobOf } from "./evidence_items.ts";
import { evidenceItems } from "./evidence_items.ts";
import { MAX_CHARACTERS } from "./written.ts";
import type { OutputOf } from "./packet_item.ts";
import { packetItem } from "./packet_item.ts";
import { claimsAt, claimsOf, entityRef, pastRef, progressOf, stepRef } from "./refs.ts";
import { stepsOf } from "./plan_steps.ts";
import { stepItems } from "./step_items.ts";
import { taskdocItems } from "./taskdoc_items.ts";

const MAX_CARDS = 500;

/** The tasks of a plan: as rows, and where there are not too many of them as a radar needs them. */
export interface PlanRows {
  of: PlanTasks | undefined;
  rows: readonly Pick<BoardRow, "id" | "title" | "status" | "progress" | "archived">[];
}

/** Inputs of a page besides the state itself. */
export interface PageAround {
  now: string;
  find: Find;
  idOf: IdOf;
  blobOf: BlobOf;
  /** Bytes of a packet's file by their digest. */
  outputOf: OutputOf;
  addresses?: Addresses | undefined;
  source: "log" | "coco";
  latest: { revision: number; head: string };
  op: string | null;
  available: Available;
  warnings: ApiWarning[];
  /** Only of the present: what other logs say of it. */
  present?:
    | {
        /** Of a plan. */
        tasks?: PlanRows | undefined;
        needed_by: EntityRef[];
        /** Which process runs the packet; undefined where this machine does not tell. */
        dispatcher?: LookForDispatcher | undefined;
      }
    | undefined;
}

export function entityAnswer(subject: Subject, around: PageAround): EntityAnswer {
  const { entity, id, head } = subject;
  const { find, idOf, present } = around;
  // In the past no other task is judged. Logs share no order, and clocks differ: how it stood at an op of this log is nowhere.
  const refOf = (ref: Ref): EntityRef => (present ? entityRef : pastRef)(ref, find, idOf);
  const waits = present && !hasEnded(entity) ? openDependencies(entity, find) : [];
  const mayBegin = hasEnded(entity) || isArchivedOrDeleted(entity) ? "never" : waits.length > 0 ? "later" : "now";
  const readyAt = (now: string): Step | undefined =>
    entity.kind === "task" && mayBegin === "now" ? firstReady(entity, now) : undefined;
  const ready = readyAt(around.now);
  const claims = claimsAt(claimsOf(entity), around.now);
  const isEmpty = entity.kind === "task" && mayBegin === "now" && progressOf(entity).total === 0;
  const progress = present?.tasks ? progressOfRows(present.tasks.rows) : progressOf(entity);
  const cards = cardsOf(entity);
  return {
    api: API_VERSION,
    id,
    kind: entity.kind,
    source: around.source,
    archived: entity.archived && !entity.deleted,
    deleted: entity.deleted,
    revision: entity.revision,
    head,
    latest: around.latest,
    op: around.op,
    title: entity.title,
    description: entity.description,
    context: entity.context,
    status: planStatus(statusOf(entity), present?.tasks?.rows.some(isBegunTask) === true),
    status_reason: entity.status_reason,
    priority: entity.priority,
    tags: [...entity.tags],
    domain: entity.domain,
    phase: entity.phase,
    component: entity.component,
    assignee: entity.assignee,
    topology: entity.topology,
    parent: entity.parent && refOf(entity.parent),
    depends_on: entity.depends_on.map(refOf),
    needed_by: present?.needed_by ?? [],
    created_at: entity.created_at,
    created_by: entity.created_by,
    updated_at: entity.updated_at,
    claims,
    ready: ready ? stepRef(ready) : null,
    waits_for: waits.map(refOf),
    needs_steps: isEmpty && !claims.some(({ holds }) => holds),
    to_complete: isToComplete(entity),
    workable: isEmpty || readyAt(AFTER_ALL_TIMES) !== undefined,
    progress,
    radar: radarSentences(subject, {
      now: around.now,
      waits: present ? waitsOf(entity, find, idOf) : [],
      tasks: present?.tasks?.of,
      dispatcher: present?.dispatcher,
      isBeside: true,
    }),
    conflicts: liveConflicts(entity).map((conflict) => conflictItem(entity, conflict)),
    gates: gateItems(entity),
    agents: [...entity.agents.values()].map(({ instance, agent, state }) => ({ instance, agent, state })),
    ...stepItems(entity, around.now, mayBegin),
    plan: entity.kind === "plan" ? planPart(entity, present?.tasks) : null,
    notes: newest(entity.notes, LIST_PAGE).map((note) => noteItem(entity, note)),
    notes_total: entity.note_count,
    people: HUMAN_FILES.flatMap((file) => {
      const { content } = entity.people[file];
      return content === null ? [] : [{ file, text: content }];
    }),
    decisions: newest(
      cards.filter(({ stage }) => stage === "decision"),
      LIST_PAGE,
    ).map(cardItem),
    cards: cards.slice(-MAX_CARDS).map(cardItem),
    cards_total: cards.length,
    trace: newest(entity.trace, LIST_PAGE).map(traceItem),
    trace_total: entity.trace_count,
    report: entity.report && structuredClone(entity.report),
    evidence: evidenceItems(entity, entity.evidence.slice(-LIST_PAGE), around.blobOf, around.addresses),
    evidence_total: entity.evidence.length,
    taskdoc: taskdocItems(entity),
    packet: entity.packet && packetItem(entity.packet, around.outputOf, present?.dispatcher),
    recent: newest(entity.recent, LIST_PAGE).map(({ message, ...op }) => ({
      ...op,
      message: shorten(message, MAX_CHARACTERS),
    })),
    actors: [...entity.acted.keys()].reverse(),
    available: around.available,
    warnings: around.warnings,
  };
}

/** How many of these tasks are DONE. */
function progressOfRows(rows: readonly { status: Status }[]): { done: number; total: number } {
  return { done: rows.filter(({ status }) => status === "DONE").length, total: rows.length };
}

function planPart({ contract, contract_data, checklist }: Entity, tasks: PlanRows | undefined): PlanPart {
  const behind = itemsBehind(checklist);
  return {
    contract,
    contract_data,
    checklist: {
      doc: checklist.doc,
      items: checklist.steps.map((text, i) => ({ text, state: i < behind ? "done" : i === behind ? "due" : "open" })),
    },
    tasks: (tasks?.rows ?? []).slice(0, BOARD_PAGE).map(({ id, title, status, progress, archived }) => ({
      id,
      title,
      status,
      progress,
      archived: archived ?? false,
    })),
    tasks_total: tasks?.rows.length ?? 0,
    by_status: byStatus(tasks?.rows ?? []),
    steps: stepsOf(tasks?.rows ?? []),
  };
}

export function byStatus(rows: readonly { status: Status }[]): Record<Status, number> {
  const counts = Object.fromEntries(STATUSES.map((status) => [status, 0])) as Record<Status, number>;
  for (const { status } of rows) counts[status]++;
  return counts;
}

function conflictItem(entity: Entity, conflict: Conflict): ConflictItem {
  const { field, values } = conflict;
  const { step } = partsOf(entity, field);
  const shown = shownIn(entity, conflict);
  return {
    field,
    label: fieldLabel(entity, field),
    step: step ? stepRef(step) : null,
    values: values.map(({ value, by, ts, op }, i) => ({ value, by, ts, op, shown: i === shown })),
  };
}

function gateItems(entity: Entity): EntityAnswer["gates"] {
  return liveGates(entity).map((gate) => ({
    id: gate.id,
    own: gate.own,
    state: gate.state,
    type: gate.type ?? null,
    reason: gate.reason,
    blocked_at: gate.blocked_at,
    resolved_at: gate.resolved_at,
    resolved_by: gate.resolved_by,
  }));
}

function newest<T>(list: readonly T[], most: number): T[] {
  return list.slice(-most).reverse();
}
