/** `taskfold archive` and `restore`: ended tasks put away, batch after batch, and one brought back (ARCHIVE-40). */
import type { Reply } from "../../engine/entity/reply.ts";
import type { Workspace } from "../../engine/workspace.ts";
import { EXIT, TaskfoldError } from "../../errors.ts";
import type { JsonObject } from "../../index.ts";
import { callTool } from "./call.ts";
import { columns, textRows } from "./text/layout.ts";
import type { CliResult } from "./cli_result.ts";
import { exitOf } from "./cli_result.ts";
import { withProgress } from "./progress.ts";
import { outcomeOf, warningsText } from "./text/reply_text.ts";
import type { Session } from "./session.ts";
import { counted } from "../../state/counted.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

type OkReply = Extract<Reply, { success: true }>;

/** Of one call, and so of one transaction. */
const BATCH = 200;

interface ArchiveOptions {
  doneBefore?: string;
  plan?: string;
  status?: string;
  dryRun?: boolean;
}

interface Archived {
  archived: { id: string; title: string; status: string }[];
  skipped: { id: string; code: string; message: string }[];
  left: number;
  dry_run?: true;
}

export function archive(session: Session, ids: string[], options: ArchiveOptions): Promise<CliResult> {
  const { doneBefore, status, dryRun } = options;
  const plan = session.planMeant(options.plan);
  const chosen: JsonObject = {
    ...(doneBefore === undefined ? {} : { done_before: doneBefore }),
    ...(plan === undefined ? {} : { plan }),
    ...(status === undefined ? {} : { status }),
  };
  if (ids.length === 0 && Object.keys(chosen).length === 0) throw nothingChosen();
  const alone = ids.length === 1 && Object.keys(chosen).length === 0;
  const dry = dryRun ? { dry_run: true } : {};
  return session.within(async (workspace) => {
    if (alone)
      return archivedOutcome(
        session,
        workspace,
        await callTool(session, workspace, "tasks_archive", { task: ids[0]!, ...dry }),
      );
    const inputs = ids.length === 0 ? [{}] : batchesOf(ids).map((tasks) => ({ tasks }));
    return archivedOutcome(
      session,
      workspace,
      await withProgress(session, "archive", (progress) => {
        const calls = inputs.map((input) => ({ ...chosen, ...input, ...dry }));
        return allBatches(session, workspace, calls, (done, left) => progress(done, Math.max(ids.length, done + left)));
      }),
      ids,
    );
  });
}

function nothingChosen(): TaskfoldError {
  return new TaskfoldError(
    "TARGET_REQUIRED",
    "Expected ids of tasks, or any of --done-before, --plan and --status; found none.",
    remedy`${TASKFOLD} archive --done-before 30d --dry-run shows what that would put away.`,
  );
}

function batchesOf(ids: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(ids.length / BATCH) }, (_, i) => ids.slice(i * BATCH, (i + 1) * BATCH));
}

/** One transaction after the other; the first refusal ends it, and what went before stays. */
async function allBatches(
  session: Session,
  workspace: Workspace,
  inputs: readonly JsonObject[],
  progress: (done: number, left: number) => void,
): Promise<Reply> {
  let whole: OkReply | undefined;
  for (const input of inputs) {
    for (;;) {
      const reply = await callTool(session, workspace, "tasks_archive", { ...input, limit: BATCH });
      if (!reply.success) return reply;
      whole = whole ? joined(whole, reply) : reply;
      const { archived, left, dry_run } = resultOf(reply);
      progress(resultOf(whole).archived.length, left);
      if (left === 0 || archived.length === 0 || dry_run) break;
    }
  }
  return whole!;
}

function joined(whole: OkReply, next: OkReply): OkReply {
  const [before, now] = [resultOf(whole), resultOf(next)];
  const skipped = [...before.skipped.filter(({ id }) => now.skipped.every((other) => other.id !== id)), ...now.skipped];
  const result = { ...now, archived: [...before.archived, ...now.archived], skipped };
  return { ...next, result: result as unknown as JsonObject, warnings: [...whole.warnings, ...next.warnings] };
}

function archivedOutcome(
  session: Session,
  workspace: Workspace,
  reply: Reply,
  named: readonly string[] = [],
): CliResult {
  if (reply.result === null) return outcomeOf(session, workspace, reply);
  const { skipped } = resultOf(reply);
  return {
    exit: named.length > 0 && skipped.length > 0 ? EXIT.refused : exitOf(reply),
    json: reply,
    human: () => ({
      out: session.quiet
        ? resultOf(reply)
            .archived.map(({ id }) => `${id}\n`)
            .join("")
        : archivedText(resultOf(reply), session.columns),
      err: warningsText(reply.warnings, session),
    }),
  };
}

function archivedText({ archived, skipped, left, dry_run }: Archived, wide: number | undefined): string {
  const rows = archived.map(({ id, status, title }) => [id, status, title]);
  const kept = skipped.map(({ id, code, message }) => [id, code, message]);
  const verb = dry_run ? "would be archived" : "archived";
  const more = left === 0 ? "" : `, ${counted(left, "more fits", "more fit")}`;
  const stay = skipped.length === 0 ? "" : `, ${counted(skipped.length, "stays", "stay")}`;
  return `${columns(rows, wide)}${textRows(kept, wide)}${archived.length} ${verb}${stay}${more}\n`;
}

function resultOf({ result }: Reply): Archived {
  return result as unknown as Archived;
}

export function restore(session: Session, task: string): Promise<CliResult> {
  return session.within(async (workspace) =>
    outcomeOf(session, workspace, withArchiveNamed(await callTool(session, workspace, "tasks_restore", { task }))),
  );
}

/** The list that an unknown id is looked up in is that of the archive. */
function withArchiveNamed(reply: Reply): Reply {
  if (reply.success || reply.error.code !== "UNKNOWN_ID") return reply;
  const lists = remedy`${TASKFOLD} list --archived lists the ids that are there.`;
  return { ...reply, suggestions: [], error: { ...reply.error, ...lists } };
}
