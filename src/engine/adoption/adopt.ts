/**
 * Adoption: a folder that another program kept gets a log of ours, from its own files alone. So two clones that adopt
 * it write the same bytes (ADOPT rules). `again` takes in what that program changed since.
 */
import { join } from "node:path";
import { isTaskfoldError, TaskfoldError } from "../../errors.ts";
import type { Warning } from "../../errors.ts";
import { remedy, remedyOf, toolName, TASKFOLD } from "../../remedy.ts";
import { millis } from "../../events/adopted.ts";
import type { Draft } from "../../events/define.ts";
import { INDEX_FILE, TASK_FILE } from "../../files/layout.ts";
import { storageError } from "../../files/storage_error.ts";
import { assertHashable, canonicalJson, sha256 } from "../../log/canonical.ts";
import { sealOp } from "../../log/envelope.ts";
import type { Json, Payload } from "../../log/types.ts";
import { adoptTask } from "../../rules/adopt_task.ts";
import { readoptTask } from "../../rules/readopt_task.ts";
import type { Entity } from "../../state/entity.ts";
import type { ForeignFolder } from "../../state/foreign_entity.ts";
import type { EngineParts } from "../parts.ts";
import { appendDurably } from "../commit/append_durably.ts";
import { placing } from "../commit/system_ops.ts";
import type { LoadedEntity } from "../entity/loaded_entity.ts";
import { keptName, quarantine, quarantineName } from "../core/quarantine.ts";
import { readForeignFolder, readKeptVersions } from "./read_foreign.ts";
import { stateAtTime } from "../entity/state_at.ts";
import { findEntity } from "../entities/target.ts";
import type { EngineContext } from "../core/context.ts";
import { refuseTwoFolders } from "../entity/two_folders.ts";
import { logWarnings, refuseDeleted, refuseDisorder } from "../entity/writable.ts";
import { counted } from "../../state/counted.ts";

export interface AdoptOptions {
  /** Tell what would be taken in, and change nothing. */
  dryRun?: boolean;
  /** Take in what the other program changed in a folder that has a log of ours. */
  again?: boolean;
}

export interface AdoptReport {
  id: string;
  /** False when there was nothing new, and nothing was written. */
  changed: boolean;
  title: string;
  /**
   * The parts that were (with `dryRun`: would be) taken in: of all of them on first adoption, else those that are new
   * or changed.
   */
  took: { steps: number; roster: number; gates: number; evidence: number; lines: number };
  /** Again: the words of the task file that changed. */
  fields: string[];
  /**
   * Parts that the files folded from now on do not show, and where they are kept. With `again`, the words that differ
   * and stay as they are here.
   */
  left: string[];
  /** Files as they were before, in `.coco/registry/quarantine`. */
  quarantined: string[];
  warnings: Warning[];
}

