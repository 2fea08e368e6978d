/**
 * Takes bytes out of a log. It joins the sides that git left, and brings missing lines back. It cuts out text that is
 * no line, stands there twice, or belongs to another entity. New bytes are in place and synced before old ones go.
 */
import { join } from "node:path";
import { TaskfoldError } from "../../errors.ts";
import { readRegular, syncFile, writeAtomic } from "../../files/atomic.ts";
import { isKnownType } from "../../events/index.ts";
import { ensureSyncedFolder, isHollow } from "../../files/folders.ts";
import { TASK_FILE } from "../../files/layout.ts";
import { errnoOf } from "../../files/storage_error.ts";
import { readOps } from "../../log/read_ops.ts";
import type { Event } from "../../log/types.ts";
import { idFault } from "../../state/ids.ts";
import { FOLDER_CHARACTERS } from "../entity/folder_name.ts";
import { firstEventIn } from "../entity/two_folders.ts";
import { repairLog } from "../../log/repair.ts";
import type { RepairedLog, SplitEntity } from "../../log/repair.ts";
import { BLOB_FOLDER, blobsNamed } from "../commit/named_files.ts";
import type { EntityLocation } from "../entity/entity_on_disk.ts";
import { folderOf, logPath, readEntity, wholeLog } from "../entity/entity_on_disk.ts";
import { removeStrays } from "../projection/taskdoc_package.ts";
import { TASKDOC_PACKAGE } from "../../state/taskdoc.ts";
import { bytesSource } from "../../log/source.ts";
import { acquireAll, filesLock } from "../core/lock.ts";
import { lostEndsIn } from "../entity/log_truncated.ts";
import type { Completion, FoundLine } from "./missing_lines.ts";
import { removeMovedFiles } from "./moved_files.ts";
import { isQuarantined, quarantine } from "../core/quarantine.ts";
import { refuseEmptied, usableSides } from "./usable_versions.ts";
import { inReplayOrder } from "./replay_order.ts";
import { notCheckedOut } from "../core/sparse_checkout.ts";
import type { GitVersion } from "../core/git_port.ts";
import type { EngineContext } from "../core/context.ts";
import type { EngineParts } from "../parts.ts";
import { sealOp } from "../../log/envelope.ts";
import { taskRehomed } from "../../events/task.rehomed.ts";
import { logGap } from "../../events/log.gap.ts";
import { sha256 } from "../../log/canonical.ts";

/** The outcome of one log. */
export interface RepairedEntity {
  id: string;
  /** Text that no longer stands in the log, because it says nothing. */
  dropped: RepairedLog["dropped"];
  /** Unreadable lines, now in the registry. */
  quarantined: number;
  /** Entities that moved to a folder of their own. */
  split: { id: string; root: string }[];
  /** True when the work tree had no log and git had one. */
  restored: boolean;
  /** Lines that came back, and where they were. */
  found: FoundLine[];
  /** Hashes of lines that were declared lost, and heads of ends that were accepted as lost. */
  declared: string[];
}

export interface RepairOptions {
  /** Other versions of the log that git has. */
  sides: readonly GitVersion[];
  /** Lines that were taken away, to be brought back. */
  lost: Completion | undefined;
  /** Looks for lines that others in the log wait for, and for the ends with these heads. */
  find: (log: Buffer, ends: readonly string[]) => Completion;
  /** Whether those that are not found are declared lost; asked after `find`. */
  acceptGap: () => boolean;
  dryRun: boolean;
  /** Nothing is done where the log is missing: its folder was moved since the caller found it there. */
  mustBeThere?: true;
}

/** `repaired` is null when nothing is to be done. */
export interface RepairResult {
  repaired: RepairedEntity | null;
  /** With `mustBeThere`: the log was not there. */
  isElsewhere?: true;
  /** Lines that are still missing, by their hashes. */
  missing: string[];
}

type LogRepair = Pick<EngineParts, "context" | "logs">;

