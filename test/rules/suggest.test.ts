import { describe, expect, it } from "vitest";
import type { Suggestion } from "../../src/errors.ts";
import { acceptanceCall, claimedCalls, closingCall, nextCalls, proofCall, stepCall } from "../../src/rules/suggest.ts";
import { missingProofs } from "../../src/state/checkpoint.ts";
import type { Subject } from "../../src/state/entity.ts";
import { TOOLS } from "../../src/tools/index.ts";
import type { Given } from "../support/given.ts";
import { givenTask, validates } from "../support/given.ts";
import { someManifest, somePacket } from "../support/some_packet.ts";

const close = (given: Given, path: string) => void given.call("tasks_close_step", { path, checkpoints: "gate" });
const verify = (given: Given, path: string) => void given.call("tasks_verify", { path, checkpoints: "gate" });
const claimBy = (given: Given, by: string, path?: string) => {
  const own = given.by;
  given.by = by;
  given.call("tasks_claim", path === undefined ? {} : { path });
  given.by = own;
};
const run = (given: Given, more: object) =>
  given.call("tasks_evidence_capture", {
    path: "s:0",
    items: [{ kind: "run", ...more }],
    checkpoint: "tests",
  } as never);
const plan = (given: Given, steps: string[]) => void given.call("tasks_plan", { plan: "PLAN-001", steps });
const next = (given: Given, by?: string): Suggestion[] =>
  nextCalls(
    given.subject("TASK-001"),
    by === undefined ? {} : { by, find: ({ root }) => given.all().find(({ entity }) => entity.root === root) },
  );
const withPacket = (given: Given, packet: Subject["entity"]["packet"]): Subject => {
  const subject = given.subject("TASK-001");
  return { ...subject, entity: { ...subject.entity, packet } };
};
const proved = { title: "a", proof: { tests: "require", security: "require" } } as const;

