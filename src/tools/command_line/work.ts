/**
 * The call by which the command line gets its lists of work: tasks that have not ended, with facts that only their logs
 * tell. No call of agents, as `show` is none.
 */
import { textOf } from "../../sentence.ts";
import { isDone } from "../../state/depends.ts";
import { hasEnded } from "../../state/ended.ts";
import { proofMode } from "../../state/checkpoint.ts";
import { takesNoClaim } from "../../state/degree.ts";
import type { ProofCheckpoint, Step } from "../../state/entity.ts";
import { STATUSES } from "../../state/entity.ts";
import { holding } from "../../state/lease.ts";
import type { Listed } from "../../state/listed.ts";
import { boolean, integer, list, object, optional, orNull, record, text } from "../../state/schema.ts";
import { pathOf } from "../../state/tree.ts";
import { listedRow } from "../../views/context.ts";
import type { OpenTask } from "../../views/plan_tasks.ts";
import { heldBy, owedBy } from "../../rules/owed.ts";
import { conflicts, unprovedLines } from "../../views/lines.ts";
import { planTasksOf } from "../../views/plan_tasks.ts";
import { staleLines, staleProofs } from "../../views/stale.ts";
import { asOf, entityId, workspace } from "../common.ts";
import { readTool } from "../read_tool.ts";
import type { WorkspaceReadContext } from "../read_tool.ts";
import * as out from "../output.ts";
import { plansToComplete } from "../plans_to_complete.ts";
import * as view from "../output_views.ts";

/** Hosts import no rule. */
export type { Owed } from "../../rules/owed.ts";

const named = { id: text(), title: text() };
const owed = {
  path: orNull(text()),
  title: text(),
  why: text(),
  before: text(),
  args: text(),
  release: orNull(text()),
};

export const workTool = readTool({
  name: "work",
  title: "Work at hand",
  doc: "List the tasks that have not ended with their ready step, claims, obstacles and conflicts.",
  input: object({
    workspace,
    now: text({ description: "Claims that ended before this time count no more." }),
    plan: optional(entityId("Only tasks of this plan.")),
    begun: optional(boolean({ description: "Of tasks in which work has begun: no other is claimed or blocked." })),
    ready: optional(integer({ minimum: 1, description: "The most urgent ones, until so many are ready." })),
    by: optional(text({ description: "Also the things that this actor left undone." })),
    rest: optional(
      integer({ minimum: 0, description: "All other open plans and tasks too, if they are no more than this." }),
    ),
  }),
  output: object({
    workspace: text(),
    as_of: out.asOf,
    focus: orNull(text()),
    by_status: record(integer()),
    to_complete: list(object(named)),
    held: list(object({ ...owed, id: text() }), {
      description: "Tasks whose steps are closed, and what keeps them from being completed.",
    }),
    waiting: list(object({ ...named, waits_for: list(text()) })),
    damaged: list(object({ id: text(), codes: list(text()) })),
    tasks: list(
      object({
        row: view.value,
        ready: orNull(object({ path: text(), step_id: text(), title: text() })),
        needs_steps: boolean(),
        claims: list(object({ path: orNull(text()), by: text(), expires_at: text() })),
        obstacles: list(text()),
        conflicts: list(text()),
        unproved: list(text()),
      }),
    ),
    owed: optional(list(object({ ...owed, id: text() }), { description: "Of the tasks that were looked at." })),
    read: list(object(named), {
      description: "Plans and tasks whose logs were read, and ended ones by the same limit.",
    }),
    unseen: integer({ description: "Tasks that were not looked at." }),
    ended: object({
      unseen: integer({ description: "Ended plans and tasks that were not looked at." }),
      in_conflict: list(object({ ...named, conflicts: list(text()) })),
      unproved: list(object({ ...named, unproved: list(text()) })),
    }),
    plans: object({
      unseen: integer({ description: "Open plans that were not looked at." }),
      in_conflict: list(object({ ...named, conflicts: list(text()) })),
      to_complete: list(object(named)),
      claims: list(object({ ...named, by: text(), expires_at: text() })),
    }),
  }),
  examples: [{ workspace: "acme/repo", now: "2026-01-01T00:00:00.000Z" }],
  target: "workspace",
  reads: ["git_tree"],
  reply: ({ now, plan, begun, ready, by, rest = 0 }, ctx) => {
    const live = ctx.rows().filter((row) => !row.deleted);
    const around = aroundOf(live, ctx);
    const isWanted = (row: Listed): boolean =>
      row.kind === "task" && !hasEnded(row) && (plan === undefined || (row.parent && ctx.idOf(row.parent)) === plan);
    const open = live.filter(isWanted);
    const rows = open.map((row) => listedRow(row, around));
    // Null for a task whose log cannot be read: it was looked at, and is told as damaged.
    const seen = new Map<string, ReturnType<typeof openTaskRow> | null>();
    const look = (row: Listed): void => {
      const [task] = planTasksOf([row], { find: ctx.find, idOf: ctx.idOf, now }).open;
      seen.set(row.id, task ? openTaskRow(task, ctx) : null);
    };
    const areReady = (): number => [...seen.values()].filter((task) => task?.ready || task?.needs_steps).length;
    if (begun) for (const row of open) if (row.status !== "TODO") look(row);
    if (ready !== undefined) {
      for (const row of open.toSorted((a, b) => urgencyOf(a) - urgencyOf(b))) {
        if (areReady() >= ready) break;
        if (!seen.has(row.id)) look(row);
      }
    }
    if (!begun && ready === undefined) open.forEach(look);
    const plans = live.filter((row) => row.kind === "plan" && !hasEnded(row));
    const isWhole = open.length - seen.size + plans.length <= rest;
    if (isWhole) for (const row of open) if (!seen.has(row.id)) look(row);
    const ended = live.filter(hasEnded);
    const isEndedSeen = isWhole && ended.length <= rest;
    const read = new Set([
      ...seen.keys(),
      ...(isWhole ? plans : []).map(({ id }) => id),
      ...(isEndedSeen ? ended : []).map(({ id }) => id),
    ]);
    const closed = rows.filter(({ ready_to_complete }) => ready_to_complete);
    const held = new Map(
      open.flatMap((row) => {
        const subject = closed.some(({ id }) => id === row.id) && seen.get(row.id) ? ctx.find(row) : undefined;
        const what = subject && heldBy(subject);
        return what ? [[row.id, what] as const] : [];
      }),
    );
    const result = {
      workspace: ctx.workspace,
      ...asOf(ctx),
      focus: ctx.focus,
      by_status: Object.fromEntries(STATUSES.map((name) => [name, live.filter((row) => row.status === name).length])),
      to_complete: closed.flatMap(({ id, title }) => (held.has(id) ? [] : [{ id, title }])),
      held: [...held].map(([id, what]) => ({ id, ...what })),
      waiting: rows.flatMap(({ id, title, waits_for }) => (waits_for ? [{ id, title, waits_for }] : [])),
      damaged: live.flatMap(({ id, log_warnings }) => (log_warnings ? [{ id, codes: [...log_warnings] }] : [])),
      tasks: rows.flatMap((row) => {
        const task = seen.get(row.id);
        return task ? [{ row, ...task }] : [];
      }),
      ...(by === undefined ? {} : { owed: owedIn(live, read, { by, now }, ctx) }),
      read: live.flatMap(({ id, title }) => (read.has(id) ? [{ id, title }] : [])),
      unseen: open.length - seen.size,
      ended: isEndedSeen
        ? { unseen: 0, in_conflict: inConflict(ended, ctx), unproved: unprovedAmong(ended, ctx) }
        : { unseen: ended.length, in_conflict: [], unproved: [] },
      plans: {
        ...(isWhole
          ? { unseen: 0, in_conflict: inConflict(plans, ctx), claims: claimsOn(plans, now, ctx) }
          : { unseen: plans.length, in_conflict: [], claims: [] }),
        to_complete: plansToComplete(live).map(({ id, title }) => ({ id, title })),
      },
    };
    return { result };
  },
});

