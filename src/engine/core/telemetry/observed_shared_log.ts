/** A shared log that tells of each publish. */
import type { SharedLog, SharedLogPort } from "../shared_log.ts";
import type { PublishOutcome, TelemetryPort } from "./telemetry.ts";

export function observedSharedLog(port: SharedLogPort, telemetry: TelemetryPort): SharedLogPort {
  const { mode, blobs, address } = port;
  return { mode, blobs, address, connect: async (workspace) => observed(await port.connect(workspace), telemetry) };
}

function observed(log: SharedLog, telemetry: TelemetryPort): SharedLog {
  return {
    mostBytes: log.mostBytes,
    get connected() {
      return log.connected;
    },
    get refusal() {
      return log.refusal;
    },
    get doubts() {
      return log.doubts;
    },
    publish: async (message, expected) => {
      const tell = telemetry.publish({ bytes: message.body.length });
      let outcome: PublishOutcome = "failed";
      try {
        const published = await log.publish(message, expected);
        outcome = published.kind;
        return published;
      } finally {
        tell(outcome);
      }
    },
    state: () => log.state(),
    create: (about) => log.create(about),
    read: (after, upTo, from) => log.read(after, upTo, from),
    follow: (after, tell) => log.follow(after, tell),
    whenBack: (tell) => log.whenBack(tell),
    putBlob: (sha256, bytes) => log.putBlob(sha256, bytes),
    hasBlob: (sha256) => log.hasBlob(sha256),
    getBlob: (sha256) => log.getBlob(sha256),
    close: () => log.close(),
  };
}
