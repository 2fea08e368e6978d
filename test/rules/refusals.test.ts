import { describe, expect, it } from "vitest";
import type { TaskfoldError } from "../../src/errors.ts";
import { TOOLS } from "../../src/tools/index.ts";
import type { Given } from "../support/given.ts";
import { givenTask, validates } from "../support/given.ts";

const BODY = { title: "below", success_criteria: ["c"] };

/** `s:0` is open, `s:1` waits for it, `s:2` needs proof of its tests. */
function someTask(): Given {
  return givenTask("first", { title: "second", depends_on: ["s:0"] }, { title: "third", proof: { tests: "require" } });
}

const close = (given: Given, path: string) => given.call("tasks_close_step", { path, checkpoints: "gate" });
const runs = (given: Given, command: string, exit_code: number, cwd?: string) =>
  given.call("tasks_evidence_capture", {
    path: "s:2",
    items: [{ kind: "run", command, exit_code, ...(cwd === undefined ? {} : { cwd }) }],
    checkpoint: "tests",
  });
const byBen = (given: Given, path: string) => {
  given.by = "agent:ben";
  given.call("tasks_claim", { path });
  given.by = "human:ada";
};
const proofAsked = (given: Given) =>
  given.call("tasks_evidence_capture", { path: "s:0", checks: ["CMD: make docs"], checkpoint: "docs" });

