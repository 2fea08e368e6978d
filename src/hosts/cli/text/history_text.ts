/** Shows history to people: one line for each op, newest first, or for each event since a cursor. */
import type { JsonObject } from "../../../index.ts";
import { textRows } from "./layout.ts";
import type { Look } from "./look.ts";
import { textOf } from "./safe_text.ts";
import { timeText } from "./times.ts";
import { counted } from "../../../state/counted.ts";

interface History {
  operations: {
    /** Only where the history is that of the workspace. */
    task?: string;
    revision: number;
    ts: string;
    by: string;
    message: string;
    undoable: boolean;
    undone: boolean;
  }[];
  next_before: number | string | null;
}

interface Shown extends Pick<Look, "colors"> {
  /** How wide the terminal is. */
  wide?: number | undefined;
  /** The caller speaks in calls of tools, not in options. */
  calls: boolean;
}

/** The event ids that undo asks for are in `--json`; a person undoes the last change, or reads the log. */
export function historyText({ operations, next_before: next }: History, { colors, wide, calls }: Shown): string {
  const rows = operations.map(({ task, revision, ts, by, message, undoable, undone }) => [
    ...(task === undefined ? [] : [task]),
    String(revision),
    timeText(ts, wide),
    by,
    undone ? "undone" : undoable ? "" : "stays",
    message,
  ]);
  const stays = operations.some(({ undoable, undone }) => !undoable && !undone);
  const legend = calls || !stays ? "" : colors.dim("stays: undo does not take it back\n");
  const from = calls ? `"before": ${JSON.stringify(next)}` : `--before ${next}`;
  const rest = next === null ? "" : colors.dim(`before these: ${from}\n`);
  return textRows(rows, wide) + legend + rest;
}

interface Delta {
  cursor: string;
  next: number;
  events?: JsonObject[];
}

export function deltaText({ cursor, next, events = [] }: Delta, { colors, wide, calls }: Shown): string {
  const from = calls ? `"since": "${cursor}"` : `--since ${cursor}`;
  const rest = colors.dim(`${counted(events.length, "event")}, ${next} more; from here: ${from}\n`);
  return (
    textRows(
      events.map((event) => deltaLine(event, wide)),
      wide,
    ) + rest
  );
}

/** An event as a row. */
export function deltaLine({ ts, ...event }: JsonObject, wide?: number): string[] {
  const [by, task, message] = ["by", "task", "message"].map((key) => textOf(event[key]));
  return [timeText(textOf(ts), wide), by!, task!, message!];
}