/** Repairs one log. @internal */
export async function repairEntity(
  from: LogRepair,
  place: EntityLocation,
  options: RepairOptions,
): Promise<RepairResult> {
  const { context, logs } = from;
  const first = plan(context, place, options);
  if (first === "elsewhere") return ELSEWHERE;
  if (!first) return { repaired: null, missing: [] };
  if (!first.changes || options.dryRun) return outcome(first);
  // In one order in every process, so no two processes wait for each other. At last the lock of the files: some of them leave the folder.
  const ids = new Set([place.id, ...first.entity.split.map((s) => s.id)]);
  const names = [...[...ids].toSorted(), filesLock(place.id)];
  const lock = await acquireAll(context, names);
  try {
    // Once more, now that no process writes.
    const now = plan(context, place, options);
    if (now === "elsewhere") return ELSEWHERE;
    if (!now?.changes) return { repaired: null, missing: now?.missing ?? [] };
    ensureSyncedFolder(context.disk, context.layout.coco, folderOf(context, place));
    if (now.unreadable.length > 0) quarantine(context, place.id, now.unreadable);
    const moved = now.targets.map(({ id, bytes }) => ({ home: writeSplit(from, place, id, bytes), bytes }));
    // Before the log tells of one entity alone: a crash in between leaves the rest to the next repair.
    for (const one of moved) removeMovedFiles(context, place, one, now.bytes);
    logs.replace({ folder: folderOf(context, place), bytes: now.bytes, before: now.before });
    removeLeftSections(context, place, [now.bytes, ...moved.map(({ bytes }) => bytes)]);
    return outcome(now);
  } finally {
    lock.release();
  }
}

/** How often a log is looked for again because its folder was moved meanwhile. @internal */
export const MAX_MOVES = 10;

/** @internal */
export function movesOverAndOver(id: string): TaskfoldError {
  return new TaskfoldError("LOCK_TIMEOUT", `Expected the folder of ${id} to stay in place; it moves over and over.`, {
    recovery: "Call again when the other processes have archived and restored it.",
  });
}

const ELSEWHERE: RepairResult = { repaired: null, missing: [], isElsewhere: true };

function outcome({ changes, entity, missing }: Plan): RepairResult {
  return { repaired: changes ? entity : null, missing };
}

interface Plan {
  /** False when all this is done already. */
  changes: boolean;
  missing: string[];
  before: Buffer | undefined;
  bytes: Buffer;
  unreadable: Buffer;
  targets: Target[];
  entity: RepairedEntity;
}

/** The log of an entity that was split off, in the folder that it has. */
interface Target {
  id: string;
  root: string;
  bytes: Buffer;
  there: Buffer | undefined;
}

/** Returns the work to do; null where there is no log of ours. */
function plan(
  context: EngineContext,
  place: EntityLocation,
  { sides, lost, find, acceptGap, mustBeThere }: RepairOptions,
): Plan | "elsewhere" | null {
  const path = logPath(context, place);
  const kind = context.disk.lstat(path)?.kind;
  // A link is verify's to report; its target is not ours.
  if (kind !== undefined && kind !== "file") return null;
  if (kind === undefined && mustBeThere) return "elsewhere";
  const before = kind === undefined ? undefined : wholeLog(context.disk, path);
  const joined = (of: readonly Buffer[]): Buffer[] =>
    [before, ...of, lost?.bytes].filter((bytes) => bytes !== undefined);
  let versions = joined(sides.map(({ bytes }) => bytes));
  if (versions.length === 0) return null;
  // A log that another program keeps alone is that program's, copies and all.
  if (before !== undefined && versions.length === 1 && isForeign(before)) return null;
  const holder = lost && before ? onlyRoot(before) : undefined;
  const owns = (events: readonly Event[]): boolean =>
    holder === undefined ? movedTo(events) === place.id : events.some(({ hash }) => hash === holder);
  let repaired = repairLog(versions, owns);
  // Only lines that cannot be read can be of a filter.
  if (repaired.quarantine.length > 0) {
    versions = joined(usableSides(place, before, sides));
    repaired = repairLog(versions, owns);
  }
  let ends = endsMissing(context, place, repaired.bytes);
  const waits = repaired.missing.length > 0 || repaired.incomplete > 0 || ends.length > 0;
  const completion = waits ? find(repaired.bytes, ends) : { bytes: Buffer.alloc(0), found: [] };
  if (completion.found.length > 0) {
    repaired = repairLog([...versions, completion.bytes], owns);
    ends = endsMissing(context, place, repaired.bytes);
  }
  if (repaired.split.length === 0) refuseEmptied(place.id, before, repaired.bytes);
  const isShort = repaired.missing.length > 0 || ends.length > 0;
  const gap = isShort && acceptGap() ? gapOp(place.id, repaired.bytes, ends) : null;
  const bytes = inReplayOrder(gap ? Buffer.concat([repaired.bytes, gap.bytes]) : repaired.bytes);
  const unreadable = joinLines(repaired.quarantine);
  const targets = repaired.split.map((entity) => targetOf(context, place, entity));
  const kept = unreadable.length === 0 || isQuarantined(context, place.id, unreadable);
  const done = before?.equals(bytes) && kept && targets.every((target) => target.there?.equals(target.bytes));
  const entity: RepairedEntity = {
    id: place.id,
    dropped: repaired.dropped,
    quarantined: repaired.quarantine.length,
    split: targets.map(({ id, root }) => ({ id, root })),
    restored: before === undefined,
    found: [...(lost?.found ?? []), ...completion.found],
    declared: gap?.hashes ?? [],
  };
  const missing = gap ? [] : repaired.missing;
  return { changes: done !== true, missing, before, bytes, unreadable, targets, entity };
}

