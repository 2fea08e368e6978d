import { describe, expect, it } from "vitest";
import { readme } from "../../src/projections/readme.ts";
import { lacksOf } from "../../src/state/checkpoint.ts";
import { completeEntity } from "../../src/rules/complete_entity.ts";
import { verifyAndClose } from "../../src/rules/close_step.ts";
import type { Given, Told } from "../support/given.ts";
import { givenTask } from "../support/given.ts";
import {
  addSteps,
  asWritten,
  capture,
  close as closed,
  command,
  complete,
  define,
  Story,
  stepId,
  verify,
} from "../support/story.ts";

const run = (given: Given, exit_code: number, more: object = {}): Told =>
  given.call("tasks_evidence_capture", {
    path: "s:0",
    items: [{ kind: "test-run", command: "npm test", exit_code, stdout: "what it printed", ...more }],
    checkpoint: "tests",
  });
const close = { path: "s:0", checkpoints: "gate" } as const;
const required = (): Given => givenTask({ title: "a", proof: { tests: "require" } });
const idOf = (told: Told): string => (told.result["evidence"] as { id: string }[])[0]!.id;

describe("a run that failed", () => {
  it("[PROOF-30] is kept, warned of and no proof: the refusal names it with its exit code", () => {
    const given = required();
    const told = run(given, 1);
    const id = idOf(told);
    expect(told.warnings).toMatchObject([{ code: "PROOF_FAILED" }]);
    expect(told.warnings![0]!.message).toContain(`evidence:${id} "npm test", which ended with exit code 1`);
    const refused = given.refusal("tasks_close_step", close);
    expect(refused.code).toBe("PROOF_FAILED");
    expect(refused.message).toContain(`evidence:${id} "npm test", which ended with exit code 1`);
    expect(refused.details).toMatchObject({
      missing: ["tests"],
      failed: [{ checkpoint: "tests", evidence: id, command: "npm test", exit_code: 1 }],
    });
    expect(given.entity().evidence[0]).toMatchObject({ id, sources: [{ exitCode: 1 }] });
    const [offered] = refused.suggestions;
    expect(offered).toMatchObject({ tool: "tasks_evidence_capture", args: { items: [{ command: "npm test" }] } });
    given.call("tasks_evidence_capture", JSON.parse(JSON.stringify(offered!.args).replace(/<fill[^>]*>/, "2 passed")));
    given.call("tasks_close_step", close);
  });

  it("[PROOF-31] the newest run of a command decides, in the folder where it ran", () => {
    const given = required();
    run(given, 0);
    run(given, 2);
    expect(given.refusal("tasks_close_step", close).code).toBe("PROOF_FAILED");
    run(given, 0, { cwd: "packages/a" });
    given.call("tasks_verify", close);
    run(given, 3, { cwd: "packages/a" });
    expect(given.refusal("tasks_done", { path: "s:0" }).message).toMatch(/exit code 2, .*exit code 3/);
    run(given, 0);
    given.call("tasks_done", { path: "s:0" });
  });

  it("[PROOF-31] a run for another checkpoint, or on another step, decides nothing", () => {
    const given = givenTask({ title: "a", proof: { tests: "require" } }, { title: "b" });
    run(given, 0);
    const failed = { items: [{ kind: "test-run", command: "npm test", exit_code: 1 }] };
    given.call("tasks_evidence_capture", { path: "s:0", checkpoint: "docs", ...failed });
    given.call("tasks_evidence_capture", { path: "s:1", checkpoint: "tests", ...failed });
    given.call("tasks_close_step", { path: "s:0", checkpoints: "all" });
    expect(given.step("s:0").done).toBe(true);
  });

  it("[PROOF-31] a line without an exit code is no newer run, and another command is another proof", () => {
    const given = required();
    run(given, 1);
    given.call("tasks_evidence_capture", { path: "s:0", checks: ["CMD: npm test"], checkpoint: "tests" });
    expect(given.refusal("tasks_close_step", close).code).toBe("PROOF_FAILED");
    given.call("tasks_evidence_capture", { path: "s:0", checks: ["CMD: make check"], checkpoint: "tests" });
    given.call("tasks_close_step", close);
    expect(given.call("tasks_handoff", {}).result["handoff"]).toMatchObject({
      risks: [
        expect.stringMatching(/^s:0 a: a run for tests failed: evidence:cmd-\S+ \(npm test\) ended with exit code 1$/),
        "s:0 a has weak proof of tests: a command or a link is missing",
      ],
    });
  });

  it("[PROOF-30] README shows it as failed, and the proof as missing", () => {
    const given = required();
    const id = idOf(run(given, 1));
    const text = readme(given.subject("TASK-001"));
    expect(text).toContain(`evidence:${id} \`failed\` with exit code 1`);
    expect(text).toContain("[ ] proof of tests");
  });

  it("[PROOF-30] after the close it keeps the task from being DONE, and reopens nothing", () => {
    const given = required();
    run(given, 0);
    given.call("tasks_close_step", close);
    run(given, 1);
    expect(given.step("s:0").done).toBe(true);
    expect(given.refusal("tasks_complete", {}).code).toBe("PROOF_FAILED");
  });

  it("[PROOF-30] where proof is only wished for, closing says that it failed", () => {
    const given = givenTask("a");
    given.call("tasks_define", { path: "s:0", proof: { tests: "warn" } });
    run(given, 1);
    expect(given.call("tasks_close_step", close).warnings).toMatchObject([{ code: "PROOF_FAILED" }]);
  });

  it("[PROOF-32] output that was captured with exit code 0 backs its claim alone; bare lines do not", () => {
    const given = required();
    run(given, 0);
    expect(given.call("tasks_close_step", close).warnings).toEqual([]);
    const bare = required();
    bare.call("tasks_evidence_capture", { path: "s:0", checks: ["CMD: npm test"], checkpoint: "tests" });
    expect(bare.call("tasks_close_step", close).warnings).toMatchObject([{ code: "PROOF_WEAK" }]);
  });
});

