/**
 * The questions that `resolve` leaves to people: fields that two of them wrote, steps that a merge moved, ids that are others now.
 */
import { isTaskfoldError } from "../../errors.ts";
import { isKeptFrom } from "../../files/storage_error.ts";
import { isArchivedOrDeleted } from "../../state/archive.ts";
import { compareIds } from "../../state/compare_ids.ts";
import type { Conflict, Ref } from "../../state/entity.ts";
import { fieldLabel, liveConflicts, liveMoved } from "../../state/live.ts";
import type { Finding } from "../core/finding.ts";
import { note, wholeFile } from "../core/finding.ts";
import { relativeFolder } from "../entity/entity_on_disk.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import type { EngineParts } from "../parts.ts";

export interface OpenQuestions {
  /** Fields that two people wrote without seeing each other's: a person has to decide. */
  conflicts: {
    id: string;
    field: string;
    /** The field in the words of radar and README, such as `taskdoc.tsk/goals.md`. */
    label: string;
    values: Conflict["values"];
  }[];
  /** Steps whose paths a merge moved. */
  moved: { id: string; steps: string[] }[];
}

/** Returns the questions that only people can decide, of live entities. @internal */
export function openQuestions(
  engine: EngineParts,
  ids: Set<string> | undefined,
): OpenQuestions & { renamed: Finding[] } {
  const renamed: Finding[] = [];
  const conflicts: OpenQuestions["conflicts"] = [];
  const moved: OpenQuestions["moved"] = [];
  for (const name of engine.store.ids().toSorted(compareIds)) {
    if (ids && !ids.has(name)) continue;
    const loaded = engine.store.find(name);
    // Anything but a file is verify's to report.
    if (loaded && engine.context.disk.lstat(loaded.folder)?.kind !== "folder") continue;
    if (!loaded || !isReadable(engine, loaded) || !loaded.entity || isArchivedOrDeleted(loaded.entity)) continue;
    for (const { field, values } of liveConflicts(loaded.entity))
      conflicts.push({ id: name, field, label: fieldLabel(loaded.entity, field), values });
    for (const there of liveMoved(loaded.entity)) moved.push({ id: name, steps: there.map((one) => one.id) });
    const { parent, depends_on } = loaded.entity;
    for (const ref of [...(parent ? [parent] : []), ...depends_on]) {
      const id = engine.entities.idOf(ref);
      if (id !== ref.id) renamed.push(renamedFinding(name, ref, id));
    }
  }
  return { conflicts, moved, renamed };
}

/** A log above a limit of reading is verify's to report, too. */
function isReadable({ context: { disk } }: EngineParts, loaded: LoadedEntity): boolean {
  try {
    return disk.lstat(loaded.log.path)?.kind === "file" && loaded.catchUp();
  } catch (e) {
    if (isKeptFrom(e)) return false;
    if (!isTaskfoldError(e) || e.code !== "LOG_UNREADABLE") throw e;
    return false;
  }
}

/** Rules and replies follow the root by themselves; only the files show the id that was written. */
function renamedFinding(name: string, ref: Ref, id: string): Finding {
  const file = relativeFolder({ id: name, part: "tasks" });
  return note(wholeFile("REFERENCE_RENAMED", file, `Its reference ${ref.id} is ${id} now; its files show ${ref.id}.`));
}