const CASES: Record<string, (given: Given) => TaskfoldError> = {
  "close a step by a checkpoint that is not of the gate": (given) =>
    given.refusal("tasks_close_step", { path: "s:0", checkpoints: { docs: true } }),
  "close with force and no reason": (given) => {
    given.call("tasks_block", { path: "s:0" });
    return given.refusal("tasks_progress", { path: "s:0", force: true });
  },
  "close with force and no reason what is confirmed": (given) => {
    given.call("tasks_verify", { path: "s:0", checkpoints: "gate" });
    given.call("tasks_block", { path: "s:0" });
    return given.refusal("tasks_progress", { path: "s:0", force: true });
  },
  "close with force and no reason what lacks proof": (given) => {
    given.call("tasks_verify", { path: "s:2", checkpoints: "gate" });
    return given.refusal("tasks_progress", { path: "s:2", force: true });
  },
  "close with force and no reason what is closed": (given) => {
    close(given, "s:0");
    return given.refusal("tasks_progress", { path: "s:0", force: true });
  },
  "close with a reason and no force": (given) => given.refusal("tasks_progress", { path: "s:0", reason: "so" }),
  "close a closed step with a reason and no force": (given) => {
    close(given, "s:0");
    return given.refusal("tasks_progress", { path: "s:0", reason: "so" });
  },
  "close a closed step": (given) => {
    close(given, "s:0");
    return given.refusal("tasks_done", { path: "s:0" });
  },
  "close a blocked step": (given) => {
    given.call("tasks_block", { path: "s:0", reason: "no key" });
    return given.refusal("tasks_close_step", { path: "s:0", checkpoints: "gate" });
  },
  "close a step that waits": (given) => given.refusal("tasks_close_step", { path: "s:1", checkpoints: "gate" }),
  "close a step without confirmations that needs proof": (given) => given.refusal("tasks_done", { path: "s:2" }),
  "close a step without confirmations whose run failed": (given) => {
    runs(given, "npm test", 1);
    return given.refusal("tasks_done", { path: "s:2" });
  },
  "close a step above an open one": (given) => {
    given.call("tasks_decompose", { parent: "s:0", steps: [BODY] });
    return given.refusal("tasks_close_step", { path: "s:0", checkpoints: "gate" });
  },
  "close a step without confirmations": (given) => given.refusal("tasks_done", { path: "s:0" }),
  "close a step without proof": (given) => {
    given.call("tasks_verify", { path: "s:2", checkpoints: "gate" });
    return given.refusal("tasks_done", { path: "s:2" });
  },
  "close a step whose run failed": (given) => {
    given.call("tasks_verify", { path: "s:2", checkpoints: "gate" });
    runs(given, "npm test", 1);
    return given.refusal("tasks_done", { path: "s:2" });
  },
  "close a step several runs of which failed": (given) => {
    for (const n of [1, 2, 3, 4, 5, 6]) runs(given, `test ${n}`, 1, "src");
    return given.refusal("tasks_close_step", { path: "s:2", checkpoints: "gate" });
  },
  "close a step whose tests a packet proves": (given) => {
    given.call("tasks_define", { path: "s:0", packet: true });
    return given.refusal("tasks_close_step", { path: "s:0", checkpoints: "gate" });
  },
  "name a step that is not there": (given) => given.refusal("tasks_note", { path: "s:7", note: "n" }),
  "name a step that is not there while none is open": (given) => {
    for (const path of ["s:0", "s:1"]) close(given, path);
    runs(given, "npm test", 0);
    close(given, "s:2");
    return given.refusal("tasks_note", { path: "s:7", note: "n" });
  },
  "name a step of a plan": (given) => given.refusal("tasks_done", { plan: "PLAN-001", path: "s:0" } as never),
  "complete a task with open steps": (given) => given.refusal("tasks_complete", {}),
  "complete a task of which evidence asked more": () => {
    const other = givenTask("first");
    close(other, "s:0");
    proofAsked(other);
    return other.refusal("tasks_complete", {});
  },
  "complete a task twice": () => {
    const other = givenTask("first");
    close(other, "s:0");
    other.call("tasks_complete", {});
    return other.refusal("tasks_complete", {});
  },
  "claim what another has claimed": (given) => {
    byBen(given, "s:0");
    return given.refusal("tasks_claim", { path: "s:0" });
  },
  "claim anew without the number of the claim": (given) => {
    given.call("tasks_claim", { path: "s:0" });
    return given.refusal("tasks_claim", { path: "s:0" });
  },
  "claim a closed step": (given) => {
    close(given, "s:0");
    return given.refusal("tasks_claim", { path: "s:0" });
  },
  "work on what another has claimed": (given) => {
    byBen(given, "s:0");
    return given.refusal("tasks_define", { path: "s:0", title: "x" });
  },
  "work with the number of a claim that is gone": (given) =>
    given.refusal("tasks_define", { path: "s:0", title: "x", fence: 3 }),
  "work with the number of a claim while another has it": (given) => {
    byBen(given, "s:0");
    return given.refusal("tasks_define", { path: "s:0", title: "x", fence: 3 });
  },
  "release by force and no reason": (given) => {
    byBen(given, "s:0");
    return given.refusal("tasks_release", { path: "s:0", force: true });
  },
  "release what another has claimed": (given) => {
    byBen(given, "s:0");
    return given.refusal("tasks_release", { path: "s:0" });
  },
  "undo where there is nothing to undo": (given) => given.refusal("tasks_undo", {}),
  "undo an op that is not there": (given) => given.refusal("tasks_undo", { op: "nonsense" }),
  "undo a creation": (given) => given.refusal("tasks_undo", { op: given.past().ops[0]!.op }),
  "undo an op twice": (given) => {
    const { op } = given.call("tasks_edit", { title: "one" }) && given.past().ops.at(-1)!;
    given.call("tasks_undo", {});
    return given.refusal("tasks_undo", { op });
  },
  "undo an op of another": (given) => {
    given.call("tasks_edit", { title: "one" });
    given.by = "agent:ben";
    return given.refusal("tasks_undo", {});
  },
  "undo an op on which a later one builds": (given) => {
    given.call("tasks_edit", { title: "one" });
    const { op } = given.past().ops.at(-1)!;
    given.call("tasks_edit", { title: "two" });
    return given.refusal("tasks_undo", { op });
  },
  "undo an addition in which evidence was captured": (given) => {
    given.call("tasks_decompose", { steps: [BODY] });
    const { op } = given.past().ops.at(-1)!;
    given.call("tasks_evidence_capture", { path: "s:3", checks: ["CMD: npm test"] });
    return given.refusal("tasks_undo", { op });
  },
  "redo where nothing was undone": (given) => given.refusal("tasks_redo", {}),
  "redo where a later op builds on what it was": (given) => {
    given.call("tasks_edit", { title: "one" });
    given.call("tasks_undo", {});
    given.call("tasks_edit", { title: "two" });
    return given.refusal("tasks_redo", {});
  },
  "edit nothing of a task": (given) => given.refusal("tasks_edit", {}),
  "edit nothing of a plan": (given) => given.refusal("tasks_edit", { plan: "PLAN-001" }),
  "give a task a contract": (given) => given.refusal("tasks_edit", { contract: "x" }),
  "give a plan a domain": (given) => given.refusal("tasks_edit", { plan: "PLAN-001", new_domain: "x" }),
  "make a task wait for itself": (given) => given.refusal("tasks_edit", { depends_on: ["TASK-001"] }),
  "make a step wait for itself": (given) => given.refusal("tasks_define", { path: "s:0", depends_on: ["s:1"] }),
  "add steps that wait for none of them": (given) =>
    given.refusal("tasks_create", { parent: "PLAN-001", title: "t", steps: [{ ...BODY, depends_on: ["s:1"] }] }),
  "create a task below a task": (given) => given.refusal("tasks_create", { parent: "TASK-001", title: "t" }),
  "create a plan with steps": (given) => given.refusal("tasks_create", { kind: "plan", title: "t", steps: [BODY] }),
  "title of blanks": (given) => given.refusal("tasks_edit", { title: " " }),
  "title of two lines": (given) => given.refusal("tasks_edit", { title: "a\nb" }),
  "title of 201 characters": (given) => given.refusal("tasks_edit", { title: "ä".repeat(201) }),
  "text that is no Unicode": (given) => given.refusal("tasks_edit", { description: "\ud800" }),
  "text that is too long": (given) => given.refusal("tasks_edit", { description: "x".repeat(300_000) }),
  "think nothing": (given) => given.refusal("tasks_think", {}),
  "think blanks": (given) => given.refusal("tasks_think", { hypothesis: " " }),
  "think on a card that is not there": (given) =>
    given.refusal("tasks_think", { hypothesis: { text: "x", supports: ["CARD-00000009"] } } as never),
  "think a status of no card": (given) =>
    given.refusal("tasks_think", { hypothesis: "x", status: { evidence: "open" } } as never),
  "think a trace of blanks": (given) => given.refusal("tasks_think", { hypothesis: "x", trace: " " } as never),
  "capture nothing": (given) => given.refusal("tasks_evidence_capture", { path: "s:0" }),
  "capture lines that are to be filled in": (given) =>
    given.refusal("tasks_evidence_capture", { path: "s:0", checks: [" "] }),
  "capture under both names": (given) =>
    given.refusal("tasks_evidence_capture", {
      path: "s:0",
      items: [{ kind: "run", command: "a", exit_code: 0 }],
      artifacts: [{ kind: "run", command: "a", exit_code: 0 }],
    } as never),
  "capture more than was allowed": (given) =>
    given.refusal("tasks_evidence_capture", { path: "s:0", checks: ["CMD: a", "CMD: b"], max_items: 1 }),
  "criteria that are no Unicode": (given) =>
    given.refusal("tasks_define", { path: "s:0", success_criteria: ["\ud800"] }),
  "tests that are no Unicode": (given) => given.refusal("tasks_define", { path: "s:0", tests: ["\ud800"] }),
  "blockers that are no Unicode": (given) => given.refusal("tasks_define", { path: "s:0", blockers: ["\ud800"] }),
  "title of a step of blanks": (given) => given.refusal("tasks_define", { path: "s:0", title: " " }),
  "define nothing of a step": (given) => given.refusal("tasks_define", { path: "s:0" }),
  "verify nothing": (given) => given.refusal("tasks_verify", { path: "s:0", checkpoints: {} }),
  "reopen an open step": (given) => given.refusal("tasks_progress", { path: "s:0", completed: false, reason: "again" }),
  "note blanks": (given) => given.refusal("tasks_note", { path: "s:0", note: " " }),
  "define nothing of a node": (given) => {
    given.call("tasks_task_add", { parent_step: "s:0", title: "n" });
    return given.refusal("tasks_task_define", { path: "s:0.t:0" });
  },
  "name a node that is not there": (given) => given.refusal("tasks_task_define", { path: "s:0.t:5", status: "ACTIVE" }),
  "patch a title away": (given) => given.refusal("tasks_patch", { ops: [{ op: "unset", field: "title" }] } as never),
  "patch what cannot be appended to": (given) =>
    given.refusal("tasks_patch", { ops: [{ op: "append", field: "title", value: "x" }] } as never),
  "plan of a task": (given) => given.refusal("tasks_plan", { plan: "TASK-001", advance: true } as never),
  "contract of nothing": (given) => given.refusal("tasks_contract", { plan: "PLAN-001" }),
  "scaffold of another kind": (given) =>
    given.refusal("tasks_scaffold", { kind: "plan", template: "nonsense", title: "p" } as never),
  "archive a task that goes on": (given) => given.refusal("tasks_archive", { task: "TASK-001" } as never),
};

/** What a caller is told, without what differs in each log. */
function told({ code, message, recovery, suggestions, details }: TaskfoldError): string {
  const text = JSON.stringify({ code, message, recovery, suggestions, details }, null, 2);
  return text.replaceAll(/[A-Za-z0-9_-]{43}/g, "<hash>");
}

describe("a refusal", () => {
  it("[ERR-1] [ERR-2] [TOOL-9] says what was expected and found, how to go on, and calls that would work", async () => {
    const texts = Object.entries(CASES).map(([name, refuse]) => {
      const error = refuse(someTask());
      for (const { tool, args } of error.suggestions) expect(validates(TOOLS[tool]!.input, args), name).toBe(true);
      return `## ${name}\n\n${told(error)}\n`;
    });
    await expect(texts.join("\n")).toMatchFileSnapshot("../data/refusals.md");
  });
});
