/** The answers about one plan or task: its page now and at any revision, its history, its evidence. */
import { TaskfoldError } from "../../errors.ts";
import type { Warning } from "../../errors.ts";
import { remedy } from "../../remedy.ts";
import type { Fold } from "../../events/fold.ts";
import type { PastOp } from "../../events/history.ts";
import { errnoOf } from "../../files/storage_error.ts";
import { lookAtFiles } from "../core/evidence_files.ts";
import { foldLog } from "../../fold_log.ts";
import { headDigest } from "../../log/canonical.ts";
import { MAX_HELD, refuseAboveHeld } from "../../log/limits.ts";
import type { Op } from "../../log/types.ts";
import { hasEnded } from "../../state/ended.ts";
import type { Entity, Subject } from "../../state/entity.ts";
import type { EvidenceEntry } from "../../state/evidence.ts";
import type { Listed } from "../../state/listed.ts";
import type { Seen, Staleness, StalenessOf } from "../../state/staleness.ts";
import type { Checked as CheckedEntry, Look } from "../../views/evidence_check.ts";
import { checkEntry } from "../../views/evidence_check.ts";
import type { PlanTasksAround } from "../../views/plan_tasks.ts";
import { planTasksOf } from "../../views/plan_tasks.ts";
import { staleEntries, staleProofs } from "../../views/stale.ts";
import { API_VERSION, HISTORY_PAGE, LIST_PAGE } from "../../views/viewer/api.ts";
import type {
  ApiWarning,
  Available,
  BoardRow,
  CardsAnswer,
  CheckAnswer,
  EntityAnswer,
  EvidenceAnswer,
  HistoryAnswer,
  ListName,
  NotesAnswer,
  TraceAnswer,
} from "../../views/viewer/api.ts";
import type { OwnRow } from "../../views/viewer/board_row.ts";
import type { PageAround, PlanRows } from "../../views/viewer/entity_answer.ts";
import { entityAnswer } from "../../views/viewer/entity_answer.ts";
import { cardItem, cardsOf, noteItem, traceItem } from "../../views/viewer/entity_lists.ts";
import { evidenceItems, stepsBackedBy } from "../../views/viewer/evidence_items.ts";
import { daysOf, historyItems } from "../../views/viewer/history_items.ts";
import { entityRef, stepRef } from "../../views/viewer/refs.ts";
import { isoTime } from "../core/context.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import { lookForDispatcher } from "../entity/packet_holder.ts";
import { stateAt } from "../entity/state_at.ts";
import type { Moment } from "../entity/state_at.ts";
import { isFolderName } from "../entity/folder_name.ts";
import type { ReadModel } from "../entities/read_model.ts";
import type { BlobFolder } from "./blobs.ts";
import { blobsIn, outputsIn, outputsOf } from "./blobs.ts";
import { boundedLine } from "./bounded_line.ts";
import type { Checked } from "./checks.ts";
import type { LogPast } from "./log_past.ts";
import { logPast } from "./log_past.ts";

/** The whole past of so many logs is kept: who looks at one looks at it again. */
const PASTS_KEPT = 4;
/** A longer log tells the addresses of its evidence with its history alone. */
const LONG_LOG = 16 * 1024 * 1024;
/** A radar opens every open task of its plan. */
const MAX_OPENED = 300;
/** Entries whose files are looked at, and milliseconds for all of them. */
const MAX_CHECKED = 500;
const CHECK_MS = 1500;

export interface FoundPage {
  loaded: LoadedEntity;
  subject: Subject;
  foreign: boolean;
  warnings: Warning[];
}

/** Rows of other entities. */
export interface OtherRows {
  /** Rows of a plan's tasks. */
  tasksOf: (id: string) => BoardRow[];
  /** Rows of those that depend on it. */
  neededBy: (root: string) => OwnRow[];
  ownOf: (id: string) => OwnRow | undefined;
}

type AnyList = EvidenceAnswer | NotesAnswer | CardsAnswer | TraceAnswer;

export class Pages {
  readonly #workspace: () => string;
  readonly #pasts = new Map<string, LogPast>();

  constructor(workspace: () => string) {
    this.#workspace = workspace;
  }

