/** `taskfold import`: what another tracker kept, as plans and tasks (TRACKER rules). */
import { internalsOf } from "../../engine/groups/internals.ts";
import { counted } from "../../state/counted.ts";
import { okReply } from "../../engine/entity/reply.ts";
import type { Workspace } from "../../engine/workspace.ts";
import type { Warning } from "../../errors.ts";
import { EXIT, isTaskfoldError, LOST_WORK, TaskfoldError } from "../../errors.ts";
import type { JsonObject } from "../../index.ts";
import { unwrap } from "../../engine/entity/unwrap.ts";
import { wholeContext } from "../../tools/tasks_context.ts";
import { columns, sentences } from "./text/layout.ts";
import { warningsText } from "./text/reply_text.ts";
import { reading } from "./read.ts";
import type { CliResult } from "./cli_result.ts";
import { pageOf } from "./page.ts";
import { withProgress } from "./progress.ts";
import { safeLine } from "./text/safe_text.ts";
import type { Session } from "./session.ts";
import type { Made } from "./trackers/calls.ts";
import { callsFor } from "./trackers/calls.ts";
import type { FieldPlace } from "./trackers/field_places.ts";
import { FieldPlaces, fieldSentences } from "./trackers/field_places.ts";
import type { Source } from "./trackers/index.ts";
import { trackerOf } from "./trackers/index.ts";
import type { Tracker, TrackerItem } from "./trackers/item.ts";
import { isOfTracker, leftOutSentences } from "./trackers/left_out.ts";
import type { LeftOut } from "./trackers/left_out.ts";
import type { ImportPlan, ToImport } from "./trackers/plan_import.ts";
import { planImport } from "./trackers/plan_import.ts";
import { noItems, trackerFiles } from "./trackers/tracker_files.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

interface Options {
  plan?: string;
  dryRun?: boolean;
}

/** `already`: an import before this one made it. */
type Came = "made" | "already" | "refused";

interface Row {
  id: string;
  kind: TrackerItem["kind"];
  from: string;
  title: string;
  status: string;
  came: Came;
  message?: string;
}

interface Report {
  rows: Row[];
  leftOut: LeftOut[];
  fields: FieldPlace[];
  remarks: string[];
  /** Of lost work: what else a change says of an item, the rows say. */
  warnings: Warning[];
}

export async function importTracker(
  session: Session,
  source: Source,
  named: string,
  options: Options,
): Promise<CliResult> {
  session.workspaceRoot();
  const tracker = await trackerOf(source);
  const found = await trackerFiles(session, named, tracker);
  const read = await tracker.read(found.files);
  const leftOut = [...found.leftOut, ...read.leftOut];
  if (read.items.length === 0) refuseUnread(leftOut, named, tracker);
  const plan = planImport(source, tracker, { ...read, leftOut }, options.plan !== undefined);
  const { dryRun = false, plan: under } = options;
  if (under !== undefined) await mustBePlan(session, under);
  return session.within(async (workspace) => {
    if (workspace.id === undefined && !dryRun) await workspace.init(await session.workspaceId(workspace));
    const report = await withProgress(session, "import", (progress) =>
      imported({ workspace, tracker, under, dryRun, progress }, plan),
    );
    const remarks = [...report.remarks, ...(await otherTitles(session, report.rows))];
    return outcome(session, { source, tracker, dryRun }, { ...report, remarks });
  });
}

/** INVALID_INPUT where there is nothing to take in, with the reason of the first record that cannot be read. */
function refuseUnread(leftOut: readonly LeftOut[], named: string, tracker: Tracker): void {
  const message = leftOut.find((one) => one.message !== undefined)?.message;
  if (message !== undefined && !leftOut.some(isOfTracker))
    throw new TaskfoldError("INVALID_INPUT", message, {
      recovery: "Nothing was changed. Export it again from its own program, as UTF-8.",
    });
  if (!leftOut.some(isOfTracker)) throw noItems(named, tracker);
}

