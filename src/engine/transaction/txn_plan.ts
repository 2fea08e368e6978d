/** Which calls a transaction is made of, which entities they go to, and the locks it needs for that. */
import type { CheckedCall } from "../entity/job.ts";
import { isTaskfoldError, TaskfoldError } from "../../errors.ts";
import type { Suggestion, WarningCode } from "../../errors.ts";
import { remedyOf } from "../../remedy.ts";
import { isArchivedOrDeleted } from "../../state/archive.ts";
import type { Kind, Subject } from "../../state/entity.ts";
import type { PartCall } from "../../tools/calls.ts";
import type { Decider } from "../../tools/tool.ts";
import { archiveOf, deciderOf, madeOf } from "../../tools/tool.ts";
import { TOOLS } from "../../tools/index.ts";
import { canonicalJson } from "../../log/canonical.ts";
import { LoadedEntity } from "../entity/loaded_entity.ts";
import type { ReadModel } from "../entities/read_model.ts";
import { retentionOf } from "./retention.ts";
import { WORKSPACE_LOCK } from "../core/lock.ts";
import { checkExpectations, expectedNow } from "../commit/decide.ts";
import { validate } from "../core/input/validate.ts";
import { refuseAway } from "../entity/writable.ts";

/** Most entities that one transaction changes: each is a lock held and a log opened. */
export const MAX_ENTITIES = 500;

/** A part, and the entity it goes to. */
export interface PlannedPart {
  tool: Decider;
  input: Record<string, unknown>;
  id: string;
  made: boolean;
  otherwise: WarningCode | undefined;
  suggest: PartCall["suggest"];
}

export interface TxnPlan {
  parts: PlannedPart[];
  /** Names of the locks to take, in order. */
  locks: string[];
  /** Equal for plans of the same calls to the same entities, whatever ids they give to what they make. */
  digest: string;
}

export type IdGiver = (kind: Kind, wanted?: string) => string;

/** The calls, and the ids of what they make. */
export interface TxnCalls {
  calls: PartCall[];
  made: ReadonlySet<string>;
}

/** Null: the tool says that this one is an ordinary call. `newId`: the id for what is made. */
export function callsOf(from: ReadModel, call: CheckedCall, newId: IdGiver): TxnCalls | null {
  const { tool, input, workspace } = call;
  const { entities } = from;
  const given = new Map<Kind, string>();
  const idFor: IdGiver = (kind, wanted) => {
    const id = given.get(kind) ?? newId(kind, wanted);
    given.set(kind, id);
    return id;
  };
  const calls = madeOf(tool)!.parts(input as never, {
    workspace,
    target: () => {
      const wanted = entities.wanted(call);
      const { loaded, subject, foreign } = entities.find(workspace, wanted);
      // LOG_FOREIGN: the folder of another program has no log of ours to compare with.
      if (foreign) entities.forWriting(workspace, wanted);
      if (!archiveOf(tool)) refuseAway(subject.entity, loaded.id, workspace);
      // Before the tool looks at what is there: that may be what changed since.
      checkExpectations(call, subject, expectedNow(loaded));
      return subject;
    },
    focused: () => focusedOn(from, call),
    find: (id) => {
      const { subject } = entities.find(workspace, { id, from: "input" });
      refuseAway(subject.entity, subject.id, workspace);
      return subject;
    },
    rows: () => entities.listing.rows(workspace).rows,
    tasksOfPlan: entities.around(workspace).tasksOfPlan,
    retention: () => retentionOf(from, call),
    newId: idFor,
  });
  return calls && { calls, made: new Set(given.values()) };
}

/** The entities that the calls go to; the input of the calls has been checked. */
export function planTxn(from: ReadModel, call: CheckedCall, { calls, made }: TxnCalls): TxnPlan {
  const parts = calls.map((one, index) => planPart(from, call, one, { index, made }));
  const ids = [...new Set(parts.map(({ id }) => id))];
  if (ids.length > MAX_ENTITIES) throw tooMany(ids.length);
  // A new entity gets its id, and a deleted plan is asked for its tasks, while no other process makes any.
  const alone = parts.some((part) => part.made || part.tool.destructive);
  const locks = [...new Set([...(alone ? [WORKSPACE_LOCK] : []), ...ids.toSorted()])];
  return { parts, locks, digest: digestOf(parts, made) };
}

function digestOf(parts: readonly PlannedPart[], made: ReadonlySet<string>): string {
  const all = canonicalJson(parts.map(({ tool: { name }, input: args, id }) => ({ name, args, id })));
  return [...made].reduce((text, id, at) => text.replaceAll(JSON.stringify(id), `"made ${at}"`), all);
}

/** A focus that points at nothing any more is none. */
function focusedOn({ entities }: ReadModel, call: CheckedCall): Subject | undefined {
  const { workspace, caller } = call;
  const focus = entities.focus(workspace, caller.by);
  if (focus === null) return undefined;
  try {
    const { subject } = entities.find(workspace, { id: focus.target, from: focus.from });
    if (isArchivedOrDeleted(subject.entity)) return undefined;
    call.focus = focus;
    return subject;
  } catch (e) {
    if (isTaskfoldError(e) && (e.code === "UNKNOWN_ID" || e.code === "NOT_CHECKED_OUT")) return undefined;
    throw e;
  }
}

function planPart(
  { entities }: ReadModel,
  call: CheckedCall,
  { tool: name, args, otherwise, suggest }: PartCall,
  { index, made }: { index: number; made: ReadonlySet<string> },
): PlannedPart {
  const { workspace } = call;
  try {
    const tool = deciderOf(TOOLS[name]!)!;
    const input = inputOf(args, workspace);
    if (TOOLS[name]!.effect === "create")
      return { tool, input, otherwise, suggest, id: args["id"] as string, made: true };
    const wanted = entities.wanted(call, args);
    const id = made.has(wanted.id) ? wanted.id : entities.forWriting(workspace, wanted).id;
    return { tool, input, otherwise, suggest, id, made: made.has(id) };
  } catch (e) {
    throw atPart(e, index, name);
  }
}

/** Checks the inputs of the parts against the schemas of their own tools. */
export async function validateCalls({ workspace }: CheckedCall, { calls }: TxnCalls): Promise<void> {
  for (const [index, { tool, args }] of calls.entries()) {
    try {
      await validate(TOOLS[tool]!, inputOf(args, workspace), { accepted: workspace });
    } catch (e) {
      throw atPart(e, index, tool);
    }
  }
}

function inputOf(args: Record<string, unknown>, workspace: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...args, workspace }).filter(([, value]) => value !== undefined));
}

/** The refusal of a part is the transaction's; its place is in the details. */
export function atPart(e: unknown, index: number, tool: string, better: readonly Suggestion[] = []): unknown {
  if (!(e instanceof TaskfoldError)) return e;
  const { code, message, suggestions, details, cause } = e;
  return new TaskfoldError(code, message, {
    ...remedyOf(e),
    suggestions: [...better, ...suggestions],
    details: { ...details, index, tool },
    cause,
  });
}

function tooMany(count: number): TaskfoldError {
  return new TaskfoldError(
    "PLAN_NOT_EMPTY",
    `Expected at most ${MAX_ENTITIES} plans and tasks in one transaction, found ${count}.`,
    { recovery: "Delete some of the tasks first.", details: { count } },
  );
}

/** The loaded entity of a part: one that is there, or the draft of one that is being made. */
export function loadedOf({ context, store }: ReadModel, { id, made }: PlannedPart): LoadedEntity {
  return made ? new LoadedEntity(context, id, context.layout.folder(id)) : store.find(id)!;
}
