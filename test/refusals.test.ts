/** Every call that any refusal or answer offers is made, and works; `npm run refusals` makes many. */
import fc from "fast-check";
import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Reply } from "../src/engine/entity/reply.ts";
import type { Suggestion } from "../src/errors.ts";
import { anyCommands, begun } from "./model/commands.ts";
import type { Input } from "./model/input.ts";
import { Real } from "./model/real.ts";
import { failing } from "./support/offered.ts";
import { inTempFolder } from "./support/temp.ts";
import { runsOf, SWEEP } from "./support/sweep.ts";

const { numRuns, seed } = runsOf(8, 1);

const report = {
  refusals: 0,
  answers: 0,
  suggestions: 0,
  failed: 0,
  codes: {} as Record<string, number>,
  failures: [] as string[],
};

/** Makes what each reply offers, on a copy. */
class Offering extends Real {
  readonly #seen = new Set<string>();

  override async call(tool: string, input: Input, by: string): Promise<Reply> {
    const reply = await super.call(tool, input, by);
    const code = reply.error?.code ?? "ok";
    report[reply.error === null ? "answers" : "refusals"]++;
    if (reply.error !== null) report.codes[code] = (report.codes[code] ?? 0) + 1;
    // The same offer on the same state was made before.
    const state = `${this.logBytes()} ${this.now} ${by}`;
    const fresh = reply.suggestions.filter((one) => this.#isNew(`${state} ${JSON.stringify(one)}`));
    report.suggestions += fresh.length;
    await this.#offer(`${by}: ${tool} ${JSON.stringify(input)} -> ${code}`, by, fresh);
    return reply;
  }

  #isNew(offer: string): boolean {
    const before = this.#seen.size;
    return this.#seen.add(offer).size > before;
  }

  async #offer(story: string, by: string, offered: readonly Suggestion[]): Promise<void> {
    for (const { suggestion, error } of await failing(this.root, () => this.now, by, offered)) {
      report.failed++;
      report.failures.push(
        `${story}\n  offered ${JSON.stringify(suggestion)}\n  refused ${error!.code}: ${error!.message}`,
      );
    }
  }
}

/** Refusals that random calls seldom or never come to. */
const FAR: readonly [string, Input & Record<string, unknown>][] = [
  ["tasks_radar", { target: "TASK-1" }],
  ["tasks_radar", { target: "task-001" }],
  ["tasks_radar", { target: "1" }],
  ["tasks_radar", { target: "TAKS-001" }],
  ["tasks_create", { title: "t", kind: "task", depends_on: ["TASK-9"] }],
  ["tasks_done", { task: "TASK-001", path: "s:9" }],
  ["tasks_done", { task: "TASK-001", path: "first" }],
  ["tasks_done", { task: "TASK-001" }],
  ["tasks_done", { task: "PLAN-001", path: "s:0" }],
  ["tasks_decompose", { task: "PLAN-001", steps: [{ title: "x", success_criteria: [] }] }],
  ["tasks_macro_close_step", { task: "PLAN-001" }],
  ["tasks_close_step", { task: "TASK-001", path: "s:0", checkpoints: {} }],
  ["tasks_close_step", { task: "TASK-001", path: "s:0", checkpoints: { docs: true } }],
  ["tasks_close_step", { task: "TASK-001", path: "s:2", checkpoints: "gate" }],
  ["tasks_close_step", { task: "TASK-001", path: "s:3", checkpoints: "gate" }],
  ["tasks_macro_close_step", { task: "TASK-001", path: "s:3" }],
  ["tasks_progress", { task: "TASK-001", path: "s:3", force: true, reason: "r" }],
  ["tasks_progress", { task: "TASK-001", path: "s:2", reason: "r" }],
  ["tasks_done", { task: "TASK-001", path: "s:4" }],
  ["tasks_claim", { task: "TASK-001", path: "s:4" }],
  ["tasks_claim", { task: "TASK-001", path: "s:0", fence: 99 }],
  ["tasks_define", { task: "TASK-001", path: "s:0" }],
  ["tasks_define", { task: "TASK-001", path: "s:0", depends_on: ["s:2"] }],
  ["tasks_patch", { task: "TASK-001", ops: [{ op: "unset", field: "title" }] }],
  ["tasks_evidence_capture", { task: "TASK-001", checks: ["CMD: <fill: x>"] }],
  ["tasks_evidence_verify", { task: "TASK-001", evidence: ["none"] }],
  ["tasks_complete", { task: "TASK-001" }],
  ["tasks_history", { before: "none" }],
  ["tasks_radar", { target: "TASK-001", at: 99 }],
  ["tasks_edit", { task: "TASK-001", contract: "c" }],
  ["tasks_plan", { plan: "PLAN-001", advance: true }],
  ["tasks_contract", { plan: "PLAN-001" }],
  ["tasks_scaffold", { kind: "task", template: "basic", title: "t" }],
  ["tasks_create", { kind: "plan", title: "t", steps: [{ title: "x", success_criteria: [] }] }],
  ["tasks_task_define", { task: "TASK-001", path: "s:0.t:7", title: "x" }],
  ["tasks_undo", { task: "TASK-001" }],
  ["tasks_redo", { task: "TASK-001" }],
  ["tasks_claim_next", { task: "TASK-002" }],
];

async function prepared(real: Real): Promise<void> {
  const on = { workspace: "acme/repo" };
  const step = (title: string, more: object = {}) => ({ title, success_criteria: ["it works"], tests: ["t"], ...more });
  const steps = [
    step("a"),
    step("b"),
    step("c", { depends_on: ["s:0"] }),
    step("d", { proof: { tests: "require", docs: "require" } }),
    step("e"),
  ];
  const ok = async (tool: string, input: object, by = "human:ada"): Promise<void> => {
    expect((await real.ws.callTool(tool as string, { ...on, ...input }, { by })).error).toBeNull();
  };
  await ok("tasks_create", { title: "Plan" });
  await ok("tasks_create", { parent: "PLAN-001", title: "Task", steps });
  await ok("tasks_create", { parent: "PLAN-001", title: "Empty" });
  await ok("tasks_evidence_capture", {
    task: "TASK-001",
    path: "s:3",
    items: [{ kind: "run", command: "npm test", exit_code: 1 }],
    checkpoint: "tests",
  });
  await ok("tasks_claim", { task: "TASK-001", path: "s:4" }, "agent:ben");
}

describe("what replies offer", () => {
  it("[TOOL-9] calls that refusals of every kind offer work", async () => {
    await inTempFolder(async (folder) => {
      const real = new Offering(folder);
      await prepared(real);
      for (const [tool, input] of FAR)
        expect((await real.call(tool, { workspace: "acme/repo", ...input }, "human:ada")).error, tool).not.toBeNull();
      await real.ws.close();
    });
    expect(report.failures.slice(0, 5).join("\n")).toBe("");
  });

  it("[TOOL-9] every call that any refusal or answer offers works when it is made", SWEEP, async () => {
    const property = fc.asyncProperty(anyCommands, (commands) =>
      inTempFolder(async (folder) => {
        const real = new Offering(folder);
        try {
          await fc.asyncModelRun(() => begun(real), commands);
        } finally {
          await real.ws.close();
        }
      }),
    );
    await fc.assert(property, { numRuns, seed, endOnFailure: true });
    const path = process.env["REFUSALS_REPORT"];
    if (path !== undefined) writeFileSync(path, JSON.stringify(report));
    expect(report.failures.slice(0, 5).join("\n")).toBe("");
    expect(report.suggestions).toBeGreaterThan(numRuns);
  });
});
