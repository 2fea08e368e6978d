/** `taskfold watch`: on a terminal the tasks that have not ended, drawn anew at each change; else a line for each event. */
import { setTimeout as pause } from "node:timers/promises";
import type { Workspace } from "../../engine/workspace.ts";
import { EXIT, TaskfoldError } from "../../errors.ts";
import type { Json, JsonObject } from "../../index.ts";
import { callTool } from "./call.ts";
import { deltaLine } from "./text/history_text.ts";
import { columns } from "./text/layout.ts";
import { filtered } from "./list_filters.ts";
import { listText } from "./text/list_text.ts";
import { timeText } from "./text/times.ts";
import type { CliResult } from "./cli_result.ts";
import type { Session } from "./session.ts";
import { watchPolling } from "./watch_polling.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

/** A burst of changes is drawn once. */
const SETTLE_MS = 100;
/** As many rows as a page may have. */
const PAGE = 200;
const PARTS = ["plans", "tasks"] as const;
const CLEAR = "\u001b[2J\u001b[H";

export async function watch(session: Session): Promise<CliResult> {
  if (session.json) {
    throw new TaskfoldError(
      "INVALID_INPUT",
      "Expected watch without --json: it has no end, and JSON is one document.",
      remedy`${TASKFOLD} delta --json --since CURSOR gives what happened since.`,
    );
  }
  return session.within(async (workspace) => {
    const asked = session.io.interruption?.();
    const ends = [asked?.signal, session.io.outputLost].filter((one) => one !== undefined);
    const signal = AbortSignal.any(ends);
    try {
      if (session.io.screen) await drawn(session, workspace, signal);
      else await printed(session, workspace, signal);
    } finally {
      asked?.end();
    }
    return { exit: EXIT.ok, json: {}, human: () => ({ out: "", err: "" }), silent: true };
  });
}

async function printed({ io }: Session, workspace: Workspace, signal: AbortSignal): Promise<void> {
  const polling = watchPolling(io.env);
  for await (const event of workspace.watch({ signal, polling }))
    io.stdout(columns([deltaLine(event as object as JsonObject)]));
}

async function drawn(session: Session, workspace: Workspace, signal: AbortSignal): Promise<void> {
  let due = true;
  const draw = async (): Promise<void> => {
    await pause(SETTLE_MS);
    due = false;
    session.io.stdout(CLEAR + (await screenOf(session, workspace)));
  };
  const events = workspace.watch({ signal, polling: watchPolling(session.io.env) });
  await draw();
  for await (const _event of events) {
    if (due) continue;
    due = true;
    await draw();
  }
}

/** The workspace as one answer of `tasks_context`: a workspace that is open answers from memory. */
async function wholeOf(session: Session, workspace: Workspace): Promise<JsonObject | null> {
  const page = (plans_cursor: number, tasks_cursor: number) =>
    callTool(session, workspace, "tasks_context", { plans_limit: PAGE, tasks_limit: PAGE, plans_cursor, tasks_cursor });
  const { result: whole } = await page(0, 0);
  if (whole === null) return null;
  const of = (part: "plans" | "tasks") => whole[part] as Json[];
  const totals = PARTS.map((part) => (whole[`${part}_pagination`] as { total: number }).total);
  for (let at = PAGE; at < Math.max(...totals); at += PAGE) {
    const { result } = await page(at, at);
    if (result === null) return null;
    for (const part of PARTS) of(part).push(...(result[part] as Json[]));
  }
  return whole;
}

async function screenOf(session: Session, workspace: Workspace): Promise<string> {
  const result = await wholeOf(session, workspace);
  if (result === null) return "";
  await filtered(result, { status: ["TODO", "ACTIVE"], sort: "status" }, undefined);
  const { columns: wide = 80, rows = 24 } = session.io.screen?.() ?? {};
  const lines = listText(result as unknown as Parameters<typeof listText>[0], session.colors, wide).split("\n");
  const foot = session.colors.dim(`${timeText(new Date().toISOString(), wide)}, Ctrl-C ends`);
  return [...lines.slice(0, Math.max(rows - 2, 1)), foot, ""].join("\n");
}