  /** A live one, else one in the archive, deleted ones too. UNKNOWN_ID where there is none. */
  find(from: ReadModel, id: string): FoundPage {
    // Another process may have put away what was read as a live one.
    if (from.store.isOpen(id) && !from.store.has(id)) from.store.drop(id);
    const loaded = isFolderName(id) ? (from.store.find(id) ?? from.store.findArchived(id)) : undefined;
    if (!loaded) throw unknown(id);
    return from.entities.look(loaded, this.#workspace());
  }

  present(from: ReadModel, { loaded, subject, foreign, warnings }: FoundPage, others: OtherRows): EntityAnswer {
    const { find, idOf } = this.#around(from);
    const common = this.#common(from, loaded, foreign);
    const needed = others.neededBy(subject.entity.root);
    return entityAnswer(subject, {
      ...common,
      addresses: this.#addresses(loaded, foreign),
      op: foreign ? null : (loaded.report.heads.at(-1) ?? null),
      warnings: warnings.map(apiWarning),
      present: {
        tasks: subject.entity.kind === "plan" ? planRows(subject, others, common) : undefined,
        needed_by: needed.map(({ row, root }) => entityRef({ id: row.id, root }, find, idOf)),
        dispatcher: subject.entity.packet ? lookForDispatcher(from.context, loaded.id) : undefined,
      },
    });
  }

  /** UNKNOWN_ID where the log has no such revision. */
  at(from: ReadModel, { loaded, foreign }: FoundPage, revision: number): EntityAnswer {
    const moment = this.#stateAt(loaded, foreign, revision);
    const around = this.#common(from, loaded, foreign);
    const { updated_at } = moment.subject.entity;
    return entityAnswer(moment.subject, { ...around, now: updated_at, op: moment.op.last, warnings: [] });
  }

  #stateAt(loaded: LoadedEntity, foreign: boolean, revision: number): Moment {
    if (!foreign) loaded.log.withSource((source) => refuseAboveHeld(source.size()));
    const moment = foreign
      ? undefined
      : stateAt(loaded, this.#workspace(), (op) => op.index === revision - 1, { whole: true });
    if (!moment) throw noRevision(loaded, revision);
    return moment;
  }

  /** Those from `first` to `last`, by one reading of the log. */
  between(
    from: ReadModel,
    { loaded }: FoundPage,
    first: number,
    last: number,
    take: (answer: EntityAnswer) => void,
  ): void {
    const around = this.#common(from, loaded, false);
    // A log with branches is read a second time: what was taken of the first reading is taken again.
    const each = (op: Op, { entity }: Fold): void => {
      const revision = op.index + 1;
      if (!entity || revision < first || revision > last) return;
      const subject = { id: loaded.id, workspace: this.#workspace(), entity, head: headDigest([op.last]) };
      take(entityAnswer(subject, { ...around, now: entity.updated_at, op: op.last, warnings: [] }));
    };
    loaded.log.withSource((source) => {
      refuseAboveHeld(source.size());
      foldLog(source, { ring: 1, whole: true, each });
    });
  }

  history({ loaded, foreign }: FoundPage, page: number): HistoryAnswer {
    const past = foreign ? undefined : this.#pastOf(loaded);
    const total = past?.ops.length ?? 0;
    const pages = Math.max(1, Math.ceil(total / HISTORY_PAGE));
    if (page >= pages) throw noPage(loaded.id, "history", page, pages);
    const ops = past ? historyItems(past, page * HISTORY_PAGE, (page + 1) * HISTORY_PAGE) : [];
    const days = page === pages - 1 && past ? beforeLaterDays(daysOf(past.ops), past.ops) : [];
    return { api: API_VERSION, id: loaded.id, head: past?.head ?? "", page, pages, total, ops, days };
  }

  /** One page of a list of an entity, as it is now or as of a revision. */
  list(from: ReadModel, found: FoundPage, what: ListName, page: number, revision?: number): AnyList {
    const { loaded, foreign } = found;
    const { entity, id, head } = this.#wholeSubject(found, what, revision);
    const all = { evidence: entity.evidence, notes: entity.notes, cards: cardsOf(entity), trace: entity.trace };
    const total = all[what].length;
    const pages = Math.max(1, Math.ceil(total / LIST_PAGE));
    if (page >= pages) throw noPage(id, what, page, pages);
    const partOf = <T>(list: readonly T[]): T[] => list.slice(page * LIST_PAGE, (page + 1) * LIST_PAGE);
    const place = { api: API_VERSION, id, head, page, pages, total } as const;
    switch (what) {
      case "evidence": {
        const blobOf = blobsIn(blobFolderOf(from, loaded));
        const addresses = this.#addresses(loaded, foreign);
        return { ...place, evidence: evidenceItems(entity, partOf(all.evidence), blobOf, addresses) };
      }
      case "notes":
        return { ...place, notes: partOf(all.notes).map((note) => noteItem(entity, note)) };
      case "cards":
        return { ...place, cards: partOf(all.cards).map(cardItem) };
      case "trace":
        return { ...place, trace: partOf(all.trace).map(traceItem) };
    }
  }

  /** The present state has the last notes and lines of the trace alone: a reading of the log has all of them. */
  #wholeSubject({ loaded, subject, foreign }: FoundPage, what: ListName, revision?: number): Subject {
    const isHeld = what === "evidence" || what === "cards" || foreign;
    return revision === undefined && isHeld
      ? subject
      : this.#stateAt(loaded, foreign, revision ?? loaded.report.ops).subject;
  }

  /** Returns the findings of its folder, whether evidence still holds, and of which files it is. */
  check(
    from: ReadModel,
    { loaded, subject }: FoundPage,
    { at, drift, findings }: Checked,
    staleness: StalenessOf | undefined,
  ): CheckAnswer {
    const { entity, id, head } = subject;
    const look = lookAt(from, loaded);
    const { runtime } = from.context;
    const began = runtime.uptime();
    const isLate = (): boolean => runtime.uptime() - began > CHECK_MS;
    const newest = entity.evidence.slice(-MAX_CHECKED).reverse();
    const backed = stepsBackedBy(entity);
    const inTime = staleness && onceInTime(staleness, isLate);
    const stale = inTime && !hasEnded(entity) ? [...staleProofs(subject, inTime)] : [];
    const staleById = inTime ? staleEntries(subject, inTime) : NONE_STALE;
    const evidence = newest.map((entry): [string, CheckAnswer["evidence"][string]] => {
      const { status, why } = isLate() ? NO_TIME : checkProof(entity, entry, look);
      const words = staleById.get(entry.id);
      const about = {
        title: boundedLine(entry.title),
        backs: backed.get(entry.id) ?? [],
        stale: words === undefined ? null : boundedLine(words),
      };
      return [entry.id, { status, why: why.map(boundedLine), ...about }];
    });
    return {
      api: API_VERSION,
      id,
      head,
      checked_at: isoTime(at),
      drift,
      findings: findings.slice(0, MAX_CHECKED),
      findings_total: findings.length,
      stale: stale
        .slice(0, MAX_CHECKED)
        .map(({ step, checkpoint, words }) => ({ step: stepRef(step), checkpoint, why: boundedLine(words) })),
      evidence: Object.fromEntries(evidence),
    };
  }

  #around(from: ReadModel) {
    return from.entities.around(this.#workspace());
  }

  #common(
    from: ReadModel,
    loaded: LoadedEntity,
    foreign: boolean,
  ): Pick<PageAround, "now" | "find" | "idOf" | "blobOf" | "outputOf" | "source" | "latest" | "available"> {
    const { find, idOf } = this.#around(from);
    const folder = blobFolderOf(from, loaded);
    return {
      now: isoTime(from.context.now()),
      find,
      idOf,
      blobOf: blobsIn(folder),
      outputOf: outputsIn(folder),
      source: foreign ? "coco" : "log",
      latest: foreign ? { revision: 0, head: "" } : { revision: loaded.report.ops, head: loaded.head },
      available: availableOf(loaded, foreign),
    };
  }

