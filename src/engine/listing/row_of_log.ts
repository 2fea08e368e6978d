/** The row of an entity whose log was read, and which of its keys chose it. */
import type { Warning, WarningCode } from "../../errors.ts";
import { sha256 } from "../../log/canonical.ts";
import type { LogReport } from "../../log/report.ts";
import type { Op } from "../../log/types.ts";
import { isArchivedOrDeleted } from "../../state/archive.ts";
import { hasEnded } from "../../state/ended.ts";
import { stepStanding } from "../../state/step_standing.ts";
import type { Subject } from "../../state/entity.ts";
import { freeFrom, listedOf } from "../../state/listed.ts";
import type { Listed, ListedLog } from "../../state/listed.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import type { KeyUse } from "../entity/snapshot.ts";

export function rowOfLoaded(loaded: LoadedEntity, subject: Subject, warnings: readonly Warning[]): Listed {
  return rowOf({ report: loaded.report, keys: loaded.keys, subject }, warnings);
}

export function rowOf(
  { subject, ...log }: { report: LogReport; keys: ReadonlyMap<string, KeyUse>; subject: Subject },
  warnings: readonly Warning[],
): Listed {
  const isOpen = subject.entity.kind === "task" && !hasEnded(subject.entity) && !isArchivedOrDeleted(subject.entity);
  const step_standing = isOpen ? stepStanding(subject.entity) : undefined;
  const row = { ...listedOf(subject), ...listedLog(subject, log), step_standing };
  const log_warnings = [...new Set(warnings.map(({ code }) => code))].filter(isOfLog);
  return log_warnings.length === 0 ? row : { ...row, log_warnings };
}

/** The log of an entity does not tell of another folder: a list knows of that by its other rows. */
function isOfLog(code: WarningCode): boolean {
  return code !== "LOG_TWO_FOLDERS";
}

function listedLog(
  { entity, head }: Subject,
  { report, keys }: { report: LogReport; keys: ReadonlyMap<string, KeyUse> },
): ListedLog {
  return {
    began: report.roots.length === 1 ? Date.parse(report.roots[0]!.ts) : undefined,
    events: report.linear ? report.seq : report.events,
    head,
    free_from: freeFrom(entity),
    chosen_by: [...keys].flatMap(([key, { tool }]) => (CHOOSERS.has(tool) ? [keyDigest(key)] : [])),
  };
}

/** As `chosen_by` has a key. */
export function keyDigest(key: string): string {
  return sha256(key).slice(0, 8);
}

/** Tools whose calls choose entities themselves: a repeated one goes where the first went. Named, so that a reader loads no other tool. */
export const CHOOSERS: ReadonlySet<string> = new Set(["tasks_archive", "tasks_claim_next"]);

/** Of two uses of a key the first counts. */
export function noteKey(keys: Map<string, KeyUse>, op: Op): void {
  const { key, req, tool } = op.events[0]!.op;
  if (key !== undefined && req !== undefined && !keys.has(key)) keys.set(key, { op: op.hash, tool, req });
}
