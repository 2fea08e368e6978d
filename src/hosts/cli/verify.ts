/** `taskfold verify` (CLI-16). */
import { EXIT } from "../../errors.ts";
import { findingsText, hasFaults } from "./text/findings_text.ts";
import type { CliResult } from "./cli_result.ts";
import { reportReply } from "./cli_result.ts";
import { withProgress } from "./progress.ts";
import type { Session } from "./session.ts";
import { counted } from "../../state/counted.ts";

interface Options {
  /** Also against what commits had. */
  git?: boolean;
  /** The same, of what was lost since this branch, tag or commit. */
  gitBase?: string;
}

export function verify(session: Session, id: string | undefined, { git, gitBase }: Options): Promise<CliResult> {
  return session.within(async (workspace) => {
    const { neededGit } = git || gitBase !== undefined ? await import("./git/needed_git.ts") : {};
    const base = gitBase === undefined ? {} : { gitBase };
    const from = neededGit ? { git: neededGit(workspace.root, "--git"), ...base } : {};
    const report = await withProgress(session, "verify", async (progress) =>
      workspace.verify(id, { ...from, progress }),
    );
    const { entities, events, findings } = report;
    const faults = findings.filter((finding) => !finding.info).length;
    const sum = `${counted(entities, "log")}, ${counted(events, "event")}: ${faults === 0 ? "all is well" : counted(faults, "finding")}\n`;
    return {
      exit: hasFaults(findings) ? EXIT.refused : EXIT.ok,
      json: reportReply("verify", report),
      human: () => ({ out: session.quiet ? "" : findingsText(findings, session.columns) + sum, err: "" }),
    };
  });
}
