/** A call that tells how it ended. It is made once, also if the telemetry never runs it. */
import type { CallOutcome, TelemetryPort } from "./telemetry.ts";

export async function observedCall<Answer extends CallOutcome>(
  telemetry: TelemetryPort,
  tool: string,
  call: () => Promise<Answer>,
): Promise<Answer> {
  let made: Promise<Answer> | undefined;
  const run = (): Promise<Answer> => (made ??= call());
  const tell = telemetry.call(tool, () => void run());
  const answer = await run();
  tell(answer);
  return answer;
}
