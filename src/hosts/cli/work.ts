/** `taskfold ready`, `status` and `whoami`: the work at hand, whose it is, and what stands in its way. */
import { okReply } from "../../engine/entity/reply.ts";
import type { Reply } from "../../engine/entity/reply.ts";
import { unwrap } from "../../engine/entity/unwrap.ts";
import { EXIT } from "../../errors.ts";
import type { JsonObject } from "../../index.ts";
import type { Owed as OwedOfTask } from "../../tools/command_line/work.ts";
import { urgencyOf, workTool } from "../../tools/command_line/work.ts";
import type { Block } from "./text/layout.ts";
import { blocks, columns } from "./text/layout.ts";
import type { CliResult } from "./cli_result.ts";
import type { Claim } from "./page.ts";
import type { Call } from "./read.ts";
import { reading } from "./read.ts";
import { warningsText } from "./text/reply_text.ts";
import type { Session } from "./session.ts";

export interface Row {
  id: string;
  title: string;
  status: string;
  parent: string | null;
  priority?: string;
  tags?: string[];
  updated_at: string;
  steps: { total: number; completed: number };
  ready_to_complete?: true;
  log_warnings?: string[];
}

/** A task that has not ended. */
export interface Task {
  row: Row;
  ready: { path: string; step_id: string; title: string } | null;
  needs_steps: boolean;
  claims: Claim[];
  obstacles: string[];
  conflicts: string[];
  unproved: string[];
}

/** The same of a task that it names. */
export type Owed = OwedOfTask & { id: string };

interface Work {
  workspace: string;
  focus: string | null;
  by_status: Record<string, number>;
  to_complete: { id: string; title: string }[];
  /** Tasks whose steps are closed, and what keeps them from being completed. */
  held: Owed[];
  waiting: { id: string; title: string; waits_for: string[] }[];
  damaged: { id: string; codes: string[] }[];
  owed?: Owed[];
  tasks: Task[];
  read: { id: string; title: string }[];
  unseen: number;
  ended: {
    unseen: number;
    in_conflict: { id: string; title: string; conflicts: string[] }[];
    unproved: { id: string; title: string; unproved: string[] }[];
  };
  plans: {
    unseen: number;
    in_conflict: { id: string; title: string; conflicts: string[] }[];
    to_complete: { id: string; title: string }[];
    /** Of plans whose logs were read. */
    claims: { id: string; title: string; by: string; expires_at: string }[];
  };
}

/** Which tasks are looked at; all of them where nothing says less. */
interface Which {
  plan?: string;
  /** Those in which work has begun. */
  begun?: true;
  /** The most urgent ones, until so many are ready. */
  ready?: number;
  /** All other open plans and tasks too, if they are no more than this. */
  rest?: number;
  /** Also the things that this actor left undone. */
  by?: string;
}

export async function workOf(call: Call, which: Which = {}): Promise<{ work: Work; warnings: Reply["warnings"] }> {
  const reply = await call(workTool, { now: new Date().toISOString(), ...which });
  return { work: unwrap(reply) as unknown as Work, warnings: reply.warnings };
}

/** The things that the caller left undone in tasks that have begun; in those that ended, too, if there are few. */
export async function owedNow(session: Session, call: Call): Promise<Owed[]> {
  const { work } = await workOf(call, { begun: true, rest: FEW, by: await session.by() });
  return work.owed ?? [];
}

/** Claims of the caller that are in effect. */
export function myClaims(session: Session): Promise<{ id: string; path: string | null }[]> {
  return reading(session, async (call) => {
    const by = await session.by();
    return claimsBy((await workOf(call, { begun: true, rest: FEW })).work, by);
  });
}

function claimsBy({ tasks, plans }: Work, by: string) {
  const onPlans = plans.claims.filter((claim) => claim.by === by);
  const onTasks = tasks.flatMap(({ row, claims }) =>
    claims
      .filter((claim) => claim.by === by)
      .map(({ path, expires_at }) => ({ id: row.id, title: row.title, path, expires_at })),
  );
  return [...onPlans.map(({ id, title, expires_at }) => ({ id, title, path: null, expires_at })), ...onTasks];
}

interface ReadyOptions {
  plan?: string;
  limit?: number;
}

interface Ready {
  id: string;
  title: string;
  path: string | null;
  step_id: string | null;
  step: string | null;
}

/** A screen of them. */
const READY = 10;

/** Steps that can be taken up now, and tasks that have no step yet. */
export function ready(session: Session, { plan, limit = READY }: ReadyOptions): Promise<CliResult> {
  const parent = session.planMeant(plan);
  return reading(session, async (call) => {
    const { work, warnings } = await workOf(call, { ...(parent === undefined ? {} : { plan: parent }), ready: limit });
    const tasks = readyIn(work.tasks).slice(0, limit);
    const result = { workspace: work.workspace, unseen: work.unseen, tasks } as unknown as JsonObject;
    const rows = tasks.map(({ id, path, step, title }) => [
      id,
      path ?? "-",
      step === null ? title : `${step}  (${title})`,
    ]);
    const rest = tasks.length === 0 ? "Nothing is ready.\n" : tasks.length < limit ? "" : "more: --limit\n";
    return replyWith(
      session,
      "ready",
      result,
      warnings,
      () => columns(rows, session.columns) + session.colors.dim(rest),
    );
  });
}