/** The root of the one entity in a log, which keeps the folder where lines of another one come back. Undefined where there are several. */
function onlyRoot(log: Buffer): string | undefined {
  const { roots } = readEntity(log, () => false).report;
  return roots.length === 1 ? roots[0]!.hash : undefined;
}

/** Heads of the ends that this log lost (VERIFY-41, VERIFY-42). */
function endsMissing(context: EngineContext, place: EntityLocation, bytes: Buffer): string[] {
  const { entity, report } = readEntity(bytes, () => false);
  if (!entity) return [];
  const taskYaml = readRegular(context.disk, join(folderOf(context, place), TASK_FILE))?.toString("utf8");
  return lostEndsIn(bytes, entity, report, taskYaml).map(({ head }) => head);
}

/** One that has a folder of its own by its log goes there, where it is free or has it. Git takes the move of one folder for that of another's lines. */
function targetOf(context: EngineContext, place: EntityLocation, entity: SplitEntity): Target {
  const { root, events, suffix } = entity;
  const own = movedTo(events) ?? events.find(({ hash }) => hash === root)?.taskId ?? place.id;
  const homes = [
    ...(own === place.id || idFault(own, FOLDER_CHARACTERS) !== null ? [] : [own]),
    `${place.id}-${suffix}`,
  ];
  const left = context.sparse.look();
  const isLeftOut = (name: string): boolean => left.tasks.ids.has(name) || left.archive.ids.has(name);
  const id = homes.find((name) => isLeftOut(name) || mayStandIn(context, name, root)) ?? homes.at(-1)!;
  const paths = (["tasks", "archive"] as const).map((part) => logPath(context, { id, part }));
  const home = paths.find((path) => context.disk.lstat(path)?.kind === "file");
  if (home === undefined && isLeftOut(id)) throw notCheckedOut(left, id);
  const there = home === undefined ? undefined : wholeLog(context.disk, home);
  const lines =
    own === id
      ? repairLog([...(there ? [there] : []), entity.lines]).bytes
      : rehomed(entity, { from: place.id, to: id }, there);
  return { id, root, bytes: inReplayOrder(lines), there };
}

/** Whether no other entity has the name. */
function mayStandIn({ disk, layout }: EngineContext, id: string, root: string): boolean {
  const folders = [layout.folder(id), layout.archived(id)].filter((folder) => disk.lstat(folder) !== undefined);
  const isEmpty = (folder: string): boolean => disk.lstat(folder)?.kind === "folder" && isHollow(disk, folder);
  return folders.every((folder) => firstEventIn(disk, folder)?.hash === root || isEmpty(folder));
}

/** The name that the last split gave the entity; undefined where it has the one that it was made with. */
function movedTo(events: readonly Event[]): string | undefined {
  const moves = events.filter(({ type, payload }) => type === "task.rehomed" && typeof payload["to"] === "string");
  const last = moves.reduce<Event | undefined>(
    (a, b) => (!a || b.seq > a.seq || (b.seq === a.seq && b.hash > a.hash) ? b : a),
    undefined,
  );
  return last?.payload["to"] as string | undefined;
}

/** Whether a log has lines of other programs alone. */
export function isForeign(bytes: Buffer): boolean {
  const { report } = readEntity(bytes, () => false);
  return report.roots.length + report.held + report.incomplete + report.markers === 0 && report.foreign.length > 0;
}

/**
 * Files of sections whose spelling lost, or whose entity moved (TASKDOC-3). The first log keeps the folder; the texts of all count. Costs
 * two looks where the Taskdoc has no categories.
 */
function removeLeftSections(context: EngineContext, place: EntityLocation, logs: readonly Buffer[]): void {
  const { disk } = context;
  const folder = folderOf(context, place);
  const taskdoc = join(folder, TASKDOC_PACKAGE);
  try {
    if (disk.lstat(taskdoc)?.kind !== "folder" || disk.readFolders(taskdoc).length === 0) return;
    const { entity } = readEntity(logs[0]!, () => false);
    const ops = () => logs.flatMap((bytes) => readOps(bytesSource(bytes), { isKnownType }).ops);
    if (entity) removeStrays(disk, folder, entity.taskdoc, ops);
  } catch (e) {
    // The log is in place, and verify names a file that stays.
    if (errnoOf(e) === undefined) throw e;
  }
}

