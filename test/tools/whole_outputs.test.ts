import { describe, expect, it } from "vitest";
import { TOOLS } from "../../src/tools/index.ts";
import { wholeOutput } from "../../src/tools/output.ts";
import { ok, openTemp } from "../support/workspace.ts";
import { ROTATING } from "../support/sweep.ts";

const LONG = "y".repeat(30_000);
const TASK = { task: "TASK-001" };
/** A call of each reading tool whose answer may be cut; the packet's tools have no text of such a length. */
const CALLS = {
  recall_taskdoc: { ...TASK, category: "ux", selector: "list" },
  tasks_claim_next: TASK,
  tasks_context: {},
  tasks_context_pack: TASK,
  tasks_delta: {},
  tasks_evidence_verify: TASK,
  tasks_handoff: TASK,
  tasks_history: TASK,
  tasks_lint: TASK,
  tasks_mirror: TASK,
  tasks_radar: TASK,
  tasks_resume: TASK,
  tasks_resume_pack: TASK,
  tasks_resume_super: TASK,
  tasks_search: { text: "y" },
  tasks_snapshot: TASK,
  tasks_status: {},
} as const;

describe("answers without a budget of the call's own", () => {
  it(
    "[TOOL-80] has each member that is required, however long the texts of a plan and a task are",
    ROTATING,
    async () => {
      const ws = openTemp();
      await ok(ws, "tasks_create", { title: "p".repeat(200), description: LONG, contract: LONG, id: "PLAN-001" });
      for (let n = 2; n < 60; n++)
        await ok(ws, "tasks_create", { parent: "PLAN-001", id: `TASK-0${n}`, title: `${n}${"t".repeat(190)}` });
      const criteria = Array.from({ length: 8 }, () => LONG);
      const steps = Array.from({ length: 3 }, (_, n) => ({
        title: `${n}${"s".repeat(190)}`,
        success_criteria: criteria,
      }));
      await ok(ws, "tasks_create", { parent: "PLAN-001", id: "TASK-001", title: "t", description: LONG });
      for (const step of steps) await ok(ws, "tasks_decompose", { ...TASK, steps: [step] });
      await ok(ws, "tasks_define", { ...TASK, path: "s:0", tests: criteria, blockers: criteria });
      for (let n = 0; n < 12; n++) await ok(ws, "tasks_note", { ...TASK, path: "s:0", note: LONG });
      await ok(ws, "change_mind", { ...TASK, category: "ux", selector: "list", content: LONG.repeat(6) });
      await ok(ws, "tasks_evidence_capture", { ...TASK, path: "s:0", items: [{ kind: "note", content: LONG }] });
      await ok(ws, "tasks_edit", { ...TASK, context: LONG });
      const cuttable = Object.values(TOOLS).filter(({ output }) => wholeOutput(output as never) !== undefined);
      expect(cuttable.map(({ name }) => name).filter((name) => !name.startsWith("packet_"))).toEqual(
        Object.keys(CALLS),
      );
      // The workspace of tests holds each reply to the schema of its form.
      let cut = 0;
      for (const [name, input] of Object.entries(CALLS)) {
        const result = await ok(ws, name as "tasks_radar", input as typeof TASK);
        if (result["budget"] !== undefined) cut++;
        if (name !== "tasks_claim_next" && "task" in input && name !== "recall_taskdoc")
          await ok(ws, name as "tasks_radar", { plan: "PLAN-001" });
      }
      expect(cut).toBeGreaterThan(4);
    },
  );
});
