// @module-tag rotating
import { BRIEF, MANIFEST } from "../packet/packet_support.ts";
import { expect, it, describe } from "vitest";
import { TOOLS } from "../../src/tools/index.ts";
import { tempFolder } from "../support/temp.ts";
import { callTool, connect } from "./mcp_support.ts";

const WORKSPACE = "acme/repo";
const gate = { success_criteria: ["it works"], tests: ["npm test"] };
const steps = ["One", "Two", "Three"].map((title) => ({ title, ...gate }));

/** A day's work in which tools are called and succeed; a text stands for what an earlier answer gave. */
const DAY: [string, object][] = [
  ["tasks_storage", {}],
  ["tasks_templates_list", {}],
  ["tasks_create", { title: "Version 2", kind: "plan", description: "All of it", contract: "It parses." }],
  ["tasks_scaffold", { template: "principal-plan", kind: "plan", title: "Later" }],
  ["tasks_plan", { plan: "PLAN-001", steps: ["a", "b"], advance: true }],
  ["tasks_contract", { plan: "PLAN-001", current: "It parses all.", contract_data: { samples: 4 } }],
  ["tasks_create", { parent: "PLAN-001", title: "Parser", steps }],
  ["tasks_focus_set", { task: "TASK-001" }],
  ["tasks_focus_get", {}],
  ["tasks_edit", { description: "Every sample", new_domain: "core", priority: "HIGH", tags: ["x"] }],
  ["tasks_decompose", { parent: "s:0", steps: [{ title: "Inner", ...gate }] }],
  ["tasks_define", { path: "s:0.s:0", tests: ["make check"], proof: { tests: "warn" } }],
  ["tasks_think", { hypothesis: "It is the cache.", decision: "Key by inode.", trace: "Looked." }],
  ["tasks_note", { path: "s:0", note: "Began." }],
  ["tasks_claim", { path: "s:0.s:0" }],
  ["tasks_release", { path: "s:0.s:0" }],
  ["tasks_claim_next", { task: "TASK-001" }],
  ["tasks_task_add", { parent_step: "s:0", title: "Samples", next_steps: ["ask"], risks: ["late"] }],
  ["tasks_task_define", { path: "s:0.t:0", status: "ACTIVE", context: "c" }],
  ["tasks_patch", { kind: "task", path: "s:0.t:0", ops: [{ op: "append", field: "problems", value: "slow" }] }],
  ["tasks_patch", { kind: "task_detail", ops: [{ op: "set", field: "phase", value: "two" }] }],
  ["tasks_patch", { kind: "step", path: "s:1", ops: [{ op: "append", field: "blockers", value: "a key" }] }],
  ["tasks_undo", {}],
  ["tasks_redo", {}],
  ["tasks_history", { limit: 5 }],
  ["tasks_block", { path: "s:1", reason: "waits" }],
  ["tasks_radar", {}],
  ["tasks_radar", { at: 3, max_chars: 300 }],
  ["tasks_lint", {}],
  ["tasks_search", { text: "parser", limit: 5 }],
  ["tasks_mirror", {}],
  ["tasks_mirror", { plan: "PLAN-001" }],
  ["tasks_block", { path: "s:1", blocked: false }],
  [
    "tasks_evidence_capture",
    { path: "s:0.s:0", checks: ["CMD: make", "LINK: https://x.example"], checkpoint: "tests" },
  ],
  ["tasks_evidence_verify", {}],
  ["tasks_verify", { path: "s:0.s:0", checkpoints: "gate" }],
  ["tasks_done", { path: "s:0.s:0" }],
  ["tasks_close_step", { path: "s:0", checkpoints: "all" }],
  ["tasks_progress", { path: "s:0", completed: false }],
  ["tasks_progress", { path: "s:0", completed: true }],
  ["tasks_task_delete", { path: "s:0.t:0" }],
  ["tasks_context", { max_chars: 700 }],
  ["tasks_context_pack", {}],
  ["tasks_resume", {}],
  ["tasks_resume_pack", { max_chars: 1500 }],
  ["tasks_resume_super", { graph_diff: true }],
  ["tasks_resume_super", { task: "TASK-001", max_chars: 2000, read_only: false }],
  ["tasks_snapshot", { plan: "PLAN-001" }],
  ["tasks_handoff", {}],
  ["tasks_delta", { limit: 10, max_chars: 900 }],
  ["tasks_report", { summary: "Well." }],
  ["change_mind", { selector: "progress", content: "- [x] grammar\n" }],
  ["change_mind", { category: "ux", selector: "list", content: "text" }],
  ["recall_taskdoc", { category: "ux", selector: "list" }],
  [
    "tasks_batch",
    {
      operations: [
        { tool: "tasks_note", args: { note: "n" } },
        { tool: "tasks_radar", args: {} },
      ],
    },
  ],
  [
    "tasks_batch",
    {
      atomic: true,
      compact: true,
      operations: [{ tool: "tasks_block", args: { task: "TASK-001", path: "s:2", blocked: false } }],
    },
  ],
  ["tasks_macro_start", { task_title: "Second", template: "principal-task", description: "d" }],
  ["tasks_macro_close_step", { note: "Done.", proof: ["npm test"] }],
  ["tasks_macro_create_done", { plan: "PLAN-001", task_title: "Small", steps: [{ title: "It", ...gate }] }],
  [
    "tasks_bootstrap",
    { plan_title: "Third", plan_template: "basic-plan", task_title: "T", steps, think: { frame: "f" } },
  ],
  ["tasks_close_step", { task: "TASK-001", path: "s:1", checkpoints: "gate" }],
  ["tasks_close_task", { task: "TASK-001", patches: [{ ops: [{ op: "set", field: "title", value: "P" }] }] }],
  ["tasks_close_step", { task: "TASK-001", path: "s:2", checkpoints: { criteria: true, tests: { confirmed: true } } }],
  ["tasks_close_task", { task: "TASK-001", apply: true }],
  ["tasks_complete", { task: "TASK-001", status: "ACTIVE" }],
  ["tasks_macro_finish", { task: "TASK-001" }],
  ["tasks_macro_close_step", { task: "TASK-001" }],
  ["tasks_archive", { plan: "PLAN-001", dry_run: true }],
  ["tasks_archive", { task: "TASK-001" }],
  ["tasks_context", { archived: true }],
  ["tasks_status", {}],
  ["tasks_radar", { task: "TASK-001" }],
  ["tasks_restore", { task: "TASK-001" }],
  ["tasks_delete", { task: "TASK-002", path: "s:4" }],
  ["tasks_delete", { plan: "PLAN-003" }],
  ["tasks_focus_clear", {}],
  ["tasks_create", { kind: "task", id: "packet", title: "With a packet" }],
  ["packet_define", { task: "packet", manifest: MANIFEST }],
  ["packet_patch", { task: "packet", manifest: { goal: "Read it once" } }],
  ["packet_input_set", { task: "packet", path: "user_request.md", text: "Read it once.\n" }],
  ["packet_plan", { task: "packet" }],
  ["packet_next", { task: "packet" }],
  ["packet_stage_start", { task: "packet", stage: "gemini_brief" }],
  ["packet_stage_interrupt", { task: "packet", stage: "gemini_brief", reason: "killed" }],
  ["packet_stage_start", { task: "packet", stage: "gemini_brief" }],
  ["packet_stage_finish", { task: "packet", stage: "gemini_brief", exit_code: 0, out: BRIEF }],
  ["packet_stage_reopen", { task: "packet", stage: "gemini_brief", reason: "the request changed" }],
  ["packet_budget_reset", { task: "packet", kind: "paid_call_budget", reason: "allowed" }],
  ["packet_show", { task: "packet" }],
  ["packet_archive", { task: "packet" }],
  ["packet_restore", { task: "packet" }],
  ["packet_review", { context_pack: "## 0. Goal\n\nRead it once.\n", impl_report: "Done.\n", allow: ["src/"] }],
];

