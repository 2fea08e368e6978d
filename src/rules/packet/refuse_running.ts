import { TaskfoldError } from "../../errors.ts";
import type { Subject } from "../../state/entity.ts";
import type { Packet } from "../../state/packet.ts";
import { callOn } from "../suggest.ts";

/** STAGE_RUNNING while an attempt is under way. */
export function refuseRunning(subject: Subject, { attempts }: Packet): void {
  const open = attempts.find(({ ended }) => !ended);
  if (!open) return;
  const { stage, attempt, by, started_at } = open;
  throw new TaskfoldError(
    "STAGE_RUNNING",
    `Expected a packet at rest; attempt ${attempt} of ${stage} by ${by} is under way since ${started_at}.`,
    {
      recovery: "Wait for it, or give it up if its dispatcher is gone.",
      suggestions: [
        callOn(
          subject,
          "packet_stage_interrupt",
          { stage, reason: "its dispatcher is gone" },
          "give the attempt up when no process will finish it",
        ),
      ],
      details: { stage, attempt, by, started_at },
    },
  );
}
