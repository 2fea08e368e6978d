/** Events of a run of a packet while it goes on, and of each attempt when it has ended. */
import type { Warning } from "../errors.ts";
import type { FailureClass } from "../state/packet.ts";

/** How an attempt ended. */
export interface StageOutcome {
  stage: string;
  /** Counted from 1 for each stage. */
  attempt: number;
  outcome: "passed" | "failed" | "interrupted";
  exit_code: number | null;
  timed_out: boolean;
  duration_sec: number | null;
  /** Null where it passed, or was interrupted. */
  class: FailureClass | null;
  signature: string | null;
  /** Why it did not pass. */
  reasons: string[];
  warnings: Warning[];
}

/** An event of a run while it goes on. */
export type PacketRunEvent =
  | { type: "started"; stage: string; attempt: number; model: string; timeout_sec: number }
  /** An acceptance command that runs next, masked, with the one who named it; or one of the brief that is only shown. */
  | { type: "command"; stage: string; command: string; from: "brief" | "manifest"; runs: boolean }
  /** Acceptance commands that do not run, because they were not allowed. */
  | { type: "commands_left_out"; stage: string; count: number }
  /** `tail`: the last lines of what a servant that failed printed. They are not safe for a terminal. */
  | { type: "ended"; outcome: StageOutcome; tail: string[] }
  /** An attempt that a dispatcher left without an end. */
  | { type: "interrupted"; stage: string; attempt: number };
