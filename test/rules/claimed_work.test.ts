import { describe, expect, it } from "vitest";
import type { ToolName } from "../../src/tools/generated/tool_types.ts";
import { givenTask } from "../support/given.ts";
import type { Given } from "../support/given.ts";
import { toSecond } from "../../src/to_second.ts";

function given(): Given {
  const made = givenTask(
    {
      title: "a",
      success_criteria: ["it parses"],
      tests: ["npm test"],
      proof: { tests: "require" },
    },
    { title: "b", depends_on: ["s:0"] },
    "c",
    "d",
  );
  made.call("tasks_edit", { description: "Old files have to be read." });
  for (const [path, note] of [
    ["s:1", "about b"],
    ["s:0", "about a"],
  ])
    made.call("tasks_note", { path: path!, note: note! });
  made.call("tasks_note", { note: "about all" });
  return made;
}

describe("a claim hands over the work", () => {
  it("[LEASE-8] with criteria, tests, proof, notes, and calls that work", () => {
    const task = given();
    const told = task.call("tasks_claim_next", {});
    expect(told.result).toMatchObject({
      step: { path: "s:0" },
      work: {
        task_title: "Write the parser",
        why: "Old files have to be read.",
        success_criteria: ["it parses"],
        tests: ["npm test"],
        proof: { tests: "require" },
        notes: [
          { path: "s:0", text: "about a" },
          { path: null, text: "about all" },
        ],
      },
    });
    const { fence } = told.result["lease"] as { fence: number };
    const [close, release] = told.suggestions!;
    expect(close).toMatchObject({ tool: "tasks_macro_close_step", args: { fence, proof: { checkpoint: ["tests"] } } });
    task.call(release!.tool as ToolName, release!.args as never);
    expect(task.step("s:0").lease).toBeNull();
  });

  it("[LEASE-8] [BUDGET-1] fits max_chars, and keeps the number of the claim to the last", () => {
    for (let most = 256; most < 1800; most += 97) {
      const { result } = given().call("tasks_claim_next", { max_chars: most });
      expect(JSON.stringify(result).length).toBeLessThanOrEqual(most);
      expect(result["lease"]).toMatchObject({ fence: expect.any(Number) });
    }
  });

  it("[LEASE-32] none ready says how the steps stand, and when the first claim ends", () => {
    const task = given();
    task.call("tasks_block", { path: "s:2" });
    const first = task.call("tasks_claim_next", {}).result["lease"] as { expires_at: string };
    task.call("tasks_close_step", { path: "s:3", checkpoints: "gate" });
    const { code, details, message } = task.refusal("tasks_claim_next", {});
    expect(code).toBe("NOTHING_READY");
    expect(details).toEqual({
      open: 3,
      claimed: 1,
      waiting: 1,
      blocked: 1,
      done: 1,
      earliest_end: first.expires_at,
      without_steps: 0,
      retry_after_ms: 660_000,
    });
    expect(message).toContain(`the first claim ends at ${toSecond(first.expires_at)}`);
  });
});

describe("a claim of a whole task", () => {
  it("[LEASE-8] answers with the step to begin with, and keeps every step of the task, also later ones", () => {
    const task = given();
    const told = task.call("tasks_claim_next", { whole: true });
    expect(told.events).toMatchObject([{ type: "lease_claimed", step_id: null }]);
    const { fence } = task.entity().lease!;
    expect(told.result).toMatchObject({ step: { path: "s:0" }, lease: { fence }, work: { tests: ["npm test"] } });
    expect(told.suggestions![0]).toMatchObject({ args: { step_id: task.step("s:0").id, fence } });
    task.call("tasks_decompose", { steps: [{ title: "later", success_criteria: [] }], fence });
    task.by = "agent:ben";
    expect(task.refusal("tasks_claim_next", {})).toMatchObject({
      code: "NOTHING_READY",
      details: { open: 5, claimed: 5 },
    });
    expect(task.refusal("tasks_close_step", { path: "s:4", checkpoints: "gate" }).code).toBe("LEASE_HELD");
    task.by = "human:ada";
    const [, release] = told.suggestions!;
    task.call(release!.tool as ToolName, release!.args as never);
    expect(task.entity().lease).toBeNull();
  });

  it("[LEASE-8] closes steps by the number of the claim on the whole", () => {
    const task = given();
    task.call("tasks_claim_next", { whole: true });
    const { fence } = task.entity().lease!;
    const { result } = task.call("tasks_close_step", { path: "s:2", checkpoints: "gate", fence });
    expect(result).toMatchObject({ steps: { open: 3, ready: 2 } });
    expect(task.entity().lease).toMatchObject({ fence });
  });

  it("[LEASE-8] passes over a task in which a step is claimed, until that ends", () => {
    const task = given();
    task.by = "agent:ben";
    task.call("tasks_claim", { path: "s:3", ttl_s: 600 });
    task.by = "human:ada";
    expect(task.refusal("tasks_claim_next", { whole: true })).toMatchObject({
      code: "NOTHING_READY",
      details: { claimed: 1, retry_after_ms: expect.any(Number) },
    });
    task.later(10);
    task.call("tasks_claim_next", { whole: true });
    expect(task.entity().lease).toMatchObject({ by: "human:ada" });
  });
});