/** UNKNOWN_ID, or INVALID_INPUT where the id is one of a task. */
async function mustBePlan(session: Session, id: string): Promise<void> {
  const { kind } = (await pageOf(session, id)).target;
  if (kind === "plan") return;
  throw new TaskfoldError(
    "INVALID_INPUT",
    `Expected --plan to name a plan; ${id} is a ${kind}.`,
    remedy`${TASKFOLD} plan add "Imported" makes one.`,
  );
}

interface Importing {
  workspace: Workspace;
  tracker: Tracker;
  under: string | undefined;
  dryRun: boolean;
  progress: (done: number, total: number) => void;
}

async function imported(
  { workspace, tracker, under, dryRun, progress }: Importing,
  { items, leftOut, skipped, remarks }: ImportPlan,
): Promise<Report> {
  const before =
    workspace.id === undefined
      ? new Map()
      : await internalsOf(workspace).importedBefore(new Set(items.map(({ key }) => key)));
  const ids = new Map<TrackerItem, string>();
  const counts = { open: 0, circles: 0 };
  const places = new FieldPlaces(skipped);
  const rows: Row[] = [];
  const warnings: Warning[] = [];
  for (const [at, one] of items.entries()) {
    progress(at, items.length);
    const { item, key } = one;
    const made = callsOf(tracker, one, one.id, { under, ids });
    const earlier = before.get(key) as string | undefined;
    const came = earlier === undefined && !dryRun ? await take(workspace, tracker, one, { under, ids }) : undefined;
    const id = earlier ?? came?.id ?? one.id;
    warnings.push(...(came?.warnings ?? []).filter(({ code }) => LOST_WORK.has(code)));
    if (came?.message === undefined) ids.set(item, id);
    if (earlier === undefined && came?.message === undefined) {
      counts.open += made.isLeftOpen ? 1 : 0;
      counts.circles += made.circles;
      places.add(item, made.inNotes);
    }
    const { kind, status, state } = item;
    const how: Came = earlier !== undefined ? "already" : came?.message === undefined ? "made" : "refused";
    const { title } = made.calls[0]!.args as { title: string };
    const message = came?.message === undefined ? {} : { message: came.message };
    rows.push({ id, kind, from: item.id, title, status: status || state, came: how, ...message });
  }
  return { rows, leftOut, fields: places.all(), remarks: [...remarks, ...countSentences(counts)], warnings };
}

type Titles = Record<"plans" | "tasks", { id: string; title: string }[]>;

/** Items that came before and have another title here: renamed since, or of another project with the same ids. */
async function otherTitles(session: Session, rows: readonly Row[]): Promise<string[]> {
  const known = rows.filter(({ came }) => came === "already");
  if (known.length === 0) return [];
  const { plans, tasks } = await reading(
    session,
    async (call) => unwrap(await call(wholeContext, {})) as unknown as Titles,
  );
  const titles = new Map([...plans, ...tasks].map(({ id, title }) => [id, title]));
  const other = known.filter(({ id, title }) => (titles.get(id) ?? title) !== title);
  const [first] = other;
  if (!first) return [];
  const more = other.length === 1 ? "" : `, and ${other.length - 1} more`;
  return [
    `not of this file, or renamed since: ${first.id} ${JSON.stringify(titles.get(first.id))} was there for ${JSON.stringify(first.title)}${more}`,
  ];
}

function countSentences({ open, circles }: { open: number; circles: number }): string[] {
  return [
    ...(open === 0 ? [] : [`${counted(open, "item")} ended there with open steps or criteria: open here`]),
    ...(circles === 0 ? [] : [`${counted(circles, "dependency", "dependencies")} between steps in a circle left out`]),
  ];
}

interface ImportContext {
  under: string | undefined;
  ids: ReadonlyMap<TrackerItem, string>;
}

function callsOf(
  tracker: Tracker,
  { item, plan, dependsOn, more }: ToImport,
  id: string,
  { under, ids }: ImportContext,
): Made {
  const refs = dependsOn.flatMap((one) => ids.get(one) ?? []);
  const lost = dependsOn.filter((one) => !ids.has(one)).map((one) => one.id);
  return callsFor(tracker, {
    item,
    id,
    plan: under ?? (plan && ids.get(plan)),
    dependsOn: refs,
    more: lost.length === 0 ? more : [...more, ["Depends on", lost.join(", ")]],
  });
}

