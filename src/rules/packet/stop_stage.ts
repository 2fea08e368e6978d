/** Gives an attempt up, opens a stage again, fills a budget up. */
import { TaskfoldError } from "../../errors.ts";
import type { Draft } from "../../events/define.ts";
import { packetBudgetReset } from "../../events/packet.budget_reset.ts";
import type { FilePayload } from "../../events/packet_parts.ts";
import { stageInterrupted } from "../../events/stage.interrupted.ts";
import { stageReopened } from "../../events/stage.reopened.ts";
import type { Subject } from "../../state/entity.ts";
import type { Budget, StageFile } from "../../state/packet.ts";
import { attemptsOf, PARTIAL, runningAttempt, STAGE_FILES } from "../../state/packet.ts";
import type { LookForDispatcher } from "../../state/packet_next.ts";
import { sentence } from "../phrase.ts";
import type { FileFact } from "../../state/file_fact.ts";
import { openFile, openNames } from "./open_files.ts";
import { callOn } from "../suggest.ts";
import { packetOf, plannedStage, refuseTaken, running, stageRunning } from "./packet_of.ts";

const ENDINGS = ["", PARTIAL];

/** Files that the attempt under way may have left, also those that it was writing. */
export function filesOfInterrupted(subject: Subject | undefined, stage: string, run?: string): string[] {
  return openNames(subject, stage, { endings: ENDINGS, run });
}

/**
 * STAGE_RUNNING while another process runs it. The files that it left get their names, and the event names them: a
 * caller paid for them.
 */
export function interruptStage(
  subject: Subject,
  { stage, run: named, reason }: { stage: string; run?: string; reason: string },
  { dispatcher, files: found }: { dispatcher: LookForDispatcher; files: ReadonlyMap<string, FileFact> },
): { drafts: Draft[]; contents: { path: string; from: string }[] } {
  const attempt = running(subject, stage, named);
  refuseTaken(subject, attempt, dispatcher);
  const packet = packetOf(subject);
  const { run } = attempt;
  const files: Partial<Record<StageFile, FilePayload>> = {};
  const contents: { path: string; from: string }[] = [];
  for (const name of STAGE_FILES) {
    const own = openFile(packet, attempt, name, { look: (path) => found.get(path), endings: ENDINGS });
    if (!own) continue;
    const { path, from, fact } = own;
    files[name] = { path, size: fact.size, sha256: fact.sha256, lines: fact.lines };
    contents.push({ path, from });
  }
  const message = sentence(`Stage ${stage} was interrupted`, reason);
  const left = Object.keys(files).length === 0 ? {} : { files };
  return { drafts: [stageInterrupted.draft({ stage, run, reason, ...left, message })], contents };
}

/** NOT_DONE if no attempt of the stage has ended: there is nothing to begin anew. STAGE_RUNNING during an attempt (PACKET-128). */
export function reopenStage(subject: Subject, stage: string, reason: string): Draft[] {
  const { stage: name } = plannedStage(subject, stage);
  const packet = packetOf(subject);
  const attempt = runningAttempt(packet, name);
  if (attempt && packet.done[name] === undefined) throw stageRunning(subject, attempt);
  const how = attemptsOf(packet, name).at(-1)?.ended?.how;
  if (packet.done[name] === undefined && how !== "failed" && how !== "interrupted") {
    throw new TaskfoldError("NOT_DONE", `Expected ${name} to be done; it is still to be done.`, {
      recovery: "Run it.",
      suggestions: [callOn(subject, "packet_next", {}, "see what is next")],
    });
  }
  return [stageReopened.draft({ stage: name, reason, message: sentence(`Reopened stage ${name}`, reason) })];
}

export function resetBudget(subject: Subject, kind: Budget, reason: string): Draft[] {
  const packet = packetOf(subject);
  const used =
    kind === "paid_call_budget"
      ? packet.paid_calls_used
      : Math.max(0, ...Object.values(packet.signatures).map(({ count }) => count));
  return [
    packetBudgetReset.draft({
      kind,
      used,
      reason,
      message: sentence(`Reset ${kind}, of which ${used} were used`, reason),
    }),
  ];
}
