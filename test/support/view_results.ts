/** Results of views, for budgets to be tried on. */
import { BEFORE_ALL_TIMES } from "../../src/state/first_ready.ts";
import fc from "fast-check";
import type { JsonObject } from "../../src/state/schema.ts";
import { contextOf } from "../../src/views/context.ts";
import { listedOf } from "../../src/state/listed.ts";
import type { CutOrder } from "../../src/views/cuts.ts";
import { CONTEXT_CUTS, HANDOFF_CUTS, RADAR_CUTS } from "../../src/views/cuts.ts";
import { RESUME_CUTS, RESUME_PACK_CUTS, RESUME_SUPER_CUTS } from "../../src/views/cuts_resume.ts";
import { graphDiff } from "../../src/views/graph_diff.ts";
import { handoffOf } from "../../src/views/handoff.ts";
import { memoryOf } from "../../src/views/memory.ts";
import { planTasksOf, tasksBlock } from "../../src/views/plan_tasks.ts";
import { radarOf } from "../../src/views/radar.ts";
import type { ResumeParts } from "../../src/views/resume.ts";
import { resumeOf, resumePack, resumeSuper, signalsOf } from "../../src/views/resume.ts";
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

/** As the handoff of a plan with tasks that have these lives. */
export function planResult(stories: readonly Story[]): JsonObject {
  const plan = new Story({ kind: "plan" });
  const subjects = stories.map((story, i) => ({ ...story.subject, id: `TASK-${i}` }));
  const tasks = planTasksOf(subjects.map(listedOf), {
    find: (ref) => subjects.find(({ id }) => id === ref.id),
    idOf: asWritten,
    now: BEFORE_ALL_TIMES,
  });
  const next = { tool: "tasks_claim_next", args: { workspace: "acme/repo", plan: plan.id }, reason: "take it up" };
  return {
    ...radarResult(plan),
    radar: radarOf(plan.subject, { tasks }),
    handoff: handoffOf(plan.subject, 50, { tasks }),
    tasks: tasksBlock(tasks, next),
  };
}

/** As `tasks_resume_super` with a diff answers, and the other two of the family. */
export function superResult(story: Story): JsonObject {
  const { subject } = story;
  const { entity } = subject;
  const page = { cursor: undefined, limit: 20 };
  const base = {
    available: true,
    branch: "work",
    base: "main",
    base_source: "the local branch main",
    cards: null,
  } as const;
  return resumeSuper({
    ...partsOf(story),
    timeline: timelineOf(story),
    signals: signalsOf(subject, { blockers: 5, decisions: 5, evidence: 5 }),
    memory: memoryOf(entity, () => entity, { notes: page, trace: page, cards: page }),
    graphDiff: graphDiff(entity, base, undefined, 50),
    action: { tool: "tasks_radar", args: { workspace: "acme/repo", task: story.id }, reason: "look", toolset: "daily" },
  });
}

export function resumeResult(story: Story): JsonObject {
  return resumeOf(partsOf(story), timelineOf(story));
}

export function packResult(story: Story): JsonObject {
  const asked = { blockers: 5, decisions: 5, evidence: 5 };
  return resumePack(partsOf(story), timelineOf(story), signalsOf(story.subject, asked));
}

const partsOf = ({ subject }: Story): ResumeParts => ({
  subject,
  idOf: asWritten,
  reader: {},
  focus: "TASK-9",
  target_from: undefined,
  focus_previous: null,
});

function timelineOf({ entity }: Story): { events: JsonObject[]; earlier: number; cursor: string; limit: number } {
  const events = entity.recent.map((op, i) => ({ event_id: `${i}`, type: "step_noted", ...op, note: op.message }));
  return { limit: 20, events, earlier: 3, cursor: "c".repeat(60) };
}

export function contextResult(n: number): JsonObject {
  const all = Array.from(
    { length: n },
    (_, i) => new Story({ id: `TASK-${i}`, kind: i % 5 === 0 ? "plan" : "task" }).subject,
  );
  return { workspace: "acme/repo", ...contextOf(all.map(listedOf), asWritten).result };
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
  anyStory.map((s): [JsonObject, CutOrder] => [superResult(s), RESUME_SUPER_CUTS]),
  anyStory.map((s): [JsonObject, CutOrder] => [resumeResult(s), RESUME_CUTS]),
  anyStory.map((s): [JsonObject, CutOrder] => [packResult(s), RESUME_PACK_CUTS]),
  fc.array(anyStory, { maxLength: 6 }).map((all): [JsonObject, CutOrder] => [planResult(all), HANDOFF_CUTS]),
  fc.nat({ max: 60 }).map((n): [JsonObject, CutOrder] => [contextResult(n), CONTEXT_CUTS]),
  fc
    .constantFrom("", "x".repeat(3000), '"\n🚀'.repeat(2000))
    .map((d): [JsonObject, CutOrder] => [handoffResult(busy(d)), HANDOFF_CUTS]),
  fc
    .constantFrom("", "x".repeat(3000), '"\n🚀'.repeat(2000))
    .map((d): [JsonObject, CutOrder] => [superResult(busy(d)), RESUME_SUPER_CUTS]),
);
