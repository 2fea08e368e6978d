import { describe, expect, it } from "vitest";
import type { PublishOutcome, TelemetryPort } from "../../src/engine/core/telemetry/telemetry.ts";
import { machine } from "../support/machines.ts";
import { natsServer } from "../support/nats.ts";
import { newTask, ok, WORKSPACE } from "../support/workspace.ts";

/** Tells what became of each message, and whether it had bytes. */
function publishes() {
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

describe("the telemetry of a shared log", () => {
  it("[OTEL-7] [OTEL-3] tells each publish with what became of it", async () => {
    const server = await natsServer();
    const [one, two] = [publishes(), publishes()];
    const a = machine(server.url, { telemetry: one.telemetry });
    await a.sharedLog().init(WORKSPACE);
    const b = machine(server.url, { telemetry: two.telemetry });
    const id = await newTask(a);
    expect(one.outcomes).toEqual(["accepted"]);
    const notes = Array.from({ length: 20 }, (_, i) => `note ${i}`);
    for (const note of notes) {
      await Promise.all([a, b].map((ws) => ok(ws, "tasks_note", { task: id, note })));
    }
    const all = [...one.outcomes, ...two.outcomes];
    expect(all.filter((outcome) => outcome === "accepted")).toHaveLength(1 + 2 * notes.length);
    expect(all).toContain("lost");
    expect(new Set(all)).toEqual(new Set(["accepted", "lost"]));
  });
});
