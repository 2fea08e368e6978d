import { describe, expect, it } from "vitest";
import type { Issue } from "../../src/views/lint.ts";
import type { TaskdocViolation } from "../../src/views/taskdoc.ts";
import { contextCauses } from "../../src/views/context_health.ts";
import { lintOf } from "../../src/views/lint.ts";
import type { Given, Told } from "../support/given.ts";
import { givenTask } from "../support/given.ts";
import * as t from "../support/story.ts";
import { asWritten, Story } from "../support/story.ts";

const issuesOf = (told: Pick<Told, "result">): Issue[] => told.result["issues"] as Issue[];
const codes = (told: Pick<Told, "result">): string[] => issuesOf(told).map((issue) => issue.code);
const lint = (given: Given, more: { plan?: string; task?: string } = {}): Told => given.call("tasks_lint", more);
/** Nothing else is there, and nothing is looked at. */
const ALONE = {
  find: () => undefined,
  idOf: asWritten,
  tasksOfPlan: () => [],
  unread: [],
  violations: [],
  look: undefined,
};
const whole = { title: "a", success_criteria: ["c"], tests: ["t"] };

describe("lint of a task", () => {
  it("[LINT-5] finds nothing where all is in order", () => {
    const given = givenTask(whole);
    given.call("tasks_edit", { description: "why" });
    const told = lint(given);
    expect(told.result).toMatchObject({
      target: { id: "TASK-001" },
      summary: { errors: 0, warnings: 0, total: 0 },
      issues: [],
      context_health: { status: "ok", issues: [], stats: { description: true, notes: 0 } },
    });
  });

  it("[LINT-1] finds steps that are missing, empty, blocked or unproven", () => {
    const given = givenTask();
    expect(codes(lint(given))).toEqual(["NO_STEPS"]);
    given.call("tasks_complete", { status: "CANCELED" });
    expect(codes(lint(given))).toEqual([]);
    const steps = [
      ...Array.from({ length: 7 }, (_, i) => ({ title: `s${i}`, success_criteria: [] })),
      { ...whole, proof: { tests: "require" as const } },
    ];
    given.call("tasks_decompose", { steps });
    given.call("tasks_block", { path: "s:7" });
    given.call("tasks_define", { path: "s:6", blockers: ["no key"] });
    const told = lint(given);
    expect(issuesOf(told)[2]!.message).toBe("2 steps blocked: s:6 s6, s:7 a.");
    expect(codes(told)).toEqual(["EMPTY_CRITERIA", "EMPTY_TESTS", "BLOCKED_STEPS", "MISSING_PROOF"]);
    expect(issuesOf(told)[0]!.message).toBe(
      "7 steps without success criteria: s:0 s0, s:1 s1, s:2 s2, s:3 s3, s:4 s4, and 2 more.",
    );
    expect(told.result["summary"]).toEqual({ errors: 0, warnings: 4, total: 4 });
    for (const issue of issuesOf(told)) expect(issue.recovery).toMatch(/^[A-Z].*\.$/);
  });

  it("[LINT-1] finds closed steps that evidence asked more of, and those closed by force", () => {
    const given = givenTask(whole, whole);
    given.call("tasks_close_step", { path: "s:0", checkpoints: "gate" });
    given.call("tasks_evidence_capture", { path: "s:0", checks: ["CMD: audit"], checkpoint: "security" });
    given.call("tasks_verify", { path: "s:1", checkpoints: "gate" });
    given.call("tasks_block", { path: "s:1" });
    given.call("tasks_progress", { path: "s:1", force: true, reason: "no time" });
    const told = lint(given);
    expect(codes(told)).toEqual(["MISSING_CHECKPOINT", "FORCED_STEPS"]);
    expect(told.result["summary"]).toEqual({ errors: 1, warnings: 1, total: 2 });
  });

  it("[LINT-7] says whether somebody could take over", () => {
    const given = givenTask(whole);
    given.call("tasks_close_step", { path: "s:0", checkpoints: "gate" });
    const health = (): object => lint(given).result["context_health"] as object;
    expect(health()).toMatchObject({
      status: "warn",
      issues: [{ code: "CONTEXT_EMPTY" }, { code: "NOTHING_NOTED" }, { code: "REASONING_MISSING" }],
    });
    given.call("tasks_note", { note: "n" });
    given.call("tasks_edit", { context: "c" });
    given.call("tasks_think", { decision: "Ours" });
    expect(health()).toMatchObject({ status: "ok", stats: { notes: 2, trace: 1, cards: 1, context: true } });
    const around = { ...ALONE, unread: ["shared/human-notes.md", "taskdoc.md"] };
    expect(lintOf(new Story({ description: "d" }).subject, around)["context_health"]).toMatchObject({
      issues: [{ code: "NOTES_UNREAD" }],
    });
  });
});

