import { describe, expect, it } from "vitest";
import type { Suggestion } from "../../src/errors.ts";
import type { ToolName } from "../../src/tools/generated/tool_types.ts";
import type { Given } from "../support/given.ts";
import { givenTask } from "../support/given.ts";

const [ADA, BOB] = ["agent:ada", "agent:bob"] as const;

function claim(given: Given, by: string, more: object): number {
  given.by = by;
  return (given.call("tasks_claim", more as never).result["lease"] as { fence: number }).fence;
}

/** Makes the one call that was offered, as the caller that was refused. */
function follow(given: Given, suggestions: Suggestion[]): string {
  const { tool, args } = suggestions[0]!;
  given.call(tool as ToolName, args as never);
  return tool;
}

describe("[TOOL-9] what is offered beside a refusal about a claim works", () => {
  it("where something else is free, and where nothing is", () => {
    const given = givenTask("a", "b");
    claim(given, ADA, { path: "s:0" });
    given.by = BOB;
    expect(follow(given, given.refusal("tasks_claim", { path: "s:0" }).suggestions)).toBe("tasks_claim_next");
    expect(follow(given, given.refusal("tasks_claim", { path: "s:0" }).suggestions)).toBe("tasks_radar");
  });

  it("where the task waits for another one, whose steps are not handed out", () => {
    const given = givenTask("a", "b");
    given.call("tasks_create", { parent: "PLAN-001", title: "Before" });
    given.call("tasks_edit", { task: "TASK-001", depends_on: ["TASK-002"] });
    claim(given, ADA, { task: "TASK-001", path: "s:0" });
    given.by = BOB;
    const { suggestions } = given.refusal("tasks_claim", { task: "TASK-001", path: "s:0" });
    expect(follow(given, suggestions)).toBe("tasks_radar");
  });

  it("where a claim of another caller is to end, and the call has no reason", () => {
    const given = givenTask("a");
    for (const place of [{ path: "s:0" }, {}]) {
      claim(given, ADA, place);
      given.by = BOB;
      const { suggestions } = given.refusal("tasks_release", { ...place, force: true });
      expect(follow(given, suggestions)).toBe("tasks_release");
      expect([given.step("s:0").lease, given.entity().lease]).toEqual([null, null]);
    }
  });

  it("where the task was ended and a claim was not", () => {
    const given = givenTask("a", "b");
    claim(given, ADA, { path: "s:0" });
    given.call("tasks_complete", { status: "CANCELED", reason: "dropped" });
    given.by = BOB;
    expect(follow(given, given.refusal("tasks_release", { path: "s:0" }).suggestions)).toBe("tasks_radar");
  });

  it("where a claim is over: it is free, one's own by another number, somebody else's, or closed", () => {
    const given = givenTask("a");
    const first = claim(given, ADA, { path: "s:0" });
    const late = () => given.refusal("tasks_note", { path: "s:0", note: "n", fence: first }).suggestions;
    given.later(16);
    expect(follow(given, late())).toBe("tasks_claim");
    const [renewal] = late();
    expect(renewal).toMatchObject({ tool: "tasks_claim", args: { fence: expect.any(Number) } });
    expect(follow(given, late())).toBe("tasks_claim");
    given.later(16);
    claim(given, BOB, { path: "s:0" });
    given.by = ADA;
    expect(follow(given, late())).toBe("tasks_radar");
    given.later(16);
    given.call("tasks_close_step", { path: "s:0", checkpoints: "gate" });
    expect(follow(given, late())).toBe("tasks_radar");
  });
});
