/** The entities that a sweep of the archive looks at (ARCHIVE-5). */
import type { Retention } from "../../rules/retention.ts";
import { isArchivedOrDeleted } from "../../state/archive.ts";
import { foreignFolder } from "../entities/entities.ts";
import type { Caller } from "../entity/job.ts";
import { packetHolder } from "../entity/packet_holder.ts";
import type { ReadModel } from "../entities/read_model.ts";
import { refuseUnwritable } from "../entity/writable.ts";
import { isoTime } from "../core/context.ts";
import { join } from "node:path";
import { isKnownType } from "../../events/index.ts";
import { readRegular } from "../../files/atomic.ts";
import { TASK_FILE } from "../../files/layout.ts";
import { readOps } from "../../log/read_ops.ts";
import type { Op } from "../../log/types.ts";
import { projectionsOf } from "../../projections/index.ts";
import type { Differing } from "../projection/drift.ts";
import { driftOf } from "../projection/drift.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import { leftSections, packageViolations } from "../projection/taskdoc_package.ts";
import type { EngineContext } from "../core/context.ts";
import type { TaskdocViolation } from "../../views/taskdoc.ts";

export function retentionOf(
  { context, store, entities, listing }: ReadModel,
  { workspace, caller }: { workspace: string; caller: Caller },
): Retention {
  const now = isoTime(context.now());
  return {
    now,
    inSeconds: (seconds) => new Date(Date.parse(now) + seconds * 1000).toISOString(),
    by: caller.by,
    rows: () => listing.rows(workspace).rows,
    find: (ref) => entities.subjectOf(ref, workspace),
    open: (id) => {
      const { loaded, subject, foreign } = entities.find(workspace, { id, from: "input" });
      if (isArchivedOrDeleted(subject.entity)) return subject;
      if (foreign) throw foreignFolder(loaded.id);
      refuseUnwritable(loaded);
      return subject;
    },
    dispatcher: (id) => packetHolder(context, id),
    edited: (id) => {
      const loaded = store.find(id);
      return loaded ? handEdits(context, loaded, workspace) : [];
    },
  };
}

/**
 * Files of an entity that a hand changed and that its log does not have: moving them away would hide them (ARCHIVE-7).
 * Returns their names in the folder. People's own files are not among them: the next write reads those in.
 */
function handEdits({ disk }: EngineContext, loaded: LoadedEntity, workspace: string): string[] {
  const differing: Differing[] = [];
  for (const [name, text] of projectionsOf(loaded.subject(workspace))) {
    const found = readRegular(disk, join(loaded.folder, name));
    if (found && !found.equals(Buffer.from(text))) differing.push({ name, found, text });
  }
  const taskYaml = readRegular(disk, join(loaded.folder, TASK_FILE))?.toString("utf8");
  const changed = driftOf(disk, loaded, workspace, differing, taskYaml).changed.map(({ name }) => name);
  const { taskdoc } = loaded.entity!;
  const inTheWay = packageViolations(disk, loaded.folder, taskdoc).filter(({ kind }) => !FOLDED_ANEW.has(kind));
  const left = leftSections(disk, loaded.folder, taskdoc, () => opsOf(loaded));
  return [...new Set([...changed, ...inTheWay.map(({ path }) => path)])].filter((path) => !left.includes(path));
}

/** Another process may be about to write such a file. An edit of a text is found above. */
const FOLDED_ANEW: ReadonlySet<TaskdocViolation["kind"]> = new Set(["missing", "differs"]);

function opsOf({ log }: LoadedEntity): Op[] {
  return log.withSource((source) => readOps(source, { isKnownType }).ops);
}