describe("what an agent that takes over lacks", () => {
  it("[LINT-7] [RESUME-7] is judged once: lint and the super-resume name the same causes, each with its remedy", () => {
    const given = givenTask(whole);
    const causes = (): string[] => {
      const { issues } = lint(given).result["context_health"] as unknown as {
        issues: { code: string; recovery: string }[];
      };
      const { signals } = given.call("tasks_resume_super", {}).result["degradation"] as unknown as {
        signals: string[];
      };
      expect(issues.map(({ code }) => code.toLowerCase())).toEqual(signals);
      for (const { recovery } of issues) expect(recovery).toMatch(/^[A-Z].*tasks_[a-z]+.*\.$/);
      return signals;
    };
    const acts: [() => unknown, string[]][] = [
      [() => undefined, ["context_empty"]],
      [() => given.call("tasks_think", { trace: "hm" }), ["purpose_missing", "trace_only"]],
      [() => given.call("change_mind", { selector: "goals", content: "Old files are read." }), ["trace_only"]],
      [() => given.call("tasks_note", { note: "n" }), []],
      [() => given.call("tasks_close_step", { path: "s:0", checkpoints: "gate" }), []],
    ];
    for (const [act, expected] of acts) {
      act();
      expect(causes()).toEqual(expected);
    }
  });

  it("[LINT-7] work without a note, or without a thought, is a cause, and a task with only a purpose has none", () => {
    const story = new Story({ description: "d" }).do(t.addSteps(0, ["a"]));
    const causes = () => contextCauses(story.entity).map(({ code }) => code);
    expect(causes()).toEqual([]);
    story.do(t.verify(0), t.close(0));
    expect(causes()).toEqual(["NOTHING_NOTED", "REASONING_MISSING"]);
    story.do(t.note("it was the cache"));
    expect(causes()).toEqual(["REASONING_MISSING"]);
    story.do(t.trace("so it is the cache"));
    expect(causes()).toEqual([]);
  });
});

describe("lint of a plan", () => {
  it("[LINT-1] finds no checklist, and an end with open tasks", () => {
    const given = givenTask(whole);
    expect(codes(lint(given, { plan: "PLAN-001" }))).toEqual(["NO_CHECKLIST"]);
    given.call("tasks_plan", { plan: "PLAN-001", steps: ["a"] });
    expect(codes(lint(given, { plan: "PLAN-001" }))).toEqual([]);
    given.call("tasks_complete", { plan: "PLAN-001" });
    expect(issuesOf(lint(given, { plan: "PLAN-001" }))).toMatchObject([{ code: "OPEN_TASKS", severity: "warning" }]);
    given.call("tasks_complete", { status: "CANCELED" });
    expect(codes(lint(given, { plan: "PLAN-001" }))).toEqual([]);
  });

  it("[LINT-1] finds a position past the end, which a merge can leave", () => {
    const story = new Story({ kind: "plan", description: "d" });
    story.do({ type: "plan.updated", payload: { steps: ["a"], current: 3, message: "m" } });
    const result = lintOf(story.subject, ALONE);
    expect(result["issues"]).toMatchObject([{ code: "CHECKLIST_INDEX_OUT_OF_RANGE", severity: "error" }]);
  });
});

