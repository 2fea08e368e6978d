/** Looks for the rows of `tasks_status`. Changes are not grouped yet: an agent reads days of UTC, and a person reads those of a zone. */
import { phrased } from "../sentence.ts";
import { remedy, toolName } from "../remedy.ts";
import type { Asking } from "../rules/lease.ts";
import { heldFrom } from "../rules/lease.ts";
import { callFor } from "../rules/need_call.ts";
import { hasEnded } from "../state/ended.ts";
import type { Subject } from "../state/entity.ts";
import type { Listed } from "../state/listed.ts";
import type { Need } from "../state/need.ts";
import { NEED_KINDS } from "../state/need.ts";
import type { JsonObject } from "../state/schema.ts";
import { compareIds } from "../state/compare_ids.ts";
import { isCompletable } from "../state/completion.ts";
import { pathOf } from "../state/tree.ts";
import type { HappenedChange } from "../views/happened.ts";
import { newestFirst } from "../views/history.ts";
import { lastClosed, needsOf } from "../views/needs.ts";
import { asOf, msOf } from "./common.ts";
import { plansToComplete } from "./plans_to_complete.ts";
import type { WorkspaceReadContext } from "./read_tool.ts";

/** So many logs beside those of begun work cost little. */
const FEW = 10;
/** Logs of begun work that are read, those that changed last first. */
const BEGUN_READ = 200;
/** Changes that are looked at, newest first. */
const CHANGES_READ = 100;

export interface StatusInput {
  since?: string;
  by?: string;
  all?: boolean;
}

/** `changes`: the newest first. */
export function statusLook(input: StatusInput, ctx: WorkspaceReadContext) {
  const live = ctx.rows().filter((row) => !row.deleted);
  const looked = lookedAt(live, input.all === true);
  const { rows, more, since, archived } = pastSince(live, input.since ?? VISIT, { all: input.all === true }, ctx);
  const isAsked = (by: string): boolean => input.by === undefined || by === input.by;
  const titles = new Map(live.map(({ id, title }) => [id, title]));
  const titled = ({ task, ...row }: Untitled): HappenedChange => ({
    task,
    title: titles.get(task) ?? archived.titles.get(task) ?? "",
    ...row,
  });
  return {
    workspace: ctx.workspace,
    ...asOf(ctx),
    now: ctx.now,
    since,
    needs_you: needsIn(live, looked.read, ctx).filter(({ who }) => input.by === undefined || who.some(isAsked)),
    changes: rows.filter(({ by }) => isAsked(by)).map(titled),
    happened_more: more,
    unseen: { ...looked.unseen, archived: archived.unseen },
  };
}

type Untitled = Omit<HappenedChange, "title">;

/** Returns the rows whose logs are read: begun work always, the others if they are few. */
function lookedAt(live: readonly Listed[], all: boolean) {
  const open = live.filter((row) => row.kind === "task" && !hasEnded(row));
  const newest = open
    .filter(({ status }) => status !== "TODO")
    .toSorted((a, b) => (a.updated_at < b.updated_at ? 1 : -1));
  const begun = new Set((all ? newest : newest.slice(0, BEGUN_READ)).map(({ id }) => id));
  const plans = live.filter((row) => row.kind === "plan" && !hasEnded(row));
  const ended = live.filter(hasEnded);
  const isWhole = all || open.length - begun.size + plans.length <= FEW;
  const isEndedSeen = isWhole && (all || ended.length <= FEW);
  const isRead = (row: Listed): boolean => (hasEnded(row) ? isEndedSeen : isWhole || begun.has(row.id));
  return {
    read: live.filter(isRead),
    unseen: {
      plans: isWhole ? 0 : plans.length,
      tasks: isWhole ? 0 : open.length - begun.size,
      ended: isEndedSeen ? 0 : ended.length,
    },
  };
}

/** By kind, then by id: every host shows them in this order. */
function needsIn(live: readonly Listed[], read: readonly Listed[], ctx: WorkspaceReadContext) {
  const found: { need: Need; subject: Subject }[] = [];
  for (const row of read) {
    const subject = ctx.find(row);
    if (!subject) continue;
    const { entity } = subject;
    if (row.kind === "task" && !hasEnded(row) && isCompletable(entity))
      found.push({ need: complete(subject), subject });
    const around = {
      now: ctx.now,
      by: ctx.by,
      staleness: row.kind === "task" ? ctx.staleness : undefined,
      past: ctx.pastOf("tasks", row.id)?.past,
      drift: ctx.changedByHand(row.id),
      unread: hasEnded(row) ? [] : ctx.unreadOf(row.id),
    };
    for (const need of needsOf(subject, around)) found.push({ need, subject });
  }
  for (const { id, root } of plansToComplete(live)) {
    const subject = ctx.find({ id, root });
    if (subject) found.push({ need: { ...complete(subject), ...lastEnded(live, root, ctx) }, subject });
  }
  const rank = ({ need, subject }: (typeof found)[number]): [number, string] => [
    NEED_KINDS.indexOf(need.kind),
    subject.id,
  ];
  const sorted = found.toSorted((a, b) => rank(a)[0] - rank(b)[0] || compareIds(rank(a)[1], rank(b)[1]));
  return sorted.map(({ need, subject }) => rowOf(subject, need, ctx));
}

