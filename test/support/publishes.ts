/** Telemetry of a machine that publishes. */
import { expect } from "vitest";
import type { PublishOutcome, TelemetryPort } from "../../src/engine/core/telemetry/telemetry.ts";

/** Tells what became of each message, and whether it had bytes. */
export function publishes(): { telemetry: TelemetryPort; outcomes: PublishOutcome[] } {
  const outcomes: PublishOutcome[] = [];
  const nothing = () => () => undefined;
  const telemetry: TelemetryPort = {
    call: (_tool, run) => {
      run();
      return () => undefined;
    },
    lockWait: nothing,
    sync: nothing,
    written: () => undefined,
    publish: ({ bytes }) => {
      expect(bytes).toBeGreaterThan(0);
      return (outcome) => void outcomes.push(outcome);
    },
  };
  return { telemetry, outcomes };
}
