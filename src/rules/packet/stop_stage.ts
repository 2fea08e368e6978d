/** Gives an attempt up, opens a stage again, fills a budget up. */
import { TaskfoldError } from "../../errors.ts";
import type { Draft } from "../../events/define.ts";
import { packetBudgetReset } from "../../events/packet.budget_reset.ts";
import { stageInterrupted } from "../../events/stage.interrupted.ts";
import { stageReopened } from "../../events/stage.reopened.ts";
import type { Subject } from "../../state/entity.ts";
import type { Budget } from "../../state/packet.ts";
import type { LookForDispatcher } from "../../state/packet_next.ts";
import { sentence } from "../phrase.ts";
import { callOn } from "../suggest.ts";
import { packetOf, plannedStage, refuseTaken, running } from "./packet_of.ts";

/** STAGE_RUNNING while another process runs it. */
export function interruptStage(
  subject: Subject,
  stage: string,
  reason: string,
  dispatcher: LookForDispatcher,
): Draft[] {
  const attempt = running(subject, stage);
  refuseTaken(subject, attempt, dispatcher);
  const { run } = attempt;
  return [stageInterrupted.draft({ stage, run, reason, message: sentence(`Stage ${stage} was interrupted`, reason) })];
}

/** NOT_DONE where the stage is open anyway. */
export function reopenStage(subject: Subject, stage: string, reason: string): Draft[] {
  const { stage: name } = plannedStage(subject, stage);
  if (packetOf(subject).done[name] === undefined) {
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
