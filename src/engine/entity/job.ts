/** One mutation on its way through the door, and what it becomes. */
import type { StepDefaults } from "../../rules/default_proof.ts";
import type { Suggestion, TaskfoldError, Warning } from "../../errors.ts";
import type { ForeignLine, Op, TxnStamp } from "../../log/types.ts";
import type { JsonObject } from "../../state/schema.ts";
import type { Decider, Tool } from "../../tools/tool.ts";
import type { IdOf, Kind, Ref, Subject } from "../../state/entity.ts";
import type { Listed } from "../../state/listed.ts";
import type { NamedFile } from "../core/remote_bytes.ts";
import type { Flip } from "./flips.ts";
import type { LoadedEntity } from "./loaded_entity.ts";

/** The caller, as the host names it; never part of a tool's input. */
export interface Caller {
  by: string;
  agentInstance?: string | undefined;
  turnId?: string | undefined;
  /** Ids of steps that it takes up no more. */
  passedOver?: ReadonlySet<string>;
  /** For one of many calls: takes the entities whose files its caller writes when the last of them is made. */
  held?: Set<LoadedEntity>;
  /** Makes a call in the root of another workspace, where there are several roots; gives the reply. */
  elsewhere?: ((name: string, input: JsonObject) => Promise<object>) | undefined;
}

/** The plan or task that a call without a target means. */
export interface Focus {
  target: string;
  from: "focus" | "workspace_focus";
  /** The actor that set it. */
  by: string;
}

/** A call whose input has been validated. Its tool may be one that stands in no registry. */
export interface CheckedCall<T = Tool> {
  tool: T;
  input: Record<string, unknown>;
  workspace: string;
  caller: Caller;
  /** The focus that the call goes by, because its input names no target. */
  focus?: Focus | undefined;
  /** When the call came in, by `runtime.uptime()`; only where several machines write. */
  since?: number | undefined;
}

/** Whether the call is of a tool with such an effect. */
export function isOf<E extends Tool["effect"]>(
  call: CheckedCall,
  effect: E,
): call is CheckedCall<Extract<Tool, { effect: E }>> {
  return call.tool.effect === effect;
}

export interface Job {
  tool: Decider;
  input: Record<string, unknown>;
  workspace: string;
  caller: Caller;
  /** That of its call. */
  since?: number | undefined;
  targetFrom: "input" | Focus["from"];
  /** The focus that a call went by which looked for its target itself. */
  scopedBy?: Focus["from"] | undefined;
  /** Idempotency key and the digest of tool and input that came with it. */
  key: { key: string; req: string } | undefined;
  /** Ids of evidence that earlier parts of the same call brought. */
  unrecorded?: ReadonlySet<string> | undefined;
  /** The transaction that this op is a part of. */
  txn?: TxnStamp;
  /** Lines of other programs that this op places, by event; only the engine's own job has them. */
  foreign?: Map<number, ForeignLine[]>;
  done: (outcome: CallResult) => void;
  fail: (e: unknown) => void;
}

export interface CallResult {
  result: JsonObject;
  warnings: Warning[];
  suggestions: Suggestion[];
  /** Of a call that makes several: some were refused, and the others stand. */
  error?: TaskfoldError;
  /** Tasks that it ended or opened. */
  flips?: readonly Flip[];
  /** Files that a read looked at: the shared log has them, and this machine does not. */
  missing?: MissingBytes;
}

/** Files that events of one entity name. */
export interface MissingBytes {
  id: string;
  files: NamedFile[];
}

/** A job that has been decided: its op is in the state, not yet in the log. */
export interface Staged {
  job: Job;
  op: Op;
  bytes: Buffer;
  outcome: CallResult;
  undo: () => void;
}

/** A job that was decided to change nothing: it has an answer and no op. */
export interface Unchanged {
  job: Job;
  op?: undefined;
  outcome: CallResult;
}

/** The parts of the rest of the workspace that a decision may ask for. */
export interface WorkspaceLookup {
  focus: (job: Job) => string | null;
  idOf: IdOf;
  find: (ref: Ref) => Subject | undefined;
  rows: () => readonly Listed[];
  tasksOfPlan: (root: string) => Subject[];
  ref: (text: string) => Ref & { kind: Kind };
  /** Proof modes of steps that name none. */
  stepDefaults: () => StepDefaults;
}
