/** `taskfold ready`, `status` and `whoami`: the work at hand, whose it is, and what stands in its way. */
import { okReply } from "../../engine/reply.ts";
import type { Reply } from "../../engine/reply.ts";
import { unwrap } from "../../engine/unwrap.ts";
import { EXIT } from "../../errors.ts";
import type { JsonObject } from "../../index.ts";
import { tasksContext } from "../../tools/tasks_context.ts";
import { workTool } from "../../tools/work.ts";
import type { Block } from "./layout.ts";
import { blocks, columns } from "./layout.ts";
import type { Outcome } from "./outcome.ts";
import type { Claim } from "./page.ts";
import type { Call } from "./read.ts";
import { reading } from "./read.ts";
import { warningsText } from "./reply_text.ts";
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
}

interface Work {
  workspace: string;
  focus: string | null;
  tasks: Task[];
}

/** `begun`: only tasks in which work has begun. */
export async function workOf(call: Call, begun?: true): Promise<{ work: Work; warnings: Reply["warnings"] }> {
  const reply = await call(workTool, { now: new Date().toISOString(), ...(begun ? { begun } : {}) });
  return { work: unwrap(reply) as unknown as Work, warnings: reply.warnings };
}

/** Claims of the caller that are in effect. */
export function myClaims(session: Session): Promise<{ id: string; path: string | null }[]> {
  return reading(session, async (call) => {
    const by = await session.by();
    return claimsBy((await workOf(call, true)).work.tasks, by);
  });
}

function claimsBy(tasks: readonly Task[], by: string) {
  return tasks.flatMap(({ row, claims }) =>
    claims
      .filter((claim) => claim.by === by)
      .map(({ path, expires_at }) => ({ id: row.id, title: row.title, path, expires_at })),
  );
}

/** By priority where the words are known; what is urgent comes first. */
const PRIORITIES = ["critical", "urgent", "high", "medium", "low"];

