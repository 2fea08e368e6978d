/** `taskfold rebuild`. */
import { okReply } from "../../engine/entity/reply.ts";
import { EXIT } from "../../errors.ts";
import { findingsText, hasFaults, leftText } from "./text/findings_text.ts";
import { textRows } from "./text/layout.ts";
import type { CliResult } from "./cli_result.ts";
import { withProgress } from "./progress.ts";
import type { Session } from "./session.ts";

export function rebuild(session: Session, id: string | undefined): Promise<CliResult> {
  return session.within(async (workspace) => {
    const {
      rebuilt,
      findings,
      overview,
      attributes = false,
    } = await withProgress(session, "rebuild", (progress) => workspace.repair.rebuild(id, { progress }));
    const changed = rebuilt.filter(({ files }) => files.length > 0);
    if (changed.length > 0 || overview || attributes) session.changed();
    const left = leftText(findings);
    const sum = [
      `${rebuilt.length} rebuilt, ${changed.length} of them had files that differed\n`,
      ...(overview ? [".coco/README.md was written anew\n"] : []),
      ...(attributes ? [".coco/.gitattributes: wrote the lines that were missing; commit it\n"] : []),
      ...(left === undefined ? [] : [`${left}\n`]),
    ].join("");
    const result = { rebuilt, overview, attributes, findings: findings.map((finding) => ({ ...finding })) };
    return {
      exit: hasFaults(findings) ? EXIT.refused : EXIT.ok,
      json: okReply("rebuild", result, [], []),
      human: () => ({
        out: session.quiet
          ? ""
          : textRows(
              changed.map((one) => [one.id, one.files.join(", ")]),
              session.columns,
            ) + sum,
        err: findingsText(findings, session, session.errColumns),
      }),
    };
  });
}
