/** May this engine append to this log, and fold its files? And what a reader should know of it (LOG rules). */
import type { FileStat } from "../../disk.ts";
import type { Warning } from "../../errors.ts";
import { TaskfoldError } from "../../errors.ts";
import { remedy, toolName, TASKFOLD } from "../../remedy.ts";
import type { Entity } from "../../state/entity.ts";
import type { LoadedEntity } from "./loaded_entity.ts";
import type { LogReport } from "../../log/report.ts";
import { noEntity, pointerError, pointerMessage, pointersIn } from "./no_entity.ts";
import { counted } from "../../state/counted.ts";
import { refuseTwoFolders } from "./two_folders.ts";

/** Refuses a write to a log that is not whole, not ours to write, or newer than this release. Its entity may have no second folder. */
export function refuseUnwritable(loaded: LoadedEntity, live?: FileStat): void {
  refuseUnreadable(loaded);
  refuseTwoFolders(loaded, live);
}

/** The same for a change that was accepted before: it goes on in either of two folders, and joining them keeps it. */
export function refuseUnreadable(loaded: LoadedEntity): void {
  refuseDisorder(loaded);
  if (loaded.entity) return;
  throw noEntity(loaded, loaded.report);
}

/** Refuses a log that is not whole or newer than this release, whichever program wrote its lines. */
export function refuseDisorder(loaded: LoadedEntity): void {
  const { report, id } = loaded;
  const found = pointersIn(report);
  if (found.pointers > 0) throw pointerError(loaded, found);
  const resolve = remedy`${TASKFOLD} resolve ${id}`;
  if (report.markers > 0) {
    throw new TaskfoldError(
      "LOG_CONFLICT_MARKERS",
      `Expected a log without conflict markers, found ${counted(report.markers, "line")} of them in ${id}.`,
      remedy`Run ${resolve}: it keeps the lines of all sides.`,
    );
  }
  if (report.roots.length > 1) {
    throw new TaskfoldError(
      "LOG_TWO_ROOTS",
      `Expected one entity in the log of ${id}, found ${report.roots.length}: two branches made the same id.`,
      {
        ...remedy`Run ${resolve}: the later one moves to a folder of its own.`,
        details: { roots: report.roots.map((r) => r.hash) },
      },
    );
  }
  if (report.held > 0) {
    throw new TaskfoldError(
      "LOG_INCOMPLETE",
      `Expected every line that others build on, found ${counted(report.held, "change")} of ${id} waiting for ${counted(report.missing.length, "missing line")}.`,
      {
        ...remedy`Run ${resolve}: it looks for the lines in other logs and in git. If they are nowhere, ${resolve} --accept-gap declares them lost.`,
        details: { missing: report.missing.slice(0, 20) },
      },
    );
  }
  if (report.newer) {
    throw new TaskfoldError(
      "LOG_NEWER_VERSION",
      `Expected events this release knows, found ${report.unknownTypes.join(", ") || "a newer version"} in ${id}.`,
      {
        recovery: "Use the release that wrote them; this one only reads this entity.",
      },
    );
  }
}

/** A deleted entity answers to nothing, wherever its folder is. */
export function refuseDeleted(entity: Entity, id: string): void {
  if (!entity.deleted) return;
  throw new TaskfoldError("UNKNOWN_ID", `Expected a live plan or task; ${id} was deleted.`, {
    ...remedy`${toolName("tasks_context")} lists the ids that are there.`,
    details: { id },
  });
}

/** One that was put away can be read and brought back, and takes no other change. */
export function refuseAway(entity: Entity, id: string, workspace: string): void {
  refuseDeleted(entity, id);
  if (entity.archived) throw archivedError(entity, id, workspace);
}

/** The refusal of a change to what was put away, or lies in the archive still; it can come back. */
export function archivedError({ packet }: Entity, id: string, workspace: string): TaskfoldError {
  const tool = packet ? "packet_restore" : "tasks_restore";
  const reason = "bring it back from the archive";
  return new TaskfoldError("ARCHIVED", `Expected a live plan or task; ${id} is in the archive, to be read only.`, {
    ...remedy`${TASKFOLD} restore ${id} brings it back.`,
    suggestions: [{ tool, args: { workspace, task: id }, reason }],
    details: { id },
  });
}

/** The warning that a reader of an archived entity gets. */
export function archivedWarnings(entity: Entity, id: string): Warning[] {
  if (!entity.archived) return [];
  return [{ code: "ARCHIVED", message: `${id} is in the archive.`, ...remedy`${TASKFOLD} restore ${id}` }];
}

/** The warnings that a reader gets for lines without effect. */
export function logWarnings({ report, id }: Pick<LoadedEntity, "report" | "id">): Warning[] {
  const warnings: Warning[] = [];
  const recovery = remedy`${TASKFOLD} resolve ${id}`;
  const found = pointersIn(report);
  if (found.pointers > 0)
    warnings.push({
      code: "LOG_LFS_POINTER",
      message: pointerMessage(id, found),
      ...remedy`${TASKFOLD} verify ${id} says how to get its events back.`,
    });
  if (report.markers > 0)
    warnings.push({
      code: "LOG_CONFLICT_MARKERS",
      message: `${counted(report.markers, "line")} of conflict markers in the log; the lines of all sides are read.`,
      ...recovery,
    });
  if (report.roots.length > 1)
    warnings.push({
      code: "LOG_TWO_ROOTS",
      message: `The log holds ${report.roots.length} entities; only the first is shown.`,
      ...recovery,
    });
  if (report.held > 0) {
    warnings.push({
      code: "LOG_INCOMPLETE",
      message: `${counted(report.held, "later change waits", "later changes wait")} for ${counted(report.missing.length, "missing line")}; no answer shows them.`,
      ...recovery,
    });
  }
  if (report.newer) {
    const what = report.unknownTypes.length > 0 ? report.unknownTypes.join(", ") : "events of a newer version";
    warnings.push({
      code: "LOG_NEWER_VERSION",
      message: `This release does not know ${what}; they have no effect here.`,
    });
  }
  const damaged = report.problems.filter((p) => DAMAGE.has(p.code)).length + (report.torn ? 1 : 0);
  if (damaged > 0) {
    warnings.push({
      code: "LOG_DAMAGED",
      message: `The log has ${counted(damaged, "line")} that could not be read; such lines have no effect.`,
      ...remedy`${TASKFOLD} verify ${id}`,
    });
  }
  return warnings;
}

const DAMAGE: ReadonlySet<string> = new Set(["LINE_TOO_LONG", "LINE_NOT_JSON", "LINE_INVALID", "LINE_BAD_HASH"]);

/** While lines are missing or a newer release writes the log, its files are not folded anew (VERIFY-9). @internal */
export function mayProject(report: LogReport): boolean {
  return report.held === 0 && !report.newer;
}
