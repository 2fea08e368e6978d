import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TaskfoldError } from "../../src/errors.ts";
import type { JsonObject } from "../../src/state/schema.ts";
import { TOOLS } from "../../src/tools/index.ts";
import type { ToolInput } from "../../src/tools/generated/tool_types.ts";
import { toolsetOf } from "../../src/tools/toolsets.ts";
import { fitBudget } from "../../src/views/budget.ts";
import { RESUME_SUPER_CUTS } from "../../src/views/cuts_resume.ts";
import type { Memory } from "../../src/views/memory.ts";
import { memoryOf } from "../../src/views/memory.ts";
import type { Given } from "../support/given.ts";
import { givenTask, validates } from "../support/given.ts";
import { anyStory } from "../support/random_story.ts";
import * as t from "../support/story.ts";
import { Story } from "../support/story.ts";
import { runsOf, SWEEP } from "../support/sweep.ts";
import { codes, limit, sizeOf, superResult } from "../support/view_results.ts";

type Super = {
  target: object;
  radar: { blockers: string[] };
  steps: { first_open: Record<string, unknown> };
  capsule: Record<string, unknown> & { action: Record<string, unknown> | null };
  signals: Record<string, unknown>;
  memory: Memory;
  timeline: { limit: number; earlier: number; cursor: string; events: { type: string }[] };
  degradation: { signals: string[]; truncated_fields: string[] };
  budget?: { truncated: string[]; full_chars: number };
};

const FAMILY = ["tasks_context_pack", "tasks_resume", "tasks_resume_pack", "tasks_resume_super"] as const;

function superOf(given: Given, more: Partial<ToolInput<"tasks_resume_super">> = {}): Super {
  return given.call("tasks_resume_super", more).result as unknown as Super;
}

/** Work with something of everything. */
function worked(): Given {
  const given = givenTask("Grammar", { title: "Importer", proof: { tests: "require" } });
  given.call("tasks_edit", { description: "Read old files.", context: "See the wiki.", tags: ["parser"] });
  given.call("tasks_think", { frame: "Which grammar?", decision: "Ours" });
  given.call("tasks_evidence_capture", { path: "s:0", checks: ["CMD: npm test"], checkpoint: ["tests", "docs"] });
  given.call("tasks_note", { path: "s:0", note: "began" });
  given.call("tasks_block", { path: "s:1", reason: "waits for the key" });
  return given;
}

