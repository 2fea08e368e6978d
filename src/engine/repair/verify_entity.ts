/** One folder of an entity, its log and every file beside it, verified from disk alone. */
import { join } from "node:path";
import { isTaskfoldError } from "../../errors.ts";
import { logGap } from "../../events/log.gap.ts";
import { INDEX_FILE, LOG_FILE, TASK_FILE } from "../../files/layout.ts";
import { errnoOf, isKeptFrom, storageError } from "../../files/storage_error.ts";
import { isBegun } from "../../log/line_counts.ts";
import type { TxnStamp } from "../../log/types.ts";
import { RENDERER } from "../../projections/index.ts";
import { isArchivedOrDeleted } from "../../state/archive.ts";
import type { Listed } from "../../state/listed.ts";
import { listedOf } from "../../state/listed.ts";
import type { EntityOnDisk, EntityLocation } from "../entity/entity_on_disk.ts";
import { folderOf, readEntity, relativeFolder, subjectOf, wholeLog } from "../entity/entity_on_disk.ts";
import type { Finding } from "../core/finding.ts";
import { note, wholeFile } from "../core/finding.ts";
import { foreignSubject } from "../entities/foreign_folder.ts";
import { lostEndsIn, shorterFindings } from "../entity/log_truncated.ts";
import { packetFindings } from "../packet/packet_files.ts";
import { noEntity, pointersIn } from "../entity/no_entity.ts";
import { rendererOf } from "../core/task_yaml_marks.ts";
import { anchorFindings } from "./verify_anchors.ts";
import { blobFindings, findingsIn, packageFindings, projectionFindings, skeletonFindings } from "./verify_files.ts";
import { EntityFiles } from "../entity/entity_files.ts";
import { logFindings } from "./verify_log.ts";
import { mayProject } from "../entity/writable.ts";
import type { EngineContext } from "../core/context.ts";
import { listFolder } from "../../files/folders.ts";
import type { Entity } from "../../state/entity.ts";

/** The parts of an open workspace that verifying needs. */
export interface VerifyFrom {
  context: Pick<EngineContext, "disk" | "layout">;
  /** Id of the workspace. */
  workspace: string;
  /** Whether rows of the overview are wanted. */
  isListed: boolean;
  /** Digests of bytes that the shared log has for this machine. */
  remote: ReadonlySet<string>;
}

/** The outcome of one folder. A thread tells another of it, so it is plain data. */
export interface Verified {
  findings: Finding[];
  /** Undefined where no entity was read. */
  entity?: { root: string; events: number; txns: readonly TxnStamp[]; listed?: Listed };
}

/** One folder that cannot be read is a finding; the others are verified all the same (VERIFY-60). */
export function verifyPlace(from: VerifyFrom, place: EntityLocation): Verified {
  const { findings, read } = verifyOrTell(from, place);
  if (!read?.entity) return { findings };
  const { entity, report, txns } = read;
  const listed = from.isListed && place.part === "tasks" ? { listed: listedOf({ id: place.id, entity }) } : {};
  return { findings, entity: { root: entity.root, events: report.events, txns, ...listed } };
}

interface Read {
  findings: Finding[];
  read: EntityOnDisk | null;
}

function verifyOrTell(from: VerifyFrom, place: EntityLocation): Read {
  try {
    return verifyEntity(from, place);
  } catch (e) {
    const known = isTaskfoldError(e) || (errnoOf(e) !== undefined && !isKeptFrom(e));
    const { code, message } = isKeptFrom(e)
      ? {
          code: "FOLDER_UNREADABLE",
          message: `Expected a folder that this user may read; the system said ${errnoOf(e)}.`,
        }
      : known
        ? storageError(e, `read ${place.id}`)
        : { code: "FOLDER_UNREADABLE", message: `Expected a folder that can be verified; found ${String(e)}.` };
    return { findings: [wholeFile(code, relativeFolder(place), message)], read: null };
  }
}

function verifyEntity({ context, workspace, remote }: VerifyFrom, place: EntityLocation): Read {
  const relative = relativeFolder(place);
  const folder = folderOf(context, place);
  const where = new EntityFiles(context.disk, folder, relative);
  const log = `${relative}/${LOG_FILE}`;
  let read: EntityOnDisk | null = null;
  try {
    const bytes = wholeLog(context.disk, join(folder, LOG_FILE));
    if (bytes) read = readEntity(bytes, (type) => type === "evidence.captured" || type === logGap.type);
    else if (where.kindOf("") === undefined) return { findings: [], read: null };
  } catch (e) {
    return { findings: [inPlaceOfLog(where) ?? unreadableLog(log, e)], read: null };
  }
  const found = where.regularFile(TASK_FILE);
  const taskYaml = Buffer.isBuffer(found) ? found.toString("utf8") : undefined;
  const renderer = rendererOf(taskYaml);
  const foreign = renderer === 0 && found !== undefined;
  if (!read) return { findings: [foreign ? noOwnLog(context, place) : withoutLog(relative)], read: null };

  const findings = logFindings(log, read);
  const { entity, report } = read;
  const hasLines = report.problems.length > 0 && !isBegun(read.bytes);
  const isNothing = !entity && report.roots.length + report.held + report.foreign.length === 0;
  if (pointersIn(report).pointers > 0 || (isNothing && hasLines))
    findings.push(unreadableLog(log, noEntity({ id: place.id, folder }, report)));
  if (!entity) {
    if (report.roots.length === 0 && !hasLines)
      findings.push(
        foreign
          ? noOwnLog(context, place)
          : wholeFile("LOG_EMPTY", log, "Expected a log that begins with task.created, found no event of ours."),
      );
    return { findings, read };
  }
  // First: each file that is read there saves a look at the folders above it.
  const ofFiles =
    mayProject(report) && renderer <= RENDERER
      ? projectionFindings(where, subjectOf(place.id, workspace, entity, report))
      : [];
  findings.push(
    ...shorterFindings(log, lostEndsIn(read.bytes, entity, report, taskYaml)),
    ...placeFindings(place, isArchivedOrDeleted(entity)),
    ...skeletonFindings(where),
    ...blobFindings(where, read.events, remote),
    ...citationFindings(where, entity),
    ...(entity.packet && mayProject(report) ? packetFindings(where, entity.packet, remote) : []),
    ...anchorFindings(context.disk, context.layout.root, `${relative}/${INDEX_FILE}`, entity),
  );
  if (renderer > RENDERER) {
    findings.push(
      note(
        wholeFile(
          "RENDERER_NEWER",
          `${relative}/task.yaml`,
          `Written by renderer ${renderer}, this is ${RENDERER}: not compared.`,
        ),
      ),
    );
  } else if (mayProject(report)) {
    findings.push(...ofFiles, ...packageFindings(where, entity));
  }
  return { findings, read };
}