  /** Only a reading of the log tells them, and only where there is evidence. */
  #addresses(loaded: LoadedEntity, foreign: boolean): LogPast["addresses"] | undefined {
    const bytes = loaded.log.seen?.size ?? 0;
    if (foreign || !loaded.entity || loaded.entity.evidence.length === 0 || bytes > LONG_LOG) return undefined;
    return this.#pastOf(loaded)?.addresses;
  }

  #pastOf(loaded: LoadedEntity): LogPast | undefined {
    const known = this.#pasts.get(loaded.folder);
    const past = known?.head === loaded.head ? known : logPast(loaded);
    this.#pasts.delete(loaded.folder);
    if (past) this.#pasts.set(loaded.folder, past);
    for (const oldest of this.#pasts.keys()) {
      if (this.#pasts.size <= PASTS_KEPT) break;
      this.#pasts.delete(oldest);
    }
    return past;
  }
}

export function blobFolderOf(
  { context: { disk, layout, remote } }: ReadModel,
  { id, folder, entity }: LoadedEntity,
): BlobFolder {
  return { disk, id, folder, way: layout.wayTo(folder), outputs: outputsOf(entity?.packet), remote };
}

/** The present of a log is streamed. Its past needs the log whole. */
function availableOf({ log, report, entity }: LoadedEntity, foreign: boolean): Available {
  if (foreign) return { revisions: null, history_pages: 1, evidence_pages: 1, check: true, graph: false };
  const isTooLong = (log.seen?.size ?? 0) > MAX_HELD;
  return {
    revisions: report.ops > 0 && !isTooLong ? { from: 1, to: report.ops } : null,
    history_pages: isTooLong ? 0 : Math.max(1, Math.ceil(report.ops / HISTORY_PAGE)),
    evidence_pages: Math.max(1, Math.ceil((entity?.evidence.length ?? 0) / LIST_PAGE)),
    check: true,
    graph: entity?.kind === "plan",
  };
}

