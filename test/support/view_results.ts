/** Results of views, for budgets to be tried on. */
import fc from "fast-check";
import type { JsonObject } from "../../src/state/schema.ts";
import { contextOf } from "../../src/views/context.ts";
import type { CutOrder } from "../../src/views/cuts.ts";
import { CONTEXT_CUTS, HANDOFF_CUTS, RADAR_CUTS } from "../../src/views/cuts.ts";
import { handoffOf } from "../../src/views/handoff.ts";
import { radarOf } from "../../src/views/radar.ts";
import { stepsSummary } from "../../src/views/steps_summary.ts";
import { targetOf } from "../../src/views/target.ts";
import { anyStory } from "./random_story.ts";
import * as t from "./story.ts";
import { asWritten, Story } from "./story.ts";

/** Code points of the JSON, which is what `max_chars` counts. */
export const sizeOf = (value: unknown): number => Array.from(JSON.stringify(value)).length;
export const codes = (warnings: { code: string }[]): string[] => warnings.map((w) => w.code);

export function radarResult({ subject }: Story): JsonObject {
  const { workspace, entity } = subject;
  return {
    workspace,
    target: targetOf(subject, asWritten),
    focus: null,
    radar: radarOf(subject),
    steps: stepsSummary(entity),
  };
}

export function handoffResult(story: Story): JsonObject {
  return { ...radarResult(story), handoff: handoffOf(story.subject) };
}

export function contextResult(n: number): JsonObject {
  const all = Array.from(
    { length: n },
    (_, i) => new Story({ id: `TASK-${i}`, kind: i % 5 === 0 ? "plan" : "task" }).subject,
  );
  return { workspace: "acme/repo", ...contextOf(all, asWritten).result };
}

/** A task with much to say, and this description. */
export const busy = (description: string): Story =>
  new Story({ description })
    .do(
      t.addSteps(
        0,
        Array.from({ length: 30 }, (_, i) => `Step number ${i} with "quotes"`),
      ),
    )
    .do(...Array.from({ length: 12 }, (_, i) => t.block(i + 3, `reason ${i} — déjà vu 🚀`)).flat())
    .do(t.note("a note ".repeat(50)), t.verify(0), t.close(0));

/** Any `max_chars`, the small ones more often. */
export const limit = fc.oneof(fc.integer({ min: 1, max: 600 }), fc.integer({ min: 1, max: 100_000 }));
/** A result of each view with the order in which it is cut. */
export const views: fc.Arbitrary<[JsonObject, CutOrder]> = fc.oneof(
  anyStory.map((s): [JsonObject, CutOrder] => [radarResult(s), RADAR_CUTS]),
  anyStory.map((s): [JsonObject, CutOrder] => [handoffResult(s), HANDOFF_CUTS]),
  fc.nat({ max: 60 }).map((n): [JsonObject, CutOrder] => [contextResult(n), CONTEXT_CUTS]),
  fc
    .constantFrom("", "x".repeat(3000), '"\n🚀'.repeat(2000))
    .map((d): [JsonObject, CutOrder] => [handoffResult(busy(d)), HANDOFF_CUTS]),
);
