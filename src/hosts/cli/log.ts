/** `taskfold log`: what happened, oldest first, a page at a time. */
import type { LogPage, LogQuery } from "../../engine/query/history.ts";
import { okReply } from "../../engine/entity/reply.ts";
import type { Reply } from "../../engine/entity/reply.ts";
import type { Workspace } from "../../engine/workspace.ts";
import { EXIT } from "../../errors.ts";
import type { JsonObject } from "../../index.ts";
import { callTool } from "./call.ts";
import { textRows } from "./text/layout.ts";
import type { CliResult } from "./cli_result.ts";
import { outcomeOf, warningsText } from "./text/reply_text.ts";
import { textOf } from "./text/safe_text.ts";
import { timeText } from "./text/times.ts";
import type { Session } from "./session.ts";
import { counted } from "../../state/counted.ts";

export function log(session: Session, id: string | undefined, query: LogQuery): Promise<CliResult> {
  return session.within(async (workspace) => {
    const named = id ?? (await focused(session, workspace));
    if (typeof named !== "string") return outcomeOf(session, workspace, named);
    const { warnings, ...page } = workspace.log(named, query);
    // A page is plain JSON throughout; interfaces merely lack the index signature that says so.
    const reply = okReply("log", page as object as JsonObject, warnings, []);
    const human = () => ({ out: session.quiet ? "" : pageText(page, session), err: warningsText(warnings, session) });
    return { exit: EXIT.ok, json: reply, human };
  });
}

/** The focus, or the reply that says there is none: the same words as from any tool that needs a target. */
export async function focused(session: Session, workspace: Workspace): Promise<string | Reply> {
  const reply = await callTool(session, workspace, "tasks_radar", {});
  return reply.result === null ? reply : (reply.result["target"] as { id: string }).id;
}

function pageText(page: Omit<LogPage, "warnings">, { colors, program, columns: wide }: Session): string {
  const rows = page.events.map((event) => [
    timeText(event.ts, wide),
    textOf(event["by"]),
    event.type,
    textOf(event["message"]),
  ]);
  const rest = page.more === 0 ? `${counted(page.total, "event")} in all` : `${page.more} more`;
  const go = `${page.events.length} shown, ${rest}; from here: ${program} log ${page.id} --since ${page.cursor}`;
  return `${textRows(rows, wide)}${colors.dim(go)}\n`;
}
