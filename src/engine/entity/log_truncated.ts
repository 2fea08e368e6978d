/**
 * A log that lost its last lines is whole in itself; only the task.yaml that was folded from it names more (VERIFY-41). The next write
 * notes that in the log, and the note stands until the lines are back or a person accepts the loss (VERIFY-42).
 */
import { join } from "node:path";
import type { Disk } from "../../disk.ts";
import type { Warning } from "../../errors.ts";
import { logGap } from "../../events/log.gap.ts";
import { readRegular } from "../../files/atomic.ts";
import { TASK_FILE } from "../../files/layout.ts";
import { headDigest } from "../../log/canonical.ts";
import { MAX_HELD } from "../../log/limits.ts";
import { readOps } from "../../log/read_ops.ts";
import type { LogReport } from "../../log/report.ts";
import { bytesSource } from "../../log/source.ts";
import type { Op } from "../../log/types.ts";
import type { Entity, LostEnd } from "../../state/entity.ts";
import { systemOp } from "./system_op.ts";
import type { Finding } from "../core/finding.ts";
import { headNamed } from "../core/task_yaml_marks.ts";
import { wholeFile } from "../core/finding.ts";
import type { LoadedEntity } from "./loaded_entity.ts";
import type { Job } from "./job.ts";
import { counted } from "../../state/counted.ts";
import type { EngineContext } from "../core/context.ts";
import { wentBack } from "./went_back.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";
import type { Remedy } from "../../remedy.ts";

/** A log as it was read, and its ops for readers of each. */
interface LogRead {
  entity: Entity;
  report: LogReport;
  ops: () => readonly Op[];
}

const NONE: readonly LostEnd[] = [];

export type ShorterContext = Pick<EngineContext, "disk" | "marks" | "git">;

/** Ends that are missing and not accepted: what was noted, and what `taskYaml` (as it was found, by a renderer of ours) names. */
export function lostEnds(log: LogRead, taskYaml: string | undefined): readonly LostEnd[] {
  const { entity, report } = log;
  const ends = entity.lost_ends.filter(({ accepted }) => !accepted);
  const named = isAhead(log, taskYaml) ? endNamed(taskYaml) : null;
  if (named && !entity.lost_ends.some(({ head }) => head === named.head)) {
    const { head, revision } = named;
    const found = { found: headDigest(report.heads), found_revision: report.ops };
    ends.push({ head, revision, ...found, accepted: false });
  }
  if (ends.length === 0) return NONE;
  const there = headsOf(log.ops(), report);
  return ends.filter(({ head }) => !there.has(head));
}

/** While lines are missing in the middle, that says what is missing. */
function isAhead({ entity, report }: Omit<LogRead, "ops">, taskYaml: string | undefined): boolean {
  const named = endNamed(taskYaml);
  return named !== null && named.root === entity.root && report.held === 0 && named.revision > report.ops;
}

/** Digests of all heads that the log ever had, as far as its ops tell. */
function headsOf(ops: readonly Op[], report: LogReport): Set<string> {
  const digests = new Set([headDigest(report.heads)]);
  for (const { last, events } of ops) {
    const { prev } = events[0]!;
    digests.add(headDigest([last]));
    if (prev.length > 1) digests.add(headDigest(prev));
  }
  return digests;
}

/** Of which entity the file was folded, at how many changes, and at which head. */
function endNamed(taskYaml = ""): { root: string; revision: number; head: string } | null {
  const root = /^root: "([A-Za-z0-9_-]{43})"$/m.exec(taskYaml)?.[1];
  const revision = /^revision: (\d{1,9})$/m.exec(taskYaml)?.[1];
  const head = headNamed(taskYaml);
  return root && revision && head ? { root, revision: Number(revision), head } : null;
}

/** `log`: its path relative to the root. */
export function shorterFindings(log: string, ends: readonly LostEnd[]): Finding[] {
  const id = log.split("/").at(-2) ?? "";
  return ends.map((end) => wholeFile("LOG_TRUNCATED", log, messageOf(end), recoveryOf(id)));
}

