/**
 * Puts a workspace in order after git: logs first, then every file folded from them, then a look at the whole. Safe to
 * run at any time, twice gives the same; never commits (RESOLVE rules, spec/repair.md).
 */
import { isTaskfoldError, TaskfoldError } from "../../errors.ts";
import { isKeptFrom } from "../../files/storage_error.ts";
import { LOG_FILE } from "../../files/layout.ts";
import { asLog } from "../../log/lines_in.ts";
import { projectionsOf } from "../../projections/index.ts";
import { compareIds } from "../../state/compare_ids.ts";
import { FOLDER_CHARACTERS } from "../entity/store.ts";
import { idFault } from "../../state/ids.ts";
import type { ProgressOptions } from "../core/at_once.ts";
import { ofPass } from "../core/at_once.ts";
import type { EngineParts } from "../parts.ts";
import type { EntityLocation } from "../entity/entity_on_disk.ts";
import { relativeFolder } from "../entity/entity_on_disk.ts";
import type { Finding } from "../core/finding.ts";
import { note, sortFindings, wholeFile } from "../core/finding.ts";
import { limitFindings, Limits } from "../core/git_limits.ts";
import type { GitPort } from "../core/git_port.ts";
import { joinFolders } from "./join_folders.ts";
import type { RepairedEntity, RepairOptions, RepairResult } from "./repair_log.ts";
import { repairEntity } from "./repair_log.ts";
import type { Completion } from "./missing_lines.ts";
import { findMissing } from "./missing_lines.ts";
import { isOverviewOn, OVERVIEW, refreshOverview } from "../projection/overview.ts";
import { rebuildEntities } from "./rebuild.ts";
import type { RestoredBlobs } from "./restore_blobs.ts";
import { restoreBlobs } from "./restore_blobs.ts";
import { entityLocations } from "./entity_locations.ts";
import { verify } from "./verify.ts";
import type { LostLine } from "./verify_git.ts";
import { lostLines } from "./verify_git.ts";
import type { EngineContext } from "../core/context.ts";
import { isAway } from "../../state/archive.ts";
import type { Conflict, Ref } from "../../state/entity.ts";
import { fieldLabel, liveConflicts, liveMoved } from "../../state/live.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";

export type { GitPort } from "../core/git_port.ts";

export interface ResolveOptions extends ProgressOptions {
  /** Tell what would be done to the logs and change nothing. */
  dryRun?: boolean;
  /** Stage the files that were put in order. Needs git. */
  stage?: boolean;
  /** Bring back what the branch once had in its logs and lost since. Needs git. */
  restore?: boolean;
  /** Declare lines lost that others wait for, or that stood at the end, and that are nowhere to be found. */
  acceptGap?: boolean;
  /** Access to git; left out, what `openWorkspace` was given. */
  git?: GitPort;
}

export interface ResolveReport extends OpenQuestions {
  /** True when a log was (or with `dryRun` would be) changed, or a folded file was written. */
  changed: boolean;
  /** Logs that were put in order, with what was done. */
  entities: RepairedEntity[];
  /** Ids of plans and tasks that stood in several folders and now stand in the one of that name (or would, with `dryRun`). */
  joined: string[];
  /** Lines that others wait for and that are nowhere to be found, by their hashes. */
  missing: { id: string; hashes: string[] }[];
  /** Captured bytes that events name and that came back from git, by how many files. */
  captured: { id: string; files: number }[];
  /** The findings that are still not in order. */
  findings: Finding[];
  /** Files that were staged, relative to the root. */
  staged: string[];
}

const NO_BLOBS: RestoredBlobs = { findings: new Set(), missing: [], captured: [] };