const NONE_STALE: ReadonlyMap<string, string> = new Map();

/** Several steps may rest on one run, and git may take its time for each. */
function onceInTime(of: StalenessOf, isLate: () => boolean): StalenessOf {
  const known = new Map<Seen, Staleness>();
  return (id, seen, scope) => {
    const before = known.get(seen);
    if (before) return before;
    const found = isLate() ? ({ is: "unknown", why: "there was no time to look here" } as const) : of(id, seen, scope);
    known.set(seen, found);
    return found;
  };
}

const NO_TIME: CheckedEntry = { status: "unverifiable", why: ["there was no time to look here"] };
const NEVER_PROOF: CheckedEntry = { status: "unverifiable", why: ["it proved nothing when it was captured"] };

/** Evidence that was no proof from the start is none that no longer holds. */
function checkProof(entity: Entity, entry: EvidenceEntry, look: Look): CheckedEntry {
  return entity.facts.get(entry.id)?.no_proof === undefined ? checkEntry(entity, entry, look) : NEVER_PROOF;
}

/** A radar of so many tasks that opening them takes seconds does without them. */
function planRows({ id }: Subject, others: OtherRows, around: PlanTasksAround): PlanRows {
  const rows = others.tasksOf(id);
  const open = rows.filter((row) => !hasEnded(row));
  if (open.length > MAX_OPENED) return { of: undefined, rows };
  const listed = rows.flatMap((row) => {
    const own = others.ownOf(row.id);
    return own && !row.archived ? [listedOf(own)] : [];
  });
  return { of: planTasksOf(listed, around), rows };
}

function listedOf({ row, root, parent, depends_on }: OwnRow): Listed {
  const { id, kind, title, status, revision, priority, tags, updated_at, progress } = row;
  const steps = { total: progress.total, completed: progress.done };
  return {
    id,
    root,
    kind,
    title,
    status,
    revision,
    parent,
    priority,
    tags,
    depends_on,
    steps,
    updated_at,
    deleted: false,
  };
}

/** Looks at files of the repository and of the folder; an error of the system counts as unsafe. */
function lookAt({ context }: ReadModel, { folder }: LoadedEntity): Look {
  const { file, lines } = lookAtFiles(context, folder);
  return {
    file: (...named) => safely(() => file(...named)),
    lines: (...named) => safely(() => lines(...named)),
    commit: () => null,
  };
}

function safely<T>(look: () => T): T | { state: "unsafe"; why: string } {
  try {
    return look();
  } catch (e) {
    const errno = errnoOf(e);
    if (errno === undefined) throw e;
    return { state: "unsafe", why: `the system said ${errno}` };
  }
}

export function apiWarning({ code, message, recovery }: Warning): ApiWarning {
  return { code, message: boundedLine(message), recovery: recovery ?? null };
}

/** The state at the end of a day has no change of a later day. A merge may put one of an earlier day behind those. */
function beforeLaterDays(days: HistoryAnswer["days"], ops: readonly PastOp[]): HistoryAnswer["days"] {
  const ends = days.map((one) => ({ ...one, revision: ops.at(-1)?.revision ?? 0 }));
  let at = 0;
  for (const { ts, revision } of ops)
    while (at < ends.length && ends[at]!.day < ts.slice(0, 10)) ends[at++]!.revision = revision - 1;
  return ends;
}

function unknown(id: string): TaskfoldError {
  return new TaskfoldError(
    "UNKNOWN_ID",
    `Expected the id of a plan or task of this workspace, found ${JSON.stringify(id.slice(0, 80))}.`,
    remedy`${{ tool: "tasks_context", text: "GET /api/v1/board/0.json" }} lists the ids that are there.`,
  );
}

function noRevision({ id, report }: LoadedEntity, revision: number): TaskfoldError {
  return new TaskfoldError("UNKNOWN_ID", `Expected a revision of ${id} from 1 to ${report.ops}, found ${revision}.`, {
    recovery: `GET /api/v1/entities/${id}/history/0.json lists its revisions.`,
  });
}

export function noPage(id: string, what: string, page: number, pages: number): TaskfoldError {
  return new TaskfoldError(
    "UNKNOWN_ID",
    `Expected a page of the ${what} of ${id} from 0 to ${pages - 1}, found ${page}.`,
    {
      recovery: "The first page says how many there are.",
    },
  );
}
