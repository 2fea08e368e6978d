/** `taskfold taskdoc import`: a Taskdoc of one Markdown file, taken into the log. */
import { resolve } from "node:path";
import type { ImportTaskdocReport } from "../../engine/adoption/import_taskdoc.ts";
import { okReply } from "../../engine/entity/reply.ts";
import { EXIT } from "../../errors.ts";
import { focused } from "./log.ts";
import type { CliResult } from "./cli_result.ts";
import { sentences } from "./text/layout.ts";
import { outcomeOf, warningsText } from "./text/reply_text.ts";
import { safeLine } from "./text/safe_text.ts";
import type { Session } from "./session.ts";
import { indented, plain } from "./taskdoc.ts";
import { counted } from "../../state/counted.ts";

export function importFile(
  session: Session,
  file: string,
  id: string | undefined,
  options: { dryRun?: boolean },
): Promise<CliResult> {
  return session.within(async (workspace) => {
    const named = id ?? (await focused(session, workspace));
    if (typeof named !== "string") return outcomeOf(session, workspace, named);
    const { warnings, ...report } = await workspace.taskdoc.importMarkdown(named, resolve(session.here, file), options);
    return {
      exit: EXIT.ok,
      json: okReply("taskdoc import", plain(report), warnings, []),
      human: () => ({
        out: importText(report, options.dryRun === true, session),
        err: warningsText(warnings, session),
      }),
    };
  });
}

function importText(
  { id, changed, already, file, sections, unplaced }: Omit<ImportTaskdocReport, "warnings">,
  dryRun: boolean,
  { colors, columns: wide }: Session,
): string {
  const shown = sections.map(({ path, bytes, content }) => {
    const head = `${colors.bold(path)}: ${counted(bytes, "byte")}\n`;
    return dryRun ? head + indented(content) : head;
  });
  const rest =
    unplaced === 0 || !changed
      ? ""
      : `${counted(unplaced, "line")} without a section of their own: kept in progress.\n`;
  const sum = changed
    ? `${dryRun ? "would be taken" : "taken"} in; the file stays where it is, and is no longer needed.`
    : already
      ? "was taken in before."
      : "has no text to take in.";
  return `${shown.join("")}${rest}${sentences(safeLine(`${id}: ${file} ${sum}`), wide)}\n`;
}