describe("the resume family", () => {
  it("[RESUME-1] begins with target, focus, radar and steps, each with its own parts", () => {
    const given = worked();
    const head = ["workspace", "target", "focus", "radar", "steps"];
    const keys = (name: (typeof FAMILY)[number]): string[] => Object.keys(given.call(name, {}).result);
    expect(keys("tasks_context_pack")).toEqual([...head, "delta"]);
    expect(keys("tasks_resume_pack")).toEqual([...head, "timeline", "signals"]);
    expect(keys("tasks_resume")).toEqual([...head, "detail", "step_list", "timeline"]);
    expect(keys("tasks_resume_super").toSorted()).toEqual(
      [...head, "reasoning_ref", "capsule", "signals", "memory", "timeline", "degradation"].toSorted(),
    );
    const { detail, step_list: rows } = given.call("tasks_resume", {}).result;
    expect(detail).toMatchObject({ description: "Read old files.", context: "See the wiki.", tags: ["parser"] });
    expect(rows).toMatchObject([
      {
        path: "s:0",
        title: "Grammar",
        success_criteria: ["it works"],
        confirmed: [],
        missing_checkpoints: ["criteria", "tests", "docs"],
        proof_docs_mode: "off",
        proof_docs_present: true,
      },
      {
        path: "s:1",
        blocked: true,
        block_reason: "waits for the key",
        missing_proofs: ["tests"],
        proof_tests_mode: "require",
        proof_tests_present: false,
      },
    ]);
    for (const name of FAMILY) {
      const plan = given.call(name, { plan: "PLAN-001" });
      expect(plan.result).not.toHaveProperty("steps");
      expect(plan.result["target"]).toMatchObject({ id: "PLAN-001", kind: "plan" });
    }
  });

  it("[RESUME-3] a timeline has the last events, oldest first, and says how many came before", () => {
    const given = worked();
    const whole = superOf(given).timeline;
    expect(whole.earlier).toBe(0);
    expect(whole.events.map((e) => e.type).slice(-3)).toEqual(["step_noted", "step_blocked", "gate_blocked"]);
    const { timeline } = superOf(given, { events_limit: 2 });
    expect(timeline).toMatchObject({ limit: 2, earlier: whole.events.length - 2 });
    expect(timeline.events).toEqual(whole.events.slice(-2));
    expect(given.call("tasks_resume", { events_limit: 0 }).result).not.toHaveProperty("timeline");
  });

  it("[RESUME-4] signals are blockers, decisions that hold and evidence, with how many there are", () => {
    const given = worked();
    for (let i = 0; i < 7; i++) given.call("tasks_think", { decision: `decision ${i}`, note_decision: false });
    given.call("tasks_undo", {});
    const { signals } = superOf(given, { decisions_limit: 2 }) as unknown as {
      signals: { decisions: { title: string }[]; blockers: string[]; evidence: { cite: string; id: string }[] };
    };
    expect(signals.decisions.map((d) => d.title)).toEqual(["decision 4", "decision 5"]);
    expect(signals).toMatchObject({ stats: { blockers: 1, decisions: 7, evidence: 1 } });
    expect(signals.blockers).toEqual(["s:1 Importer is blocked: waits for the key"]);
    expect(signals.evidence).toMatchObject([{ cite: `evidence:${given.entity().evidence[0]!.id}` }]);
    const none = superOf(given, { decisions_limit: 0, evidence_limit: 0, blockers_limit: 0 });
    expect(none.signals).toMatchObject({ blockers: [], decisions: [], evidence: [], stats: { decisions: 7 } });
  });

  it("[RESUME-4] a limit of blockers gives so many lines", () => {
    const given = worked();
    for (const path of ["s:0", "s:1"]) given.call("tasks_block", { path, reason: "no key" });
    const lines = (limit: number) => {
      const { radar, signals } = superOf(given, { blockers_limit: limit });
      const { blockers, stats } = signals as { blockers: string[]; stats: object };
      return [blockers.length, radar.blockers.length, stats];
    };
    for (const limit of [0, 1, 2])
      expect(lines(limit)).toEqual([limit, limit, expect.objectContaining({ blockers: 2 })]);
    expect(superOf(given).radar.blockers).toHaveLength(2);
  });

  it("[RESUME-1] memory has pages of notes, trace and cards", () => {
    const { memory } = superOf(worked());
    expect(memory.notes.entries.map((n) => [n.path, n.text])).toEqual([
      [null, "Decision: Ours"],
      ["s:0", "began"],
    ]);
    expect(memory.trace.entries.map((l) => [l.kind, l.text])).toEqual([
      ["frame", "Which grammar?"],
      ["decision", "Ours"],
    ]);
    expect(memory.cards.entries.map((c) => [c.stage, c.supports])).toEqual([
      ["frame", []],
      ["decision", ["CARD-00000001"]],
    ]);
    expect(memory.stats).toMatchObject({ notes: 2, trace: 2, cards: 2, by_stage: { frame: 1, decision: 1, test: 0 } });
  });

  it("[RESUME-1] the first open step says how proof stands", () => {
    const given = givenTask({ title: "a", proof: { tests: "require", security: "warn" } });
    expect(superOf(given).steps.first_open).toMatchObject({
      proof_tests_mode: "require",
      proof_tests_present: false,
      proof_security_mode: "warn",
    });
    expect(superOf(given).steps.first_open).not.toHaveProperty("proof_docs_mode");
    given.call("tasks_evidence_capture", { path: "s:0", checks: ["CMD: npm test"], checkpoint: "tests" });
    expect(superOf(given).steps.first_open).toMatchObject({ proof_tests_present: true, missing_proofs: [] });
  });

  it("[RESUME-7] degradation names what there is nothing of and what was cut", () => {
    const given = givenTask("a");
    expect(superOf(given).degradation).toEqual({ signals: ["context_empty"], truncated_fields: [] });
    given.call("tasks_edit", { description: "Read old files." });
    expect(superOf(given).degradation.signals).toEqual([]);
    given.call("tasks_think", { trace: "hm" });
    expect(superOf(given).degradation.signals).toEqual(["trace_only"]);
    given.call("tasks_note", { note: "n".repeat(5000) });
    const cut = superOf(given, { max_chars: 4000 });
    expect(cut.degradation).toEqual({ signals: ["budget_truncated"], truncated_fields: cut.budget?.truncated });
    expect(cut.degradation.truncated_fields).toContain("memory.notes.entries");
  });

  it("[RESUME-7] whatever fits, what was cut is told in full or not at all", SWEEP, () => {
    fc.assert(
      fc.property(anyStory, limit, (story, max) => {
        const whole = superResult(story);
        const { degradation, budget } = fitBudget(whole, max, RESUME_SUPER_CUTS).result as unknown as Partial<Super>;
        const fits = sizeOf(whole) <= Math.max(max, 256);
        expect(degradation?.truncated_fields ?? null).toEqual(fits ? [] : degradation ? budget?.truncated : null);
        expect(budget?.truncated.includes("degradation") ?? !degradation).toBe(!degradation);
      }),
      runsOf(100),
    );
  });

  it("[RESUME-4] [REASON-8] a limit above 200 is lowered with a warning, 0 gives none", () => {
    const given = worked();
    const told = given.call("tasks_resume_super", { notes_limit: 201, cards_limit: 500 });
    expect(codes(told.warnings ?? [])).toEqual(["LIMIT_CLAMPED", "LIMIT_CLAMPED"]);
    const { memory, timeline } = superOf(given, { notes_limit: 0, trace_limit: 0, cards_limit: 0, events_limit: 0 });
    expect([memory.notes.entries, memory.trace.entries, memory.cards.entries, timeline.events]).toEqual([
      [],
      [],
      [],
      [],
    ]);
    expect(memory.notes.pagination).toMatchObject({ has_more: true, next_cursor: "newest", count: 0, total: 2 });
  });
});

