/** Tools that change nothing, about one entity or about the workspace. */
import type { PastOf } from "../events/past.ts";
import type { IsLeftOut } from "../state/depends.ts";
import type { Entity, Subject } from "../state/entity.ts";
import type { Listed } from "../state/listed.ts";
import type { LookForDispatcher } from "../state/packet_next.ts";
import type { Infer, TSchema } from "../state/schema.ts";
import type { StalenessOf } from "../state/staleness.ts";
import type { DeltaPage, DeltaQuery } from "../views/delta.ts";
import type { Look } from "../views/evidence_check.ts";
import type { GitBase } from "../views/graph_diff.ts";
import type { TimeText } from "../views/lines.ts";
import type { PastSource } from "../views/history.ts";
import type { TaskdocViolation } from "../views/taskdoc.ts";
import type { Defined, Effect, Named, Spec, Target } from "./described.ts";
import { defined } from "./described.ts";
import type { Aimed, Answer, AnyContext } from "./reply_context.ts";

/** The values of every read. */
interface AnyReadContext extends AnyContext {
  /** The caller's clock: a claim that is over by then is none. */
  now: string;
  /** Where a host asks for it: how it writes a time that a sentence names. Else that is RFC 3339. */
  timeText?: TimeText;
  /** Id of the focused entity, or null. */
  focus: string | null;
  /** Whether git has the plan or task of a reference, and a sparse checkout leaves it out. */
  isLeftOut: IsLeftOut;
  /** Every plan and task as a list shows it, deleted ones too, by id in natural order. */
  rows: () => readonly Listed[];
  /** Live tasks of a plan, in the same order. Costs a look at their logs. */
  tasksOfPlan: (root: string) => Subject[];
}

/** A read of one entity. */
export interface ReadContext extends AnyReadContext, Aimed {
  subject: Subject;
  /** The entity's last ops, or all of them at the price of a replay. */
  past: PastOf;
  /** The same entity in the base branch of git. For tools that read `git_base`. */
  gitBase: () => GitBase;
  /** Set where the call moves the focus to its target (`restoresFocus`): `from` is what it was. */
  restored: { from: string | null } | undefined;
  /** The values beside the log; undefined for a moment of the past, and for the folder of another program. */
  beside: BesideLog | undefined;
}

/** The values beside the log of an entity, as they are now. */
export interface BesideLog {
  /** Looks at what evidence points at. Costs a look at each file. */
  look: Look;
  /** Compares captured runs with the work tree; undefined for tools that do not read `git_tree`. Starts git at the first run. */
  staleness: StalenessOf | undefined;
  /** Files that hold what is not in the log: people's, and a Taskdoc of the old form. Costs a look at each. */
  unread: () => string[];
  /** The process that holds the packet's lock. Costs a look at the lock. */
  dispatcher: LookForDispatcher;
  /** The faults of the Taskdoc on disk. Costs a look at each file of the package. */
  violations: () => TaskdocViolation[];
}

/** A read about the workspace. */
export interface WorkspaceReadContext extends AnyReadContext {
  /** Whose focus `focus` is. */
  focus_from: "focus" | "workspace_focus" | undefined;
  /** When every log was looked at last; undefined where it was for this answer. */
  asOf: () => string | undefined;
  /** The events since a cursor, of the entity that the input names or of all. */
  delta: (query: DeltaQuery) => DeltaPage;
  /** Names of the folders in the archive, and what some of them are: costs a look at each of those logs. */
  archive: { names: () => readonly string[]; read: (ids: readonly string[]) => Listed[] };
  /** The folder that holds everything. */
  storageDir: string;
  /** Every plan and task, archived ones too. */
  pasts: () => PastSource[];
  /** The past of one of them; undefined where another program keeps the folder, or it is gone. */
  pastOf: (part: "tasks" | "archive", id: string) => { entity: Entity; past: PastOf } | undefined;
  /** Folded files of a live plan or task that were changed by hand; none for tools that do not read `folded_files`. Costs a look at each. */
  changedByHand: (id: string) => string[];
  /** Files of a live plan or task that hold what is not in the log. Costs a look at each. */
  unreadOf: (id: string) => string[];
  /** Compares captured runs with the work tree; undefined for tools that do not read `git_tree`. Starts git at the first run. */
  staleness: StalenessOf | undefined;
}

interface Reads<I, C> {
  /** The parts of git, and the files, that it reads besides logs. Git is started, so it is there only for those who say so. */
  reads?: readonly ("git_base" | "git_commits" | "git_tree" | "folded_files")[];
  reply: (input: I, ctx: C) => Answer;
}

interface EntityReads<I> extends Reads<I, ReadContext> {
  /** With `read_only: false` and a target of its own it moves the focus there (RESUME-2). */
  restoresFocus?: true;
  /** The answer about the workspace, where neither the input nor the focus names an entity. Left out, such a call is refused. */
  ofWorkspace?: (input: I, ctx: WorkspaceReadContext) => Answer;
}

interface ReadsOf<I> {
  entity: EntityReads<I>;
  workspace: Reads<I, WorkspaceReadContext>;
}

/** As the engine has it: an input has been checked against the schema of its own tool. */
export type EntityReadTool = Named & Effect<"read", "entity"> & EntityReads<never>;

/** The same about the workspace. */
export type WorkspaceReadTool = Named & Effect<"read", "workspace"> & Reads<never, WorkspaceReadContext>;

interface ReadTools {
  entity: EntityReadTool;
  workspace: WorkspaceReadTool;
}

export type ReadTool = ReadTools[Target];

/** Defines a tool that changes nothing, about one entity or about the workspace. */
export function readTool<I extends TSchema, O extends TSchema, T extends Target>(
  spec: Spec<I, O> & { target: T } & ReadsOf<Infer<I>>[T],
): Defined<ReadTools[T], I, O> {
  return defined("read", spec, spec.target === "entity");
}
