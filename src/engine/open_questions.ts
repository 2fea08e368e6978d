/** What resolve leaves to people: fields that two of them wrote, steps that a merge moved, ids that are others now. */
import { isTaskfoldError } from "../errors.ts";
import { isAway } from "../state/archive.ts";
import { compareIds } from "../state/compare_ids.ts";
import type { Conflict, Ref } from "../state/entity.ts";
import { fieldLabel, liveConflicts, liveMoved } from "../state/live.ts";
import type { EngineParts } from "./parts.ts";
import { relativeFolder } from "./entity_on_disk.ts";
import type { Finding } from "./finding.ts";
import { note, wholeFile } from "./finding.ts";
import type { Handle } from "./handle.ts";

export interface OpenQuestions {
  /** Fields that two people wrote without seeing each other's: somebody has to decide. */
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

/** What only people can decide, of live entities. @internal */
export function openQuestions(
  engine: EngineParts,
  ids: Set<string> | undefined,
): OpenQuestions & { renamed: Finding[] } {
  const renamed: Finding[] = [];
  const conflicts: OpenQuestions["conflicts"] = [];
  const moved: OpenQuestions["moved"] = [];
  for (const name of engine.store.ids().toSorted(compareIds)) {
    if (ids && !ids.has(name)) continue;
    const handle = engine.store.find(name);
    // Anything but a file is verify's to report.
    if (handle && engine.world.disk.lstat(handle.log.path)?.kind !== "file") continue;
    if (!handle || !isReadable(handle) || !handle.entity || isAway(handle.entity)) continue;
    for (const { field, values } of liveConflicts(handle.entity))
      conflicts.push({ id: name, field, label: fieldLabel(handle.entity, field), values });
    for (const there of liveMoved(handle.entity)) moved.push({ id: name, steps: there.map((one) => one.id) });
    const { parent, depends_on } = handle.entity;
    for (const ref of [...(parent ? [parent] : []), ...depends_on]) {
      const id = engine.entities.idOf(ref);
      if (id !== ref.id) renamed.push(renamedFinding(name, ref, id));
    }
  }
  return { conflicts, moved, renamed };
}

/** A log above a limit of reading is verify's to report, too. */
function isReadable(handle: Handle): boolean {
  try {
    return handle.catchUp();
  } catch (e) {
    if (!isTaskfoldError(e) || e.code !== "LOG_UNREADABLE") throw e;
    return false;
  }
}

/** Rules and replies follow the root by themselves; only the files show the id that was written. */
function renamedFinding(name: string, ref: Ref, id: string): Finding {
  const file = relativeFolder({ id: name, part: "tasks" });
  return note(
    wholeFile("REFERENCE_RENAMED", file, `What it names as ${ref.id} is ${id} now; its files show ${ref.id}.`),
  );
}