/** Resolves one id or all. UNKNOWN_ID when neither the work tree nor a stopped merge has it. @internal */
export async function resolveLogs(
  engine: EngineParts,
  id: string | undefined,
  options: ResolveOptions,
): Promise<ResolveReport> {
  const { context, store } = engine;
  const { dryRun = false, acceptGap = false } = options;
  const git = gitFor(context, options);
  const { workspace } = engine.binding ?? {};
  if (workspace !== undefined && !dryRun) await engine.recovery.recover(workspace, { again: true });
  const open = git?.unmerged() ?? [];
  refuseOpenLeftOut(engine, open);
  const entities: RepairedEntity[] = [];
  const missing: ResolveReport["missing"] = [];
  const { lines: lost, left } = git && options.restore ? lostLines(engine, git, id) : { lines: [], left: [] };
  const unread = new Set<string>();
  const limited = limitFindings(left);
  const places = placesWith(engine, id, open, lost);
  const [repairing, rebuilding, verifying] = [0, 1, 2].map((pass) => ofPass(options, pass, 3));
  for (const [i, place] of places.entries()) {
    repairing?.progress?.(i, places.length);
    const limits = new Limits();
    // Of both folders: the lines of an entity that one side archived may stand in the other's live log.
    const sides = limits.within(() =>
      (["tasks", "archive"] as const).flatMap(
        (part) => git?.versions(`${relativeFolder({ id: place.id, part })}/${LOG_FILE}`) ?? [],
      ),
    );
    // Without all sides the log would lose lines, and to stage it would say that none is missing.
    if (!sides) {
      unread.add(place.id);
      limited.push(...limitFindings(limits.told.map((limit) => ({ ...limit, path: relativeFolder(place) }))));
      continue;
    }
    const {
      repaired,
      missing: hashes,
      refused,
    } = await repairIfReadable(engine, place, {
      sides,
      lost: ofPlace(lost, place),
      find: (log, ends) => findMissing(engine, git, place, { log, ends }, limits),
      // A line that was not looked for everywhere may be there.
      acceptGap: () => acceptGap && limits.told.length === 0,
      dryRun,
    });
    limited.push(...limitFindings(limits.told));
    if (refused) {
      unread.add(place.id);
      limited.push(refused);
    }
    if (repaired) entities.push(repaired);
    if (hashes.length > 0) missing.push({ id: place.id, hashes });
  }
  const ids = new Set([
    ...entities.flatMap((e) => [e.id, ...e.split.map((s) => s.id)]),
    ...(id === undefined ? [] : [id]),
  ]);
  const written: Finding[] = [];
  let files = 0;
  if (!dryRun) for (const one of ids) store.find(one)?.forget();
  const {
    joined,
    names,
    findings: joinFindings,
  } = await joinFolders(engine, id === undefined ? undefined : ids, { dryRun, except: unread });
  if (!dryRun) {
    for (const one of names) ids.delete(one);
    for (const one of joined) ids.add(one);
    for (const one of id === undefined ? [undefined] : ids) {
      const { rebuilt, findings } = await rebuildEntities(engine, one, rebuilding);
      written.push(...findings);
      for (const r of rebuilt) {
        files += r.files.length;
        if (r.files.length > 0) ids.add(r.id);
      }
    }
    if (workspace !== undefined) {
      const overview = refreshOverview(engine, workspace);
      written.push(...overview.findings);
      if (overview.written) files++;
    }
  }
  const looked = after(engine, id === undefined ? undefined : ids, { ...verifying, asked: git });
  const restored = git && !dryRun ? restoreBlobs(context, git, looked) : NO_BLOBS;
  for (const one of restored.captured) ids.add(one.id);
  const projected = new Set(open.filter((path) => isProjected(engine, path)));
  const isFolded = (path: string): boolean =>
    isOurs(path) || projected.has(path) || (path === OVERVIEW && isOverviewOn(context));
  const toStage = !dryRun && options.stage ? git : undefined;
  const { staged, left: unstaged } = toStage
    ? gitAdd(toStage, { ids: [...ids, ...names], open, except: unread, isFolded })
    : { staged: [], left: [] };
  const stillOpen = dryRun ? open : (git?.unmerged() ?? []);
  const { renamed, ...state } = openQuestions(engine, id === undefined ? undefined : ids);
  return {
    changed: entities.length > 0 || joined.length > 0 || files + restored.captured.length > 0,
    entities,
    joined,
    missing,
    captured: restored.captured,
    ...state,
    findings: sortFindings([
      ...looked.filter((finding) => !restored.findings.has(finding) && !isTold(limited, finding)),
      ...written.filter((f) => f.code.endsWith("_FAILED")),
      ...joinFindings,
      ...renamed,
      ...unmergedFindings(stillOpen, isFolded),
      ...unstagedFindings(unstaged, isFolded),
      ...limited,
      ...restored.missing,
    ]),
    staged,
  };
}

/** Whether resolve itself said the same of the log. */
function isTold(told: readonly Finding[], { code, file }: Finding): boolean {
  return told.some((one) => one.code === code && one.file === file);
}

/**
 * NOT_CHECKED_OUT where a merge stopped at a file of a plan or task whose log is left out. git puts such a file into the work tree, and its
 * right text follows from the log.
 */
function refuseOpenLeftOut({ store }: EngineParts, open: readonly string[]): void {
  for (const path of open) {
    const [, id] = /^\.coco\/(?:tasks|archive)\/([^/]+)\//.exec(path) ?? [];
    if (id !== undefined) store.refuseLeftOut(id);
  }
}

