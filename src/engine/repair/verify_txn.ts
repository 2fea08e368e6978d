/**
 * Findings of verify about transactions: those that are not whole on this machine, and those that the journal still
 * holds.
 */
import { listFolder } from "../../files/folders.ts";
import { isTaskfoldError } from "../../errors.ts";
import { errnoOf } from "../../files/storage_error.ts";
import { LOG_FILE } from "../../files/layout.ts";
import type { TxnStamp } from "../../log/types.ts";
import type { EngineContext } from "../core/context.ts";
import type { Journal } from "../commit/journal.ts";
import { isMessageEntry } from "../commit/journal.ts";
import type { EntityLocation } from "../entity/entity_on_disk.ts";
import { relativeFolder } from "../entity/entity_on_disk.ts";
import type { Finding } from "../core/finding.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";
import { awaited } from "../transaction/awaited.ts";
import { placeOf } from "../transaction/part_place.ts";
import { note, wholeFile } from "../core/finding.ts";

interface TxnParts {
  of: number;
  parts: Set<number>;
  /** The entity where it was met first. */
  place: EntityLocation;
  ids: readonly string[];
}

export class TxnFindings {
  readonly #seen = new Map<string, TxnParts>();

  saw(place: EntityLocation, txns: readonly TxnStamp[]): void {
    for (const { id, n = 1, of = 1, ids = [] } of txns) {
      const seen = this.#seen.get(id) ?? { of, parts: new Set(), place, ids };
      seen.parts.add(n);
      if (ids.length > 0) seen.ids = ids;
      this.#seen.set(id, seen);
    }
  }

  /**
   * One for each transaction of which only some parts are in effect here. `pending`: those that will be finished. `leftOut`: ids whose
   * logs were not read, which may have the others.
   */
  incomplete(pending: readonly string[], leftOut: readonly string[]): Finding[] {
    const isElsewhere = (ids: readonly string[]): boolean =>
      leftOut.length > 0 && (ids.length === 0 || ids.some((id) => leftOut.includes(id)));
    return [...this.#seen]
      .filter(([id, { parts, of, ids }]) => parts.size < of && !pending.includes(id) && !isElsewhere(ids))
      .map(([id, { parts, of, place, ids }]) => {
        const about = ids.length > 0 ? ` It is about ${ids.join(", ")}.` : "";
        return wholeFile(
          "TXN_INCOMPLETE",
          `${relativeFolder(place)}/${LOG_FILE}`,
          `Expected the ${of} parts of the transaction ${id}, found ${parts.size}.${about} Merge the branch that has the others.`,
        );
      });
  }
}

/** Ids of the logs that it waits for; undefined where it is no transaction. One that may not be read now may be one, and may wait. */
function waitsFor({ context, journal }: WithJournal, name: string): string[] | undefined {
  try {
    const parts = journal.read(name);
    if (parts === undefined) return undefined;
    if (parts === null || isMessageEntry(name)) return [];
    const places = parts.map((part) => placeOf(context, part));
    return awaited(context, parts, places).map(({ id }) => id);
  } catch (e) {
    if (!isTaskfoldError(e) && errnoOf(e) === undefined) throw e;
    return [];
  }
}

/** The disk and the journal of this machine. */
export interface WithJournal {
  readonly context: EngineContext;
  readonly journal: Journal;
}

export function journalFindings(from: WithJournal): Finding[] {
  const { journal } = from;
  return journal.pending().map((id) => {
    const file = `.coco/registry/journal/${journal.fileOf(id)}`;
    const aside = journal.aside(id);
    if (aside !== undefined)
      return wholeFile(
        "SET_ASIDE",
        file,
        `A process ended while it set the folder ${aside} aside. If its log counts, the next write puts it back, else into the quarantine.`,
      );
    const awaits = waitsFor(from, id);
    if (awaits && awaits.length > 0)
      return wholeFile(
        "TXN_PENDING",
        file,
        `A transaction waits: a log has a part of it, and this work tree lacks what another part builds on, in the log of ${awaits.join(", ")}.`,
        remedy`Check out or merge the branch that has it, and the next write finishes the transaction. If no branch has it any more, ${TASKFOLD} resolve --accept-gap sets the transaction aside.`,
      );
    return awaits
      ? wholeFile(
          "TXN_PENDING",
          file,
          "A transaction was accepted and not finished; it counts for readers, and the next write finishes it.",
        )
      : wholeFile(
          "SET_ASIDE",
          file,
          "Expected a transaction of this engine; the next write moves the file to quarantine.",
        );
  });
}

export function setAsideFindings({ context: { disk, layout } }: WithJournal): Finding[] {
  const quarantine = layout.sharedFolder("quarantine");
  return (disk.lstat(quarantine)?.kind === "folder" ? listFolder(disk, quarantine) : [])
    .filter((name) => name.startsWith("txn-"))
    .map((name) =>
      note(
        wholeFile(
          "TXN_SET_ASIDE",
          `.coco/registry/quarantine/${name}`,
          "A transaction was accepted, and what it builds on was taken away before it was finished; its lines are kept here.",
        ),
      ),
    );
}
