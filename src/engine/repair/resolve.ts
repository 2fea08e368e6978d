/**
 * Puts a workspace in order after git: logs first, then every file folded from them, then a look at the whole. Safe to
 * run at any time, twice gives the same; never commits (RESOLVE rules, spec/repair.md).
 */
import { TaskfoldError } from "../../errors.ts";
import type { ProgressOptions } from "../core/at_once.ts";
import { ofPass } from "../core/at_once.ts";
import type { EngineContext } from "../core/context.ts";
import type { Finding } from "../core/finding.ts";
import { sortFindings } from "../core/finding.ts";
import { limitFindings } from "../core/git_limits.ts";
import type { GitPort } from "../core/git_port.ts";
import type { EngineParts } from "../parts.ts";
import { setWaitingAside } from "../transaction/roll_forward.ts";
import { refreshOverview } from "../projection/overview.ts";
import type { BroughtBack } from "./bring_back.ts";
import { bringBack, declaredLost, goneFindings, nowhere } from "./bring_back.ts";
import { entityLocations } from "./entity_locations.ts";
import { joinFolders } from "./join_folders.ts";
import type { OpenQuestions } from "./open_questions.ts";
import { openQuestions } from "./open_questions.ts";
import type { RebuildOptions } from "./rebuild.ts";
import { rebuildEntities } from "./rebuild.ts";
import type { RepairedEntity } from "./repair_log.ts";
import { repairLogs } from "./repair_logs.ts";
import type { RestoredBlobs } from "./restore_blobs.ts";
import { restoreBlobs } from "./restore_blobs.ts";
import { foldedFiles, gitAdd, movedFiles, unmergedFindings, unstagedFindings } from "./stage_files.ts";
import { verify } from "./verify.ts";
import { lostLines } from "./verify_git.ts";

export type { GitPort } from "../core/git_port.ts";

export interface ResolveOptions extends ProgressOptions {
  /** Tell what would be done to the logs and change nothing. */
  dryRun?: boolean;
  /** Stage the files that were put in order. Needs git. */
  stage?: boolean;
  /** Bring back what the branch once had in its logs and lost since. Needs git. */
  restore?: boolean;
  /** Declare lines lost that others wait for, or that stood at the end, and that are nowhere to be found. A transaction that waits for some is set aside. */
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
  const { dryRun = false, acceptGap = false, restore = false } = options;
  const git = gitFor(context, options);
  const { workspace } = engine.binding ?? {};
  if (workspace !== undefined && !dryRun) await engine.recovery.recover(workspace, { again: true });
  const open = git?.unmerged() ?? [];
  refuseOpenLeftOut(engine, open);
  const [repairing, rebuilding, verifying] = [0, 1, 2].map((pass) => ofPass(options, pass, 3));

  // Of whole plans and tasks that went, no folder is left to be looked at.
  const gone = bringBack(engine, git, { id, restore, acceptGap });
  if (!dryRun) store.wentAway.accept(gone.accepted);
  const isNowhere = [...gone.missing, ...gone.accepted].some(({ left }) => left === "nothing");
  if (id !== undefined && isNowhere) {
    const count = acceptGap && !dryRun ? await setWaitingAside(engine, id) : 0;
    return ofGone(gone, count > 0);
  }
  const { lines, left } = git && restore ? lostLines(engine, git, id) : { lines: [], left: [] };
  const lost = [...lines, ...gone.lines];

  const repaired = await repairLogs(engine, { id, git, open, lost, dryRun, acceptGap }, repairing);
  const { unread } = repaired;
  const limited = [...limitFindings(left), ...repaired.limited];
  const entities = [...repaired.entities, ...gone.accepted.map(declaredLost)];
  const missing = [...repaired.missing, ...gone.missing.map(nowhere)];
  const ids = new Set([
    ...repaired.entities.flatMap((e) => [e.id, ...e.split.map((s) => s.id)]),
    ...(id === undefined ? [] : [id]),
  ]);

  if (!dryRun) for (const one of ids) store.find(one)?.forget();
  const joining = await joinFolders(engine, id === undefined ? undefined : ids, { dryRun, except: unread });
  const { joined, names } = joining;
  if (!dryRun) {
    for (const one of names) ids.delete(one);
    for (const one of joined) ids.add(one);
  }