/** Whether a log folds to the file: in the folders of a packet the name alone does not tell. */
function isProjected(engine: EngineParts, path: string): boolean {
  const [, id, name] = /^\.coco\/tasks\/([^/]+)\/(.+)$/.exec(path) ?? [];
  if (id === undefined || name === undefined || isOurs(path)) return false;
  const loaded = engine.store.find(id);
  if (!loaded?.catchUp() || !loaded.entity) return false;
  return projectionsOf(loaded.subject(engine.binding?.workspace ?? "")).has(name);
}

/** A log that cannot be read stays as it is, and is a finding: the others go on. */
async function repairIfReadable(
  engine: EngineParts,
  place: EntityLocation,
  options: RepairOptions,
): Promise<RepairResult & { refused?: Finding }> {
  try {
    return await repairEntity(engine, place, options);
  } catch (e) {
    // A folder or log that this user may not read: the look at the whole names it (VERIFY-60).
    if (isKeptFrom(e)) return { repaired: null, missing: [] };
    if (!isTaskfoldError(e) || (e.code !== "LOG_UNREADABLE" && e.code !== "LOG_LFS_POINTER")) throw e;
    const refused = wholeFile(e.code, `${relativeFolder(place)}/${LOG_FILE}`, [e.message, e.recovery].join(" "));
    return { repaired: null, missing: [], refused };
  }
}

/** A merge is put in order without git, too; a caller that asks for something only git can do is told when there is none. */
function gitFor(
  context: EngineContext,
  { git = context.git?.(), restore, stage: toStage }: ResolveOptions,
): GitPort | undefined {
  if (git || !(restore || toStage)) return git;
  throw new TaskfoldError("INVALID_INPUT", `Expected git for ${restore ? "restore" : "stage"}, found none.`, {
    recovery:
      "Give openGit(root) of taskfold/git, to this call or to openWorkspace; the root has to be in a work tree.",
  });
}

/** Lines that were lost from this log, for it to take in. */
function ofPlace(lost: readonly LostLine[], { id, part }: EntityLocation): Completion | undefined {
  const lines = lost.filter(({ place }) => place.id === id && place.part === part);
  if (lines.length === 0) return undefined;
  const found = lines.map(({ id: hash, commit, taken }) => ({
    hash,
    from: `${taken ? "before " : ""}commit ${commit.slice(0, 12)}`,
  }));
  // As git tells them, the last come first.
  return { bytes: asLog(lines.toReversed()), found: found.toReversed() };
}

/** Every folder of the id, or of all, and logs that only a side of a stopped merge has, or an earlier commit. */
function placesWith(
  engine: EngineParts,
  id: string | undefined,
  open: readonly string[],
  lost: readonly LostLine[],
): EntityLocation[] {
  const sides = open
    .map((path) => /^\.coco\/(tasks|archive)\/([^/]+)\/events\.jsonl$/.exec(path))
    .filter((match) => match !== null)
    .map(([, part, name]): EntityLocation => ({ part: part as EntityLocation["part"], id: name! }))
    .filter((place) => idFault(place.id, FOLDER_CHARACTERS) === null && (id === undefined || place.id === id));
  for (const { place } of lost) if (!sides.some((side) => isSame(side, place))) sides.push(place);
  const known =
    id !== undefined && sides.length > 0
      ? entityLocations(engine).filter((p) => p.id === id)
      : entityLocations(engine, id);
  const folders = known.filter(
    (place) => engine.context.disk.lstat(`${engine.context.layout.coco}/${place.part}/${place.id}`)?.kind === "folder",
  );
  const more = sides.filter((side) => !folders.some((folder) => isSame(folder, side)));
  return [...folders, ...more].toSorted((a, b) => compareIds(a.id, b.id));
}

function isSame(a: EntityLocation, b: EntityLocation): boolean {
  return a.id === b.id && a.part === b.part;
}

function after(
  engine: EngineParts,
  ids: Set<string> | undefined,
  options: ProgressOptions & { asked: GitPort | undefined },
): Finding[] {
  if (!ids) return verify(engine, undefined, options).findings;
  const there = new Set(entityLocations(engine).map((place) => place.id));
  return [...ids].filter((name) => there.has(name)).flatMap((name) => verify(engine, name).findings);
}

/** If git would convert a file, git alone stages it: a filter is a program that the repository names. */
function unstagedFindings(paths: readonly string[], isFolded: (path: string) => boolean): Finding[] {
  return paths.map((path) => {
    const finding = wholeFile(
      "FILE_NOT_STAGED",
      path,
      "Expected a file that git stages as it is; an attribute asks for a filter or other line ends. Stage it with git add.",
    );
    return isFolded(path) ? finding : note(finding);
  });
}

/** Files of people that a merge left open: their text is theirs to put right. */
function unmergedFindings(open: readonly string[], isFolded: (path: string) => boolean): Finding[] {
  return open
    .filter((path) => path.startsWith(".coco/") && !isFolded(path))
    .map((path) => wholeFile("FILE_UNMERGED", path, "A merge left this file open; put it right by hand and stage it."));
}