function owedIn(
  live: readonly Listed[],
  read: ReadonlySet<string>,
  { by, now }: { by: string; now: string },
  { find, staleness }: WorkspaceReadContext,
) {
  return live.flatMap((row) => {
    const subject = row.kind === "task" && read.has(row.id) ? find(row) : undefined;
    if (!subject) return [];
    const stale = staleness && !hasEnded(row) ? [...staleProofs(subject, staleness)] : [];
    const staleOn = (step: Step): ProofCheckpoint | undefined =>
      stale.find((one) => one.step === step && takesNoClaim(proofMode(step, one.checkpoint)))?.checkpoint;
    return owedBy(subject, { by, now, staleOn }).map((what) => ({ id: row.id, ...what }));
  });
}

function inConflict(rows: readonly Listed[], { find }: WorkspaceReadContext) {
  return rows.flatMap((row) => {
    const subject = find(row);
    const lines = subject ? [...conflicts(subject.entity)].map(textOf) : [];
    return lines.length === 0 ? [] : [{ id: row.id, title: row.title, conflicts: lines }];
  });
}

/** Tasks that ended, of which the proof of a closed step failed, is missing or is weak. */
function unprovedAmong(rows: readonly Listed[], { find }: WorkspaceReadContext) {
  return rows.flatMap((row) => {
    const subject = row.kind === "task" ? find(row) : undefined;
    const lines = subject ? [...unprovedLines(subject.entity)].map(textOf) : [];
    return lines.length === 0 ? [] : [{ id: row.id, title: row.title, unproved: lines }];
  });
}

function claimsOn(plans: readonly Listed[], now: string, { find }: WorkspaceReadContext) {
  return plans.flatMap((row) => {
    const entity = find(row)?.entity;
    const lease = entity && holding(entity, now);
    return lease ? [{ id: row.id, title: row.title, by: lease.by, expires_at: lease.expires_at }] : [];
  });
}

/** Most of what a row names is in the list itself, which spares opening it. */
function aroundOf(live: readonly Listed[], { idOf, find }: WorkspaceReadContext): Parameters<typeof listedRow>[1] {
  const done = new Map(live.map(({ root, status }) => [root, status === "DONE"]));
  return { idOf, isDone: (ref) => done.get(ref.root) ?? isDone(find(ref)) };
}

const URGENCY = ["critical", "urgent", "high", "medium", "low"];

/** The smaller, the more urgent; a word that is not known counts as MEDIUM. */
export function urgencyOf({ priority = "MEDIUM" }: { priority?: string }): number {
  const at = URGENCY.indexOf(priority.toLowerCase());
  return at === -1 ? URGENCY.indexOf("medium") : at;
}

function openTaskRow({ ready, claims, ...task }: OpenTask, { staleness }: WorkspaceReadContext) {
  return {
    ready: ready ? { path: pathOf(ready), step_id: ready.id, title: ready.title } : null,
    needs_steps: task.needs_steps && claims.length === 0,
    claims: claims.map(({ path, lease }) => ({ path, by: lease.by, expires_at: lease.expires_at })),
    obstacles: task.obstacles.map(textOf),
    conflicts: task.conflicts.map(textOf),
    unproved: [...unprovedLines(task.subject.entity), ...(staleness ? staleLines(task.subject, staleness) : [])].map(
      textOf,
    ),
  };
}
