/** The values that a decision may read, and what it answers. Time, ids and file facts come in; nothing is looked up behind the engine's back. */
import type { Warning } from "../errors.ts";
import type { Draft } from "../events/define.ts";
import type { PastOf } from "../events/past.ts";
import type { AnchoredLines } from "../rules/evidence_item.ts";
import type { IdOf, Kind, Ref, Subject } from "../state/entity.ts";
import type { FileFact } from "../state/file_fact.ts";
import type { Listed } from "../state/listed.ts";
import type { Blob, Content } from "../state/named_bytes.ts";
import type { PacketConfigs } from "../state/packet_config.ts";
import type { LookForDispatcher } from "../state/packet_next.ts";
import type { Answer, ReplyContext } from "./reply_context.ts";

/** The values with which an entity is made: there is none yet. */
export interface CreateContext {
  now: string;
  /** `now` and so many seconds. */
  inSeconds: (seconds: number) => string;
  by: string;
  /** Ids of steps that the caller takes up no more: its host says so, and no input does (LEASE-56). */
  passedOver?: ReadonlySet<string> | undefined;
  /** A fresh `STEP-` id that no step of this entity has. */
  newStepId: () => string;
  /** The same for a `NODE-` id. */
  newNodeId: () => string;
  /** The same for a `CARD-` id. */
  newCardId: () => string;
  /** Entities that `refs` named, by the text that named them; ids that do not exist have been refused already. */
  refs: ReadonlyMap<string, Ref & { kind: Kind }>;
  /** Which servants and pipelines packets have here. */
  packetConfigs: PacketConfigs;
  /** The present id of a plan or task that a payload names. Costs a look at its log. */
  idOf: IdOf;
  /** The plan or task that a reference names, deleted ones included; undefined where nothing here has its root. */
  find: (ref: Ref) => Subject | undefined;
  /** Every plan and task as a list shows it, deleted ones too, by id in natural order. */
  rows: () => readonly Listed[];
}

/** The values with which an entity is changed. */
export interface DecideContext extends CreateContext {
  /** The entity as it is now. */
  subject: Subject;
  /** The files at the paths that `facts` named. */
  files: ReadonlyMap<string, FileFact>;
  /** Text of the files whose `texts` were asked for, by path: of each the first 4 MiB; not there where there is no such file. */
  texts: ReadonlyMap<string, string>;
  /** The lines that `anchors` named, by their names. */
  anchors: ReadonlyMap<string, AnchoredLines>;
  /** The path from the root of each of the `folders`; not there for one outside of it. */
  folders: ReadonlyMap<string, string>;
  /** Whether the repository has the commits that `commits` named; null where git cannot be asked. */
  commits: ReadonlyMap<string, boolean | null>;
  /** Live tasks whose parent is this plan. Costs a look at their logs. */
  tasksOfPlan: () => Subject[];
  /** The entity's last ops, or all of them at the price of a replay. */
  past: PastOf;
  /** The other process that holds the packet's lock. */
  dispatcher: LookForDispatcher;
}

export interface Decision {
  drafts: Draft[];
  blobs?: Blob[];
  contents?: Content[];
  warnings?: Warning[];
  /** Of an undo or redo: the place in replay order of the op that it names. The fold in memory keeps the last ops alone. */
  reversed?: number;
}

/** A decision about one entity, and the answer to it. */
export interface Decides<I, C> {
  /** Ids of other entities in the input, which must exist. */
  refs?: (input: I) => string[];
  decide: (input: I, ctx: C) => Decision;
  reply: (input: I, ctx: ReplyContext) => Answer;
}
