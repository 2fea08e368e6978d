/**
 * Step 3 of `tasks_delta`: what happened in one entity or in all, archived ones too, since a cursor. An entity with nothing
 * new costs its catch-up; a straight log is read from where the reader left it. Takes no lock, and writes nothing but
 * the cursor that the answer gives out.
 */
import { isTaskfoldError, TaskfoldError } from "../../errors.ts";
import type { Warning } from "../../errors.ts";
import { errnoOf, storageError } from "../../files/storage_error.ts";
import { headDigest } from "../../log/canonical.ts";
import { compareIds } from "../../state/compare_ids.ts";
import { FOREIGN_ROOT } from "../../state/foreign_entity.ts";
import type { Listed } from "../../state/listed.ts";
import { firstOf } from "../../views/first_of.ts";
import type { PrintedEvent } from "../../events/printed_event.ts";
import type { DeltaPage, DeltaQuery } from "../../views/delta.ts";
import { byTime, inPlace } from "../entity/by_time.ts";
import type { Placed } from "../entity/by_time.ts";
import { cursorOf, Cursors, isToken } from "./cursors.ts";
import type { Cursor, SeenLogs } from "./cursors.ts";
import { checkKind } from "../entities/entities.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import type { Listing } from "../listing/listing.ts";
import { NOTHING_SEEN, readCursor, writeCursor } from "../core/log_cursor.ts";
import { readWarnings, readWarningsOf } from "../entity/read_warnings.ts";
import { printWhole } from "../entity/reply.ts";
import type { Store } from "../entity/store.ts";
import { behindPlace, isPlace } from "./place.ts";
import { findEntity } from "../entities/target.ts";
import type { Wanted } from "../entities/target.ts";
import type { SeenLog, OpsSince } from "../entity/ops_since.ts";
import { opsSinceOf } from "../entity/ops_since.ts";
import type { EngineContext } from "../core/context.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

/** A page of ops, before it is printed. */
interface NextOps {
  page: Placed[];
  /** Events after what was seen, those behind the page included. */
  events: number;
  /** Returns what has been seen with the first `count` ops of the page, and so many events of the next. */
  after: (count: number, some: number) => SeenLogs;
  warnings: Warning[];
  /** One for each entity whose log was read. */
  entities: readonly LoadedEntity[];
}

/** The readers of logs and lists. */
export interface Readers {
  store: Store;
  listing: Listing;
}

/** Reads for one call. */
export class Delta {
  readonly #context: EngineContext;
  readonly #store: Store;
  readonly #listing: Listing;
  readonly #cursors: Cursors;
  readonly #workspace: string;
  /** `as_of` of the rows that this call went by. */
  readonly looked: (number | undefined)[] = [];
  /** Lists behind the tokens that this call may give out. */
  readonly #offered = new Map<string, Cursor>();

  constructor(context: EngineContext, { store, listing }: Readers, workspace: string) {
    this.#context = context;
    this.#store = store;
    this.#listing = listing;
    this.#cursors = new Cursors(context);
    this.#workspace = workspace;
  }

  /** A page over all entities, or over the one wanted. INVALID_INPUT or CURSOR_EXPIRED when `since` is no place to go on from. */
  page({ since, limit }: DeltaQuery, wanted: Wanted | undefined): DeltaPage {
    return wanted ? this.#ofOne(since, limit, wanted) : this.#ofAll(since, limit);
  }

  /** Keeps the list behind the cursor that the answer gives; cursors that say all themselves need none. */
  keep(cursor: unknown): void {
    const offered = typeof cursor === "string" ? this.#offered.get(cursor) : undefined;
    if (offered) this.#cursors.keep(offered);
  }

  #ofOne(since: string | undefined, limit: number, wanted: Wanted): DeltaPage {
    const entities = this.#find(wanted);
    const [loaded] = entities;
    if (!loaded) return { ops: [], events: 0, cursor: () => writeCursor(NOTHING_SEEN), warnings: [] };
    const root = rootOf(loaded);
    const folders = [loaded, ...entities.slice(1)] as const;
    const opsSince = opsSinceOf(folders, this.#seenOfOne(since, root, folders), limit);
    const page = pageOf(inPlace(root, loaded, opsSince), limit);
    const cursor = (count: number, some: number): string => {
      const after = opsSince.after(count, some);
      // Several heads have no bound, and a place inside an op is for answers that have to be short.
      if (after.heads.length > 1 || after.part) return this.#offer(new Map([[root, after]]));
      return writeCursor({ ...after, part: {} });
    };
    const warnings = readWarnings(this.#context.disk, loaded);
    return { ops: page.map(printed), events: opsSince.events, cursor, warnings };
  }

  #seenOfOne(since: string | undefined, root: string, folders: readonly [LoadedEntity, ...LoadedEntity[]]): SeenLog {
    if (since === undefined) return { heads: [] };
    if (isPlace(since)) {
      const { ops, after } = opsSinceOf(folders, { heads: [] }, Infinity);
      return after(...behindPlace(ops, since));
    }
    if (isToken(since)) return this.#cursors.read(since).get(root) ?? { heads: [] };
    const { part, ...seen } = readCursor(since);
    return Object.keys(part).length === 0 ? seen : { ...seen, part };
  }

