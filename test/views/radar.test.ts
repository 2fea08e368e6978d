import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { radarOf } from "../../src/views/radar.ts";
import { stepsSummary } from "../../src/views/steps_summary.ts";
import { targetOf } from "../../src/views/target.ts";
import { anyStory } from "../support/random_story.ts";
import * as t from "../support/story.ts";
import { asWritten, Story, stepId } from "../support/story.ts";

const task = (titles: string[] = ["Reproduce", "Repair"]): Story => new Story().do(t.addSteps(0, titles));
const radar = (story: Story) => radarOf(story.subject);

describe("target", () => {
  it("[VIEW-1] says who the answer is about", () => {
    const story = new Story({ id: "PLAN-007", kind: "plan", title: "Release" });
    expect(targetOf(story.subject, asWritten)).toEqual({
      id: "PLAN-007",
      kind: "plan",
      qualified_id: "acme/repo:PLAN-007",
      title: "Release",
      status: "TODO",
      revision: 1,
      head: story.subject.head,
      parent: null,
    });
  });
});

describe("steps", () => {
  it("[VIEW-2] is null without live steps", () => {
    expect(stepsSummary(new Story().entity)).toBeNull();
    expect(stepsSummary(task(["one"]).do(t.remove(0)).entity)).toBeNull();
  });

  it("[VIEW-2] counts what open steps lack of what is required", () => {
    const story = task(["a", "b", "c"])
      .do(t.define(1, { proof: { tests: "require", docs: "warn" } }), t.verify(1, { criteria: true }))
      .do(t.verify(0), t.close(0))
      .do(...t.block(2, "no key"))
      .do(t.capture(2, ["security"], [t.command("npm audit")]));
    expect(stepsSummary(story.entity)).toMatchObject({
      total: 3,
      open: 2,
      completed: 1,
      blocked: 1,
      missing_criteria: 1,
      missing_tests: 2,
      missing_security: 1,
      missing_perf: 0,
      missing_docs: 0,
      missing_proof_tests: 1,
      missing_proof_docs: 0,
    });
  });

  it("[VIEW-2] does not take a placeholder for proof", () => {
    const story = task(["a"]).do(t.define(0, { proof: { tests: "require" } }));
    story.do(t.capture(0, ["tests"], [t.command("<fill: test>", { counts: false })]));
    expect(stepsSummary(story.entity)?.missing_proof_tests).toBe(1);
    story.do(t.capture(0, ["tests"], [t.command("npm test")]));
    expect(stepsSummary(story.entity)?.missing_proof_tests).toBe(0);
  });

  it("[VIEW-2] first_open goes children first and by path, not by the text of the path", () => {
    const story = task(Array.from({ length: 11 }, (_, i) => `step ${i}`)).do(t.addSteps(20, ["below"], 2));
    for (const n of [0, 1]) story.do(t.verify(n), t.close(n));
    expect(stepsSummary(story.entity)?.first_open).toEqual({
      step_id: stepId(20),
      path: "s:2.s:0",
      title: "below",
      missing_checkpoints: ["criteria", "tests"],
      missing_proofs: [],
      blocked: false,
    });
    story.do(t.verify(20), t.close(20));
    expect(stepsSummary(story.entity)?.first_open?.path).toBe("s:2");
  });

  it("[VIEW-2] the numbers agree in every state", () => {
    fc.assert(
      fc.property(anyStory, (story) => {
        const s = stepsSummary(story.entity);
        if (s === null) return;
        expect(s.open + s.completed).toBe(s.total);
        expect(s.first_open === null).toBe(s.open === 0);
        expect(s.blocked).toBeLessThanOrEqual(s.open);
        expect(s.missing_tests).toBeLessThanOrEqual(s.open);
      }),
    );
  });
});

