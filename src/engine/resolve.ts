/**
 * Puts a workspace in order after git: logs first, then every file folded from them, then a look at the whole. Safe to
 * run at any time, twice gives the same; never commits (RESOLVE rules, spec/mend.md).
 */
import { LOG_FILE } from "../files/layout.ts";
import { compareIds } from "../state/compare_ids.ts";
import type { Conflict, Ref } from "../state/entity.ts";
import { fieldLabel, liveConflicts, liveMoved } from "../state/live.ts";
import { FOLDER_CHARACTERS } from "./store.ts";
import { idFault } from "../state/ids.ts";
import type { Engine } from "./engine.ts";
import type { Place } from "./entity_on_disk.ts";
import { relativeFolder } from "./entity_on_disk.ts";
import type { Finding } from "./finding.ts";
import { note, sortFindings, wholeFile } from "./finding.ts";
import type { GitPort } from "./git_port.ts";
import { joinFolders } from "./join_folders.ts";
import type { MendedEntity } from "./mend_log.ts";
import { mendEntity } from "./mend_log.ts";
import { rebuild } from "./rebuild.ts";
import { isOurs, stage } from "./stage_files.ts";
import { placesOf, verify } from "./verify.ts";

export type { GitPort } from "./git_port.ts";

export interface ResolveOptions {
  /** Tell what would be done to the logs and change nothing. */
  dryRun?: boolean;
  /** Stage the files that were put in order. Needs `git`. */
  stage?: boolean;
  /** Access to git, given by a host that is inside a work tree. */
  git?: GitPort;
}

export interface ResolveReport {
  /** True when a log was (or with `dryRun` would be) changed, or a folded file was written. */
  changed: boolean;
  /** Logs that were put in order, with what was done. */
  entities: MendedEntity[];
  /** Ids that stood in two folders and now stand in one. */
  joined: string[];
  /** Fields that two people wrote without seeing each other's: somebody has to decide. */
  conflicts: {
    id: string;
    field: string;
    /** The field in the words of radar and README, such as `taskdoc.tsk/goals.md`. */
    label: string;
    values: Conflict["values"];
  }[];
  /** Steps whose paths a merge moved. */
  moved: { id: string; steps: string[] }[];
  /** What is still not in order. */
  findings: Finding[];
  /** Files that were staged, relative to the root. */
  staged: string[];
}

/** Resolves one id or all. UNKNOWN_ID when neither the work tree nor a stopped merge has it. */
export async function resolveLogs(
  engine: Engine,
  id: string | undefined,
  options: ResolveOptions,
): Promise<ResolveReport> {
  const { world, store } = engine;
  const { git, dryRun = false } = options;
  const { workspace } = engine.binding ?? {};
  if (workspace !== undefined && !dryRun) await engine.transactions.settle(workspace, { again: true });
  const open = git?.unmerged() ?? [];
  const entities: MendedEntity[] = [];
  for (const place of placesWith(engine, id, open)) {
    // Of both folders: the lines of an entity that one side archived may stand in the other's live log.
    const sides = (["tasks", "archive"] as const).flatMap(
      (part) => git?.versions(`${relativeFolder({ id: place.id, part })}/${LOG_FILE}`) ?? [],
    );
    const mended = await mendEntity(world, place, sides, dryRun);
    if (mended) entities.push(mended);
  }
  const ids = new Set([
    ...entities.flatMap((e) => [e.id, ...e.split.map((s) => s.id)]),
    ...(id === undefined ? [] : [id]),
  ]);
  const joined: string[] = [];
  const written: Finding[] = [];
  let files = 0;
  if (!dryRun) {
    for (const one of ids) store.find(one)?.forget();
    joined.push(...(await joinFolders(engine, id === undefined ? undefined : ids)));
    for (const one of id === undefined ? [undefined] : ids) {
      const { rebuilt, findings } = await rebuild(engine, one);
      written.push(...findings);
      for (const r of rebuilt) {
        files += r.files.length;
        if (r.files.length > 0) ids.add(r.id);
      }
    }
  }
  const staged = !dryRun && options.stage && git ? stage(git, [...ids, ...joined], open) : [];
  const left = dryRun ? open : (git?.unmerged() ?? []);
  const { renamed, ...state } = openQuestions(engine, id === undefined ? undefined : ids);
  return {
    changed: entities.length > 0 || joined.length > 0 || files > 0,
    entities,
    joined,
    ...state,
    findings: sortFindings([
      ...after(engine, id === undefined ? undefined : ids),
      ...written.filter((f) => f.code.endsWith("_FAILED")),
      ...renamed,
      ...unmergedFindings(left),
    ]),
    staged,
  };
}