  #ofAll(since: string | undefined, limit: number): DeltaPage {
    const seen = since === undefined ? new Map() : this.seenBy(since);
    const { page, events, after, warnings, entities } = this.next(seen, limit);
    return {
      ops: page.map(printed),
      events,
      cursor: (count, some) => this.#offer(after(count, some)),
      warnings: [...warnings, ...readWarningsOf(this.#context.disk, entities)],
    };
  }

  /**
   * Returns the logs that the reader with this cursor has seen. INVALID_INPUT or CURSOR_EXPIRED when that cannot be
   * known.
   */
  seenBy(cursor: string): SeenLogs {
    if (!isPlace(cursor)) return this.#cursors.read(checkToken(cursor));
    const { page, after } = this.next(new Map(), Infinity);
    return after(
      ...behindPlace(
        page.map(({ op }) => op),
        cursor,
      ),
    );
  }

  /** The ops of all entities that come after what was seen, as far as they fit on a page. */
  next(seen: SeenLogs, limit: number): NextOps {
    const warnings: Warning[] = [];
    const news = new Map<string, OpsSince>();
    const read: LoadedEntity[] = [];
    const first: Placed[] = [];
    let events = 0;
    const ingest = (root: string, entities: readonly [LoadedEntity, ...LoadedEntity[]]): void => {
      const [loaded] = entities;
      const opsSince = readable(loaded, warnings, () => opsSinceOf(entities, seen.get(root) ?? { heads: [] }, limit));
      if (!opsSince) return;
      read.push(loaded);
      news.set(root, opsSince);
      events += opsSince.events;
      first.push(...inPlace(root, loaded, opsSince));
      // Many entities and a short page: what cannot be on it is let go.
      if (first.length > 8 * limit) first.sort(byTime).splice(limit);
    };
    const unopened: Folder[] = [];
    for (const folders of this.#entities(warnings)) {
      const [folder] = folders;
      const { root, events: eventCount } = folder.row;
      if (folders.length > 1 || eventCount === undefined || !answersDelta(folder.row))
        this.#open(folders, warnings, ingest);
      else if (!seen.has(root)) {
        events += eventCount;
        unopened.push(folder);
      } else if (!hasSeen(seen.get(root)!, folder.row)) this.#open(folders, warnings, ingest);
    }
    // Of logs that nothing was seen of the page shows those that began first.
    for (const folder of firstOf(unopened, limit, byBeginning)) {
      events -= folder.row.events!;
      this.#open([folder], warnings, ingest);
    }
    const page = pageOf(first.sort(byTime), limit);
    const after = (count: number, some: number): SeenLogs => seenAfter(seen, news, page, count, some);
    return { page, events, after, warnings, entities: read };
  }

  /** The folders of each entity, live ones first. Until `resolve` joins them, git may have left one in two. */
  *#entities(warnings: Warning[]): Generator<readonly [Folder, ...Folder[]]> {
    const listing = this.#listing;
    const duplicates = new Map<string, [Folder, ...Folder[]]>();
    // Both before the first row: an entity may be in either.
    const parts = { tasks: listing.rows(this.#workspace), archive: listing.archived(this.#workspace) };
    for (const part of ["tasks", "archive"] as const) {
      const listed = parts[part];
      this.looked.push(listed.as_of);
      warnings.push(...listed.warnings);
      for (const one of listed.rows) {
        const row = listing.whole(part, one, this.#workspace);
        if (!row) warnings.push(...listing.warningsOf(part, one.id));
        if (!row || row.root.startsWith(FOREIGN_ROOT)) continue;
        const folder: Folder = { part, row };
        if (listing.duplicateRoots.size === 0 || !listing.duplicateRoots.has(row.root)) yield [folder];
        else if (duplicates.get(row.root)?.push(folder) === undefined) duplicates.set(row.root, [folder]);
      }
    }
    yield* duplicates.values();
  }

  #open(
    folders: readonly [Folder, ...Folder[]],
    warnings: Warning[],
    ingest: (root: string, entities: readonly [LoadedEntity, ...LoadedEntity[]]) => void,
  ): void {
    const { root } = folders[0].row;
    const entities = folders
      .map(({ part, row: { id } }) => (part === "tasks" ? this.#store.find(id) : this.#store.findArchived(id)))
      .filter(
        (loaded) => loaded && readable(loaded, warnings, () => loaded.catchUp() && rootOf(loaded) === root) === true,
      );
    const [loaded, ...others] = entities as LoadedEntity[];
    if (loaded) ingest(root, [loaded, ...others]);
  }

  /** The folders of the entity wanted, live one first; none when another program made it and there is no log of ours. */
  #find(wanted: Wanted): LoadedEntity[] {
    const archived = this.#store.findArchived(wanted.id);
    const loaded = this.#store.find(wanted.id) ?? archived ?? findEntity(this.#store, this.#workspace, wanted.id);
    if (!loaded.catchUp() || rootOf(loaded) === "") return [];
    if (loaded.entity) checkKind(wanted, loaded.entity, loaded.id);
    const isTwin = archived && archived !== loaded && archived.catchUp() && rootOf(archived) === rootOf(loaded);
    return isTwin ? [loaded, archived] : [loaded];
  }

  #offer(seen: SeenLogs): string {
    const cursor = cursorOf(seen);
    this.#offered.set(cursor.token, cursor);
    return cursor.token;
  }
}

/** Undefined for a log that cannot be read: it is left out with a warning, and stays unseen. */
function readable<T>(loaded: LoadedEntity, warnings: Warning[], read: () => T): T | undefined {
  try {
    return read();
  } catch (e) {
    const isDisk = isTaskfoldError(e) ? e.code !== "CURSOR_EXPIRED" && e.code !== "INTERNAL" : errnoOf(e) !== undefined;
    if (!isDisk) throw e;
    const message = `${loaded.id} is left out: ${storageError(e, `read ${loaded.id}`).message}`;
    warnings.push({ code: "LOG_DAMAGED", message, ...remedy`${TASKFOLD} verify ${loaded.id}` });
    return undefined;
  }
}

/** Whole ops while they have no more than `limit` events; the first op whatever it has. */
function pageOf(placed: readonly Placed[], limit: number): Placed[] {
  let events = 0;
  const end = placed.findIndex(({ op }, i) => {
    events += op.events.length;
    return i > 0 && events > limit;
  });
  return end < 0 ? [...placed] : placed.slice(0, end);
}

export function printed({ loaded, op }: Placed): PrintedEvent[] {
  return op.events.map((event) => printWhole(event, loaded.id));
}

/**
 * Returns the logs that were seen before, and of each entity on the page as far as `cursor(count, some)` goes. Entities
 * not there now are not forgotten.
 */
function seenAfter(
  seen: SeenLogs,
  news: ReadonlyMap<string, OpsSince>,
  page: readonly Placed[],
  count: number,
  some: number,
): SeenLogs {
  const counts = new Map<string, number>();
  for (const { root } of page.slice(0, count)) counts.set(root, (counts.get(root) ?? 0) + 1);
  const cut = some > 0 ? page[count]?.root : undefined;
  if (cut !== undefined && !counts.has(cut)) counts.set(cut, 0);
  const after = new Map(seen);
  for (const [root, whole] of counts) after.set(root, news.get(root)!.after(whole, root === cut ? some : 0));
  return after;
}

/** Where a log lies, and what a list says of it. */
interface Folder {
  part: "tasks" | "archive";
  row: Listed;
}

/** Whether the row says of the log what a delta asks, and every read of it has nothing to warn of. */
function answersDelta({ began, log_warnings }: Listed): boolean {
  return began !== undefined && log_warnings === undefined;
}

function hasSeen({ heads, part }: SeenLog, { head }: Listed): boolean {
  return !part && headDigest([...heads]) === head;
}

/** As `byTime` orders their first ops. */
function byBeginning({ row: a }: Folder, { row: b }: Folder): number {
  return a.began! - b.began! || compareIds(a.id, b.id) || (a.root < b.root ? -1 : 1);
}

function rootOf(loaded: LoadedEntity): string {
  return loaded.report.roots[0]?.hash ?? "";
}

function checkToken(text: string): string {
  if (isToken(text)) return text;
  throw new TaskfoldError(
    "INVALID_INPUT",
    `Expected a cursor that tasks_delta gave for the whole workspace, or the id of an event, found ${JSON.stringify(text.slice(0, 60))}.`,
    { recovery: "Give the cursor of an earlier page as it was, with the same target, or leave it out." },
  );
}