describe("a failed run whose event says that it counts", () => {
  const run = (exit_code: number): ReturnType<typeof capture> =>
    capture(1, ["tests"], [command("npm test", { counts: true, exit_code })]);
  const told = (...exits: number[]): Story =>
    exits.reduce(
      (story, exit) => story.do(run(exit)),
      new Story().do(addSteps(1, ["a"], null, { proof: { tests: "require" } })),
    );

  it("[PROOF-35] closes no step", () => {
    const closeIt = ({ subject, entity }: Story): unknown =>
      verifyAndClose(subject, entity.steps.get(stepId(1))!, { criteria: true, tests: true });
    for (const story of [told(1), told(0, 1)]) {
      expect(() => closeIt(story)).toThrowError(expect.objectContaining({ code: "PROOF_FAILED" }));
      expect(readme(story.subject)).toContain("[ ] proof of tests `missing`");
    }
    closeIt(told(1, 0));
  });

  it("[PROOF-35] [EVENT-8] what it closed in an older log stays closed, and does not complete", () => {
    const story = told(1).do(verify(1), closed(1));
    const step = story.entity.steps.get(stepId(1))!;
    expect([step.done, lacksOf(step)]).toEqual([true, ["proof of tests"]]);
    const alone = { now: "", by: "", idOf: asWritten, tasksOfPlan: () => [], rows: () => [] };
    expect(() => completeEntity(story.subject, "DONE", undefined, alone)).toThrowError(
      expect.objectContaining({ code: "PROOF_FAILED" }),
    );
    expect(readme(story.subject)).toContain("[ ] proof of tests `missing`");
    story.do(define(1, { title: "b" }), verify(1, { tests: true }));
    expect(step.done).toBe(true);
    story.do(complete());
    expect(story.entity.status).toBe("DONE");
  });

  it("[PROOF-34] a writer lets count what passed, and what has no exit code", () => {
    const given = required();
    for (const items of [[{ exit_code: 2 }], [{ exit_code: 0 }, {}]])
      given.call("tasks_evidence_capture", {
        path: "s:0",
        items: items.map((item) => ({ kind: "run", command: "npm test", ...item })),
        checkpoint: "tests",
      });
    given.call("tasks_evidence_capture", { path: "s:0", attachments: ["gone.txt"], checkpoint: "tests" });
    expect(given.step("s:0").linked.tests.map((link) => link.counts)).toEqual([false, true, true, false]);
  });
});
