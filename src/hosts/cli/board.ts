/** `taskfold board`: tasks in columns by status, what changed last on top, in the width of the terminal (CLI-118). */
import { unwrap } from "../../engine/entity/unwrap.ts";
import type { Status } from "../../state/entity.ts";
import { STATUSES } from "../../state/entity.ts";
import { wholeContext } from "../../tools/tasks_context.ts";
import { tasksStatus } from "../../tools/tasks_status.ts";
import { filtered } from "./list_filters.ts";
import type { CliResult } from "./cli_result.ts";
import { exitOf } from "./cli_result.ts";
import type { Call } from "./read.ts";
import { ofLogs, reading } from "./read.ts";
import { outcomeOf, warningsText } from "./text/reply_text.ts";
import { safeLine } from "./text/safe_text.ts";
import type { Session } from "./session.ts";
import { padTo, wrapTo } from "./text/width.ts";
import type { Row } from "./work.ts";
import { workOf } from "./work.ts";

/** These are there also when they are empty. */
const ALWAYS = 3;
/** Cards of tasks that have ended. */
const ENDED = 10;
/** Where stdout is no terminal and the environment names no width. */
const WIDE = 80;
const WIDEST = 1000;
const NARROWEST = 10;
const GAP = "  ";

export function board(session: Session, { plan, tag }: { plan?: string; tag?: string[] }): Promise<CliResult> {
  const parent = session.planMeant(plan);
  return reading(session, (call, workspace) =>
    workspace.fromOneLook(async () => {
      const reply = await call(wholeContext, {});
      if (reply.result === null) return outcomeOf(session, workspace, reply);
      const options = { ...(parent === undefined ? {} : { plan: parent }), ...(tag === undefined ? {} : { tag }) };
      await filtered(reply.result, options, undefined);
      if (session.quiet) return outcomeOf(session, workspace, { ...reply, result: { ...reply.result, plans: [] } });
      const rows = reply.result["tasks"] as unknown as Row[];
      const marks = session.json ? NONE : await marksOf(call);
      const human = () => ({ out: boardText(rows, marks, session), err: warningsText(reply.warnings, session) });
      return { exit: exitOf(reply), json: reply, human };
    }),
  );
}

type Marks = ReadonlyMap<string, readonly string[]>;
const NONE: Marks = new Map();

interface Needs {
  needs_you: { task: string; what: string }[];
}

/** The kinds of needs whose name is no word for people. */
const MARKS: Readonly<Record<string, string>> = { complete: "ready to complete", claim_over: "claim ended" };

/** The actors that hold a claim, and the kinds of needs, by task. Stale proof costs a look at each file: `taskfold status` has it. */
async function marksOf(asked: Call): Promise<Marks> {
  const call: Call = (tool, input) => asked(ofLogs(tool), input);
  const { work } = await workOf(call, { begun: true });
  const { needs_you } = unwrap(await call(tasksStatus, { since: new Date().toISOString() })) as unknown as Needs;
  const marks = new Map<string, string[]>();
  const mark = (id: string, text: string): void => {
    const own = marks.get(id) ?? [];
    if (!own.includes(text)) marks.set(id, [...own, text]);
  };
  for (const { row, claims } of work.tasks) for (const { by } of claims) mark(row.id, by);
  for (const { task, what } of needs_you) mark(task, MARKS[what] ?? what);
  return marks;
}

function boardText(
  rows: readonly Row[],
  marks: Marks,
  { colors, columns, io }: Pick<Session, "colors" | "columns" | "io">,
): string {
  const shown = STATUSES.filter((status, i) => i < ALWAYS || rows.some((row) => row.status === status));
  const wide = columns ?? widthIn(io.env["COLUMNS"]);
  const cells = Math.max(Math.floor((wide - GAP.length * (shown.length - 1)) / shown.length), NARROWEST);
  const lists = shown.map((status) => {
    const own = rows.filter((row) => row.status === status);
    return [`${status} ${own.length}`, ...cards(status, own, marks, cells)];
  });
  const line = (at: number): string =>
    lists
      .map((lines) => padTo(lines[at] ?? "", cells))
      .join(GAP)
      .trimEnd();
  const [head, ...others] = Array.from({ length: Math.max(...lists.map(({ length }) => length)) }, (_, at) => line(at));
  return [colors.bold(head ?? ""), ...others].map((text) => `${text}\n`).join("");
}

function widthIn(text: string | undefined): number {
  return text !== undefined && /^[1-9]\d*$/.test(text) ? Math.min(Number(text), WIDEST) : WIDE;
}

function cards(status: Status, rows: readonly Row[], marks: Marks, cells: number): string[] {
  const latest = rows.toSorted((a, b) => Number(a.updated_at < b.updated_at) - Number(a.updated_at > b.updated_at));
  const shown = STATUSES.indexOf(status) < ALWAYS - 1 ? latest : latest.slice(0, ENDED);
  const left = latest.length - shown.length;
  return [
    ...shown.flatMap((row) => cardOf(row, marks.get(row.id) ?? [], cells)),
    ...(left > 0 ? [`${left} more`] : []),
  ];
}

/** The whole title: who reads on paper, or in another program, has no other way to it. */
function cardOf({ id, title, steps, priority }: Row, marks: readonly string[], cells: number): string[] {
  const progress = steps.total === 0 ? "" : ` ${steps.completed}/${steps.total}`;
  const labels = [...(priority === undefined ? [] : [priority]), ...marks].join(", ");
  const indented = (text: string): string[] =>
    text === "" ? [] : wrapTo(safeLine(text), cells - 1).map((line) => ` ${line}`);
  return [
    ...wrapTo(safeLine(`${id}${progress}`), cells),
    ...indented(title),
    ...indented(labels === "" ? "" : `[${labels}]`),
  ];
}
