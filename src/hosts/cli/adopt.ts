/** `taskfold adopt`: a folder that another program kept gets a log of ours. */
import type { AdoptReport } from "../../engine/adoption/adopt.ts";
import { okReply } from "../../engine/entity/reply.ts";
import { EXIT, isTaskfoldError } from "../../errors.ts";
import type { TaskfoldError } from "../../errors.ts";
import type { JsonObject } from "../../index.ts";
import type { CliResult } from "./cli_result.ts";
import { sentences } from "./text/layout.ts";
import { withProgress } from "./progress.ts";
import { warningsText } from "./text/reply_text.ts";
import { safeLine } from "./text/safe_text.ts";
import type { Session } from "./session.ts";

interface Options {
  dryRun?: boolean;
  again?: boolean;
}

/** Several folders one after the other. A folder that is refused is told, and the others are taken in all the same. */
export function adopt(session: Session, ids: readonly string[], options: Options): Promise<CliResult> {
  return session.within(async (workspace) => {
    const unbound = workspace.id === undefined && options.dryRun !== true;
    if (unbound) await workspace.init(await session.workspaceId(workspace));
    if (ids.length === 1) return adoptedOne(session, await workspace.repair.adopt(ids[0]!, options), options);
    const reports: AdoptReport[] = [];
    const refused: TaskfoldError[] = [];
    await withProgress(session, "adopt", async (progress) => {
      for (const [i, id] of ids.entries()) {
        try {
          reports.push(await workspace.repair.adopt(id, options));
        } catch (e) {
          if (!isTaskfoldError(e)) throw e;
          refused.push(e);
        }
        progress(i + 1, ids.length);
      }
    });
    return adoptedSeveral(session, reports, refused, options);
  });
}

function adoptedOne(session: Session, { warnings, ...report }: AdoptReport, options: Options): CliResult {
  return {
    exit: EXIT.ok,
    json: okReply("adopt", plain(report), warnings, []),
    human: () => ({ out: sentences(text(report, options), session.columns), err: warningsText(warnings, session) }),
  };
}

function adoptedSeveral(
  session: Session,
  reports: readonly AdoptReport[],
  refused: readonly TaskfoldError[],
  options: Options,
): CliResult {
  const warnings = reports.flatMap((report) => report.warnings);
  const adopted = reports.map(({ warnings: _warnings, ...report }) => report);
  const refusals = refused.map(({ code, message }) => ({ code, message }));
  return {
    exit: refused.length > 0 ? EXIT.refused : EXIT.ok,
    json: okReply("adopt", plain({ adopted, refused: refusals }), warnings, []),
    human: () => ({
      out: sentences(adopted.map((report) => text(report, options)).join(""), session.columns),
      err:
        sentences(refusals.map(({ code, message }) => `${code}: ${safeLine(message)}\n`).join(""), session.errColumns) +
        warningsText(warnings, session),
    }),
  };
}

/** Interfaces lack the index signature that says that they are plain JSON. */
function plain(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

function text(report: Omit<AdoptReport, "warnings">, { dryRun = false, again = false }: Options): string {
  const { id, title, changed, took, fields, left, quarantined } = report;
  const counts = Object.entries(took)
    .filter(([, n]) => n > 0)
    .map(([what, n]) => `${what} ${n}`)
    .join(", ");
  const verb = again && fields.length > 0 ? "taken in" : "adopted";
  const lines = [
    changed ? `${id} ${dryRun ? "would be " : ""}${verb}: ${title}` : `${id}: nothing new to take in.`,
    ...(counts === "" || !changed ? [] : [`With it: ${counts}.`]),
    ...(fields.length > 0 ? [`Changed: ${fields.join(", ")}.`] : []),
    ...(left.length > 0 ? [`${again ? "Left as they are here" : "Not in the new files"}: ${left.join(", ")}.`] : []),
    ...(quarantined.length > 0 ? [`Kept in .coco/registry/quarantine as they were: ${quarantined.join(", ")}.`] : []),
  ];
  return lines.map((line) => `${safeLine(line)}\n`).join("");
}