/** Every folder of the id, or of all, and logs that only a side of a stopped merge has. */
function placesWith(engine: Engine, id: string | undefined, open: readonly string[]): Place[] {
  const sides = open
    .map((path) => /^\.coco\/(tasks|archive)\/([^/]+)\/events\.jsonl$/.exec(path))
    .filter((match) => match !== null)
    .map(([, part, name]): Place => ({ part: part as Place["part"], id: name! }))
    .filter((place) => idFault(place.id, FOLDER_CHARACTERS) === null && (id === undefined || place.id === id));
  const known =
    id !== undefined && sides.length > 0 ? placesOf(engine).filter((p) => p.id === id) : placesOf(engine, id);
  const folders = known.filter(
    (place) => engine.world.disk.lstat(`${engine.world.layout.coco}/${place.part}/${place.id}`)?.kind === "folder",
  );
  const more = sides.filter((side) => !folders.some((p) => p.id === side.id && p.part === side.part));
  return [...folders, ...more].toSorted((a, b) => compareIds(a.id, b.id));
}

/** What only people can decide, of live entities. */
function openQuestions(
  engine: Engine,
  ids: Set<string> | undefined,
): Pick<ResolveReport, "conflicts" | "moved"> & { renamed: Finding[] } {
  const renamed: Finding[] = [];
  const conflicts: ResolveReport["conflicts"] = [];
  const moved: ResolveReport["moved"] = [];
  for (const name of engine.store.ids().toSorted(compareIds)) {
    if (ids && !ids.has(name)) continue;
    const handle = engine.store.find(name);
    // Anything but a file is verify's to report.
    if (handle && engine.world.disk.lstat(handle.log.path)?.kind !== "file") continue;
    if (!handle?.catchUp() || !handle.entity || handle.entity.deleted) continue;
    for (const { field, values } of liveConflicts(handle.entity))
      conflicts.push({ id: name, field, label: fieldLabel(handle.entity, field), values });
    for (const there of liveMoved(handle.entity)) moved.push({ id: name, steps: there.map((one) => one.id) });
    const { parent, depends_on } = handle.entity;
    for (const ref of [...(parent ? [parent] : []), ...depends_on]) {
      const id = engine.entities.idOf(ref);
      if (id !== ref.id) renamed.push(renamedFinding(name, ref, id));
    }
  }
  return { conflicts, moved, renamed };
}

/** Rules and replies follow the root by themselves; only the files show the id that was written. */
function renamedFinding(name: string, ref: Ref, id: string): Finding {
  const file = relativeFolder({ id: name, part: "tasks" });
  return note(
    wholeFile("REFERENCE_RENAMED", file, `What it names as ${ref.id} is ${id} now; its files show ${ref.id}.`),
  );
}

function after(engine: Engine, ids: Set<string> | undefined): Finding[] {
  if (!ids) return verify(engine).findings;
  const there = new Set(placesOf(engine).map((place) => place.id));
  return [...ids].filter((name) => there.has(name)).flatMap((name) => verify(engine, name).findings);
}

/** Files of people that a merge left open: their text is theirs to put right. */
function unmergedFindings(open: readonly string[]): Finding[] {
  return open
    .filter((path) => path.startsWith(".coco/") && !isOurs(path))
    .map((path) => wholeFile("FILE_UNMERGED", path, "A merge left this file open; put it right by hand and stage it."));
}