describe("the capsule", () => {
  it("[RESUME-10] has where it stands, what is done, left and risky, how much there is, and what happened last", () => {
    const given = worked();
    given.call("tasks_edit", { description: "why ".repeat(500) });
    const { capsule } = superOf(given);
    expect(Object.keys(capsule)).toEqual([
      "type",
      "version",
      "workspace",
      "target",
      "focus",
      "reasoning_ref",
      "radar",
      "handoff",
      "counts",
      "last_event",
      "action",
      "escalation",
    ]);
    expect(capsule).toMatchObject({
      type: "handoff_capsule",
      version: 1,
      target: { id: "TASK-001" },
      reasoning_ref: { branch: "main", docs: { notes: "notes", graph: "graph", trace: "trace" } },
      handoff: { done: [], risks: ["s:1 Importer is blocked: waits for the key"] },
      counts: { steps: 2, open: 2, evidence: 1, notes: 2, cards: 2, decisions: 1 },
      last_event: { tool: "tasks_edit", by: "human:ada" },
    });
    expect(Array.from((capsule["radar"] as { why: string }).why)).toHaveLength(256);
    const many = givenTask(...Array.from({ length: 40 }, (_, i) => `step ${i}`));
    expect((superOf(many).capsule["handoff"] as { remaining: string[] }).remaining).toHaveLength(4);
    expect(sizeOf(superOf(many).capsule)).toBeLessThan(2500);
  });

  it("[RESUME-10] action asks for what is still to be confirmed, optional checkpoints with evidence included", () => {
    const given = givenTask("a");
    expect(superOf(given).capsule.action).toMatchObject({
      tool: "tasks_macro_close_step",
      args: { step_id: given.step("s:0").id, checkpoints: "gate" },
    });
    given.call("tasks_evidence_capture", { path: "s:0", checks: ["CMD: audit"], checkpoint: "security" });
    expect(superOf(given).capsule.action).toMatchObject({
      args: { checkpoints: { criteria: true, tests: true, security: true } },
    });
    given.call("tasks_define", { path: "s:0", proof: { docs: "require" } });
    const { action } = superOf(given).capsule;
    expect(action).toMatchObject({ tool: "tasks_macro_close_step", args_hint: { proof: { checkpoint: ["docs"] } } });
    expect(action).not.toHaveProperty("args");
    expect(validates(TOOLS["tasks_macro_close_step"]!.input, action!["args_hint"])).toBe(true);
    given.call("tasks_evidence_capture", { path: "s:0", checks: ["CMD: make docs"], checkpoint: "docs" });
    given.call("tasks_close_step", { path: "s:0", checkpoints: "all" });
    expect(superOf(given).capsule.action).toMatchObject({ tool: "tasks_macro_close_step", args: { task: "TASK-001" } });
  });

  it("[RESUME-10] [VIEW-81] action of a plan is the call that comes next for its tasks; null when nothing is left to do", () => {
    const given = givenTask("a");
    const ofPlan = () => superOf(given, { plan: "PLAN-001" }).capsule;
    expect(ofPlan()).toMatchObject({
      action: { tool: "tasks_claim_next", args: { plan: "PLAN-001" } },
      escalation: { toolset: toolsetOf("tasks_claim_next"), tool: "tasks_claim_next" },
    });
    given.call("tasks_create", { kind: "task", title: "elsewhere" });
    given.call("tasks_create", { parent: "PLAN-001", title: "second" });
    given.call("tasks_edit", { task: "TASK-001", depends_on: ["TASK-002"] });
    expect(ofPlan().action).toMatchObject({ tool: "tasks_decompose", args_hint: { task: "TASK-003" } });
    given.call("tasks_complete", { task: "TASK-003" });
    expect(ofPlan().action).toMatchObject({ tool: "tasks_snapshot", args: { task: "TASK-001" } });
    given.call("tasks_complete", { task: "TASK-001", status: "CANCELED" });
    expect(ofPlan().action).toMatchObject({ tool: "tasks_complete", args: { plan: "PLAN-001" } });
    given.call("tasks_complete", { task: "TASK-003", status: "CANCELED" });
    expect(ofPlan().action).toMatchObject({ tool: "tasks_macro_start", args_hint: { plan: "PLAN-001" } });
    given.call("tasks_complete", { task: "TASK-001", status: "ACTIVE" });
    given.call("tasks_complete", { plan: "PLAN-001", status: "ACTIVE" });
    given.call("tasks_plan", { plan: "PLAN-001", steps: ["one"] });
    expect(superOf(given, { plan: "PLAN-001" }).capsule.action).toMatchObject({
      tool: "tasks_plan",
      args: { plan: "PLAN-001", advance: true },
    });
    given.call("tasks_close_step", { path: "s:0", checkpoints: "gate" });
    given.call("tasks_complete", {});
    expect(superOf(given).capsule).toMatchObject({ action: null, escalation: null });
  });

  it("[RESUME-10] escalation names the set that has the tool, where core has not", () => {
    const given = givenTask("a");
    expect(superOf(given).capsule["escalation"]).toBeNull();
    expect(superOf(givenTask()).capsule["escalation"]).toEqual({ toolset: "daily", tool: "tasks_decompose" });
    given.call("tasks_block", { path: "s:0" });
    expect(superOf(given).capsule["escalation"]).toEqual({ toolset: "full", tool: "tasks_block" });
    given.call("tasks_block", { path: "s:0", blocked: false });
    given.call("tasks_define", { path: "s:0", proof: { tests: "require" } });
    expect(superOf(given).capsule["escalation"]).toBeNull();
  });
});