const README = "README.md";
/** The facts that every README of the other program has. */
const FACT = /^- (?:id|topology|state): `[^`]*`\s*$/;

interface Plan {
  drafts: Draft[];
  folder: ForeignFolder;
  /** Of the op: when the other program wrote what is taken in. */
  ts: string;
  report: Omit<AdoptReport, "quarantined" | "warnings">;
}

/** UNKNOWN_ID, LOG_FOREIGN (nothing to adopt), ALREADY_DONE (adopted, and not `again`), LOG_UNREADABLE (broken files). @internal */
export async function adopt(engine: EngineParts, id: string, options: AdoptOptions): Promise<AdoptReport> {
  const { store, projector } = engine;
  const { dryRun = false, again = false } = options;
  const workspace = engine.binding?.workspace;
  const loaded = findEntity(store, workspace ?? "", id);
  if (dryRun) return { ...plan(engine, loaded, again).report, quarantined: [], warnings: [] };
  if (workspace === undefined)
    throw new TaskfoldError(
      "INVALID_INPUT",
      "Expected a root that is bound to a workspace id, found one that is not.",
      remedy`Run ${TASKFOLD} init first.`,
    );
  let planned: Plan;
  let quarantined: string[] = [];
  const lock = await engine.recovery.lockRecovered(workspace, [loaded.id]);
  try {
    engine.logs.syncs.repair(loaded);
    planned = plan(engine, loaded, again);
    if (planned.drafts.length === 0 && !planned.folder.task) return { ...planned.report, quarantined, warnings: [] };
    engine.dirty.mark(loaded.id);
    quarantined = keepOld(engine, loaded, planned);
    if (planned.drafts.length > 0) append(engine, loaded, planned);
  } catch (e) {
    // The answer says that it is adopted: its writer may have been killed before it synced the lines.
    if (isTaskfoldError(e) && e.code === "ALREADY_DONE") engine.logs.syncs.makeLast(loaded);
    throw storageError(e, `adopt ${loaded.id}`);
  } finally {
    lock.release();
  }
  const warnings = await projector.project(loaded, workspace);
  const gone = store.wentAway.look({ live: engine.context.disk.lstat(engine.context.layout.tasks) });
  return {
    ...planned.report,
    quarantined,
    // Said by `quarantined`: replacing those files is what was asked for.
    warnings: [...logWarnings(loaded), ...gone, ...warnings.filter((w) => w.code !== "PROJECTION_DRIFT")],
  };
}

function plan({ context, store }: EngineParts, loaded: LoadedEntity, again: boolean): Plan {
  loaded.catchUp();
  refuseDisorder(loaded);
  const { entity, id, report } = loaded;
  if (entity) refuseDeleted(entity, id);
  refuseTwoFolders(loaded);
  if (entity && !again)
    throw new TaskfoldError(
      "ALREADY_DONE",
      `Expected a folder without a log of ours; ${id} has one.`,
      remedy`To take in what another program changed since: ${TASKFOLD} adopt ${id} --again`,
    );
  const folder = readForeignFolder(context, loaded);
  const lines = report.foreign.length;
  if (entity) return planAgain(context, loaded, entity, folder);
  const { task } = folder;
  if (!task) {
    const gone = store.wentAway.refusalOf(id);
    throw new TaskfoldError(
      "LOG_FOREIGN",
      `Expected a task.yaml that another program wrote in ${id}, found none.${gone.message}`,
      {
        ...remedy`There is nothing to adopt; ${toolName("tasks_create")} makes a task.`,
        ...remedyOf(gone),
        details: gone.details,
      },
    );
  }
  const took = {
    steps: task.milestones.length,
    roster: task.roster.length,
    gates: task.gates.length,
    evidence: folder.evidence.length,
    lines,
  };
  const left = [...unknownMembers(folder, "kept in the log"), ...ownLines(context, loaded)];
  const report_ = { id, changed: true, title: task.title, took, fields: [], left };
  const drafts = [adoptTask(id, folder, task)];
  return { drafts, folder, ts: millis(folder.updated), report: report_ };
}

/**
 * Compares the folder with the present state, and files that were set aside with the state that their writer had read.
 */
function planAgain(context: EngineContext, loaded: LoadedEntity, entity: Entity, folder: ForeignFolder): Plan {
  const kept = readKeptVersions(context, loaded);
  const { drafts, fields, left, title, updated, ...counts } = readoptTask(entity, [
    ...kept.map((one) => ({ folder: one, base: one.task ? stateAtTime(loaded, one.updated) : entity })),
    { folder, base: entity },
  ]);
  const changed = drafts.length > 0;
  const lines = changed ? loaded.report.foreign.length : 0;
  const unknown = [...kept, folder].flatMap((one) => unknownMembers(one, "not taken in"));
  return {
    drafts,
    folder,
    ts: updated === null ? entity.updated_at : millis(updated),
    report: {
      id: loaded.id,
      changed,
      title,
      took: { steps: 0, ...counts, lines },
      fields,
      left: [...new Set([...left, ...unknown])],
    },
  };
}

/** Each once, however many milestones or gates have it. */
function unknownMembers({ extra }: ForeignFolder, where: string): string[] {
  const names = new Set(extra.map(({ path }) => path.replace(/\[\d+\]/g, "[]")));
  return [...names].map((name) => `${TASK_FILE} ${name} (${where})`);
}

/** Returns the lines of the README beside those that the other program begins it with: the quarantine has all of it. */
function ownLines({ disk }: EngineContext, { id, folder }: LoadedEntity): string[] {
  const path = join(folder, README);
  if (disk.lstat(path)?.kind !== "file") return [];
  const bytes = disk.readFile(path);
  const lines = bytes.toString("utf8").split("\n");
  const own = lines.filter((line, i) => line.trim() !== "" && !(i === 0 && line.startsWith("# ")) && !FACT.test(line));
  if (own.length === 0) return [];
  const kept = quarantineName(keptName(id, README), bytes);
  return [`${README}: ${counted(own.length, "line")} of its own (kept as .coco/registry/quarantine/${kept})`];
}

/** Copies of what the projections will replace, synced before anything is written. */
function keepOld({ context }: EngineParts, { id, folder, entity }: LoadedEntity, { folder: { task } }: Plan): string[] {
  const names = [...(task ? [TASK_FILE] : []), ...(entity ? [] : [README]), INDEX_FILE];
  return names.flatMap((name) => {
    const path = join(folder, name);
    if (context.disk.lstat(path)?.kind !== "file") return [];
    quarantine(context, keptName(id, name), context.disk.readFile(path));
    return [name];
  });
}

/** One op that says what the files said, and one that gives the lines of the other program their place behind it. */
function append({ context, logs }: EngineParts, loaded: LoadedEntity, { drafts, folder, ts }: Plan): void {
  for (const { payload } of drafts) {
    const fault = assertHashable(payload);
    if (fault !== null) throw new TaskfoldError("LOG_UNREADABLE", `The files of ${loaded.id} cannot be kept: ${fault}`);
  }
  const { heads, seq, foreign } = loaded.report;
  const digest = sha256(
    canonicalJson({ files: drafts.flatMap(({ payload }) => payload["files"] as Json[]), people: folder.people }),
  );
  const stamp = { taskId: loaded.id, by: "system", ts, tool: "adopt" };
  const first = sealOp({ ...stamp, opId: `adopt-${digest}`, heads, seq, drafts: drafts as never });
  const last = first.events.at(-1)!;
  const places = placing(foreign).drafts as { type: string; payload: Payload }[];
  const second =
    places.length === 0
      ? []
      : [sealOp({ ...stamp, opId: `place-${digest}`, heads: [last.hash], seq: last.seq, drafts: places }).bytes];
  appendDurably({ context, logs }, loaded, [first.bytes, ...second], { makes: true });
}