function readyIn(tasks: readonly Task[]): Ready[] {
  const able = tasks.filter((task) => task.ready || task.needs_steps);
  return able
    .toSorted((a, b) => urgencyOf(a.row) - urgencyOf(b.row))
    .map(({ row: { id, title }, ready: step }) => ({
      id,
      title,
      path: step?.path ?? null,
      step_id: step?.step_id ?? null,
      step: step?.title ?? null,
    }));
}

/** How many of the ready steps are named. */
const FIRST = 5;

/** So many logs more cost a command a tenth of its own start. */
export const FEW = 10;

/** Reads the logs of tasks in which work has begun and of the few that are ready next. It reads the rest if there is little of it. */
export async function nowOf(session: Session, call: Call): Promise<{ now: Now; warnings: Reply["warnings"] }> {
  const by = await session.by();
  const { work, warnings } = await workOf(call, {
    begun: true,
    ready: FIRST,
    rest: FEW,
  });
  const { workspace, focus, by_status, tasks, damaged, plans, ended } = work;
  const to_complete = [...work.to_complete, ...plans.to_complete];
  const complete = new Set(to_complete.map(({ id }) => id));
  const because = (part: "obstacles" | "conflicts"): Because[] =>
    tasks.flatMap(({ row: { id, title }, [part]: why }) => (why.length > 0 ? [{ id, title, why }] : []));
  const seen = new Set(tasks.map(({ row }) => row.id));
  const waiting = work.waiting.filter(({ id }) => !seen.has(id));
  const lines = (rows: typeof ended.in_conflict): Because[] =>
    rows.map(({ id, title, conflicts: why }) => ({ id, title, why }));
  const blocked = waiting.map(({ id, title, waits_for }) => ({
    id,
    title,
    why: [`Waits for ${waits_for.join(", ")}`],
  }));
  const able = readyIn(tasks);
  const unproved = [
    ...tasks.flatMap(({ row: { id, title }, unproved: why }) => (why.length > 0 ? [{ id, title, why }] : [])),
    ...ended.unproved.map(({ id, title, unproved: why }) => ({ id, title, why })),
  ];
  const now: Now = {
    workspace,
    by,
    focus,
    by_status,
    mine: claimsBy(work, by),
    to_complete,
    held: work.held,
    conflicts: [...lines(plans.in_conflict), ...because("conflicts"), ...lines(ended.in_conflict)],
    unseen: { plans: plans.unseen, tasks: work.unseen, ended: ended.unseen },
    // Nothing stands in the way of completing a task whose steps are closed.
    blocked: [...because("obstacles"), ...blocked].filter(({ id }) => !complete.has(id)),
    unproved,
    ready: able.slice(0, FIRST),
    ready_more: able.length > FIRST || work.unseen > 0,
    damaged,
    waiting: work.waiting,
  };
  return { now, warnings };
}

interface Because {
  id: string;
  title: string;
  why: string[];
}

export interface Now extends Pick<Work, "workspace" | "focus" | "by_status" | "to_complete" | "held" | "damaged"> {
  by: string;
  mine: { id: string; title: string; path: string | null; expires_at: string }[];
  conflicts: Because[];
  /** Open ones whose logs were not read: they may have conflicts and obstacles that are not told. */
  unseen: { plans: number; tasks: number; ended: number };
  blocked: Because[];
  /** Done work whose proof failed, is missing though it was asked for, is weak, or ran another command than the declared test. */
  unproved: Because[];
  ready: Ready[];
  waiting: Work["waiting"];
  /** Whether `ready` may leave out others. */
  ready_more: boolean;
}

/** Says who acts and where, also outside of a workspace. */
export async function whoami(session: Session): Promise<CliResult> {
  const by = await session.by();
  const { root } = session;
  const inside = session.isWorkspace()
    ? await reading(session, async (call) => (await workOf(call, { begun: true, rest: FEW })).work)
    : undefined;
  const claims = inside ? claimsBy(inside, by) : [];
  const result = {
    by,
    from: session.byFrom,
    workspace: inside?.workspace ?? null,
    root,
    focus: inside?.focus ?? null,
    claims,
  };
  const lines: Block[] = [
    ["You are", `${by} (${session.byFrom})`],
    ["Workspace", inside ? `${inside.workspace} in ${root}` : `none here: ${session.program} init makes one`],
    ...(inside?.focus ? ([["Focus", inside.focus]] as const) : []),
    ["Claims", claims.map(({ id, path }) => (path === null ? id : `${id} ${path}`))],
  ];
  return replyWith(session, "whoami", result as unknown as JsonObject, [], () =>
    session.quiet ? `${by}\n` : blocks(lines, session.colors, session.columns),
  );
}

export function replyWith(
  session: Session,
  intent: string,
  result: JsonObject,
  warnings: Reply["warnings"],
  text: () => string,
): CliResult {
  const reply = okReply(intent, result, warnings, []);
  const human = () => ({
    out: session.quiet && Array.isArray(result["tasks"]) ? idsOf(result["tasks"] as JsonObject[]) : text(),
    err: warningsText(reply.warnings, session),
  });
  return { exit: EXIT.ok, json: reply, human };
}

function idsOf(rows: readonly JsonObject[]): string {
  return [...new Set(rows.map((row) => row["id"] as string))].map((id) => `${id}\n`).join("");
}