describe("budgets of the super-resume", () => {
  it("[RESUME-13] the oldest go first, the capsule after every list, the radar core last", () => {
    const given = worked();
    for (let i = 0; i < 20; i++) given.call("tasks_think", { trace: `thought ${i} `.repeat(5), test: `test ${i}` });
    const whole = superOf(given);
    const at = (max_chars: number): Partial<Super> => superOf(given, { max_chars });
    const some = at(6000);
    const left = some.memory!.trace.entries;
    expect(left.length).toBeGreaterThan(0);
    expect(left.length).toBeLessThan(whole.memory.trace.entries.length);
    expect(left.map((l) => l.id)).toEqual(whole.memory.trace.entries.slice(-left.length).map((l) => l.id));
    const small = at(1100);
    expect(Object.keys(small)).toContain("capsule");
    expect(Object.keys(small)).not.toContain("memory");
    expect(Object.keys(at(300))).toEqual(["radar"]);
  });

  it("[RESUME-13] the capsule keeps its handoff, in the end with empty lists, and its counts, until only the cursors of memory are left", () => {
    const given = worked();
    for (let i = 0; i < 20; i++) given.call("tasks_think", { trace: `thought ${i} `.repeat(5), test: `test ${i}` });
    const { capsule: whole } = superOf(given);
    const capsules: Record<string, unknown>[] = [];
    for (let max_chars = 6000; max_chars > 1200; max_chars -= 100) {
      const { capsule, target, steps, signals, memory } = superOf(given, { max_chars }) as Partial<Super>;
      // Its members go together, behind everything but the memory.
      const isLast = [target, steps, signals].every((member) => member === undefined);
      expect([capsule!["counts"], isLast]).toEqual(capsule!["handoff"] ? [whole["counts"], isLast] : [undefined, true]);
      expect([capsule!["handoff"], memory]).not.toEqual([expect.anything(), undefined]);
      capsules.push(capsule!);
    }
    const handoffs = capsules.flatMap((one) => (one["handoff"] ? [one["handoff"]] : []));
    expect(handoffs[0]).toEqual(whole["handoff"]);
    expect(handoffs.at(-1)).toEqual({ done: [], remaining: [], risks: [] });
    expect(new Set(handoffs.map((one) => JSON.stringify(one))).size).toBe(2);
  });

  it("[RESUME-13] what was cut from a page is what its cursor gives next", () => {
    const given = worked();
    for (let i = 0; i < 25; i++) given.call("tasks_think", { trace: `thought ${i} `.repeat(i + 1), test: `test ${i}` });
    const ids = {
      notes: (m: Memory) => m.notes.entries.map((n) => n.event_id),
      trace: (m: Memory) => m.trace.entries.map((l) => l.id),
      cards: (m: Memory) => m.cards.entries.map((c) => c.card_id),
    };
    for (const name of ["notes", "trace", "cards"] as const) {
      const input = { [`${name}_limit`]: 200 };
      const all = ids[name](superOf(given, input).memory);
      const found: string[] = [];
      for (let cursor: string | null | undefined; cursor !== null;) {
        const more = cursor === undefined ? {} : { [`${name}_cursor`]: cursor };
        const { memory } = superOf(given, { ...input, ...more, max_chars: 7000 });
        found.unshift(...ids[name](memory));
        cursor = memory[name].pagination.next_cursor;
      }
      expect(found, name).toEqual(all);
    }
  });

  it("[RESUME-13] whatever was cut, full_chars brings it all back", SWEEP, () => {
    fc.assert(
      fc.property(anyStory, limit, (story, max) => {
        const whole = superResult(story);
        const { budget } = fitBudget(whole, max, RESUME_SUPER_CUTS).result as Partial<Super>;
        fc.pre(budget !== undefined);
        expect(fitBudget(whole, budget?.full_chars, RESUME_SUPER_CUTS).result).toEqual(whole);
      }),
      runsOf(100),
    );
  });
});

