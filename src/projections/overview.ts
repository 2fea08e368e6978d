/**
 * `.coco/README.md`: every plan with its tasks, for people who browse (PROJ-64). Its first line tells the renderer and
 * a checksum of the rest. So an edit made by hand is known, and a file of people's own is never taken for it.
 */
import { shorten } from "../state/code_points.ts";
import { compareIds } from "../state/compare_ids.ts";
import { hasEnded } from "../state/ended.ts";
import { STATUSES } from "../state/entity.ts";
import type { Status } from "../state/entity.ts";
import type { Listed } from "../state/listed.ts";
import { checksum } from "./checksum.ts";
import { inline } from "./markdown.ts";
import { RENDERER } from "./task_head.ts";

/** Of plans and tasks together: hosts render half a megabyte, and people read less. */
const MAX_ROWS = 1000;
const MAX_TITLE = 120;

/** A pure function of what the logs say; neither a time nor a revision is in it, so that it changes seldom. */
export function overview(listed: readonly Listed[]): string {
  const all = listed.filter(({ deleted, root }) => !deleted && !root.startsWith("foreign:"));
  const shown = mostWanted(all).toSorted((a, b) => compareIds(a.id, b.id));
  const plans = shown.filter(({ kind }) => kind === "plan");
  const tasks = shown.filter(({ kind }) => kind === "task");
  const roots = new Set(plans.map(({ root }) => root));
  const open = new Map(all.filter(({ status }) => status !== "DONE").map(({ root, id }) => [root, id]));
  const row = (task: Listed): string => taskRow(task, open);
  const others = tasks.filter(({ parent }) => parent === null || !roots.has(parent.root));
  const left = all.length - shown.length;
  const body = [
    `# Plans and tasks\n\n${sums(all)}\n`,
    ...plans.map((plan) => planSection(plan, all, tasks, row)),
    others.length === 0 ? "" : `\n## ${plans.length === 0 ? "Tasks" : "Other tasks"}\n\n${others.map(row).join("")}`,
    left === 0 ? "" : `\n${left} more are not shown; \`taskfold list\` lists all.\n`,
  ].join("");
  return sealed(body.toWellFormed());
}

/** All, or as many as fit: what is open first, of the ended the newest ids. */
function mostWanted(all: readonly Listed[]): readonly Listed[] {
  if (all.length <= MAX_ROWS) return all;
  const isOpen = (row: Listed): boolean => !hasEnded(row);
  const byWorth = (a: Listed, b: Listed): number => Number(isOpen(b)) - Number(isOpen(a)) || compareIds(b.id, a.id);
  return all.toSorted(byWorth).slice(0, MAX_ROWS);
}

function sums(all: readonly Listed[]): string {
  const plans = all.filter(({ kind }) => kind === "plan");
  const tasks = all.filter(({ kind }) => kind === "task");
  return `- plans: ${counted(plans)}\n- tasks: ${counted(tasks)}`;
}

/** `5 (2 ACTIVE, 3 DONE)` */
function counted(rows: readonly Listed[]): string {
  const each = STATUSES.flatMap((status) => {
    const n = rows.filter((one) => one.status === status).length;
    return n === 0 ? [] : [`${n} ${status}`];
  });
  return each.length === 0 ? "0" : `${rows.length} (${each.join(", ")})`;
}

function planSection(
  plan: Listed,
  all: readonly Listed[],
  shown: readonly Listed[],
  row: (task: Listed) => string,
): string {
  const isOf = ({ kind, parent }: Listed): boolean => kind === "task" && parent?.root === plan.root;
  const tasks = all.filter(isOf);
  const { total, done } = plan.archived_tasks ?? { total: 0, done: 0 };
  const away = total === 0 ? "" : `, ${total} of them in the archive`;
  const facts = `${marked(plan.status)}, ${doneOf(tasks) + done} of ${tasks.length + total} tasks done${away}`;
  const rows = shown.filter(isOf).map(row).join("");
  return `\n## ${linked(plan)} ${title(plan)}\n\n${facts}\n${rows === "" ? "" : `\n${rows}`}`;
}

function doneOf(tasks: readonly Listed[]): number {
  return tasks.filter(({ status }) => status === "DONE").length;
}

function taskRow(task: Listed, open: ReadonlyMap<string, string>): string {
  const { status, steps, depends_on } = task;
  const waits = depends_on.flatMap(({ root }) => open.get(root) ?? []).toSorted(compareIds);
  const facts = [
    marked(status),
    ...(steps.total === 0 ? [] : [`${steps.completed} of ${steps.total} steps`]),
    ...(status === "DONE" || waits.length === 0 ? [] : [`waits for ${waits.map(inline).join(", ")}`]),
  ];
  return `- ${status === "DONE" ? "[x]" : "[ ]"} ${linked(task)} ${title(task)}: ${facts.join(", ")}\n`;
}

function linked({ id }: Listed): string {
  return `[${inline(id)}](tasks/${id}/README.md)`;
}

function title(one: Listed): string {
  return inline(shorten(one.title, MAX_TITLE));
}

function marked(status: Status): string {
  return `\`${status}\``;
}

function sealed(body: string): string {
  return `<!-- taskfold overview ${RENDERER} ${checksum(body)}: taskfold rebuild writes this file anew from the logs. -->\n\n${body}`;
}

const SEAL = /^<!-- taskfold overview (\d{1,9}) ([0-9a-f]{8}): .* -->\n\n/;

/** Which renderer wrote an overview, and whether it stands as it was written; undefined for any other text. */
export function readOverview(text: string): { renderer: number; intact: boolean } | undefined {
  const found = SEAL.exec(text);
  if (!found) return undefined;
  return { renderer: Number(found[1]), intact: checksum(text.slice(found[0].length)) === found[2] };
}