function complete(subject: Subject): Need {
  const { kind } = subject.entity;
  const why = kind === "plan" ? phrased`Every task of it has ended` : phrased`Every step is closed`;
  return { kind: "complete", step: null, why, ...lastClosed(subject.entity) };
}

/** The actor that ended the last task of a plan, and the time. No task ended after its last change, so few logs are read. */
function lastEnded(live: readonly Listed[], root: string, ctx: WorkspaceReadContext): Pick<Need, "who" | "since"> {
  const tasks = live.filter(({ parent }) => parent?.root === root);
  let last: Pick<Need, "who" | "since"> = { who: [], since: null };
  for (const row of tasks.toSorted((a, b) => (a.updated_at < b.updated_at ? 1 : -1))) {
    if (last.since !== null && row.updated_at <= last.since) break;
    const { ended_at: at = null, ended_by: by = null } = ctx.find(row)?.entity ?? {};
    if (at !== null && (last.since === null || at > last.since)) last = { who: by === null ? [] : [by], since: at };
  }
  return last;
}

interface Row {
  held?: { by: string; until: string };
  call: { tool: string; input: JsonObject } | null;
  command?: string;
}

function rowOf(subject: Subject, need: Need, { by, now }: WorkspaceReadContext) {
  const { call, command, free } = callFor(subject, need);
  const { step, why, who, since } = need;
  const held = free ? undefined : holderOf(subject, { need, args: call.args }, { by, now });
  const ends: Pick<Row, "held" | "call" | "command"> = held
    ? { held, call: null }
    : { call: { tool: call.tool, input: call.args as JsonObject }, ...(command === undefined ? {} : { command }) };
  return {
    what: need.kind,
    task: subject.id,
    title: subject.entity.title,
    step_id: step?.id ?? null,
    path: step ? pathOf(step) : null,
    why,
    who: [...who],
    since,
    ...ends,
  };
}

/** The actor whose claim refuses what ends the need, and the time at which that claim ends. A command line changes the step that its call only shows. */
function holderOf(
  subject: Subject,
  { need: { kind, step }, args }: { need: Need; args: Record<string, unknown> },
  asking: Asking,
) {
  const held = heldFrom(subject, { ...(step ? { step_id: step.id } : {}), ...args }, asking, kind === "claim_over");
  return held && { by: held.lease.by, until: held.lease.expires_at };
}

const VISIT = "visit";

interface Since {
  rows: Untitled[];
  /** Whether there are others after the moment. */
  more: boolean;
  since: string | null;
  archived: { unseen: number; titles: ReadonlyMap<string, string> };
}

function pastSince(
  live: readonly Listed[],
  since: string,
  { all }: { all: boolean },
  ctx: WorkspaceReadContext,
): Since {
  const names = ctx.archive.names();
  const isSeen = all || names.length <= FEW;
  const away = isSeen ? ctx.archive.read(names) : [];
  const titles = new Map(away.map(({ id, title }) => [id, title]));
  const archived = { unseen: isSeen ? 0 : names.length, titles };
  const isTime = TIME.test(since);
  if (!isTime && since !== VISIT) return { ...sinceCursor(since, ctx), archived };
  const after = isTime ? msOf("since", since, SINCE_FORMS) : null;
  const moment = isTime ? since : null;
  const sources = [
    ...live.map(({ id, updated_at }) => ({ id, updated_at, open: () => ctx.pastOf("tasks", id) })),
    ...away.map(({ id, updated_at }) => ({ id, updated_at, open: () => ctx.pastOf("archive", id) })),
  ];
  const rows: Untitled[] = [];
  for (const { id: task, op } of newestFirst(sources)) {
    const { ts, by, message } = op;
    if (after === null ? by === ctx.by : Date.parse(ts) <= after)
      return { rows, more: false, since: moment ?? ts, archived };
    if (rows.length === CHANGES_READ) return { rows, more: true, since: moment, archived };
    rows.push({ ts, by, task, message });
  }
  return { rows, more: false, since: moment, archived };
}

/** A cursor also finds changes that git brings later with older times. */
function sinceCursor(since: string, ctx: WorkspaceReadContext): Pick<Since, "rows" | "more" | "since"> {
  const page = ctx.delta({ since, limit: CHANGES_READ });
  const events = page.ops.flat().toReversed();
  const rows = events.map((event) => {
    const { ts, by, task, message, type } = event as Record<string, string>;
    return { ts: ts!, by: by!, task: task!, message: message ?? type! };
  });
  return { rows, more: page.events > events.length, since: null };
}

const TIME = /^\d{4}-\d\d-\d\d/;
const SINCE_FORMS = remedy`Give 2026-01-31, 2026-01-31T09:00:00Z, a cursor of ${toolName("tasks_delta")}, the id of an event, or visit.`;
