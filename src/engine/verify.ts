/**
 * Reads every log and every folded file from disk, past what this process has in memory, and says what is not as it
 * should be. Changes nothing and takes no lock: what another process is writing at this moment may show.
 */
import { join } from "node:path";
import { isTaskfoldError, TaskfoldError } from "../errors.ts";
import { INDEX_FILE, LOG_FILE, TASK_FILE } from "../files/layout.ts";
import { errnoOf, storageError } from "../files/storage_error.ts";
import { RENDERER } from "../projections/index.ts";
import type { EngineParts } from "./parts.ts";
import type { EntityOnDisk, Place } from "./entity_on_disk.ts";
import { folderOf, mayProject, readEntity, relativeFolder, subjectOf } from "./entity_on_disk.ts";
import type { Finding } from "./finding.ts";
import { foreignSubject } from "./foreign_folder.ts";
import { note, sortFindings, wholeFile } from "./finding.ts";
import { limitFindings } from "./git_limits.ts";
import type { GitPort } from "./git_port.ts";
import { lostEndsIn, shorterFindings } from "./log_shorter.ts";
import { mustBeText } from "./must_be_text.ts";
import { overviewFindings } from "./overview.ts";
import { packetFindings } from "./packet_files.ts";
import { linkFindings, placesOf } from "./places.ts";
import { rendererOf } from "./renderer_of.ts";
import { isAway } from "../state/archive.ts";
import { listedOf } from "../state/listed.ts";
import type { Listed } from "../state/listed.ts";
import { logGap } from "../events/log.gap.ts";
import { anchorFindings } from "./verify_anchors.ts";
import { citationFindings } from "./verify_citations.ts";
import { blobFindings, packageFindings, projectionFindings, skeletonFindings, Where } from "./verify_files.ts";
import { lostFindings, lostLines } from "./verify_git.ts";
import { logFindings } from "./verify_log.ts";
import { TxnFindings } from "./verify_txn.ts";
import { workspaceFindings } from "./verify_workspace.ts";
import { wholeLog } from "./whole_log.ts";
import type { World } from "./world.ts";

export type { Finding } from "./finding.ts";

export interface VerifyReport {
  /** True when every finding is only for information. */
  ok: boolean;
  /** Folders with a log of ours that were read. */
  entities: number;
  /** Events in effect in them. */
  events: number;
  findings: Finding[];
}

export interface VerifyOptions {
  /** Access to git: what the branch once had in its logs is looked for, too. */
  git?: GitPort;
  /** A branch, a tag or a commit: of that only what was lost in commits that it does not lead to. Goes with `git`. */
  gitBase?: string;
}

/**
 * Verifies one entity (live or archived) or, without `id`, the whole workspace. UNKNOWN_ID when there is no such folder, and
 * never was as far as git was asked.
 * @internal
 * @internal
 * @internal
 * @internal
 */
export function verify(engine: EngineParts, id?: string, { git, gitBase }: VerifyOptions = {}): VerifyReport {
  if (gitBase !== undefined) mustBeText("gitBase", gitBase);
  if (gitBase !== undefined && !git)
    throw new TaskfoldError("INVALID_INPUT", "Expected git beside gitBase, found none.", {
      recovery: "Give openGit(root) of taskfold/git as git.",
    });
  const { lines: lost, left } = git ? lostLines(engine, git, id, gitBase) : { lines: [], left: [] };
  const places =
    lost.length > 0 ? placesOf(engine).filter((place) => [undefined, place.id].includes(id)) : placesOf(engine, id);
  const findings: Finding[] = id === undefined ? workspaceFindings(engine) : [];
  findings.push(...linkFindings(engine), ...lostFindings(lost), ...limitFindings(left));
  const roots = new Map<string, Place[]>();
  const live: Listed[] = [];
  const txns = new TxnFindings();
  let entities = 0;
  let events = 0;
  for (const place of places) {
    const seen = verifyOrTell(engine, place);
    findings.push(...seen.findings);
    if (!seen.read?.entity) continue;
    entities++;
    events += seen.read.report.events;
    txns.saw(place, seen.read.txns);
    const { root } = seen.read.entity;
    if (place.part === "tasks") live.push(listedOf({ id: place.id, entity: seen.read.entity }));
    roots.set(root, [...(roots.get(root) ?? []), place]);
  }
  for (const [root, [first, ...others]] of roots) {
    for (const other of others) findings.push(sameRoot(root, first!, other));
  }
  // Of one entity alone nobody can tell what the others have.
  if (id === undefined) {
    findings.push(...txns.incomplete(engine.transactions.journal.pending()), ...overviewFindings(engine.world, live));
  }
  return { ok: findings.every((f) => f.info === true), entities, events, findings: sortFindings(findings) };
}

