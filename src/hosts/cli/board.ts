/** `taskfold board`: tasks in columns by status, in the width of the terminal. */
import type { Status } from "../../state/entity.ts";
import { STATUSES } from "../../state/entity.ts";
import { wholeContext } from "../../tools/tasks_context.ts";
import { filtered } from "./list_filters.ts";
import type { CliResult } from "./cli_result.ts";
import { exitOf } from "./cli_result.ts";
import { reading } from "./read.ts";
import { outcomeOf, warningsText } from "./text/reply_text.ts";
import { safeLine } from "./text/safe_text.ts";
import type { Session } from "./session.ts";
import { cutTo, padTo } from "./text/width.ts";
import type { Row } from "./work.ts";

/** These are there also when they are empty. */
const ALWAYS = 3;
/** Cards of tasks that have ended; the latest ones. */
const ENDED = 10;
/** Where stdout is no terminal. */
const WIDE = 80;
const GAP = "  ";

export function board(session: Session, { plan, tag }: { plan?: string; tag?: string[] }): Promise<CliResult> {
  const parent = session.planMeant(plan);
  return reading(session, async (call, workspace) => {
    const reply = await call(wholeContext, {});
    if (reply.result === null) return outcomeOf(session, workspace, reply);
    const options = { ...(parent === undefined ? {} : { plan: parent }), ...(tag === undefined ? {} : { tag }) };
    await filtered(reply.result, options, undefined);
    if (session.quiet) return outcomeOf(session, workspace, { ...reply, result: { ...reply.result, plans: [] } });
    const rows = reply.result["tasks"] as unknown as Row[];
    const human = () => ({ out: boardText(rows, session), err: warningsText(reply.warnings, session) });
    return { exit: exitOf(reply), json: reply, human };
  });
}

function boardText(
  rows: readonly Row[],
  { colors, columns: wide = WIDE }: Pick<Session, "colors" | "columns">,
): string {
  const shown = STATUSES.filter((status, i) => i < ALWAYS || rows.some((row) => row.status === status));
  const cells = Math.max(Math.floor((wide - GAP.length * (shown.length - 1)) / shown.length), 10);
  const columns = shown.map((status) => {
    const own = rows.filter((row) => row.status === status);
    return [`${status} ${own.length}`, ...cards(status, own).flatMap((card) => card.map((line) => cutTo(line, cells)))];
  });
  const height = Math.max(...columns.map((lines) => lines.length));
  const line = (at: number): string =>
    columns
      .map((lines) => padTo(cutTo(lines[at] ?? "", cells), cells))
      .join(GAP)
      .trimEnd();
  const head = columns
    .map(([title = ""]) => colors.bold(padTo(title, cells)))
    .join(GAP)
    .trimEnd();
  return [head, ...Array.from({ length: height - 1 }, (_, i) => line(i + 1))].map((text) => `${text}\n`).join("");
}

function cards(status: Status, rows: readonly Row[]): string[][] {
  if (STATUSES.indexOf(status) < ALWAYS - 1) return rows.map(cardOf);
  const latest = rows.toSorted((a, b) => (a.updated_at < b.updated_at ? 1 : -1)).slice(0, ENDED);
  const left = rows.length - latest.length;
  return [...latest.map(cardOf), ...(left > 0 ? [[`${left} more`]] : [])];
}

function cardOf({ id, title, steps }: Row): string[] {
  const progress = steps.total === 0 ? "" : ` ${steps.completed}/${steps.total}`;
  return [safeLine(`${id}${progress}`), ` ${safeLine(title)}`];
}
