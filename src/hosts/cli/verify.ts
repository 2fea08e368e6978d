/** `taskfold verify` (CLI-16). */
import { resolve } from "node:path";
import { EXIT, TaskfoldError } from "../../errors.ts";
import type { judgeBy } from "../signatures/ssh_keygen.ts";
import { findingsText, hasFaults } from "./text/findings_text.ts";
import { vouchedText } from "./text/vouched_text.ts";
import type { CliResult } from "./cli_result.ts";
import { reportReply } from "./cli_result.ts";
import { withProgress } from "./progress.ts";
import type { Session } from "./session.ts";
import { counted } from "../../state/counted.ts";
import { remedy, TASKFOLD } from "../../remedy.ts";

interface Options {
  /** Also against what commits had. */
  git?: boolean;
  /** The same, of what was lost since this branch, tag or commit. */
  gitBase?: string;
  /** A file of allowed signers; true for that of git. */
  signers?: string | true;
  byMode?: boolean;
  fresh?: boolean;
  /** A file of envelopes, one a line. */
  seen?: string;
}

export function verify(session: Session, id: string | undefined, options: Options): Promise<CliResult> {
  const { git, gitBase } = options;
  return session.within(async (workspace) => {
    const { neededGit } = git || gitBase !== undefined ? await import("./git/needed_git.ts") : {};
    const base = gitBase === undefined ? {} : { gitBase };
    const from = neededGit ? { git: neededGit(workspace.root, "--git"), ...base } : {};
    const trust = await signersOf(session, workspace.root, options);
    const signatures = trust && {
      signatures: {
        judge: trust.judge,
        byMode: options.byMode === true,
        fresh: options.fresh === true,
        seen: options.seen === undefined ? [] : await envelopesIn(session, options.seen),
      },
    };
    const report = await withProgress(session, "verify", async (progress) =>
      workspace.verify(id, { ...from, ...signatures, progress }),
    ).finally(() => trust?.end());
    const { entities, events, findings } = report;
    const faults = findings.filter((finding) => !finding.info).length;
    const sum = `${counted(entities, "log")}, ${counted(events, "event")}: ${faults === 0 ? "all is well" : counted(faults, "finding")}\n`;
    return {
      exit: hasFaults(findings) ? EXIT.refused : EXIT.ok,
      json: reportReply("verify", report),
      human: () => ({
        out: session.quiet
          ? ""
          : vouchedText(report.vouched ?? [], session.columns) + findingsText(findings, session, session.columns) + sum,
        err: "",
      }),
    };
  });
}

async function signersOf(
  session: Session,
  root: string,
  { signers, byMode, fresh, seen }: Options,
): Promise<ReturnType<typeof judgeBy> | undefined> {
  if (signers === undefined) {
    if (!byMode && !fresh && seen === undefined) return undefined;
    throw new TaskfoldError(
      "INVALID_INPUT",
      "Expected --signers beside --by-mode, --fresh and --seen, found none.",
      remedy`${TASKFOLD} verify --signers ~/.ssh/allowed_signers --fresh`,
    );
  }
  const [{ readSigners }, { judgeBy: judged }] = await Promise.all([
    import("../signatures/signers.ts"),
    import("../signatures/ssh_keygen.ts"),
  ]);
  return judged(root, readSigners(root, signers === true ? undefined : { file: signers, here: session.io.cwd }));
}

async function envelopesIn({ io }: Session, file: string): Promise<Buffer[]> {
  const [{ nodeDisk }, { errnoOf }] = await Promise.all([
    import("../../disk.ts"),
    import("../../files/storage_error.ts"),
  ]);
  try {
    const text = nodeDisk.outside.readFile(resolve(io.cwd, file), MAX_SEEN).toString("utf8");
    return text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [Buffer.from(`${line}\n`)]));
  } catch (e) {
    const why = errnoOf(e) ?? "it is too large or no plain file";
    throw new TaskfoldError(
      "INVALID_INPUT",
      `Expected --seen to name a file of envelopes, found ${file} (${why}).`,
      remedy`${TASKFOLD} sign --out FILE writes one; keep it outside of the repository.`,
    );
  }
}

const MAX_SEEN = 64 * 1024 * 1024;
