/** `taskfold adopt`: a folder that another program kept gets a log of ours. */
import type { AdoptReport } from "../../engine/adoption/adopt.ts";
import { okReply } from "../../engine/entity/reply.ts";
import { EXIT } from "../../errors.ts";
import type { JsonObject } from "../../index.ts";
import type { CliResult } from "./cli_result.ts";
import { warningsText } from "./reply_text.ts";
import { safeLine } from "./safe_text.ts";
import type { Session } from "./session.ts";

interface Options {
  dryRun?: boolean;
  again?: boolean;
}

export function adopt(session: Session, id: string, options: Options): Promise<CliResult> {
  return session.within(async (workspace) => {
    const unbound = workspace.id === undefined && options.dryRun !== true;
    if (unbound) await workspace.init(await session.workspaceId(workspace));
    const { warnings, ...report } = await workspace.adopt(id, options);
    return {
      exit: EXIT.ok,
      json: okReply("adopt", JSON.parse(JSON.stringify(report)) as JsonObject, warnings, []),
      human: () => ({
        out: text(report, options),
        err: warningsText(warnings, session.colors),
      }),
    };
  });
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