describe("radar", () => {
  it("[VIEW-4] now names the task and the step that is due", () => {
    expect(radar(task()).now).toBe("Task TASK-001: Fix the parser | s:0 Reproduce");
    expect(radar(new Story({ kind: "plan", title: "Release" })).now).toBe("Plan PLAN-001: Release");
    expect(radar(new Story().do(t.complete())).now).toBe("Task TASK-001: Fix the parser (DONE)");
  });

  it("[VIEW-4] why is the description, else the contract, else the context", () => {
    expect(radar(new Story({ description: "It crashes.", contract: "No." })).why).toBe("It crashes.");
    expect(radar(new Story({ kind: "plan", description: "  ", contract: "Ship it." })).why).toBe("Ship it.");
    expect(radar(new Story().do(t.edit({ context: "Found by fuzzing." }))).why).toBe("Found by fuzzing.");
    expect(radar(new Story()).why).toBe("");
  });

  it("[VIEW-4] a long why is bounded and says where the rest is", () => {
    const why = radar(new Story({ description: "🚀".repeat(5000) })).why;
    expect(why).toMatch(/^🚀{3999}… \(5000 characters; README\.md has all of them\)$/u);
  });

  it("[VIEW-4] verify names what the step that is due still asks for", () => {
    const story = task().do(t.define(0, { proof: { tests: "require" } }));
    expect(radar(story).verify).toEqual([
      "s:0 Reproduce: confirm criteria, tests",
      "s:0 Reproduce: attach proof of tests",
      "criterion: it holds",
      "test: npm test",
    ]);
    story.do(t.verify(0, { criteria: true }));
    expect(radar(story).verify).toEqual([
      "s:0 Reproduce: confirm tests",
      "s:0 Reproduce: attach proof of tests",
      "test: npm test",
    ]);
    story.do(t.verify(0), t.capture(0, ["tests"], [t.command("npm test")]));
    expect(radar(story).verify).toEqual([]);
  });

  it("[VIEW-4] next follows the life of a task", () => {
    const story = new Story();
    expect(radar(story).next).toEqual(["Add steps to this task"]);
    story.do(t.addSteps(0, ["Reproduce"]));
    expect(radar(story).next).toEqual(["Confirm criteria, tests for s:0 Reproduce"]);
    story.do(...t.block(0));
    expect(radar(story).next).toEqual(["Unblock s:0 Reproduce"]);
    story.do(...t.unblock(0), t.verify(0));
    expect(radar(story).next).toEqual(["Close next step s:0 Reproduce"]);
    story.do(t.close(0));
    expect(radar(story).next).toEqual(["Finish task"]);
    story.do(t.complete());
    expect(radar(story).next).toEqual(["Nothing: the task is DONE"]);
  });

  it("[VIEW-4] a plan has a next thing in every status", () => {
    const plan = new Story({ kind: "plan" });
    const next = ["Work on the tasks of this plan or add some, finish it when they are done"];
    expect(radar(plan).next).toEqual(next);
    expect(radar(plan.do(t.status("ACTIVE"))).next).toEqual(next);
    expect(radar(plan.do(t.status("CANCELED"))).next).toEqual(["Nothing: the plan is CANCELED"]);
  });

  it("[VIEW-7] blocked steps, blockers and reopened steps show, in this order", () => {
    const story = task(["a", "b", "c"])
      .do(t.verify(0), t.close(0))
      .do(t.reopen(0, "a test\nwas wrong"))
      .do(t.define(1, { blockers: ["the key"] }))
      .do(...t.block(2, "no budget"));
    expect(radar(story).blockers).toEqual([
      "s:2 c is blocked: no budget",
      "s:1 b waits for: the key",
      "s:0 a is open again: a test was wrong",
    ]);
  });

  it("[VIEW-7] a closed step's blockers are gone", () => {
    const story = task(["a"])
      .do(t.define(0, { blockers: ["the key"] }))
      .do(t.verify(0), t.close(0));
    expect(radar(story).blockers).toEqual([]);
  });

  it("[VIEW-7] a conflict shows both values and who wrote them, until it is settled", () => {
    const story = task(["a"]).apart([t.define(0, { title: "left" })], [t.define(0, { title: "right" })]);
    expect(radar(story).blockers).toEqual([
      'Conflict on s:0 title: "left" by human:ann or "right" by agent:bob (shown); write it again to resolve it',
    ]);
    story.do(t.define(0, { title: "both" }));
    expect(radar(story).blockers).toEqual([]);
  });

  it("[VIEW-7] a conflict on a deleted step is none", () => {
    const story = task(["a"])
      .apart([t.define(0, { title: "left" })], [t.define(0, { title: "right" })])
      .do(t.remove(0));
    expect(story.entity.conflicts.size).toBe(1);
    expect(radar(story).blockers).toEqual([]);
  });

  it("[VIEW-7] nor is one on a node below it, or a path of such a node", () => {
    const node = (type: string, id: string, title: string) => ({
      type,
      payload: { step_id: stepId(1), node_id: id, title, message: "m" },
    });
    const [one, two, three] = ["NODE-00000001", "NODE-00000002", "NODE-00000003"] as const;
    const story = task(["a"])
      .do(t.addSteps(1, ["below"], 0), node("task.node_added", one, "node"))
      .apart([node("task.node_defined", one, "x")], [node("task.node_defined", one, "y")])
      .apart([node("task.node_added", two, "left")], [node("task.node_added", three, "right")]);
    expect(radar(story).blockers).toHaveLength(2);
    story.do(t.remove(0));
    expect([story.entity.conflicts.size, story.entity.moved.size, radar(story).blockers]).toEqual([1, 1, []]);
  });

  it("[VIEW-7] paths that a merge moved are named with their ids", () => {
    const story = new Story().apart([t.addSteps(0, ["left"])], [t.addSteps(1, ["right"])]);
    expect(radar(story).blockers).toEqual([
      `A merge moved paths, select by id: ${stepId(0)} is s:0, ${stepId(1)} is s:1`,
    ]);
  });

  it("[VIEW-7] at most ten lines, then one that counts the rest", () => {
    const story = task(["a"]).do(t.define(0, { blockers: Array.from({ length: 25 }, (_, i) => `thing ${i}`) }));
    const { blockers } = radar(story);
    expect(blockers).toHaveLength(11);
    expect(blockers[9]).toBe("s:0 a waits for: thing 9");
    expect(blockers[10]).toBe("and 15 more");
  });

  it("[VIEW-7] a blocked gate of another program shows, an approved one does not", () => {
    const story = task(["a"]);
    const gate = { own: false, blocked_at: null, resolved_at: null, resolved_by: null };
    story.entity.gates.set("gate-w2", { ...gate, id: "gate-w2", state: "blocked", reason: "Which table?" });
    story.entity.gates.set("gate-w3", { ...gate, id: "gate-w3", state: "approved", reason: null });
    expect(radar(story).blockers).toEqual(["Gate gate-w2 is blocked: Which table?"]);
  });

  it("[VIEW-4] a radar is one screen whatever was written", () => {
    fc.assert(
      fc.property(anyStory, (story) => {
        const one = radar(story);
        expect(JSON.stringify(one).length).toBeLessThan(80_000);
        expect(one.next.length).toBeGreaterThan(0);
        for (const line of [one.now, ...one.verify, ...one.next, ...one.blockers]) expect(line).not.toMatch(/[\n\r]/);
      }),
    );
  });
});