/** A call of each tool that the day leaves out: its first example, on a task that has what examples name. */
const REST: [string, object][] = Object.values(TOOLS)
  .filter(({ name }) => !DAY.some(([called]) => called === name))
  .map(({ name, examples }) => [name, examples[0] as object]);

describe("a client that works with the whole toolset", () => {
  it.each(["2025", "2026"] as const)(
    "[MCP-4] [MCP-5] %s: every tool answers what its listed schema says",
    async (era) => {
      const root = tempFolder();
      const client = await connect(root, { args: ["--toolset", "full"], era });
      const { tools } = await client.listTools();
      expect(tools.map((tool) => tool.name)).toEqual(Object.keys(TOOLS));
      const called = new Set<string>();
      const fresh: [string, object] = ["tasks_create", { kind: "task", id: "TASK-900", title: "Of examples", steps }];
      const rest = REST.map(([tool, input]): [string, object] => [tool, { ...input, task: "TASK-900" }]);
      let run: object = {};
      for (const [tool, input] of [...DAY, fresh, ...rest]) {
        // The client refuses an answer that does not fit the schema it was told.
        const which = tool === "packet_stage_finish" ? run : {};
        const reply = await callTool(client, tool, { workspace: WORKSPACE, ...input, ...which });
        if (tool === "packet_stage_start") run = { run: reply.result!["run"] };
        expect([tool, input, reply.error]).toEqual([tool, input, null]);
        called.add(tool);
      }
      expect([...called].toSorted()).toEqual(Object.keys(TOOLS).toSorted());
      for (const name of called) {
        const reply = await callTool(client, name, { workspace: WORKSPACE, colour: "red" });
        expect(`${name} ${reply.error?.code}`).toMatch(/ (?:INVALID_INPUT|TASKDOC_SELECTOR_REQUIRED)$/);
      }
    },
  );
});