  // Lines may be back for which a transaction waited.
  if (workspace !== undefined && !dryRun) await engine.recovery.recover(workspace, { again: true });
  const given = acceptGap && !dryRun ? await setWaitingAside(engine, id) : 0;

  // A new file of attributes would keep the filter from the commands that take a merge of its output back.
  const keepsAttributes = unread.size > 0;
  const folded = dryRun
    ? NOTHING_FOLDED
    : await foldAnew(engine, { isAll: id === undefined, ids }, { ...rebuilding, keepsAttributes });
  for (const one of folded.ids) ids.add(one);

  const looked = after(engine, id === undefined ? undefined : ids, { ...verifying, asked: git });
  const restored = git && !dryRun ? restoreBlobs(context, git, looked) : NO_BLOBS;
  for (const one of restored.captured) ids.add(one.id);

  const isFolded = foldedFiles(engine, open);
  const isMoved = movedFiles(engine, git, { open, ids: dryRun ? [] : names });
  const toStage = !dryRun && options.stage ? git : undefined;
  const { staged, left: unstaged } = toStage
    ? gitAdd(toStage, {
        ids: [...ids, ...names],
        open,
        except: unread,
        isOurs: (path) => isFolded(path) || isMoved(path),
      })
    : { staged: [], left: [] };
  // Staging alone closes a file that git holds open.
  const stillOpen = toStage?.unmerged() ?? open;
  const { renamed, ...state } = openQuestions(engine, id === undefined ? undefined : ids);
  return {
    changed: entities.length + joined.length + given + folded.files + restored.captured.length > 0,
    entities,
    joined,
    missing,
    captured: restored.captured,
    ...state,
    findings: sortFindings([
      ...looked.filter((finding) => !restored.findings.has(finding) && !isReported(limited, finding)),
      ...folded.findings,
      ...joining.findings,
      ...renamed,
      ...unmergedFindings(stillOpen, (path) => isFolded(path) || isMoved(path)),
      ...unstagedFindings(unstaged, isFolded),
      ...limited,
      ...restored.missing,
    ]),
    staged,
  };
}

/** The report of one that has no folder, and gets none. */
function ofGone({ missing, accepted }: BroughtBack, isSetAside: boolean): ResolveReport {
  return {
    changed: isSetAside || accepted.length > 0,
    entities: accepted.map(declaredLost),
    joined: [],
    missing: missing.map(nowhere),
    captured: [],
    conflicts: [],
    moved: [],
    findings: goneFindings(missing, []),
    staged: [],
  };
}

interface FoldedAnew {
  /** Whose files differed from their logs. */
  ids: string[];
  files: number;
  /** Files that could not be written. */
  findings: Finding[];
}

const NOTHING_FOLDED: FoldedAnew = { ids: [], files: 0, findings: [] };

async function foldAnew(
  engine: EngineParts,
  { isAll, ids }: { isAll: boolean; ids: ReadonlySet<string> },
  options: RebuildOptions,
): Promise<FoldedAnew> {
  const done: FoldedAnew = { ids: [], files: 0, findings: [] };
  const take = (findings: readonly Finding[]): void => {
    done.findings.push(...findings.filter(({ code }) => code.endsWith("_FAILED")));
  };
  for (const one of isAll ? [undefined] : ids) {
    const { rebuilt, findings } = await rebuildEntities(engine, one, options);
    take(findings);
    for (const { id, files } of rebuilt) {
      done.files += files.length;
      if (files.length > 0) done.ids.push(id);
    }
  }
  const { workspace } = engine.binding ?? {};
  if (workspace === undefined) return done;
  const overview = refreshOverview(engine, workspace);
  take(overview.findings);
  if (overview.written) done.files++;
  return done;
}

/** Whether resolve itself said the same of the log. */
function isReported(reported: readonly Finding[], { code, file }: Finding): boolean {
  return reported.some((one) => one.code === code && one.file === file);
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

function after(
  engine: EngineParts,
  ids: Set<string> | undefined,
  options: ProgressOptions & { asked: GitPort | undefined },
): Finding[] {
  if (!ids) return verify(engine, undefined, options).findings;
  const there = new Set(entityLocations(engine).map((place) => place.id));
  return [...ids].filter((name) => there.has(name)).flatMap((name) => verify(engine, name).findings);
}