describe("pages of memory", () => {
  const many = (): Story => {
    const story = new Story();
    for (let i = 0; i < 23; i++)
      story.do(t.note(`note ${i}`)).do(t.card(i, "frame", `card ${i}`), t.trace(`thought ${i}`));
    return story;
  };

  /** Every entry by following the cursors, and how often everything was asked for. */
  function walk(story: Story, name: "notes" | "trace" | "cards", limit: number): { found: string[]; asked: number } {
    const whole = story.everything();
    let asked = 0;
    const found: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const pages = {
        notes: { cursor: undefined, limit: 1 },
        trace: { cursor: undefined, limit: 1 },
        cards: { cursor: undefined, limit: 1 },
      };
      const memory = memoryOf(story.entity, () => (asked++, whole), { ...pages, [name]: { cursor, limit } });
      const { entries, pagination } = memory[name];
      expect(pagination.count).toBe(entries.length);
      expect(entries.length).toBeLessThanOrEqual(limit);
      found.unshift(...entries.map((e) => ("text" in e && e.text !== "" ? e.text : (e as { title: string }).title)));
      cursor = pagination.next_cursor;
    }
    return { found, asked };
  }

  it.each([
    ["notes", 23],
    ["trace", 46],
    ["cards", 23],
  ] as const)("[REASON-8] following the cursor of %s gives every entry once, oldest first", (name, total) => {
    const whole = walk(many(), name, 200).found;
    expect(whole).toHaveLength(total);
    for (const limit of [1, 3, 10, 20, 23, 46]) expect(walk(many(), name, limit).found).toEqual(whole);
  });

  it("[regression REASON-9] the newest page needs no replay, older ones do", () => {
    const { entity } = many();
    const never = (): never => {
      throw new Error("asked for everything");
    };
    const page = (limit: number, cursor?: string): { cursor: string | undefined; limit: number } => ({ cursor, limit });
    memoryOf(entity, never, { notes: page(10), trace: page(20), cards: page(200) });
    memoryOf(entity, never, { notes: page(4, entity.notes[4]!.id), trace: page(0), cards: page(5, t.cardId(20)) });
    expect(() => memoryOf(entity, never, { notes: page(11), trace: page(1), cards: page(1) })).toThrow("everything");
    expect(walk(many(), "notes", 10).asked).toBe(2);
    expect(walk(many(), "cards", 10).asked).toBe(0);
  });

  it("[REASON-8] a cursor whose entry is not there has expired", () => {
    const given = worked();
    for (const name of ["notes", "trace", "cards"]) {
      const refused = given.refusal("tasks_resume_super", { [`${name}_cursor`]: "CARD-FFFFFFFF" });
      expect(refused).toBeInstanceOf(TaskfoldError);
      expect(refused.code).toBe("CURSOR_EXPIRED");
    }
  });

  it("[REASON-8] a page is not moved by what is written meanwhile", () => {
    const given = worked();
    for (let i = 0; i < 8; i++) given.call("tasks_note", { note: `note ${i}` });
    const first = superOf(given, { notes_limit: 3 }).memory.notes;
    for (let i = 8; i < 15; i++) given.call("tasks_note", { note: `note ${i}` });
    const cursor = first.pagination.next_cursor!;
    const next = superOf(given, { notes_limit: 3, notes_cursor: cursor }).memory.notes;
    expect([...next.entries, ...first.entries].map((n) => n.text)).toEqual([2, 3, 4, 5, 6, 7].map((i) => `note ${i}`));
    expect(next.pagination.cursor).toBe(cursor);
  });
});

describe("results of the family", () => {
  it("[RESUME-1] are the same for the same state", () => {
    const given = worked();
    for (const name of FAMILY) {
      const once = given.call(name, {}).result;
      expect(given.call(name, {}).result).toEqual(once);
      expect(JSON.parse(JSON.stringify(once)) as JsonObject).toEqual(once);
    }
  });
});
