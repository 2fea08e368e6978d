/**
 * Making an entity: under the workspace lock, because ids and the keys of creating calls count across all folders. The log
 * comes first, whole and synced with every name on the way to it; folders and projections follow. A crash in
 * between leaves either nothing that counts or an entity that the next write completes.
 */
import { TaskfoldError } from "../../errors.ts";
import { remedy, toolName } from "../../remedy.ts";
import { errnoOf, storageError } from "../../files/storage_error.ts";
import type { Kind } from "../../state/entity.ts";
import { idFault } from "../../state/ids.ts";
import { kindOf } from "../../rules/create_entity.ts";
import type { IdStyle } from "../core/id_style.ts";
import { LoadedEntity } from "../entity/loaded_entity.ts";
import type { WorkspaceIndex } from "../listing/workspace_index.ts";
import type { Job, CallResult, WorkspaceLookup } from "../entity/job.ts";
import type { LogWrite } from "./log_writer.ts";
import { idTaken } from "./id_taken.ts";
import { setAsideOrphan } from "../entity/orphan_folder.ts";
import { checkSameInput, replayed, syncReplayed } from "./replayed.ts";
import type { Appender } from "./shared_writes.ts";
import { decideAndSeal } from "./decide.ts";
import type { StagedJob } from "./decide.ts";
import type { Store } from "../entity/store.ts";
import type { EngineContext } from "../core/context.ts";

export interface Created {
  loaded: LoadedEntity;
  outcome: CallResult;
  /** False when an idempotency key named a creation of before. */
  fresh: boolean;
}

export interface Creating {
  context: EngineContext;
  store: Store;
  index: WorkspaceIndex;
  logs: Appender;
}

/** Call while holding the workspace lock. */
export function create(from: Creating, around: WorkspaceLookup, style: IdStyle, job: Job): Created {
  const { context, logs } = from;
  // 3 catch up: what other processes made
  const used = job.key && from.index.createdWith(job.key.key);
  if (used) return again(from, around, used, job);
  refuseExpectations(job);
  const { kind, wanted } = askedFor(job);
  const id = freeId(from, kind, style, wanted);
  // 4 decide, before the folder exists: a refusal leaves nothing behind
  const { draft, staged } = drafted(context, around, id, job);
  const write: LogWrite = { loaded: draft, made: true, prev: [], staged: [staged] };
  // 5 append
  try {
    logs.append([write]);
  } catch (e) {
    if (errnoOf(e) === "EEXIST") throw idTaken(id);
    throw storageError(e, `create ${id}`);
  }
  return { loaded: write.loaded, outcome: staged.outcome, fresh: true };
}

/** Refuses what `create` would refuse, and changes nothing: for a root that is to stay unbound then. Needs no lock. */
export function refuseCreation({ context, index }: Creating, around: WorkspaceLookup, style: IdStyle, job: Job): void {
  refuseExpectations(job);
  const { kind, wanted } = askedFor(job);
  index.lookForId(wanted);
  drafted(context, around, index.newId(kind, style, wanted), job);
}

function askedFor({ input }: Job): { kind: Kind; wanted: string | undefined } {
  return { kind: kindOf(input as Parameters<typeof kindOf>[0]), wanted: input["id"] as string | undefined };
}

function drafted(
  context: EngineContext,
  around: WorkspaceLookup,
  id: string,
  job: Job,
): { draft: LoadedEntity; staged: StagedJob } {
  const draft = new LoadedEntity(context, id, context.layout.folder(id));
  const staged = decideAndSeal(context, around, draft, { heads: [], seq: 0, ops: 0, offset: 0 }, job);
  // A creation has its first event.
  return { draft, staged: staged as StagedJob };
}

/** The id that an entity gets, with what a creation that was cut off left of it out of the way. Call while holding the workspace lock. */
export function freeId(
  { context, store, index }: Pick<Creating, "context" | "store" | "index">,
  kind: Kind,
  style: IdStyle,
  wanted?: string,
): string {
  // Before an id is given: that of one that went away is not given again.
  context.notices.push(...store.wentAway.look({ live: context.disk.lstat(context.layout.tasks), creates: true }));
  // An entity that this process made itself is no orphan.
  const isNews = index.lookForId(wanted);
  const inTheWay = wanted ?? (isNews ? index.latestId(kind) : undefined);
  if (inTheWay !== undefined && idFault(inTheWay) === null && setAsideOrphan(context, store, inTheWay)) {
    index.listForId(wanted);
  }
  return index.newId(kind, style, wanted);
}

function again(from: Creating, around: WorkspaceLookup, loaded: LoadedEntity, job: Job): Created {
  checkSameInput(job, loaded.keys.get(job.key!.key)!);
  syncReplayed(from, loaded, [job]);
  return { loaded, outcome: replayed(around, loaded, job), fresh: false };
}

/** An entity that does not exist yet is at revision 0 and has no head (TOOL-4). */
export function refuseExpectations({ input }: Pick<Job, "input">): void {
  const { expected_revision: revision = 0, expected_head: head = "" } = input as {
    expected_revision?: number;
    expected_head?: string;
  };
  if (revision === 0 && head === "") return;
  const expected = revision === 0 ? `head ${head}` : `revision ${revision}`;
  throw new TaskfoldError(
    "REVISION_MISMATCH",
    `Expected ${expected}, found nothing yet: that is revision 0 without a head.`,
    {
      ...remedy`Leave out expected_revision and expected_head, or change what is there with ${toolName("tasks_edit")}.`,
      details: { revision: 0, head: "" },
    },
  );
}