/** One folder that cannot be read is a finding; the others are verified all the same (VERIFY-60). */
function verifyOrTell(engine: EngineParts, place: Place): { findings: Finding[]; read: EntityOnDisk | null } {
  try {
    return verifyEntity(engine, place);
  } catch (e) {
    const known = isTaskfoldError(e) || errnoOf(e) !== undefined;
    const { code, message } = known
      ? storageError(e, `read ${place.id}`)
      : { code: "FOLDER_UNREADABLE", message: `Expected a folder that can be verified; found ${String(e)}.` };
    return { findings: [wholeFile(code, relativeFolder(place), message)], read: null };
  }
}

function verifyEntity(engine: EngineParts, place: Place): { findings: Finding[]; read: EntityOnDisk | null } {
  const { world } = engine;
  const relative = relativeFolder(place);
  const folder = folderOf(world, place);
  const where = new Where(world.disk, folder, relative);
  const kind = world.disk.lstat(folder)?.kind;
  if (kind === undefined) return { findings: [], read: null };
  if (kind !== "folder") return { findings: [notAFolder(relative, kind)], read: null };
  const log = `${relative}/${LOG_FILE}`;
  const logKind = world.disk.lstat(join(folder, LOG_FILE))?.kind;
  if (logKind !== undefined && logKind !== "file")
    return { findings: [wholeFile("PATH_UNSAFE", log, `Expected a regular file, found a ${logKind}.`)], read: null };
  let read: EntityOnDisk | null = null;
  try {
    const bytes = logKind === undefined ? undefined : wholeLog(world.disk, join(folder, LOG_FILE));
    if (bytes) read = readEntity(bytes, (type) => type === "evidence.captured" || type === logGap.type);
  } catch (e) {
    return { findings: [unreadableLog(log, e)], read: null };
  }
  const found = where.regularFile(TASK_FILE);
  const taskYaml = found === "unsafe" ? undefined : found?.toString("utf8");
  const renderer = rendererOf(taskYaml);
  const foreign = renderer === 0 && found !== undefined;
  if (!read) return { findings: [foreign ? noOwnLog(world, place) : withoutLog(relative)], read: null };

  const findings = logFindings(log, read);
  const { entity, report } = read;
  if (!entity) {
    if (report.roots.length === 0 && report.problems.length === 0)
      findings.push(
        foreign
          ? noOwnLog(world, place)
          : wholeFile("LOG_EMPTY", log, "Expected a log that begins with task.created, found no event of ours."),
      );
    return { findings, read };
  }
  findings.push(
    ...shorterFindings(log, lostEndsIn(read.bytes, entity, report, taskYaml)),
    ...placeFindings(place, isAway(entity)),
    ...skeletonFindings(where),
    ...blobFindings(where, read.events),
    ...citationFindings(where, entity),
    ...(entity.packet && mayProject(report) ? packetFindings(where, entity.packet) : []),
    ...anchorFindings(world.disk, world.layout.root, `${relative}/${INDEX_FILE}`, entity),
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
    findings.push(
      ...projectionFindings(where, subjectOf(place.id, engine.binding?.workspace ?? "", entity, report)),
      ...packageFindings(where, entity),
    );
  }
  return { findings, read };
}

/** A link would lead out of what is reviewed; a plain file among the folders is a person's own. */
function notAFolder(relative: string, kind: string): Finding {
  const finding = wholeFile("PATH_UNSAFE", relative, `Expected a folder, found a ${kind}.`);
  return kind === "file" ? note(finding) : finding;
}

/** What the system said, or which limit the log is above (spec/limits.md): the other folders are looked at all the same. */
function unreadableLog(log: string, e: unknown): Finding {
  if (isTaskfoldError(e)) return wholeFile(e.code, log, e.message);
  const errno = errnoOf(e);
  if (errno === undefined) throw e;
  return wholeFile("LOG_UNREADABLE", log, `Expected a readable log; the system said ${errno}.`);
}

function placeFindings(place: Place, away: boolean): Finding[] {
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
function noOwnLog(world: World, place: Place): Finding {
  const relative = relativeFolder(place);
  try {
    foreignSubject(world, { id: place.id, folder: folderOf(world, place) }, "");
  } catch (e) {
    if (!isTaskfoldError(e)) throw e;
    return wholeFile(e.code, `${relative}/task.yaml`, e.message);
  }
  return note(wholeFile("NO_OWN_LOG", relative, "Written by another program; there is no log of ours."));
}

function sameRoot(root: string, first: Place, other: Place): Finding {
  return wholeFile(
    "SAME_ROOT",
    relativeFolder(other),
    `Expected one folder for the entity ${root}, found a second; the first is ${relativeFolder(first)}.`,
  );
}
