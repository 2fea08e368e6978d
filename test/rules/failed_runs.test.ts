import { describe, expect, it } from "vitest";
import type { TaskfoldError } from "../../src/errors.ts";
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

  it("[PROOF-39] the newest run of a command decides, in the folder where it ran", () => {
    const given = required();
    run(given, 0);
    run(given, 2);
    expect(given.refusal("tasks_close_step", close).code).toBe("PROOF_FAILED");
    run(given, 0, { cwd: "packages/a" });
    given.call("tasks_verify", close);
    run(given, 3, { cwd: "packages/a" });
    expect(given.refusal("tasks_done", { path: "s:0" }).message).toMatch(/exit code 2 \(.*exit code 3 \(/);
    run(given, 0);
    expect(given.refusal("tasks_done", { path: "s:0" }).message).toMatch(/found [^,]*, which ended with exit code 3 /);
    run(given, 0, { cwd: "packages/a" });
    given.call("tasks_done", { path: "s:0" });
  });

  it("[PROOF-39] a run for another checkpoint, or on another step, decides nothing", () => {
    const given = givenTask({ title: "a", proof: { tests: "require" } }, { title: "b" });
    run(given, 0);
    const failed = { items: [{ kind: "test-run", command: "npm test", exit_code: 1 }] };
    given.call("tasks_evidence_capture", { path: "s:0", checkpoint: "docs", ...failed });
    given.call("tasks_evidence_capture", { path: "s:1", checkpoint: "tests", ...failed });
    const refused = given.refusal("tasks_close_step", { path: "s:0", checkpoints: "all" });
    expect([refused.code, refused.details!["missing"]]).toEqual(["PROOF_FAILED", ["docs"]]);
    expect(given.call("tasks_evidence_verify", { path: "s:0" }).result["evidence"]).toMatchObject([
      { proves: [{ checkpoints: ["tests"] }] },
      { proves: [] },
    ]);
  });

  it("[PROOF-39] a line without an exit code is no newer run, and another command takes no failure back", () => {
    const given = required();
    run(given, 1);
    given.call("tasks_evidence_capture", { path: "s:0", checks: ["CMD: npm test"], checkpoint: "tests" });
    expect(given.refusal("tasks_close_step", close).code).toBe("PROOF_FAILED");
    given.call("tasks_evidence_capture", { path: "s:0", checks: ["CMD: make check"], checkpoint: "tests" });
    expect(given.refusal("tasks_close_step", close).code).toBe("PROOF_FAILED");
    expect(given.call("tasks_handoff", {}).result["handoff"]).toMatchObject({
      risks: [
        expect.stringMatching(/^s:0 a: a run for tests failed: evidence:cmd-\S+ \(npm test\) ended with exit code 1$/),
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

  it("[PROOF-39] closes no step in any mode, by any call; without evidence nothing is asked for", () => {
    for (const proof of [undefined, { tests: "off" }, { tests: "warn" }, { tests: "require" }] as const) {
      const given = givenTask({ title: "a", ...(proof ? { proof } : {}) }, { title: "b" });
      run(given, 1);
      const codes = [
        given.refusal("tasks_close_step", close).code,
        given.refusal("tasks_progress", { path: "s:0", completed: true, force: true, reason: "r" }).code,
      ];
      given.call("tasks_verify", close);
      codes.push(given.refusal("tasks_done", { path: "s:0" }).code);
      const force = { path: "s:0", completed: true, force: true, reason: "r" };
      codes.push(given.refusal("tasks_progress", force).code);
      expect(codes).toEqual(["PROOF_FAILED", "CHECKPOINTS_NOT_CONFIRMED", "PROOF_FAILED", "PROOF_FAILED"]);
      given.call("tasks_close_step", { path: "s:1", checkpoints: "gate" });
      run(given, 0);
      given.call("tasks_done", { path: "s:0" });
      run(given, 1);
      expect(given.refusal("tasks_close_task", { apply: true }).code).toBe("PROOF_FAILED");
    }
  });

  it("[PROOF-39] also counts where it is linked to criteria, security, perf or docs", () => {
    for (const checkpoint of ["criteria", "security", "perf", "docs"] as const) {
      const given = givenTask("a");
      const items = [{ kind: "run", command: "x", exit_code: 3 }];
      given.call("tasks_evidence_capture", { path: "s:0", items, checkpoint });
      const refused = given.refusal("tasks_close_step", { path: "s:0", checkpoints: "all" });
      expect([refused.code, refused.details!["missing"]]).toEqual(["PROOF_FAILED", [checkpoint]]);
      const { radar } = given.call("tasks_radar", {}).result as { radar: { verify: string[] } };
      expect(radar.verify.join()).toContain(`run again what failed for ${checkpoint}`);
    }
  });

  it("[PROOF-41] [STEP-16] [STEP-15] a closed step whose run failed since opens where proof is required of it, and the op names it", () => {
    const given = givenTask("a");
    given.call("tasks_close_step", close);
    run(given, 1);
    given.call("tasks_define", { path: "s:0", title: "b" });
    expect(given.step("s:0").done).toBe(true);
    const told = given.call("tasks_define", { path: "s:0", proof: { tests: "require" } });
    expect([told.drafts.map(({ type }) => type), given.step("s:0").done]).toEqual([
      ["step.defined", "step.reopened"],
      false,
    ]);
  });

  it("[PROOF-39] the refusal names where the output is kept, its first failing line, and both ways out", () => {
    const given = givenTask("a");
    const stdout = "> test\n\u001B[31mok 1 - reads\u001B[0m\n# fail 0\nnot ok 2 - parses\n  Error: expected }\n";
    run(given, 1, { stdout });
    const refused = given.refusal("tasks_close_step", close);
    const [{ output }] = refused.details!["failed"] as [{ output: string }];
    expect(output).toMatch(/^shared\/evidence\/blobs\/[0-9a-f]{64}$/);
    expect(refused.message).toContain(`exit code 1 (not ok 2 - parses; output in ${output}).`);
    expect(refused.recovery).toContain('"taskfold run TASK-001 s:0 --for tests -- npm test"');
    expect(refused.suggestions).toMatchObject([
      { tool: "tasks_evidence_capture", args: { items: [{ command: "npm test", exit_code: 0 }] } },
      { tool: "tasks_evidence_capture", args: { supersedes: [expect.stringMatching(/^cmd-/)] } },
    ]);
    const quiet = givenTask("a");
    run(quiet, 1, { stdout: "", stderr: "one\nthe last\n" });
    expect(quiet.refusal("tasks_close_step", close).message).toContain("exit code 1 (the last; output in shared/");
  });

  it("[PROOF-3] output that was captured with exit code 0 backs its claim alone; bare lines do not", () => {
    const given = required();
    run(given, 0);
    expect(given.call("tasks_close_step", close).warnings).toEqual([]);
    const bare = required();
    bare.call("tasks_evidence_capture", { path: "s:0", checks: ["CMD: npm test"], checkpoint: "tests" });
    expect(bare.call("tasks_close_step", close).warnings).toMatchObject([{ code: "PROOF_WEAK" }]);
  });
});

describe("an undo or redo", () => {
  it("[PROOF-39] [UNDO-4] closes no step of which a run failed since, and completes no task with one", () => {
    const given = givenTask("a");
    given.call("tasks_close_step", close);
    given.call("tasks_progress", { path: "s:0", completed: false });
    const id = idOf(run(given, 1));
    const refused = given.refusal("tasks_undo", {});
    expect([refused.code, refused.message]).toEqual(["PROOF_FAILED", expect.stringContaining(id)]);
    run(given, 0);
    given.call("tasks_undo", {});
    expect(given.step("s:0").done).toBe(true);
    given.call("tasks_undo", { op: given.past().ops[1]!.op });
    run(given, 1);
    expect(given.refusal("tasks_redo", {}).code).toBe("PROOF_FAILED");
    run(given, 0);
    given.call("tasks_redo", {});
    given.call("tasks_complete", {});
    given.call("tasks_undo", {});
    run(given, 1);
    expect(given.refusal("tasks_redo", {}).code).toBe("PROOF_FAILED");
  });
});

describe("evidence that is superseded", () => {
  const put = (given: Given, ids: readonly string[], more: object = {}): Told =>
    given.call("tasks_evidence_capture", { path: "s:0", supersedes: [...ids], reason: "the wrong branch", ...more });

  it("[EVID-58] [PROOF-39] no longer fails, stays on record with its reason, and leaves the run before it to decide", () => {
    const given = givenTask("a");
    const first = idOf(run(given, 1));
    const second = idOf(run(given, 2));
    const told = put(given, [`evidence:${second}`]);
    expect([told.result["superseded"], told.result["evidence"]]).toEqual([[second], []]);
    expect(told.events[0]!["message"]).toBe('Superseded 1 piece of evidence on s:0 "a": the wrong branch.');
    expect(given.refusal("tasks_close_step", close).message).toContain(first);
    put(given, [first]);
    given.call("tasks_close_step", close);
    given.call("tasks_complete", {});
    const text = readme(given.subject("TASK-001"));
    expect(text).toContain(`~~evidence:${first}~~ \`superseded\``);
    expect(text).toMatch(
      new RegExp(
        `- ~~evidence:${second} npm test \\(command-execution\\)~~, \`superseded\` .* by human:ada: the wrong branch, exit code 2`,
      ),
    );
    expect(given.entity().evidence.map(({ id }) => id)).toEqual([first, second]);
  });

  it("[EVID-58] proves nothing more: what was closed stays closed, and the task is not completed", () => {
    const given = required();
    const id = idOf(run(given, 0));
    given.call("tasks_close_step", close);
    put(given, [id]);
    expect(given.step("s:0").done).toBe(true);
    expect(given.refusal("tasks_complete", {}).code).toBe("PROOF_REQUIRED");
    run(given, 0);
    given.call("tasks_complete", {});
  });

  it("[EVID-58] goes beside new evidence", () => {
    const given = required();
    const id = idOf(run(given, 1));
    put(given, [id], { items: [{ kind: "run", command: "npm t", exit_code: 0 }], checkpoint: "tests" });
    given.call("tasks_close_step", close);
    expect(given.step("s:0").done).toBe(true);
  });

  it("[EVID-58] refuses what is no entry, a missing reason, a reason alone, and an entry twice", () => {
    const given = givenTask("a");
    const id = idOf(run(given, 1));
    expect(given.refusal("tasks_evidence_capture", { supersedes: ["cmd-00000000-1"], reason: "r" }).code).toBe(
      "UNKNOWN_ID",
    );
    const unsaid = given.refusal("tasks_evidence_capture", { path: "s:0", supersedes: [id], reason: " " });
    expect([unsaid.code, unsaid.suggestions[0]!.args["supersedes"]]).toEqual(["INVALID_INPUT", [id]]);
    const [, offered] = given.refusal("tasks_close_step", close).suggestions;
    const reason = String(offered!.args["reason"]);
    const unfilled = given.refusal("tasks_evidence_capture", { path: "s:0", supersedes: [id], reason });
    expect([unfilled.code, unfilled.message]).toEqual([
      "INVALID_INPUT",
      expect.stringContaining("still to be filled in"),
    ]);
    expect(given.refusal("tasks_evidence_capture", { checks: ["CMD: x"], reason: "r" }).code).toBe("INVALID_INPUT");
    put(given, [id]);
    expect(given.refusal("tasks_evidence_capture", { supersedes: [id], reason: "r" }).message).toContain("human:ada");
  });

  const failing = (hash = 1): ReturnType<typeof capture> =>
    capture(hash, ["tests"], [command("npm test", { counts: false, exit_code: 1 })]);
  const aside = (ref: string): ReturnType<typeof capture> => {
    const draft = capture(1, [], []);
    return { ...draft, payload: { ...draft.payload, supersedes: [ref], reason: "r" } };
  };

  it("[PROOF-41] a step that one branch closes while another records a failed run stays closed in either order, and holds the task", () => {
    const closing = [verify(1), closed(1)];
    for (const [left, right] of [
      [closing, [failing()]],
      [[failing()], closing],
    ] as const) {
      const story = new Story().do(addSteps(1, ["a"])).apart([...left], [...right]);
      const step = story.entity.steps.get(stepId(1))!;
      expect([step.done, lacksOf(step)]).toEqual([true, ["proof of tests"]]);
      const alone = { now: "", by: "", idOf: asWritten, tasksOfPlan: () => [], rows: () => [] };
      expect(() => completeEntity(story.subject, "DONE", undefined, alone)).toThrowError(
        expect.objectContaining({ code: "PROOF_FAILED" }),
      );
    }
  });

  it("[TXN-1] a completion that asks for a confirmation says of a run that only the refused call would bring that nothing is kept", () => {
    const audit = capture(1, ["security"], [command("npm audit", { exit_code: 1, evidence_id: "audit" })]);
    const story = new Story()
      .do(addSteps(1, ["a"]))
      .do(verify(1), closed(1))
      .do(audit);
    const alone = { now: "", by: "", idOf: asWritten, tasksOfPlan: () => [], rows: () => [] };
    const refusal = (unrecorded: string[]): TaskfoldError => {
      try {
        completeEntity({ ...story.subject, unrecorded: new Set(unrecorded) }, "DONE", undefined, alone);
      } catch (e) {
        return e as TaskfoldError;
      }
      throw new Error("Expected a refusal, found none.");
    };
    const kept = "A refused call records nothing";
    for (const [ids, said] of [
      [["audit"], true],
      [[], false],
    ] as const) {
      const { code, message, recovery } = refusal([...ids]);
      expect(code).toBe("CHECKPOINTS_NOT_CONFIRMED");
      expect(message).toContain(said ? 'the run of this call "npm audit"' : 'evidence:audit "npm audit"');
      expect(recovery!.includes(kept)).toBe(said);
    }
  });

  it("[PROOF-41] a step that one branch closes while another supersedes its proof stays closed in either order", () => {
    const closing = [verify(1), closed(1)];
    const passing = capture(1, ["tests"], [command("npm test", { counts: true, exit_code: 0, evidence_id: "unit" })]);
    for (const isClosedFirst of [true, false]) {
      const story = new Story().do(addSteps(1, ["a"], null, { proof: { tests: "require" } })).do(passing);
      const derived = story.entity.facts.get("unit")!.derived!;
      const put = [aside(derived)];
      story.apart(isClosedFirst ? closing : put, isClosedFirst ? put : closing);
      const step = story.entity.steps.get(stepId(1))!;
      expect([step.done, lacksOf(step)]).toEqual([true, ["proof of tests"]]);
    }
  });

  it("[EVID-58] the entry that its caller saw is superseded, also where a merge gave its id to another", () => {
    const given = (exit_code: number) => [
      capture(1, ["tests"], [command("npm test", { counts: exit_code === 0, exit_code, evidence_id: "unit" })]),
    ];
    const story = new Story().do(addSteps(1, ["a"])).apart(given(0), given(1));
    const [first, second] = story.entity.evidence.map(({ id }) => id);
    expect(first).toBe("unit");
    story.do(aside(second!));
    expect([...story.entity.facts].map(([id, facts]) => [id, facts.superseded?.reason])).toEqual([
      ["unit", undefined],
      [second, "r"],
    ]);
    story.do(aside(story.entity.facts.get("unit")!.derived!), aside("gone"));
    expect(story.entity.facts.get("unit")!.superseded).toMatchObject({ by: "human:ann" });
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

  it("[PROOF-41] closes no step", () => {
    const closeIt = ({ subject, entity }: Story): unknown =>
      verifyAndClose(
        subject,
        entity.steps.get(stepId(1))!,
        { by: "agent:ada", now: "2026-07-01T10:00:00.000Z" },
        { criteria: true, tests: true },
      );
    for (const story of [told(1), told(0, 1)]) {
      expect(() => closeIt(story)).toThrowError(expect.objectContaining({ code: "PROOF_FAILED" }));
      expect(readme(story.subject)).toContain("[ ] proof of tests `missing`");
    }
    closeIt(told(1, 0));
  });

  it("[PROOF-41] [EVENT-8] what it closed in an older log stays closed, and does not complete", () => {
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
