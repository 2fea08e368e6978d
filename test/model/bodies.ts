/** Bodies of random calls: steps, proofs, checkpoints, patches. */
import type { Choices } from "./choices.ts";
import type { Input, Patch } from "./input.ts";
import type { Checkpoints, StepBody } from "./steps.ts";

export function planned(c: Choices): Input {
  const plan = c.pick<Input>([{}, {}, { plan: c.planId() }, { parent: c.planId() }, { plan_title: c.title() }]);
  return { task_title: c.title(), ...plan };
}

export function stepsOrTemplate(c: Choices): Input {
  return { ...stepsOr(c), ...(c.chance(0.2) ? { complete_when_done: true } : {}) };
}

function stepsOr(c: Choices): Input {
  const template = c.pick(["basic-task", "principal-task", "basic-plan"]);
  return c.pick<Input>([
    { steps: [gatedStep(c), gatedStep(c)] },
    { template },
    { template, think: { frame: c.text() } },
  ]);
}

export function steps(c: Choices): StepBody[] {
  return Array.from({ length: 1 + c.below(3) }, () => ({
    title: c.title(),
    success_criteria: c.chance(0.9) ? [c.text()] : [],
    ...(c.chance(0.5) ? { tests: ["npm test", " npm test"] } : {}),
    ...(c.chance(0.1) ? { blockers: [c.text()] } : {}),
    ...(c.chance(0.2) ? { proof: proof(c) } : {}),
  }));
}

export function gatedStep(c: Choices): StepBody {
  return { title: c.title(), success_criteria: ["it works"], tests: c.chance(0.95) ? ["npm test"] : [" "] };
}

export function proof(c: Choices): NonNullable<StepBody["proof"]> {
  return { [c.pick(["tests", "docs", "security"])]: c.pick(["require", "require", "warn", "off"]) };
}

export function receipts(c: Choices): string[] {
  return c.pick([
    ["CMD: npm test"],
    ["CMD: npm test", "LINK: https://ci.example/1"],
    ["CMD: <fill: what was run>"],
    ["CMD: ls", " "],
  ]);
}

export function checkpoints(c: Choices): Checkpoints {
  return c.pick<Checkpoints>([
    "gate",
    "all",
    "gate",
    "all",
    { tests: true },
    { criteria: true, docs: true },
    { tests: false },
    { docs: false },
    { criteria: false, tests: true },
    {},
  ]);
}

export function progress(c: Choices): Input {
  return c.pick<Input>([
    { completed: true },
    { completed: false },
    { completed: false, reason: c.text() },
    { completed: true, force: true, reason: c.text() },
    { completed: true, force: true, reason: c.text() },
    { force: true },
    { completed: true, reason: c.text() },
    { completed: false, force: true },
  ]);
}

export function blocking(c: Choices): Input {
  return c.pick<Input>([
    {},
    { reason: c.text() },
    { blocked: true, reason: c.text() },
    { blocked: false },
    { blocked: false, reason: c.text() },
  ]);
}

export function nodeBody(c: Choices): Input {
  return c.some({ title: c.title(), status: c.status(), risks: [c.text()] });
}

export function patch(c: Choices, about: string): Patch {
  const whole = c.pick<Patch["ops"][number]>([
    { op: "set", field: "title", value: c.title() },
    { op: "append", field: "tags", value: [c.pick(["tag", "other"]), c.pick(["tag", "third"])] },
    { op: "remove", field: "tags", value: "tag" },
    { op: "unset", field: "description" },
    { op: "set", field: "description", value: c.text() },
    { op: "append", field: "title", value: "x" },
  ]);
  const step = c.pick<Patch["ops"][number]>([
    { op: "set", field: "title", value: c.title() },
    { op: "append", field: "tests", value: c.text() },
    { op: "append", field: "blockers", value: "nobody knows" },
    { op: "remove", field: "blockers", value: "nobody knows" },
    { op: "unset", field: "success_criteria" },
    { op: "set", field: "risks", value: [] },
  ]);
  const node = c.pick<Patch["ops"][number]>([
    { op: "set", field: "status", value: c.status() },
    { op: "append", field: "risks", value: c.pick(["late", "dear"]) },
    { op: "remove", field: "risks", value: ["late"] },
  ]);
  const one = about === "" ? whole : about.includes("t:") || about.startsWith("NODE-") ? node : step;
  return { ops: c.chance(0.3) ? [one, one] : [one] };
}