/** Its id here, or why a tool refused it: one that is refused stops none of the others. */
async function take(
  workspace: Workspace,
  tracker: Tracker,
  one: ToImport,
  context: ImportContext,
): Promise<{ id: string; message?: string; warnings?: readonly Warning[] }> {
  const { key, item } = one;
  for (const id of [one.id, one.otherId]) {
    try {
      const { calls } = callsOf(tracker, one, id, context);
      return { id, warnings: await internalsOf(workspace).importItem({ key, kind: item.kind, id, calls }) };
    } catch (e) {
      if (!isTaskfoldError(e)) throw e;
      if (e.code === "ID_TAKEN" && id !== one.otherId) continue;
      if (!REFUSALS.has(e.code)) throw e;
      return { id, message: `${e.code}: ${e.message}` };
    }
  }
  return { id: one.otherId };
}

/** Refusals of one item. Any other is a fault of the workspace or the disk, and ends the import. */
const REFUSALS = new Set([
  "INVALID_INPUT",
  "ID_TAKEN",
  "ID_UNSAFE",
  "CONTENT_TOO_LARGE",
  "UNKNOWN_ID",
  "ARCHIVED",
  "STEPS_OPEN",
]);

function outcome(
  session: Session,
  { source, tracker, dryRun }: { source: Source; tracker: Tracker; dryRun: boolean },
  { rows, leftOut, fields, remarks: changed, warnings }: Report,
): CliResult {
  const remarks = [...leftOutSentences(leftOut), ...changed, ...fieldSentences(fields)];
  const refused = [...rows.filter(({ came }) => came === "refused"), ...unread(leftOut)];
  const result = { source, dry_run: dryRun, ...countsOf(rows), items: rows, left_out: leftOut, fields, said: remarks };
  return {
    exit: refused.length > 0 ? EXIT.refused : EXIT.ok,
    json: okReply("import", result as unknown as JsonObject, warnings, []),
    human: () => ({
      out: session.quiet ? quietText(rows) : importText(session, tracker, dryRun, { rows, remarks }),
      err:
        sentences(
          refused.map(({ from, message }) => `${safeLine(`${from}: ${message}`)}\n`).join(""),
          session.errColumns,
        ) + warningsText(warnings, session),
    }),
  };
}

/** Records that cannot be read, as rows of what was refused. */
function unread(leftOut: readonly LeftOut[]): { from: string; message: string }[] {
  return leftOut.flatMap(({ name, message }) => (message === undefined ? [] : [{ from: name, message }]));
}

function countsOf(rows: readonly Row[]): { plans: number; tasks: number; already: number; refused: number } {
  const count = (fits: (row: Row) => boolean): number => rows.filter(fits).length;
  return {
    plans: count(({ came, kind }) => came === "made" && kind === "plan"),
    tasks: count(({ came, kind }) => came === "made" && kind === "task"),
    already: count(({ came }) => came === "already"),
    refused: count(({ came }) => came === "refused"),
  };
}

function quietText(rows: readonly Row[]): string {
  return rows
    .filter(({ came }) => came === "made")
    .map(({ id }) => `${id}\n`)
    .join("");
}

function importText(
  session: Session,
  { name }: Tracker,
  dryRun: boolean,
  { rows, remarks }: Pick<Report, "rows" | "remarks">,
): string {
  const { plans, tasks, already, refused } = countsOf(rows);
  const fresh = rows.filter(({ came }) => came === "made");
  const table = dryRun
    ? columns(
        fresh.map((row) => [row.id, row.status, row.title]),
        session.columns,
      )
    : "";
  const did = dryRun ? "would be made" : "made";
  const sum = [
    plans + tasks === 0 ? "nothing new" : `${counted(plans, "plan")} and ${counted(tasks, "task")} ${did}`,
    ...(already === 0 ? [] : [`${already} there from before`]),
    ...(refused === 0 ? [] : [`${refused} refused`]),
  ];
  const lines = [`${name}: ${sum.join(", ")}.`, ...remarks.map((one) => `  ${one}.`)];
  return table + sentences(lines.map((line) => `${safeLine(line)}\n`).join(""), session.columns);
}