/** Where the entity is now. */
function writeSplit({ context, logs }: LogRepair, from: EntityLocation, id: string, bytes: Buffer): EntityLocation {
  const archived =
    context.disk.lstat(context.layout.archived(id))?.kind === "folder" &&
    !context.disk.lstat(context.layout.folder(id));
  const target: EntityLocation = { id, part: archived ? "archive" : "tasks" };
  ensureSyncedFolder(context.disk, context.layout.coco, folderOf(context, target));
  logs.replace({ folder: folderOf(context, target), bytes });
  // Captured bytes lie where the entity was; the other entity may name them too, so they are copied. A copy that stands there may be of a killed process.
  const { events } = readEntity(bytes, (type) => type === "evidence.captured");
  for (const name of blobsNamed(events)) {
    const blob = join(folderOf(context, from), BLOB_FOLDER, name);
    const copy = join(folderOf(context, target), BLOB_FOLDER, name);
    if (context.disk.lstat(blob)?.kind !== "file") continue;
    ensureSyncedFolder(context.disk, context.layout.coco, join(copy, ".."));
    const there = context.disk.lstat(copy)?.kind;
    if (there === "file") syncFile(context.disk, copy);
    else if (!there) writeAtomic(context.disk, copy, context.disk.readFile(blob), { sync: true });
  }
  return target;
}

export function joinLines(lines: readonly Buffer[]): Buffer {
  return Buffer.concat(lines.flatMap((line) => [line, Buffer.from("\n")]));
}

/**
 * The log of an entity that shared a folder with an earlier one (LOG-14) and moves to its own. It ends in an event
 * without clock or user, so that two people who resolve the same merge write the same bytes.
 * `home`: the log that stands in the new folder already, from an earlier split here or on another clone. @internal
 */
function rehomed(entity: SplitEntity, { from, to }: { from: string; to: string }, home: Buffer | undefined): Buffer {
  const { root, lines, maxTs, heads, seq } = entity;
  const known = home && readEntity(home, (type) => type === "task.rehomed");
  // Late lines of a clone that did not know of the split join what moved before them.
  if (known?.report.roots[0]?.hash === root && known.events.length > 0) return repairLog([home!, lines]).bytes;
  const draft = taskRehomed.draft({ from, to, root, message: `Moved from ${from}, which another entity had first.` });
  const { bytes } = sealOp({
    taskId: to,
    by: "system",
    ts: maxTs,
    tool: "resolve",
    opId: `rehomed-${root}`,
    heads,
    seq,
    drafts: [draft as never],
  });
  return repairLog([...(home ? [home] : []), lines, bytes]).bytes;
}

/**
 * Declares lines lost that no clone has any more (RESOLVE-15). Without clock or user: clones that miss the same lines
 * write the same bytes. Returns the op that lets waiting lines in this log take effect, and that accepts that it lost
 * these ends, by their heads. Null where nothing is lost, or where nothing can be told to go on from. @internal
 */
function gapOp(id: string, log: Buffer, ends: readonly string[]): { bytes: Buffer; hashes: string[] } | null {
  const { report, entity, events } = readEntity(log, () => true);
  const { missing, heads, seq } = report;
  if (!entity || missing.length + ends.length === 0 || report.newer) return null;
  const accepted = ends.toSorted();
  const hashes = [...missing, ...accepted];
  const draft = logGap.draft({
    void: [...missing],
    ...(accepted.length === 0 ? {} : { accepted }),
    message: messageOf(missing.length),
  });
  const { bytes } = sealOp({
    taskId: id,
    by: "system",
    // Of what is in effect alone: which lines wait may differ between clones that miss the same.
    ts: events.reduce((latest, { ts }) => (ts > latest ? ts : latest), ""),
    tool: "resolve",
    opId: `gap-${sha256(hashes.join(" "))}`,
    heads,
    seq,
    drafts: [draft as never],
  });
  return { bytes, hashes };
}

function messageOf(missing: number): string {
  if (missing === 0) return "The end of the log that was missing is accepted as lost.";
  const lines = missing === 1 ? "A line is lost" : `${missing} lines are lost`;
  return `${lines}; what waited for it goes on from here.`;
}
