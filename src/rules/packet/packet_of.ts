/** What packet tools begin with: the packet, and a stage of its plan. */
import { TaskfoldError } from "../../errors.ts";
import type { Subject } from "../../state/entity.ts";
import type { Attempt, Packet, PlannedStage } from "../../state/packet.ts";
import { attemptsOf, runningAttempt } from "../../state/packet.ts";
import { callOn } from "../suggest.ts";

/** NO_PACKET where the task carries none. */
export function packetOf({ id, entity: { packet } }: Subject): Packet {
  if (packet) return packet;
  throw new TaskfoldError("NO_PACKET", `Expected a task that carries a packet; ${id} carries none.`, {
    recovery: "packet_define gives it one; taskfold packet create makes one of a manifest.",
  });
}

/** INVALID_INPUT for a stage that the plan has not. */
export function plannedStage(subject: Subject, stage: string): PlannedStage {
  const { stages } = packetOf(subject).plan;
  const planned = stages.find((one) => one.stage === stage);
  if (planned) return planned;
  throw new TaskfoldError(
    "INVALID_INPUT",
    `Expected a stage of this packet: ${stages.map((one) => one.stage).join(", ")}; found ${JSON.stringify(stage.slice(0, 80))}.`,
    {
      recovery: "The manifest's routing chooses the stages; packet_plan shows them.",
      suggestions: [callOn(subject, "packet_plan", {}, "see the stages")],
      details: { stages: stages.map((one) => one.stage) },
    },
  );
}

/** STAGE_NOT_RUNNING where no attempt of the stage is under way. */
export function running(subject: Subject, stage: string): Attempt {
  const packet = packetOf(subject);
  const attempt = runningAttempt(packet, stage);
  if (attempt) return attempt;
  const last = attemptsOf(packet, stage).at(-1);
  const why =
    last?.ended?.how === "interrupted" ? ` Attempt ${last.attempt} was interrupted: ${last.ended.reason}.` : "";
  throw new TaskfoldError("STAGE_NOT_RUNNING", `Expected ${stage} to run; no attempt of it is under way.${why}`, {
    recovery: "Start it first.",
    suggestions: [callOn(subject, "packet_stage_start", { stage }, `start ${stage}`)],
  });
}
