import { describe, expect, it } from "vitest";
import { machine } from "../support/machines.ts";
import { natsServer } from "../support/nats.ts";
import { publishes } from "../support/publishes.ts";
import { newTask, ok, WORKSPACE } from "../support/workspace.ts";

describe("the telemetry of a shared log", () => {
  it("[OTEL-7] [OTEL-3] tells each publish with what became of it", async () => {
    const server = await natsServer();
    const [one, two] = [publishes(), publishes()];
    const a = machine(server.url, { telemetry: one.telemetry });
    await a.shared.init(WORKSPACE);
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
