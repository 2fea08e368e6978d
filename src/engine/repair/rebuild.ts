/** Writes every folded file anew from the logs, puts skeletons in place, and moves each folder to where its log says. */
import { join } from "node:path";
import { readIfThere, readRegular } from "../../files/atomic.ts";
import { LOG_FILE } from "../../files/layout.ts";
import { completeAttributes, writeCommitted } from "../../files/committed.ts";
import { isKnownType } from "../../events/index.ts";
import { storageError } from "../../files/storage_error.ts";
import { idBeforeSplit } from "../../log/repair.ts";
import { readOps } from "../../log/read_ops.ts";
import { bytesSource } from "../../log/source.ts";
import type { Op, Payload } from "../../log/types.ts";
import { isArchivedOrDeleted } from "../../state/archive.ts";
import { isMade, projectionsOf, SKELETON } from "../../projections/index.ts";
import type { Warning } from "../../errors.ts";
import { archive } from "../archive/archive.ts";
import { appendDurably } from "../commit/append_durably.ts";
import type { ProgressOptions } from "../core/at_once.ts";
import { atOnce } from "../core/at_once.ts";
import type { EngineParts } from "../parts.ts";
import type { EntityLocation } from "../entity/entity_on_disk.ts";
import { folderOf, logPath, relativeFolder } from "../entity/entity_on_disk.ts";
import type { Finding } from "../core/finding.ts";
import { note, wholeFile } from "../core/finding.ts";
import { LoadedEntity } from "../entity/loaded_entity.ts";
import { isUnnoted, lostEndsOf, shorterFindings } from "../entity/log_truncated.ts";
import { refreshOverview } from "../projection/overview.ts";
import { entityLocations } from "./entity_locations.ts";
import { recoveredEntity } from "../archive/restore.ts";
import { PROJECTED_AT_ONCE } from "../projection/project.ts";
import { leftOutNotes, notLookedAt } from "./verify.ts";
import { judgeAttributes } from "./verify_attributes.ts";
import { removeStrays } from "../projection/taskdoc_package.ts";
import type { EngineContext } from "../core/context.ts";
import { counted } from "../../state/counted.ts";
import type { Remediable } from "../../remedy.ts";
import { sealOp } from "../../log/envelope.ts";
import { acquire } from "../core/lock.ts";
import { isoTime } from "../core/context.ts";
import { noEntity } from "../entity/no_entity.ts";
import { refuseDeleted, refuseUnwritable, mayProject } from "../entity/writable.ts";

export interface RebuildReport {
  /** Every entity that was looked at, with the files (relative to its folder) that were not as they are now. */
  rebuilt: { id: string; files: string[] }[];
  /** Entities whose files were left alone, and why. */
  findings: Finding[];
  /** True when the overview of the workspace is on and was written anew. */
  overview: boolean;
  /** There when `.coco/.gitattributes` got lines that it lacked (DIR-60). */
  attributes?: true;
}

type RebuiltEntities = Pick<RebuildReport, "rebuilt" | "findings">;

export interface RebuildOptions extends ProgressOptions {
  /** Read what people wrote into the log first, as a write would. Not for `resolve`: clones that resolve one merge write the same. */
  ingest?: boolean;
  /** Leave `.coco/.gitattributes` and `.coco/.gitignore` as they are, also where they are missing. */
  keepsAttributes?: boolean;
}

/** Rebuilds one entity (live or archived) or all, then the overview. UNKNOWN_ID when there is no such folder. @internal */
export async function rebuild(engine: EngineParts, id?: string, options: RebuildOptions = {}): Promise<RebuildReport> {
  const { rebuilt, findings } = await rebuildEntities(engine, id, options);
  const workspace = engine.binding?.workspace;
  if (workspace === undefined) return { rebuilt, findings, overview: false };
  const attributes = id === undefined && attributesCompleted(engine, findings);
  if (id === undefined) findings.push(...leftOutNotes(engine));
  const after = refreshOverview(engine, workspace);
  return {
    rebuilt,
    findings: [...findings, ...after.findings],
    overview: after.written,
    ...(attributes ? { attributes } : {}),
  };
}

/** Appends the lines that the attributes of an earlier release lack, and those that a later line of the file undid. */
function attributesCompleted({ context }: EngineParts, findings: Finding[]): boolean {
  try {
    const { wrong } = judgeAttributes(context, context.git?.(), []);
    return completeAttributes(context.disk, context.layout, new Set(wrong.map(({ pattern }) => pattern)));
  } catch (e) {
    findings.push(wholeFile("REBUILD_FAILED", ".coco", storageError(e, "write .gitattributes").message));
    return false;
  }
}