const CASES: Record<string, () => Suggestion[]> = {
  "a task without steps": () => next(givenTask()),
  "a step that is open": () => next(givenTask("a")),
  "a step that is confirmed": () => {
    const given = givenTask("a");
    verify(given, "s:0");
    return next(given);
  },
  "a step that is blocked": () => {
    const given = givenTask("a");
    given.call("tasks_block", { path: "s:0", reason: "no key" });
    return next(given);
  },
  "a step that waits for a later one": () => next(givenTask({ title: "a", depends_on: ["s:1"] }, "b")),
  "a step with an open one below": () => {
    const given = givenTask("a");
    given.call("tasks_decompose", { parent: "s:0", steps: [{ title: "below", success_criteria: ["c"] }] });
    return [stepCall(given.subject("TASK-001"), given.step("s:0"))];
  },
  "a step that needs proof": () => next(givenTask(proved)),
  "a step whose run failed": () => {
    const given = givenTask(proved);
    run(given, { command: "npm test", exit_code: 1 });
    return [...next(given), closingCall(given.subject("TASK-001"), given.step("s:0"))];
  },
  "a step whose run in a folder failed": () => {
    const given = givenTask({ title: "a", proof: { tests: "require" } });
    run(given, { command: "npm test", cwd: "src", exit_code: 1 });
    return next(given);
  },
  "a step of which six runs failed": () => {
    const given = givenTask({ title: "a", proof: { tests: "require" } });
    for (const n of [1, 2, 3, 4, 5, 6]) run(given, { command: `test ${n}`, exit_code: 1 });
    return next(given);
  },
  "the closing of a step": () => {
    const given = givenTask("a");
    return [closingCall(given.subject("TASK-001"), given.step("s:0"))];
  },
  "a step that its asker has claimed": () => {
    const given = givenTask("a");
    claimBy(given, "human:ada", "s:0");
    return claimedCalls(given.subject("TASK-001"), given.step("s:0"));
  },
  "a step whose claim is gone": () => {
    const given = givenTask("a");
    return claimedCalls(given.subject("TASK-001"), given.step("s:0"));
  },
  "a claimed step whose tests a packet proves": () => {
    const given = givenTask("a");
    given.call("tasks_define", { path: "s:0", packet: true });
    claimBy(given, "human:ada", "s:0");
    return claimedCalls(given.subject("TASK-001"), given.step("s:0"));
  },
  "steps that are all closed": () => {
    const given = givenTask("a");
    close(given, "s:0");
    return next(given);
  },
  "a closed step of which evidence asked more": () => {
    const given = givenTask("a", "b");
    close(given, "s:0");
    close(given, "s:1");
    given.call("tasks_evidence_capture", { path: "s:1", checks: ["CMD: make docs"], checkpoint: "docs" });
    return next(given);
  },
  "a task that has ended": () => {
    const given = givenTask("a");
    given.call("tasks_complete", { status: "FAILED", reason: "x" });
    return next(given);
  },
  "a plan without a checklist": () => nextCalls(givenTask("a").subject("PLAN-001")),
  "a plan with a checklist": () => {
    const given = givenTask("a");
    plan(given, ["Clarify", "Build"]);
    return nextCalls(given.subject("PLAN-001"));
  },
  "a plan whose checklist is behind": () => {
    const given = givenTask("a");
    plan(given, ["Clarify"]);
    given.call("tasks_plan", { plan: "PLAN-001", advance: true });
    return nextCalls(given.subject("PLAN-001"));
  },
  "the first of two steps claimed by another": () => {
    const given = givenTask("a", "b");
    claimBy(given, "agent:ben", "s:0");
    return [...next(given, "human:ada"), ...next(given, "agent:ben"), ...next(given)];
  },
  "the first step claimed by another, the second by the asker": () => {
    const given = givenTask("a", "b", "c");
    claimBy(given, "agent:ben", "s:0");
    claimBy(given, "human:ada", "s:1");
    return next(given, "human:ada");
  },
  "the only step claimed by another": () => {
    const given = givenTask("a");
    claimBy(given, "agent:ben", "s:0");
    return next(given, "human:ada");
  },
  "the only free step blocked, the other claimed by another": () => {
    const given = givenTask("a", "b");
    given.call("tasks_block", { path: "s:1", reason: "x" });
    claimBy(given, "agent:ben", "s:0");
    return next(given, "human:ada");
  },
  "a step claimed by another in a task that waits": () => {
    const given = givenTask("a", "b");
    given.call("tasks_create", { parent: "PLAN-001", title: "other" });
    given.call("tasks_edit", { task: "TASK-001", depends_on: ["TASK-002"] });
    claimBy(given, "agent:ben", "s:0");
    const known = next(given, "human:ada");
    return [...known, ...nextCalls(given.subject("TASK-001"), { by: "human:ada" })];
  },
  "a packet that is to be made": () => [acceptanceCall(givenTask("a").subject("TASK-001"), givenTask("a").step("s:0"))],
  "a packet without commands": () => {
    const given = givenTask("a");
    const packet = somePacket({ manifest: someManifest({ acceptance: { commands: [], criteria: [] } }) });
    return [acceptanceCall(withPacket(given, packet), given.step("s:0"))];
  },
  "a packet that has not run its commands": () => {
    const given = givenTask("a");
    return [acceptanceCall(withPacket(given, somePacket()), given.step("s:0"))];
  },
  "a packet that has run its commands": () => {
    const given = givenTask("a");
    const done = { gemini_brief: "t", codex_verify: "t" };
    return [acceptanceCall(withPacket(given, somePacket({ done })), given.step("s:0"))];
  },
  "a packet whose plan has lost the stage that ran its commands": () => {
    const given = givenTask("a");
    return [
      acceptanceCall(withPacket(given, somePacket({ done: { codex_verify: "t" } }, ["codex_impl"])), given.step("s:0")),
    ];
  },
  "proof of tests by the packet, and of security by evidence": () => {
    const given = givenTask(proved);
    given.call("tasks_define", { path: "s:0", packet: true });
    const step = given.step("s:0");
    return [proofCall(given.subject("TASK-001"), step, missingProofs(step))];
  },
};

describe("the next call", () => {
  it("[TOOL-9] [LEASE-36] fits its tool, and is the one that the state asks for", async () => {
    const texts = Object.entries(CASES).map(([name, calls]) => {
      const found = calls();
      for (const { tool, args } of found) expect(validates(TOOLS[tool]!.input, args), name).toBe(true);
      return `## ${name}\n\n${JSON.stringify(found, null, 2)}\n`;
    });
    await expect(texts.join("\n")).toMatchFileSnapshot("../data/next_calls.md");
  });
});