export function priorityOf({ priority = "MEDIUM" }: Row): number {
  const at = PRIORITIES.indexOf(priority.toLowerCase());
  return at === -1 ? PRIORITIES.indexOf("medium") : at;
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

/** Steps that can be taken up now, and tasks that have no step yet. */
export function ready(session: Session, { plan, limit }: ReadyOptions): Promise<Outcome> {
  const parent = session.meant(plan, "plan");
  return reading(session, async (call) => {
    const { work, warnings } = await workOf(call);
    const own = work.tasks.filter(({ row }) => parent === undefined || row.parent === parent);
    const all = readyIn(own);
    const shown = all.slice(0, limit);
    const result = { workspace: work.workspace, total: all.length, tasks: shown } as unknown as JsonObject;
    const rows = shown.map(({ id, path, step, title }) => [
      id,
      path ?? "-",
      step === null ? title : `${step}  (${title})`,
    ]);
    const left = all.length - shown.length;
    const rest = all.length === 0 ? "Nothing is ready.\n" : left > 0 ? `${left} more\n` : "";
    return told(session, "ready", result, warnings, () => columns(rows, session.columns) + session.colors.dim(rest));
  });
}

function readyIn(tasks: readonly Task[]): Ready[] {
  const able = tasks
    .filter((task) => task.ready || task.needs_steps)
    .toSorted((a, b) => priorityOf(a.row) - priorityOf(b.row));
  return able.map(({ row: { id, title }, ready: step }) => ({
    id,
    title,
    path: step?.path ?? null,
    step_id: step?.step_id ?? null,
    step: step?.title ?? null,
  }));
}

export function status(session: Session): Promise<Outcome> {
  return reading(session, async (call, workspace) => {
    const by = await session.by();
    const [{ work, warnings }, context] = await workspace.fromOneLook(async () => [
      await workOf(call),
      unwrap(await call(tasksContext, { plans_limit: LISTED, tasks_limit: LISTED })),
    ]);
    const { tasks } = work;
    const named = ({ row: { id, title } }: Task): { id: string; title: string } => ({ id, title });
    const because = (part: "obstacles" | "conflicts") =>
      tasks.flatMap((task) => (task[part].length > 0 ? [{ ...named(task), why: task[part] }] : []));
    const seen = {
      workspace: work.workspace,
      by,
      focus: work.focus,
      by_status: context["by_status"] as Record<string, number>,
      mine: claimsBy(tasks, by),
      ready_to_complete: tasks.filter(({ row }) => row.ready_to_complete).map(named),
      conflicts: because("conflicts"),
      blocked: because("obstacles"),
      ready: readyIn(tasks).slice(0, FIRST),
      ready_total: readyIn(tasks).length,
      not_whole: tasks.flatMap(({ row: { id, log_warnings } }) => (log_warnings ? [{ id, codes: log_warnings }] : [])),
    };
    return told(session, "status", seen as unknown as JsonObject, warnings, () => statusText(seen, session));
  });
}

/** How many of the ready steps are named. */
const FIRST = 5;
/** Rows that no one looks at: the counts are of all. */
const LISTED = 1;

interface Seen {
  workspace: string;
  by: string;
  focus: string | null;
  by_status: Record<string, number>;
  mine: { id: string; title: string; path: string | null; expires_at: string }[];
  ready_to_complete: { id: string; title: string }[];
  conflicts: { id: string; why: string[] }[];
  blocked: { id: string; why: string[] }[];
  ready: Ready[];
  ready_total: number;
  not_whole: { id: string; codes: string[] }[];
}

function statusText(seen: Seen, { colors, columns: wide }: Session): string {
  const counts = Object.entries(seen.by_status).flatMap(([name, n]) => (n > 0 ? [`${n} ${name}`] : []));
  const list = (label: string, lines: readonly string[]): Block[] => (lines.length === 0 ? [] : [[label, lines]]);
  const why = (rows: Seen["blocked"]): string[] => rows.map((row) => `${row.id}: ${row.why[0] ?? ""}`);
  const more = seen.ready_total - seen.ready.length;
  const all: Block[] = [
    ["Workspace", seen.workspace],
    ["You are", seen.by],
    ...(seen.focus === null ? [] : ([["Focus", seen.focus]] as const)),
    ["In all", counts.length === 0 ? "nothing yet" : counts.join(", ")],
    [
      "Mine",
      seen.mine.map(({ id, title, path, expires_at }) =>
        `${id} ${path ?? ""} ${title} (until ${expires_at})`.replace("  ", " "),
      ),
    ],
    ...list(
      "To complete",
      seen.ready_to_complete.map(({ id, title }) => `${id} ${title}`),
    ),
    ...list("Conflicts", why(seen.conflicts)),
    ...list("Blocked", why(seen.blocked)),
    ...list("Ready", [
      ...seen.ready.map(({ id, path, step, title }) => `${id} ${path === null ? title : `${path} ${step ?? ""}`}`),
      ...(more > 0 ? [`${more} more: taskfold ready`] : []),
    ]),
    ...list(
      "Not whole",
      seen.not_whole.map(({ id, codes }) => `${id}: ${codes.join(", ")} (taskfold doctor ${id})`),
    ),
  ];
  return blocks(all, colors, wide);
}

/** Who acts and where, also outside of a workspace. */
export async function whoami(session: Session): Promise<Outcome> {
  const by = await session.by();
  const { root } = session;
  const inside = session.isWorkspace()
    ? await reading(session, async (call) => (await workOf(call, true)).work)
    : undefined;
  const claims = inside ? claimsBy(inside.tasks, by) : [];
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
    ["Workspace", inside ? `${inside.workspace} in ${root}` : "none here: taskfold init makes one"],
    ...(inside?.focus ? ([["Focus", inside.focus]] as const) : []),
    ["Claims", claims.map(({ id, path }) => (path === null ? id : `${id} ${path}`))],
  ];
  return told(session, "whoami", result as unknown as JsonObject, [], () =>
    session.quiet ? `${by}\n` : blocks(lines, session.colors, session.columns),
  );
}

export function told(
  session: Session,
  intent: string,
  result: JsonObject,
  warnings: Reply["warnings"],
  text: () => string,
): Outcome {
  const reply = okReply(intent, result, warnings, []);
  const human = () => ({
    out: session.quiet && Array.isArray(result["tasks"]) ? idsOf(result["tasks"] as JsonObject[]) : text(),
    err: session.quiet ? "" : warningsText(reply.warnings, session.colors),
  });
  return { exit: EXIT.ok, json: reply, human };
}

function idsOf(rows: readonly JsonObject[]): string {
  return [...new Set(rows.map((row) => row["id"] as string))].map((id) => `${id}\n`).join("");
}
