/**
 * One entity in several folders. It was deleted or put away while another branch went on writing, and git did not see the move. Or a pick
 * brought it under the name that another branch gave it. The folder that the log dictates takes the lines and files of the others.
 */
import { join } from "node:path";
import { isTaskfoldError } from "../../errors.ts";
import { readRegular, syncFile } from "../../files/atomic.ts";
import { LOG_FILE, TASK_FILE } from "../../files/layout.ts";
import { removeHollow, syncWay } from "../../files/folders.ts";
import { isKeptFrom } from "../../files/storage_error.ts";
import { firstEvent } from "../../log/first_event.ts";
import { lineCounts } from "../../log/line_counts.ts";
import { repairLog } from "../../log/repair.ts";
import { bytesSource } from "../../log/source.ts";
import { compareIds } from "../../state/compare_ids.ts";
import { isArchivedOrDeleted } from "../../state/archive.ts";
import { packetHolder } from "../entity/packet_holder.ts";
import type { EngineParts } from "../parts.ts";
import type { EntityLocation, EntityOnDisk } from "../entity/entity_on_disk.ts";
import { folderOf, logPath, readEntity, wholeLog } from "../entity/entity_on_disk.ts";
import { firstEventIn, othersOf } from "../entity/two_folders.ts";
import { lostEndsIn } from "../entity/log_truncated.ts";
import type { Finding } from "../core/finding.ts";
import { acquireAll, filesLock } from "../core/lock.ts";
import { quarantine } from "../core/quarantine.ts";
import { rendererOf } from "../core/task_yaml_marks.ts";
import { entityLocations } from "./entity_locations.ts";
import type { WholeEntity } from "./join_files.ts";
import { joinFiles } from "./join_files.ts";
import { joinLines } from "./repair_log.ts";
import { inReplayOrder } from "./replay_order.ts";
import { isFiltered } from "./usable_versions.ts";
import { mayProject } from "../entity/writable.ts";
import type { EngineContext } from "../core/context.ts";

export interface JoinedFolders {
  /** Ids of the entities that now stand in one folder. */
  joined: string[];
  /** Names of all folders that took part, those that are gone too. */
  names: string[];
  /** Files that the folders had with different bytes. */
  findings: Finding[];
}

/** Joins the folders of each entity, of those with one of these ids or of all. `except`: ids of logs that were not read whole. With `dryRun` it tells which these are. @internal */
export async function joinFolders(
  engine: EngineParts,
  ids: ReadonlySet<string> | undefined,
  { dryRun, except }: { dryRun: boolean; except: ReadonlySet<string> },
): Promise<JoinedFolders> {
  const report: JoinedFolders = { joined: [], names: [], findings: [] };
  for (const places of groupsOf(engine, ids)) {
    if (places.some(({ id }) => except.has(id))) continue;
    const done = await joinGroup(engine, places, dryRun);
    if (!done) continue;
    report.joined.push(done.id);
    report.names.push(...places.map(({ id }) => id));
    report.findings.push(...done.findings);
  }
  return report;
}

/** The folders of each entity that has more than one, by the first line of each log, which repair has put in order. */
function groupsOf(engine: EngineParts, ids: ReadonlySet<string> | undefined): EntityLocation[][] {
  const { disk } = engine.context;
  const all = entityLocations(engine);
  const places = ids ? all.filter(isNamed(engine.context, all, ids)) : all;
  const groups = new Map<string, EntityLocation[]>();
  const without: EntityLocation[] = [];
  for (const place of places) {
    const folder = folderOf(engine.context, place);
    const root = disk.lstat(folder)?.kind === "folder" ? firstEventIn(disk, folder)?.hash : undefined;
    if (root === undefined) without.push(place);
    else if (groups.get(root)?.push(place) === undefined) groups.set(root, [place]);
  }
  // Of an archived entity git may keep a file alone in the folder that it had.
  for (const place of without) {
    const duplicates = [...groups.values()].filter((group) => group.some(({ id }) => id === place.id));
    if (duplicates.length === 1 && !hasLog(engine.context, place)) duplicates[0]!.push(place);
  }
  return [...groups.values()].filter((group) => group.length > 1);
}

/** Or may have one, where this user may not look. */
function hasLog(context: EngineContext, place: EntityLocation): boolean {
  try {
    return context.disk.lstat(logPath(context, place)) !== undefined;
  } catch (e) {
    if (!isKeptFrom(e)) throw e;
    return true;
  }
}

/** Whether a folder may be another one of these ids' entities, by its name. */
function isNamed(context: EngineContext, all: readonly EntityLocation[], ids: ReadonlySet<string>) {
  const names = new Set(ids);
  for (const place of all) {
    const first = ids.has(place.id) ? firstEventIn(context.disk, folderOf(context, place)) : undefined;
    for (const name of first ? othersOf(place.id, first.hash, first.taskId) : []) names.add(name);
  }
  return ({ id }: EntityLocation): boolean => names.has(id);
}