/** As `rebuild`, without the overview and the attributes. @internal */
export async function rebuildEntities(
  engine: EngineParts,
  id?: string,
  { ingest = false, keepsAttributes = false, ...progress }: RebuildOptions = {},
): Promise<RebuiltEntities> {
  const report: RebuiltEntities = { rebuilt: [], findings: [] };
  const workspace = engine.binding?.workspace;
  if (workspace !== undefined) await engine.recovery.recover(workspace, { again: true });
  const places = entityLocations(engine, id);
  if (workspace === undefined) return report;
  if (id === undefined && !keepsAttributes) {
    try {
      writeCommitted(engine.context.disk, engine.context.layout);
    } catch (e) {
      report.findings.push(wholeFile("REBUILD_FAILED", ".coco", storageError(e, "write .gitattributes").message));
    }
  }
  const rebuilt = await atOnce(places, { most: PROJECTED_AT_ONCE, ...progress }, (place) =>
    rebuildOne(engine, place, workspace, ingest),
  );
  for (const [i, { files, findings }] of rebuilt.entries()) {
    report.findings.push(...findings);
    if (files) report.rebuilt.push({ id: places[i]!.id, files });
  }
  return report;
}

async function rebuildOne(
  engine: EngineParts,
  place: EntityLocation,
  workspace: string,
  ingest: boolean,
): Promise<{ files: string[] | null; findings: Finding[] }> {
  const { context, store, projector } = engine;
  const refused = (code: string, message: string, way?: Remediable) => ({
    files: null,
    findings: [wholeFile(code, relativeFolder(place), message, way)],
  });
  const live = place.part === "tasks" ? store.find(place.id) : undefined;
  if (place.part === "tasks" && !live) return { files: null, findings: [] };
  const loaded = live ?? new LoadedEntity(context, place.id, folderOf(context, place));
  try {
    // Past what is remembered: rebuild is for when memory and disk may have parted.
    loaded.forget();
    const isDoubtful = engine.logs.syncs.isDoubtful(place.id) && (live !== undefined || !store.has(place.id));
    if (isDoubtful) await writtenAgain(engine, loaded);
    if (!loaded.catchUp()) return { files: null, findings: [] };
    const { report } = loaded;
    if (!loaded.entity) {
      // Lines of another program alone are that program's.
      if (report.problems.length === 0) return { files: null, findings: [] };
      const none = noEntity(loaded, report);
      return refused(none.code, none.message, none);
    }
    if (!mayProject(report)) {
      return report.newer
        ? refused("LOG_NEWER_VERSION", "The files folded from this log are left to the release that knows its events.")
        : refused(
            "LOG_INCOMPLETE",
            `${counted(report.held, "change waits", "changes wait")} for ${counted(report.missing.length, "missing line")}; the files are left as they are.`,
          );
    }
    if (isUnnoted(context.disk, loaded))
      return {
        files: null,
        findings: shorterFindings(`${relativeFolder(place)}/${LOG_FILE}`, lostEndsOf(context.disk, loaded)),
      };
    const read = ingest && live && !isArchivedOrDeleted(loaded.entity) ? await peopleRead(engine, live, place) : [];
    const subject = loaded.subject(workspace);
    const expected = [...projectionsOf(subject), ...Object.entries(SKELETON)];
    const isSkeleton = (name: string): boolean => Object.hasOwn(SKELETON, name);
    const isHidden = (name: string): boolean =>
      !context.disk.lstat(join(loaded.folder, name)) && context.sparse.hides(`${relativeFolder(place)}/${name}`);
    // The text of people is in git, and stays there.
    const hidden = Object.keys(SKELETON).filter(isHidden);
    const isOff = ([name, text]: [string, string]): boolean => {
      const found = readRegular(context.disk, join(loaded.folder, name));
      if (found === undefined && !isMade(subject, name))
        return context.disk.lstat(join(loaded.folder, name)) !== undefined;
      return isSkeleton(name) ? !found : found?.equals(Buffer.from(text)) !== true;
    };
    const off = expected.filter(([name, text]) => !hidden.includes(name) && isOff([name, text]));
    projector.forget(loaded);
    const warnings = await projector.project(loaded, workspace);
    const taken = removeStrays(context.disk, loaded.folder, loaded.entity.taskdoc, () =>
      [place, ...splitFrom(engine, place.id)].flatMap((one) => opsOf(context, one)),
    );
    if (place.part === "tasks" && isArchivedOrDeleted(loaded.entity)) {
      warnings.push(...(await archive(engine, loaded)));
      store.drop(place.id);
    }
    // A merge brought it back without its folder (ARCHIVE-20). One of another entity at its place is a finding of verify.
    if (place.part === "archive" && !store.has(place.id)) await recoveredEntity(engine, place.id);
    projector.forget(loaded);
    if (warnings.some((w) => w.code === "RENDERER_NEWER")) return refused("RENDERER_NEWER", warnings[0]!.message);
    const done = warnings.some((w) => w.code === "PROJECTION_FAILED") ? off.filter((file) => !isOff(file)) : off;
    return {
      files: [...done.map(([name]) => name), ...taken],
      findings: [
        ...read,
        ...warnings.map((w) => findingOf(place, w)),
        ...hidden.map((name) => notLookedAt({ file: `${relativeFolder(place)}/${name}` })),
      ],
    };
  } catch (e) {
    return refused("REBUILD_FAILED", storageError(e, `rebuild ${place.id}`).message);
  } finally {
    if (!live) loaded.log.close();
  }
}

