/** What happened, for people: one line for each op, newest first, or for each event since a cursor. */
import type { JsonObject } from "../../index.ts";
import { columns } from "./layout.ts";
import { textOf } from "./safe_text.ts";
import type { Colors } from "./session.ts";
import { counted } from "../../engine/core/counted.ts";

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

/** The event ids that undo asks for are in `--json`; a person undoes the last change, or reads the log. */
export function historyText({ operations, next_before: next }: History, colors: Colors): string {
  const rows = operations.map(({ task, revision, ts, by, message, undoable, undone }) => [
    ...(task === undefined ? [] : [task]),
    String(revision),
    ts,
    by,
    undone ? "undone" : undoable ? "" : "stays",
    message,
  ]);
  const rest = next === null ? "" : colors.dim(`before these: "before": ${JSON.stringify(next)}\n`);
  return columns(rows) + rest;
}

interface Delta {
  cursor: string;
  next: number;
  events?: JsonObject[];
}

export function deltaText({ cursor, next, events = [] }: Delta, colors: Colors): string {
  return (
    columns(events.map(deltaLine)) +
    colors.dim(`${counted(events.length, "event")}, ${next} more; from here: "since": "${cursor}"\n`)
  );
}

/** An event as a row. */
export function deltaLine(event: JsonObject): string[] {
  return ["ts", "by", "task", "message"].map((key) => textOf(event[key]));
}