// Which files resolve stages: those of the entities it put in order, but no file of people's that is still in conflict.
const IN_FOLDER = /^\.coco\/(?:tasks|archive)\/[^/]+\/(.+)$/;
const FOLDED = new Set([
  "events.jsonl",
  "task.yaml",
  "README.md",
  "manifest.yaml",
  "shared/evidence/index.json",
  "shared/reports/joined-summary.md",
]);
/** Captured bytes, decisions, and the package of the Taskdoc: their texts are in the log. */
const OURS = /^(?:shared\/evidence\/blobs\/[0-9a-f]{64}|shared\/decisions\/CARD-[0-9A-F]{8}\.md|taskdoc\.tsk\/.+)$/;

/** Whether a path relative to the root is a log, or a file that follows from one. */
function isOurs(path: string): boolean {
  const name = IN_FOLDER.exec(path)?.[1] ?? "";
  return FOLDED.has(name) || OURS.test(name);
}

interface Staged {
  staged: string[];
  /** Files that git would convert by a program of the repository, which is not started. */
  left: string[];
}

interface ToStage {
  ids: readonly string[];
  /** Files that a merge left open. */
  open: readonly string[];
  /** Ids of which nothing is staged. */
  except: ReadonlySet<string>;
  /** Whether a file follows from logs: one of an entity (`isOurs`), or the overview. */
  isFolded: (path: string) => boolean;
}

/** Stages what changed in the folders of these ids, the overview, and every open file that follows from logs. */
function gitAdd(git: GitPort, { ids, open, except, isFolded }: ToStage): Staged {
  const kept = new Set(open.filter((path) => !isFolded(path)));
  const paths = new Set([...open, ...git.changed(OVERVIEW)].filter(isFolded));
  for (const id of new Set(ids)) {
    for (const part of ["tasks", "archive"]) for (const path of git.changed(`.coco/${part}/${id}`)) paths.add(path);
  }
  const list = [...paths].filter((path) => !kept.has(path) && !except.has(path.split("/")[2] ?? "")).toSorted();
  const left = git.add(list);
  const isLeft = new Set(left);
  return { staged: list.filter((path) => !isLeft.has(path)), left };
}

// The questions that resolve leaves to people: fields that two of them wrote, steps that a merge moved, ids that are
// others now.
interface OpenQuestions {
  /** Fields that two people wrote without seeing each other's: a person has to decide. */
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

/** Returns the questions that only people can decide, of live entities. @internal */
function openQuestions(engine: EngineParts, ids: Set<string> | undefined): OpenQuestions & { renamed: Finding[] } {
  const renamed: Finding[] = [];
  const conflicts: OpenQuestions["conflicts"] = [];
  const moved: OpenQuestions["moved"] = [];
  for (const name of engine.store.ids().toSorted(compareIds)) {
    if (ids && !ids.has(name)) continue;
    const loaded = engine.store.find(name);
    // Anything but a file is verify's to report.
    if (loaded && engine.context.disk.lstat(loaded.folder)?.kind !== "folder") continue;
    if (!loaded || !isReadable(engine, loaded) || !loaded.entity || isAway(loaded.entity)) continue;
    for (const { field, values } of liveConflicts(loaded.entity))
      conflicts.push({ id: name, field, label: fieldLabel(loaded.entity, field), values });
    for (const there of liveMoved(loaded.entity)) moved.push({ id: name, steps: there.map((one) => one.id) });
    const { parent, depends_on } = loaded.entity;
    for (const ref of [...(parent ? [parent] : []), ...depends_on]) {
      const id = engine.entities.idOf(ref);
      if (id !== ref.id) renamed.push(renamedFinding(name, ref, id));
    }
  }
  return { conflicts, moved, renamed };
}

/** A log above a limit of reading is verify's to report, too. */
function isReadable({ context: { disk } }: EngineParts, loaded: LoadedEntity): boolean {
  try {
    return disk.lstat(loaded.log.path)?.kind === "file" && loaded.catchUp();
  } catch (e) {
    if (isKeptFrom(e)) return false;
    if (!isTaskfoldError(e) || e.code !== "LOG_UNREADABLE") throw e;
    return false;
  }
}

/** Rules and replies follow the root by themselves; only the files show the id that was written. */
function renamedFinding(name: string, ref: Ref, id: string): Finding {
  const file = relativeFolder({ id: name, part: "tasks" });
  return note(wholeFile("REFERENCE_RENAMED", file, `Its reference ${ref.id} is ${id} now; its files show ${ref.id}.`));
}
