/** `taskfold resolve`: after a merge that stopped, or one that left a log out of order. */
import { okReply } from "../../engine/entity/reply.ts";
import type { ResolveReport } from "../../engine/repair/resolve.ts";
import { EXIT } from "../../errors.ts";
import type { Json, JsonObject } from "../../index.ts";
import { openGit } from "../git/git_port.ts";
import { findingsText, hasFaults, leftText } from "./text/findings_text.ts";
import { neededGit } from "./git/needed_git.ts";
import { unmergedIn } from "./git/unmerged.ts";
import { sentences } from "./text/layout.ts";
import { safeJson, safeLine } from "./text/safe_text.ts";
import type { CliResult } from "./cli_result.ts";
import { withProgress } from "./progress.ts";
import type { Session } from "./session.ts";
import { counted } from "../../state/counted.ts";

interface Options {
  dryRun?: boolean;
  stage?: boolean;
  /** Bring back what the branch lost. */
  git?: boolean;
  acceptGap?: boolean;
}

/** Of a value that two branches disagree about, in characters. */
const MAX_SHOWN = 400;

export function resolve(session: Session, id: string | undefined, options: Options): Promise<CliResult> {
  return session.within(async (workspace) => {
    const { git: restore = false, ...rest } = options;
    const { root } = workspace;
    const git = restore || rest.stage ? neededGit(root, restore ? "--git" : "--stage") : openGit(root);
    const report = await withProgress(session, "resolve", (progress) =>
      workspace.repair.resolve(id, { ...rest, restore, progress, ...(git === undefined ? {} : { git }) }),
    );
    const open = git && !rest.stage && !rest.dryRun ? unmergedIn(root, id).filter(({ info }) => !info).length : 0;
    return {
      exit: hasFaults(report.findings) ? EXIT.refused : EXIT.ok,
      json: okReply("resolve", JSON.parse(JSON.stringify(report)) as JsonObject, [], []),
      human: () => ({
        out: session.quiet
          ? ""
          : sentences(text(report, { ...options, open, program: session.program }), session.columns),
        err: findingsText(report.findings, session, session.errColumns),
      }),
    };
  });
}

/** `open`: files that git holds open. */
function text(
  report: ResolveReport,
  { dryRun = false, stage = false, open, program }: Options & { open: number; program: string },
): string {
  const { entities, joined, missing, captured, conflicts, moved, staged } = report;
  const would = dryRun ? "would be " : "";
  const left = leftText(report.findings);
  const lines = [
    didText(report, { would, isWhole: left === undefined }),
    ...entities
      .filter((e) => e.quarantined > 0)
      .map(
        (e) => `${e.id}: ${counted(e.quarantined, "unreadable line")} ${would}set aside in .coco/registry/quarantine.`,
      ),
    ...entities.filter((e) => e.restored).map((e) => `${e.id}: the log ${would}brought back from git.`),
    ...entities.flatMap(({ id, found }) =>
      [...foundIn(found)].map(([from, n]) => `${id}: ${counted(n, "line")} ${would}brought back from ${from}.`),
    ),
    ...entities
      .filter((e) => e.declared.length > 0)
      .map(
        ({ id, declared }) =>
          `${id}: ${counted(declared.length, "line")} ${would}declared lost: ${declared.join(", ")}.`,
      ),
    ...missing.map(
      ({ id, hashes }) =>
        `${id}: nowhere to be found: ${hashes.join(", ")}. Merge the branch that has them. If no clone has them any more, ${program} resolve ${id} --accept-gap declares them lost.`,
    ),
    ...entities.flatMap(({ id, split }) =>
      split.map((other) => `${id} held a second task, which ${would}moved to ${other.id}.`),
    ),
    ...captured.map(({ id, files }) => `${id}: captured bytes of ${counted(files, "file")} brought back from git.`),
    ...joined.map(
      (one) =>
        `${one} ${dryRun ? "stands in several folders and would stand" : "stood in several folders and stands"} in one.`,
    ),
    ...conflicts.map(({ id, label, values }) => {
      const choices = values.map(({ value, by }) => `${shortJson(value)} by ${by}`).join(" or ");
      return `${id}: ${label} was written on both sides: ${choices}. Write the value again to resolve the conflict.`;
    }),
    ...moved.map(({ id, steps }) => `${id}: the paths of ${steps.join(", ")} moved; select them by step_id.`),
    ...(stage && !dryRun ? [stagedText(staged.length, left === undefined)] : []),
    ...(open > 0 && left === undefined
      ? [`Git holds ${counted(open, "file")} open until they are staged: ${program} resolve --stage.`]
      : []),
    ...(left === undefined ? [] : [left]),
  ];
  return lines.map((line) => `${safeLine(line)}\n`).join("");
}

/** `isWhole`: no fault is left. */
function didText(
  { changed, entities }: ResolveReport,
  { would, isWhole }: { would: string; isWhole: boolean },
): string {
  const files = `the files folded from them ${would || "were "}written anew.`;
  if (changed && entities.length > 0) return `Logs ${would}put in order: ${entities.length}; ${files}`;
  if (!isWhole) return changed ? `No log ${would || "was "}put in order; ${files}` : "Nothing was put in order.";
  return changed ? `The logs are in order; ${files}` : "Nothing was out of order.";
}

function stagedText(files: number, isWhole: boolean): string {
  return `Staged ${counted(files, "file")}; ${isWhole ? "commit when you are content." : "put in order what is left before you commit."}`;
}

/** How many lines came from where. */
function foundIn(found: readonly { from: string }[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { from } of found) counts.set(from, (counts.get(from) ?? 0) + 1);
  return counts;
}

/** A text of many pages is told by its beginning: the log has it whole. */
function shortJson(value: Json): string {
  const text = safeJson(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}...` : text;
}
