import { describe, expect, it } from "vitest";
import { handoffOf } from "../../src/views/handoff.ts";
import * as t from "../support/story.ts";
import { Story } from "../support/story.ts";

describe("handoff", () => {
  it("[VIEW-9] tells what is done, what remains and what may go wrong", () => {
    const story = new Story()
      .do(t.addSteps(0, ["Reproduce", "Repair", "Tell"]))
      .do(t.addSteps(3, ["Bisect"], 1))
      .do(t.verify(0), t.close(0, { forced: "the reporter is on leave" }))
      .do(t.define(2, { proof: { docs: "warn", tests: "require" } }))
      .do(...t.block(1, "no build machine"))
      .do(t.note("Ask Eve.", 1));
    expect(handoffOf(story.subject)).toEqual({
      done: ["s:0 Reproduce"],
      remaining: [
        "s:1.s:0 Bisect: confirm criteria, tests, close",
        "s:1 Repair: unblock, confirm criteria, tests, close",
        "s:2 Tell: confirm criteria, tests, attach proof of tests, close",
        "Finish task",
      ],
      risks: [
        "s:1 Repair is blocked: no build machine",
        "s:0 Reproduce was closed by force: the reporter is on leave",
        "s:2 Tell has no proof of docs, which was asked for",
      ],
      notes: [{ ts: "2026-01-01T00:06:00.000Z", by: "human:ann", path: "s:1", text: "Ask Eve." }],
    });
  });

  it("[VIEW-9] a done task leaves nothing, a failed one is a risk", () => {
    const done = new Story().do(t.complete());
    expect(handoffOf(done.subject)).toMatchObject({ done: ["The task is DONE"], remaining: [], risks: [] });
    const failed = new Story().do(t.status("FAILED", "no time"));
    expect(handoffOf(failed.subject)).toMatchObject({
      done: [],
      remaining: [],
      risks: ["The task is FAILED: no time"],
    });
  });

  it("[VIEW-9] an empty task and a plan have something to do", () => {
    expect(handoffOf(new Story().subject).remaining).toEqual(["Add steps to this task"]);
    expect(handoffOf(new Story({ kind: "plan" }).subject).remaining).toEqual(["Finish plan"]);
  });

  it("[VIEW-9] limit bounds each list and counts the rest", () => {
    const story = new Story().do(t.addSteps(0, ["a", "b", "c", "d"]));
    const { remaining } = handoffOf(story.subject, 2);
    expect(remaining).toEqual([
      "s:0 a: confirm criteria, tests, close",
      "s:1 b: confirm criteria, tests, close",
      "and 3 more",
    ]);
    expect(handoffOf(story.subject, 0).remaining).toEqual(["and 5 more"]);
  });

  it("[VIEW-9] a note on a step that was deleted has no path", () => {
    const story = new Story()
      .do(t.addSteps(0, ["a"]))
      .do(t.note("x", 0))
      .do(t.remove(0));
    expect(handoffOf(story.subject).notes).toMatchObject([{ path: null, text: "x" }]);
  });
});