/** Returns a finding about the thing in the place of the folder or its log, if that is why no log was read. */
function inPlaceOfLog(where: EntityFiles): Finding | undefined {
  const kind = where.kindOf("");
  if (kind !== undefined && kind !== "folder") return notAFolder(where.relative, kind);
  const logKind = where.kindOf(LOG_FILE);
  if (logKind === undefined || logKind === "file") return undefined;
  return wholeFile("PATH_UNSAFE", `${where.relative}/${LOG_FILE}`, `Expected a regular file, found a ${logKind}.`);
}

/** A link would lead out of what is reviewed; a plain file among the folders is a person's own. */
function notAFolder(relative: string, kind: string): Finding {
  const finding = wholeFile("PATH_UNSAFE", relative, `Expected a folder, found a ${kind}.`);
  return kind === "file" ? note(finding) : finding;
}

/**
 * Returns the system's message, or the limit that the log is above (spec/limits.md): the other folders are looked at
 * all the same.
 */
function unreadableLog(log: string, e: unknown): Finding {
  if (isTaskfoldError(e)) return wholeFile(e.code, log, e, e);
  const errno = errnoOf(e);
  if (errno === undefined) throw e;
  return wholeFile("LOG_UNREADABLE", log, `Expected a readable log; the system said ${errno}.`);
}

function placeFindings(place: EntityLocation, away: boolean): Finding[] {
  const relative = relativeFolder(place);
  if (place.part === "tasks" && away)
    return [
      wholeFile(
        "DELETED_NOT_ARCHIVED",
        relative,
        "Expected the folder of what was deleted or archived in .coco/archive, found it here.",
      ),
    ];
  if (place.part === "archive" && !away)
    return [
      wholeFile(
        "ARCHIVED_NOT_DELETED",
        relative,
        "Expected only what was deleted or archived in .coco/archive; this log says that it is live. taskfold rebuild moves it.",
      ),
    ];
  return [];
}

function withoutLog(relative: string): Finding {
  return wholeFile(
    "FOLDER_WITHOUT_LOG",
    relative,
    "Expected a folder with events.jsonl, found none; bring the log back from git, or remove the folder.",
  );
}

/** Of such a folder the task file is all there is to answer from: verify reads it as every tool would. */
function noOwnLog(context: VerifyFrom["context"], place: EntityLocation): Finding {
  const relative = relativeFolder(place);
  try {
    foreignSubject(context, { id: place.id, folder: folderOf(context, place) }, "");
  } catch (e) {
    if (!isTaskfoldError(e)) throw e;
    return wholeFile(e.code, `${relative}/task.yaml`, e.message);
  }
  return note(wholeFile("NO_OWN_LOG", relative, "Written by another program; there is no log of ours."));
}

// Citations `evidence:<id>` in Markdown under `shared/` that name no entry of the index (EVID-16).
const FOLDERS = ["shared/reports", "shared/decisions", "shared/contracts"];
const CITATION = /(?<![A-Za-z0-9_-])evidence:([A-Za-z0-9_-]+)/g;
/** People read a report; a larger file is no report. */
const MAX_BYTES = 1024 * 1024;

function citationFindings(where: EntityFiles, entity: Entity): Finding[] {
  const known = new Set(entity.evidence.map((entry) => entry.id));
  const findings: Finding[] = [];
  for (const folder of FOLDERS) {
    if (where.kindOf(folder) !== "folder") continue;
    for (const name of listFolder(where.disk, join(where.folder, folder)).toSorted()) {
      const path = join(where.folder, folder, name);
      const stat = where.disk.lstat(path);
      if (!name.endsWith(".md") || stat?.kind !== "file" || stat.size > MAX_BYTES) continue;
      const file = `${where.relative}/${folder}/${name}`;
      findings.push(...findingsIn(file, () => unknown(where.disk.readFile(path).toString("utf8"), file, known)));
    }
  }
  return findings;
}

function unknown(text: string, file: string, known: ReadonlySet<string>): Finding[] {
  return [...text.matchAll(CITATION)]
    .filter(([, id]) => !known.has(id!))
    .map(({ 1: id, index }) =>
      note({
        code: "CITATION_UNKNOWN",
        file,
        line: text.slice(0, index).split("\n").length,
        byte: Buffer.byteLength(text.slice(0, index)),
        message: `Expected evidence:${id} to name an entry of shared/evidence/index.json, found none of that id.`,
      }),
    );
}