async function joinGroup(
  engine: EngineParts,
  places: readonly EntityLocation[],
  dryRun: boolean,
): Promise<{ id: string; findings: Finding[] } | null> {
  const { context } = engine;
  // Ids before their files, and an id before one that was split from it: no two processes wait for each other.
  const ids = [...new Set(places.map(({ id }) => id))].toSorted();
  const lock = dryRun ? undefined : await acquireAll(context, [...ids, ...ids.map(filesLock)]);
  try {
    const whole = wholeOf(engine, places);
    if (!whole) return null;
    if (dryRun) return { id: whole.home.id, findings: [] };
    return { id: whole.home.id, findings: joinInto(engine, places, whole) };
  } catch (e) {
    // A log above a limit of reading is a finding of the look at the whole, and the others go on.
    if (!isTaskfoldError(e) || e.code !== "LOG_UNREADABLE") throw e;
    return null;
  } finally {
    lock?.release();
  }
}

/** Null where they cannot be joined yet: lines are missing, a newer release or another program writes there, or a packet runs. */
function wholeOf({ context }: EngineParts, places: readonly EntityLocation[]): WholeEntity | null {
  if (places.some((place) => !mayBeOurs(context, place) || packetHolder(context, place.id) !== undefined)) return null;
  const logs = logsOf(context, places);
  // The joined log would leave out the output of a filter.
  if (logs.some((log) => isFiltered(lineCounts(log)))) return null;
  const { bytes, split, quarantine: unreadable } = repairLog(logs);
  const joined = readEntity(inReplayOrder(bytes), (type) => type === "task.rehomed" || type === "notes.changed");
  const { entity, report } = joined;
  if (split.length > 0 || !entity || !mayProject(report)) return null;
  // Where an end is missing, the files of that folder alone tell of it.
  const texts = places.map((place) => readRegular(context.disk, join(folderOf(context, place), TASK_FILE)));
  if (texts.some((text) => lostEndsIn(joined.bytes, entity, report, text?.toString("utf8")).length > 0)) return null;
  const home = homeOf(places, joined, isArchivedOrDeleted(entity));
  if (unreadable.length > 0) quarantine(context, home.id, joinLines(unreadable));
  return { ...joined, entity, home, names: places.map(({ id }) => id) };
}

function logsOf(context: EngineContext, places: readonly EntityLocation[]): Buffer[] {
  return places.flatMap((place) => wholeLog(context.disk, logPath(context, place)) ?? []);
}

/**
 * By name it is the folder that the entity was moved to last, or was made in, if that is one of these. By part it is the one that its log
 * says. People alone give other names: of those the first counts. No clock and no user has a say, so all clones come to the same folder.
 */
function homeOf(places: readonly EntityLocation[], { bytes, events }: EntityOnDisk, away: boolean): EntityLocation {
  const moves = events.filter(({ type }) => type === "task.rehomed").map(({ payload }) => payload["to"]);
  const made = firstEvent(bytesSource(bytes))?.taskId;
  const there = places.map(({ id }) => id).toSorted(compareIds);
  const name = [...moves.toReversed(), made, ...there].find((id) => there.some((one) => one === id));
  const named = places.filter(({ id }) => id === name);
  return named.find(({ part }) => (part === "archive") === away) ?? named[0]!;
}

/** Call while holding the locks of all folders. The log of each leaves last: after a crash the next resolve goes on. */
function joinInto(engine: EngineParts, places: readonly EntityLocation[], whole: WholeEntity): Finding[] {
  const { context, store, projector, logs: writer } = engine;
  const { home, bytes } = whole;
  const before = wholeLog(context.disk, logPath(context, home));
  if (before?.equals(bytes) !== true) writer.replace({ folder: folderOf(context, home), bytes, before });
  // A process that was killed, or git, may have put it there (DUR-113).
  else syncFile(context.disk, logPath(context, home));
  syncWay(context.disk, context.layout.coco, folderOf(context, home));
  const findings: Finding[] = [];
  for (const place of places) {
    const loaded = store.find(place.id);
    if (loaded) projector.forget(loaded);
    store.drop(place.id);
    store.findArchived(place.id)?.forget();
    if (place === home) continue;
    findings.push(...joinFiles(context, place, whole, engine.binding?.workspace ?? ""));
    const folder = folderOf(context, place);
    const left = wholeLog(context.disk, join(folder, LOG_FILE));
    // A program without our locks may have appended meanwhile.
    const late = left && repairLog([wholeLog(context.disk, logPath(context, home))!, left]);
    if (late?.changed) writer.replace({ folder: folderOf(context, home), bytes: inReplayOrder(late.bytes) });
    if (left) context.disk.unlink(join(folder, LOG_FILE));
    removeHollow(context.disk, folder);
  }
  for (const place of places) context.notifications.notify(folderOf(context, place));
  for (const folder of new Set(
    places.map(({ part }) => (part === "tasks" ? context.layout.tasks : context.layout.archive)),
  ))
    context.disk.syncFolder(folder);
  return findings;
}

/** A real folder, its log (if it has one) a file, its task.yaml (if it has one) not another program's. */
function mayBeOurs(context: EngineContext, place: EntityLocation): boolean {
  const folder = folderOf(context, place);
  const log = context.disk.lstat(join(folder, LOG_FILE))?.kind;
  if (context.disk.lstat(folder)?.kind !== "folder" || (log !== undefined && log !== "file")) return false;
  const taskYaml = readRegular(context.disk, join(folder, TASK_FILE));
  return taskYaml === undefined || rendererOf(taskYaml.toString("utf8")) > 0;
}
