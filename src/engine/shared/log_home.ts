/** The log that has a plan or task: its folder may lie in the archive, and may have another name than its messages say. */
import { pointerError, pointersIn } from "../entity/no_entity.ts";
import { errnoOf, unlessRefused } from "../../files/storage_error.ts";
import { namesOf } from "../../log/repair.ts";
import type { EntityLocation } from "../entity/entity_on_disk.ts";
import { PARTS } from "../entity/entity_on_disk.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import type { Store } from "../entity/store.ts";
import type { SharedPart } from "./message_codec.ts";

interface Stores {
  readonly store: Store;
}

/** A plan or task where its log is: another process of this machine may have put the folder into the archive, or brought it back. */
export function presentIn({ store }: Stores, id: string): LoadedEntity | undefined {
  for (const part of PARTS) {
    const loaded = loadedAt(store, { id, part });
    if (loaded?.catchUp()) return loaded;
  }
  return undefined;
}

export function loadedAt(store: Store, { id, part }: EntityLocation): LoadedEntity | undefined {
  return part === "tasks" ? store.find(id) : store.findArchived(id);
}

/** Syncs the log of a plan or task. A descriptor that only the sync needs is closed again. */
export function syncLog(from: Stores, id: string): void {
  const log = presentIn(from, id)?.log;
  if (!log) return;
  const { isOpen } = log;
  try {
    log.syncNow();
  } finally {
    if (!isOpen) log.close();
  }
}

/** Why a log that may be the one of the part cannot be read. */
export function faultOf({ store }: Stores, part: SharedPart): Error | undefined {
  try {
    for (const name of namesOf(part))
      for (const loaded of [store.find(name), store.findArchived(name)])
        // The state in memory may be older than the fault.
        if (loaded?.catchUp()) {
          const found = pointersIn(loaded.report);
          if (found.pointers > 0) return pointerError(loaded, found);
          loaded.log.withSource(() => undefined);
        }
    return undefined;
  } catch (e) {
    if (errnoOf(e) === undefined) throw e;
    return e as Error;
  }
}

/** Another entity that has the folder's name. */
export function namesakeOf({ store }: Stores, { id }: SharedPart): EntityLocation | undefined {
  if (rootIn(store.find(id)) !== undefined) return { id, part: "tasks" };
  return rootIn(store.findArchived(id)) === undefined ? undefined : { id, part: "archive" };
}

/** The folder that has the entity: its name may have got a suffix since (RESOLVE-3). */
export function homeOf({ store }: Stores, part: Pick<SharedPart, "id" | "root">): EntityLocation | undefined {
  const { root } = part;
  return namesOf(part)
    .flatMap((name) => PARTS.map((place): EntityLocation => ({ id: name, part: place })))
    .find((place) => rootIn(loadedAt(store, place)) === root);
}

export function rootIn(loaded: LoadedEntity | undefined): string | undefined {
  return unlessRefused(() => (loaded?.catchUp() ? loaded.report.roots[0]?.hash : undefined));
}
