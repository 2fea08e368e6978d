import { describe, expect, it } from "vitest";
import type { Reply } from "../../src/engine/entity/reply.ts";
import { countCodePoints } from "../../src/state/code_points.ts";
import { code, openTemp, call } from "../support/workspace.ts";

const MOST = 4_000;
const gate = { success_criteria: ["every sample parses"], tests: ["npm test"] };
const sizeOf = (reply: Reply): number => countCodePoints(JSON.stringify(reply));

interface Resume {
  timeline: { events: object[]; earlier: number; cursor: string };
  memory: { cards: { entries: object[]; pagination: { next_cursor: string } } };
  degradation: { truncated_fields: string[] };
  budget: { full_chars: number; truncated: string[]; omitted: Record<string, number> };
}

describe("the answer of a macro", () => {
  it("[TOOL-84] fits 4,000 characters, however much there is to tell, and says what was cut", async () => {
    const ws = openTemp({ durability: "os" });
    const steps = Array.from({ length: 20 }, (_, i) => ({ title: `Step ${i}: ${"x".repeat(100)}`, ...gate }));
    const started = await call(ws, "tasks_macro_start", { task_title: "Parse", description: "y".repeat(3000), steps });
    const { resume } = started.result!;
    expect(sizeOf(started)).toBeLessThanOrEqual(MOST);
    expect(started.result).toMatchObject({ task_id: "TASK-001", steps: { length: 20 } });
    expect(resume).toMatchObject({ radar: {}, budget: {} });
    for (let n = 0; n < 3; n++) {
      const note = `${n} ${"z".repeat(3000 * n)}`;
      const closed = await call(ws, "tasks_macro_close_step", { task: "TASK-001", note, proof: ["npm test"] });
      expect(closed.error).toBeNull();
      expect(sizeOf(closed)).toBeLessThanOrEqual(MOST);
      expect(closed.warnings.map((warning) => warning.code)).toContain("BUDGET_TRUNCATED");
      const note_event = { type: "step_noted", note: expect.stringMatching(new RegExp(`^${n} z{0,198}…?$`)) as string };
      expect(closed.result).toMatchObject({ task: "TASK-001", step: { path: `s:${n}`, done: true }, note_event });
    }
    const finished = await call(ws, "tasks_macro_finish", { task: "TASK-001", status: "CANCELED" });
    expect(finished.error).toBeNull();
    expect(sizeOf(finished)).toBeLessThanOrEqual(MOST);
    const whole = { task_title: "Done", description: "w".repeat(5000), steps: [{ title: "All of it", ...gate }] };
    const done = await call(ws, "tasks_macro_create_done", whole);
    expect(done.error).toBeNull();
    expect(sizeOf(done)).toBeLessThanOrEqual(MOST);
  });

  it("[TOOL-84] [RESUME-13] [RESUME-7] says that it was cut and what gives more; what was cut is there, empty, with its cursor", async () => {
    const ws = openTemp({ durability: "os" });
    const input = { task_title: "Parse", description: "Old files. ".repeat(40), template: "principal-task" };
    const started = await call(ws, "tasks_macro_start", input);
    const closed = await call(ws, "tasks_macro_close_step", {
      note: "it works",
      proof: ["npm test", "https://ci.example/1"],
    });
    const later: number[] = [];
    for (const reply of [started, closed]) {
      expect(sizeOf(reply)).toBeLessThanOrEqual(MOST);
      const { resume } = reply.result as unknown as { resume: Resume };
      const warning = reply.warnings.find(({ code: name }) => name === "BUDGET_TRUNCATED")!;
      expect(warning.recovery).toBe(
        `tasks_resume_super with max_chars ${resume.budget.full_chars} gives all; resume_max_chars gives a macro more room.`,
      );
      expect(resume.degradation.truncated_fields).toEqual(resume.budget.truncated);
      expect(resume.timeline).toMatchObject({ events: [], earlier: resume.budget.omitted["timeline.events"] });
      expect(resume.memory.cards).toMatchObject({ entries: [], pagination: { next_cursor: "newest", total: 1 } });
      expect(resume).toMatchObject({ radar: {}, capsule: { action: {} } });
      // Its cursors bring what was cut.
      const { timeline, memory } = resume;
      const asked = { task: "TASK-001", cards_cursor: memory.cards.pagination.next_cursor, max_chars: 20_000 };
      const { result: whole } = await call(ws, "tasks_resume_super", asked);
      expect((whole as unknown as Resume).memory.cards.entries).toMatchObject([{ stage: "frame", title: "Parse" }]);
      const { result: more } = await call(ws, "tasks_delta", { task: "TASK-001", since: timeline.cursor });
      later.push((more!["events"] as object[]).length);
    }
    expect(later).toEqual([4, 0]);
    // Where the room is shorter still, these two go before the cursors of the memory.
    expect(started.result!["resume"]).toMatchObject({ capsule: { handoff: {}, counts: { steps: 5 } } });
    // The frame that the template has an agent begin with is named where it was made.
    expect(started.result).toMatchObject({ think_pipeline: { cards: [{ stage: "frame", title: "Parse" }] } });
    const again = await call(ws, "tasks_macro_start", { ...input, resume_max_chars: 20_000 });
    expect(again.warnings).toEqual([]);
    expect(again.result!["resume"]).toMatchObject({ memory: { cards: { entries: [{ stage: "frame" }] } } });
  });

  async function refused(command: string, input: object = {}) {
    const ws = openTemp({ durability: "os" });
    const steps = [{ title: "Write", ...gate, proof: { tests: "require" as const, perf: "require" as const } }];
    expect((await call(ws, "tasks_create", { kind: "task", title: "Parse", steps })).error).toBeNull();
    const items = Array.from({ length: 20 }, (_, i) => ({
      kind: "run",
      command: `${command} --part ${i}`,
      exit_code: 1,
      stdout: "boom",
    }));
    const proof = { items, checkpoint: ["tests" as const, "perf" as const] };
    expect((await call(ws, "tasks_evidence_capture", { task: "TASK-001", path: "s:0", ...proof })).error).toBeNull();
    const checkpoints = { criteria: true, tests: true, perf: true };
    return { ws, reply: await call(ws, "tasks_macro_close_step", { task: "TASK-001", checkpoints, ...input }) };
  }

  it.each(["npm test", `npm run check-${"x".repeat(900)}`, `echo ${"é".repeat(5_000)}`])(
    "[TOOL-84] a refused macro fits 4,000 characters too, says what was cut, and still offers a call that works",
    async (command) => {
      const { ws, reply } = await refused(command);
      expect(reply.error?.code).toBe("PROOF_FAILED");
      expect(sizeOf(reply)).toBeLessThanOrEqual(MOST);
      expect(reply.warnings.map((warning) => warning.code)).toEqual(["BUDGET_TRUNCATED"]);
      const [offered] = reply.suggestions;
      const args = JSON.parse(JSON.stringify(offered!.args).replaceAll(/<fill:[^>]*>/g, "so")) as never;
      const { error } = await ws.callTool(offered!.tool as string, args);
      expect(["PROOF_FAILED", undefined]).toContain(error?.code);
    },
  );

  it("[TOOL-84] a refused macro counts the rows that it left out, and leaves none out with a budget", async () => {
    const { reply } = await refused("npm test");
    const { failed, left_out } = reply.error!.details as { failed: object[]; left_out: { failed: number } };
    expect(failed.length).toBeGreaterThan(0);
    expect(failed.length + left_out.failed).toBe(40);
    const { reply: whole } = await refused("npm test", { resume_max_chars: 4_000 });
    expect((whole.error!.details as { failed: object[] }).failed).toHaveLength(40);
    expect(whole.warnings).toEqual([]);
  });

  it("[TOOL-84] is whole where it fits, and where the call gives a budget", async () => {
    const ws = openTemp({ durability: "os" });
    const small = await call(ws, "tasks_macro_start", { task_title: "Parse", steps: [{ title: "Write", ...gate }] });
    expect([small.error, sizeOf(small) <= MOST]).toEqual([null, true]);
    const note = "z".repeat(3000);
    const given = { task: "TASK-001", note, resume_max_chars: 100_000 };
    const large = await call(ws, "tasks_macro_close_step", given);
    expect(large.warnings.map((warning) => warning.code)).not.toContain("BUDGET_TRUNCATED");
    expect(large.result).toMatchObject({ note_event: { note }, resume: { timeline: {}, memory: {}, capsule: {} } });
    expect(await code(ws, "tasks_macro_finish", { task: "TASK-001" })).toBeUndefined();
  });
});
