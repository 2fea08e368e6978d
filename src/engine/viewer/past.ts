/** The past of one plan or task: its page at any revision, its history, and each list from its first entry on. */
import { TaskfoldError } from "../../errors.ts";
import type { Fold } from "../../events/fold.ts";
import { foldLog } from "../../fold_log.ts";
import { headDigest } from "../../log/canonical.ts";
import { refuseAboveHeld } from "../../log/limits.ts";
import type { Op } from "../../log/types.ts";
import type { Subject } from "../../state/entity.ts";
import { API_VERSION, HISTORY_PAGE, LIST_PAGE } from "../../views/viewer/api.ts";
import type {
  CardsAnswer,
  EntityAnswer,
  EvidenceAnswer,
  HistoryAnswer,
  ListName,
  NotesAnswer,
  TraceAnswer,
} from "../../views/viewer/api.ts";
import { entityAnswer } from "../../views/viewer/entity_answer.ts";
import { cardItem, cardsOf, noteItem, traceItem } from "../../views/viewer/entity_lists.ts";
import { evidenceItems } from "../../views/viewer/evidence_items.ts";
import { historyItems, quartersOf } from "../../views/viewer/history_items.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import { stateAt } from "../entity/state_at.ts";
import type { Moment } from "../entity/state_at.ts";
import type { Found } from "../entities/entities.ts";
import type { ReadModel } from "../entities/read_model.ts";
import { blobsIn } from "./blobs.ts";
import type { LogPast } from "./log_past.ts";
import { logPast } from "./log_past.ts";
import { blobFolderOf, pageAround } from "./page_around.ts";

/** The whole past of so many logs is kept: who looks at one looks at it again. */
const PASTS_KEPT = 4;
/** A longer log tells the addresses of its evidence with its history alone. */
const LONG_LOG = 16 * 1024 * 1024;

type AnyList = EvidenceAnswer | NotesAnswer | CardsAnswer | TraceAnswer;

export class Past {
  readonly #pasts = new Map<string, LogPast>();

  /** UNKNOWN_ID where the log has no such revision. */
  at(from: ReadModel, found: Found, revision: number): EntityAnswer {
    const moment = momentOf(found, revision);
    const around = pageAround(from, found);
    const { updated_at } = moment.subject.entity;
    return entityAnswer(moment.subject, { ...around, now: updated_at, op: moment.op.last, warnings: [] });
  }

  /** Those from `first` to `last`, by one reading of the log. */
  between(from: ReadModel, found: Found, first: number, last: number, take: (answer: EntityAnswer) => void): void {
    const {
      loaded,
      subject: { id, workspace },
    } = found;
    const around = pageAround(from, found);
    // A log with branches is read a second time: what was taken of the first reading is taken again.
    const each = (op: Op, { entity }: Fold): void => {
      const revision = op.index + 1;
      if (!entity || revision < first || revision > last) return;
      const subject = { id, workspace, entity, head: headDigest([op.last]) };
      take(entityAnswer(subject, { ...around, now: entity.updated_at, op: op.last, warnings: [] }));
    };
    loaded.log.withSource((source) => {
      refuseAboveHeld(source.size());
      foldLog(source, { ring: 1, whole: true, each });
    });
  }

  history(found: Found, page: number): HistoryAnswer {
    const { loaded } = found;
    const past = this.#pastOf(found);
    const total = past?.ops.length ?? 0;
    const pages = Math.max(1, Math.ceil(total / HISTORY_PAGE));
    if (page >= pages) throw noPage(loaded.id, "history", page, pages);
    const ops = past ? historyItems(past, page * HISTORY_PAGE, (page + 1) * HISTORY_PAGE) : [];
    const quarters = page === pages - 1 && past ? quartersOf(past.ops) : [];
    return { api: API_VERSION, id: loaded.id, head: past?.head ?? "", page, pages, total, ops, quarters };
  }

  /** One page of a list of an entity, as it is now or as of a revision. */
  list(from: ReadModel, found: Found, what: ListName, page: number, revision?: number): AnyList {
    const { entity, id, head } = wholeSubject(found, what, revision);
    const all = { evidence: entity.evidence, notes: entity.notes, cards: cardsOf(entity), trace: entity.trace };
    const total = all[what].length;
    const pages = Math.max(1, Math.ceil(total / LIST_PAGE));
    if (page >= pages) throw noPage(id, what, page, pages);
    const partOf = <T>(list: readonly T[]): T[] => list.slice(page * LIST_PAGE, (page + 1) * LIST_PAGE);
    const place = { api: API_VERSION, id, head, page, pages, total } as const;
    switch (what) {
      case "evidence": {
        const blobOf = blobsIn(blobFolderOf(from, found.loaded));
        const addresses = this.addresses(found);
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

  /** Only a reading of the log tells them, and only where there is evidence. */
  addresses(found: Found): LogPast["addresses"] | undefined {
    const { log, entity } = found.loaded;
    const bytes = log.seen?.size ?? 0;
    return entity && entity.evidence.length > 0 && bytes <= LONG_LOG ? this.#pastOf(found)?.addresses : undefined;
  }

  #pastOf({ loaded, foreign }: Found): LogPast | undefined {
    if (foreign) return undefined;
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

/** The present state has the last notes and lines of the trace alone: a reading of the log has all of them. */
function wholeSubject(found: Found, what: ListName, revision?: number): Subject {
  const { loaded, subject, foreign } = found;
  const isHeld = what === "evidence" || what === "cards" || foreign;
  return revision === undefined && isHeld ? subject : momentOf(found, revision ?? loaded.report.ops).subject;
}

function momentOf({ loaded, subject: { workspace }, foreign }: Found, revision: number): Moment {
  if (foreign) throw noRevision(loaded, revision);
  loaded.log.withSource((source) => refuseAboveHeld(source.size()));
  const moment = stateAt(loaded, workspace, (op) => op.index === revision - 1, { whole: true });
  if (!moment) throw noRevision(loaded, revision);
  return moment;
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