/**
 * Returns entities that stood in one folder with this one until a merge was resolved: by their names, which no other
 * entity is given.
 */
function splitFrom(engine: EngineParts, id: string): EntityLocation[] {
  return entityLocations(engine, undefined).filter((place) => idBeforeSplit(place.id) === id && place.id !== id);
}

function opsOf(context: EngineContext, place: EntityLocation): readonly Op[] {
  const bytes = readIfThere(context.disk, logPath(context, place));
  return bytes ? readOps(bytesSource(bytes), { isKnownType }).ops : [];
}

/** Appends again the lines that a failed sync left in doubt, also where no process writes any more (DUR-5). */
async function writtenAgain({ context, logs }: EngineParts, loaded: LoadedEntity): Promise<void> {
  const lock = await acquire(context, loaded.id);
  try {
    logs.syncs.repair(loaded);
  } finally {
    lock.release();
  }
}

/** A log that takes no change can be folded all the same: then the reading in waits, and is a finding. */
async function peopleRead(engine: EngineParts, loaded: LoadedEntity, place: EntityLocation): Promise<Finding[]> {
  try {
    return (await ingestPeople(engine, loaded)).map((w) => findingOf(place, w));
  } catch (e) {
    const { code, message } = storageError(e, `read people's files of ${place.id} in`);
    return [wholeFile(code, relativeFolder(place), message)];
  }
}

/**
 * Warnings that are no fault. The edited text of a folded file is kept, and rebuild is there to write it anew or to
 * read a person's in.
 */
function findingOf(place: EntityLocation, { code, message }: Warning): Finding {
  const finding = wholeFile(code, relativeFolder(place), message);
  return ["PROJECTION_DRIFT", "RENDERER_OLDER", "NOTES_CHANGED"].includes(code) ? note(finding) : finding;
}

/**
 * Reads people's files into the log without a caller's change to go with: for `rebuild` (PEOPLE-8).
 * Takes the entity's lock only when there is something to write; refuses what a write would refuse.
 */
async function ingestPeople(engine: EngineParts, loaded: LoadedEntity): Promise<Warning[]> {
  const { context, people } = engine;
  const before = people.news(loaded);
  if (before.drafts.length === 0) return before.warnings;
  const lock = await acquire(context, loaded.id);
  try {
    engine.logs.syncs.repair(loaded);
    loaded.catchUp();
    refuseUnwritable(loaded);
    refuseDeleted(loaded.entity!, loaded.id);
    const { drafts, warnings } = people.news(loaded);
    if (drafts.length === 0) return warnings;
    engine.dirty.mark(loaded.id);
    const { heads, seq } = loaded.report;
    const stamp = {
      taskId: loaded.id,
      by: "system",
      ts: isoTime(context.now()),
      tool: "engine",
      opId: context.newId(),
    };
    const { bytes } = sealOp({ ...stamp, heads, seq, drafts: drafts as { type: string; payload: Payload }[] });
    appendDurably(engine, loaded, [bytes]);
    return warnings;
  } catch (e) {
    throw storageError(e, `read people's files of ${loaded.id} in`);
  } finally {
    lock.release();
  }
}
