/** A telemetry whose failures reach no call: the first one becomes a warning of the process (OTEL-5). */
import type { TelemetryPort } from "./telemetry.ts";

type Begin<About, Outcome> = (about: About) => (outcome: Outcome) => void;

export function guardedTelemetry(port: TelemetryPort): TelemetryPort {
  let isReported = false;
  const attempt = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch (e) {
      if (!isReported) process.emitWarning(`The telemetry failed: ${String(e)}`, { code: "TASKFOLD_TELEMETRY" });
      isReported = true;
      return undefined;
    }
  };
  const guarded =
    <About, Outcome>(begin: Begin<About, Outcome>): Begin<About, Outcome> =>
    (about) => {
      const end = attempt(() => begin(about));
      return (outcome) => attempt(() => end?.(outcome));
    };
  return {
    call: (tool, run) => {
      const end = attempt(() => port.call(tool, run));
      return (outcome) => attempt(() => end?.(outcome));
    },
    lockWait: guarded((lock) => port.lockWait(lock)),
    sync: guarded((of) => port.sync(of)),
    publish: guarded((message) => port.publish(message)),
    written: (events) => attempt(() => port.written(events)),
  };
}