describe("lint of what an entity names", () => {
  const another = (given: Given, title: string): string =>
    given.call("tasks_create", { kind: "task", title, description: "d", steps: [whole] }).result["id"] as string;

  it("[LINT-1] finds dependencies that are gone, will not be done, or lead in a circle", () => {
    const given = givenTask(whole);
    const [two, three, four] = [another(given, "2"), another(given, "3"), another(given, "4")] as const;
    given.call("tasks_edit", { depends_on: [two, three, four] });
    expect(codes(lint(given))).toEqual([]);
    given.call("tasks_complete", { task: three, status: "FAILED" });
    given.call("tasks_delete", { task: four });
    expect(issuesOf(lint(given)).map((i) => i.message)).toEqual([
      "It depends on TASK-003, which is FAILED and will not be done.",
      "It depends on TASK-004, which was deleted and will not be done.",
    ]);
    given.call("tasks_edit", { depends_on: [two] });
    given.call("tasks_edit", { task: two, depends_on: ["TASK-001"] });
    expect(issuesOf(lint(given))).toMatchObject([
      { code: "DEPENDENCY_CYCLE", message: "It depends on itself: TASK-001 on TASK-002 on TASK-001." },
    ]);
  });

  it("[LINT-1] finds a plan and dependencies that are not here", () => {
    const here = new Story({ description: "d" }).do(t.addSteps(0, ["a"]));
    const gone = { id: "TASK-009", root: "elsewhere" };
    here.do(t.edit({ depends_on: [gone] }));
    here.entity.parent = { id: "PLAN-009", root: "nowhere" };
    expect(issuesOf({ result: lintOf(here.subject, ALONE) })).toMatchObject([
      { code: "PARENT_UNKNOWN", severity: "error" },
      { code: "DEPENDENCY_UNKNOWN", severity: "error" },
    ]);
    const plan = new Story({ kind: "plan" }).do({ type: "task.deleted", payload: { message: "m" } });
    here.do(t.edit({ depends_on: [] }));
    expect(issuesOf({ result: lintOf(here.subject, { ...ALONE, find: () => plan.subject }) })).toMatchObject([
      { code: "PARENT_DELETED", severity: "warning" },
    ]);
  });

  it("[LINT-1] finds open conflicts and moved paths", () => {
    const story = new Story({ description: "d" }).do(t.addSteps(0, ["a"]));
    story.apart([t.edit({ title: "one" })], [t.edit({ title: "two" })]);
    story.apart([t.addSteps(1, ["b"])], [t.addSteps(2, ["c"])]);
    expect(issuesOf({ result: lintOf(story.subject, ALONE) }).map((i) => [i.severity, i.code])).toEqual([
      ["error", "CONFLICT_OPEN"],
      ["warning", "PATHS_MOVED"],
    ]);
  });

  it("[LINT-1] finds what stands in the way of the Taskdoc, each kind once and at most five paths of it", () => {
    const at = (kind: TaskdocViolation["kind"], path: string): TaskdocViolation => ({ kind, path, message: "m" });
    const strays = Array.from({ length: 7 }, (_, i) => at("stray", `taskdoc.tsk/x${i}`));
    const of = (violations: TaskdocViolation[]): Issue[] =>
      issuesOf({
        result: lintOf(new Story({ description: "d" }).do(t.addSteps(0, ["a"])).subject, { ...ALONE, violations }),
      });
    expect(of([at("missing", "taskdoc.tsk/goals.md")])).toEqual([]);
    const found = of([
      at("unmigrated", "taskdoc.md"),
      at("differs", "taskdoc.tsk/goals.md"),
      at("link", "taskdoc.tsk/l"),
      ...strays,
    ]);
    expect(found.map((i) => i.code)).toEqual(["TASKDOC_UNMIGRATED", "TASKDOC_EDITED", "TASKDOC_STRAY"]);
    expect(found[1]!.message).toBe("Not as the log has it: taskdoc.tsk/goals.md.");
    expect(found[2]!.message).toContain("taskdoc.tsk/l (link), taskdoc.tsk/x0, ");
    expect(found[2]!.message).toContain("and 3 more");
  });
});