export function shorterWarnings({ id }: Pick<LoadedEntity, "id">, ends: readonly LostEnd[]): Warning[] {
  return ends.map((end) => ({ code: "LOG_TRUNCATED", message: messageOf(end), ...recoveryOf(id) }));
}

function messageOf({ head, revision, found, found_revision: ops }: LostEnd): string {
  return (
    `Expected ${counted(revision, "change")} up to head ${head}, as they were acknowledged; found ${ops} up to head ${found}: ` +
    (revision > ops ? `${revision - ops} after it are missing.` : "that head is missing.")
  );
}

function recoveryOf(id: string): Remedy {
  return remedy`${TASKFOLD} resolve ${id} looks for them, and ${TASKFOLD} resolve ${id} --accept-gap accepts the loss.`;
}

interface Known {
  loads: number;
  noted: readonly LostEnd[];
  ends: readonly LostEnd[];
}

const known = new WeakMap<LoadedEntity, Known>();

/** The same of a log in memory. task.yaml is looked at once for each reading of the log: a log that lost its end is read anew. */
export function lostEndsOf(disk: Disk, loaded: LoadedEntity): readonly LostEnd[] {
  const before = known.get(loaded);
  if (!loaded.entity) return NONE;
  if (before?.loads === loaded.loads && before.noted === loaded.entity.lost_ends) return before.ends;
  const taskYaml = readRegular(disk, join(loaded.folder, TASK_FILE))?.toString("utf8");
  // Another process may have written both since the log was read: the log is the one to look at last.
  if (isAhead({ entity: loaded.entity, report: loaded.report }, taskYaml)) loaded.catchUp();
  const { entity, report, loads, log } = loaded;
  if (!entity) return NONE;
  const ops = (): readonly Op[] =>
    log.withSource((source) => (source.size() > MAX_HELD ? [] : readOps(source, { checkHash: false }).ops));
  const ends = lostEnds({ entity, report, ops }, taskYaml);
  known.set(loaded, { loads, noted: entity.lost_ends, ends });
  return ends;
}

/** Whether an end is missing that the log does not tell of: the files of the entity are all that does. */
export function isUnnoted(disk: Disk, loaded: LoadedEntity): boolean {
  return unnoted(loaded, lostEndsOf(disk, loaded)).length > 0;
}

function unnoted({ entity }: LoadedEntity, ends: readonly LostEnd[]): LostEnd[] {
  const noted = new Set(entity?.lost_ends.map(({ head }) => head));
  return ends.filter(({ head }) => !noted.has(head));
}

/** Returns the warnings of a writer about lost ends, and the op that notes those which the log does not tell of. */
export function noteShorter(
  context: ShorterContext,
  loaded: LoadedEntity,
  workspace: string,
): { job: Job | undefined; warnings: Warning[] } {
  const named = lostEndsOf(context.disk, loaded);
  const { end, warning } = wentBack(context, loaded, named);
  const ends = end ? [...named, end] : named;
  if (ends.length === 0) return { job: undefined, warnings: warning ? [warning] : [] };
  const drafts = unnoted(loaded, ends).map(({ head, revision, found, found_revision }) =>
    logGap.draft({
      void: [],
      shorter: { head, revision, found, found_revision },
      message: "The end of the log that task.yaml or this machine knew is missing.",
    }),
  );
  const job = drafts.length === 0 ? undefined : systemOp(workspace, drafts);
  return { job, warnings: [...shorterWarnings(loaded, ends), ...(warning ? [warning] : [])] };
}

/** The same of the bytes of a log. */
export function lostEndsIn(bytes: Buffer, entity: Entity, report: LogReport, taskYaml: string | undefined) {
  return lostEnds({ entity, report, ops: () => readOps(bytesSource(bytes), { checkHash: false }).ops }, taskYaml);
}
