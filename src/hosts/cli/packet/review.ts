/** `taskfold packet review`: a review after the implementation, from its two documents to its artifacts. */
import { relative, resolve } from "node:path";
import { okReply } from "../../../engine/entity/reply.ts";
import { EXIT } from "../../../errors.ts";
import { reviewPacket } from "../../../runner/review.ts";
import type { CliResult } from "../cli_result.ts";
import { packetOption } from "./packet.ts";
import { missingText } from "./export.ts";
import { configOf, documentOf } from "./files.ts";
import { runShown, runText } from "./run.ts";
import type { RunOptions } from "./run.ts";
import { warningsText } from "../text/reply_text.ts";
import { safeLine } from "../text/safe_text.ts";
import type { Session } from "../session.ts";
import { plain } from "../taskdoc.ts";

export function review(
  session: Session,
  packFile: string,
  reportFile: string,
  outDir: string | undefined,
  options: Omit<RunOptions, "stage">,
): Promise<CliResult> {
  const { io } = session;
  const contextPack = documentOf(session, packFile, "a context pack");
  const implReport = documentOf(session, reportFile, "an implementation report");
  const config = configOf(session, options);
  return session.within(
    async (workspace) => {
      const { warnings, ...report } = await reviewPacket(workspace, {
        workspace: await session.workspaceId(workspace),
        contextPack,
        implReport,
        outDir,
        from: io.cwd,
        environment: io.env,
        run: (opened, { task }) => runShown(session, opened, task, options),
      });
      const done = report.outcome === "done";
      const where = safeLine(`Artifacts: ${outDir ?? relative(io.cwd, resolve(workspace.root, report.out_dir))}`);
      return {
        exit: done ? EXIT.ok : EXIT.refused,
        json: okReply("packet_review", plain(report), warnings, []),
        human: () => ({
          out: `${runText({ ...report, warnings }, session.columns)}${where}\n`,
          err: missingText(report, session.errColumns) + warningsText(warnings, session),
        }),
      };
    },
    { anywhere: true, ...packetOption(config) },
  );
}
