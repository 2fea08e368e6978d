import { describe, expect, it } from "vitest";
import { readme } from "../../src/projections/readme.ts";
import type { Given, Told } from "../support/given.ts";
import { givenTask } from "../support/given.ts";

const run = (given: Given, exit_code: number, more: object = {}): Told =>
  given.call("tasks_evidence_capture", {
    path: "s:0",
    items: [{ kind: "test-run", command: "npm test", exit_code, stdout: "what it printed", ...more }],
    checkpoint: "tests",
  });
const close = { path: "s:0", checkpoints: "gate" } as const;
const required = (): Given => givenTask({ title: "a", proof: { tests: "require" } });
const idOf = (told: Told): string => (told.result["evidence"] as { id: string }[])[0]!.id;

describe("a run that failed", () => {
  it("[PROOF-30] is kept, warned of and no proof: the refusal names it with its exit code", () => {
    const given = required();
    const told = run(given, 1);
    const id = idOf(told);
    expect(told.warnings).toMatchObject([{ code: "PROOF_FAILED" }]);
    expect(told.warnings![0]!.message).toContain(`evidence:${id} "npm test", which ended with exit code 1`);
    const refused = given.refusal("tasks_close_step", close);
    expect(refused.code).toBe("PROOF_FAILED");
    expect(refused.message).toContain(`evidence:${id} "npm test", which ended with exit code 1`);
    expect(refused.details).toMatchObject({
      missing: ["tests"],
      failed: [{ checkpoint: "tests", evidence: id, command: "npm test", exit_code: 1 }],
    });
    expect(given.entity().evidence[0]).toMatchObject({ id, sources: [{ exitCode: 1 }] });
    const [offered] = refused.suggestions;
    expect(offered).toMatchObject({ tool: "tasks_evidence_capture", args: { items: [{ command: "npm test" }] } });
    given.call("tasks_evidence_capture", JSON.parse(JSON.stringify(offered!.args).replace(/<fill[^>]*>/, "2 passed")));
    given.call("tasks_close_step", close);
  });

  it("[PROOF-31] the newest run of a command decides, in the folder where it ran", () => {
    const given = required();
    run(given, 0);
    run(given, 2);
    expect(given.refusal("tasks_close_step", close).code).toBe("PROOF_FAILED");
    run(given, 0, { cwd: "packages/a" });
    given.call("tasks_verify", close);
    run(given, 3, { cwd: "packages/a" });
    expect(given.refusal("tasks_done", { path: "s:0" }).message).toMatch(/exit code 2, .*exit code 3/);
    run(given, 0);
    given.call("tasks_done", { path: "s:0" });
  });

  it("[PROOF-31] a line without an exit code is no newer run, and another command is another proof", () => {
    const given = required();
    run(given, 1);
    given.call("tasks_evidence_capture", { path: "s:0", checks: ["CMD: npm test"], checkpoint: "tests" });
    expect(given.refusal("tasks_close_step", close).code).toBe("PROOF_FAILED");
    given.call("tasks_evidence_capture", { path: "s:0", checks: ["CMD: make check"], checkpoint: "tests" });
    given.call("tasks_close_step", close);
    expect(given.call("tasks_handoff", {}).result["handoff"]).toMatchObject({
      risks: [
        expect.stringMatching(/^s:0 a: a run for tests failed: evidence:cmd-\S+ \(npm test\) ended with exit code 1$/),
        "s:0 a has weak proof of tests: a command or a link is missing",
      ],
    });
  });

  it("[PROOF-30] README shows it as failed, and the proof as missing", () => {
    const given = required();
    const id = idOf(run(given, 1));
    const text = readme(given.subject("TASK-001"));
    expect(text).toContain(`evidence:${id} \`failed\` with exit code 1`);
    expect(text).toContain("[ ] proof of tests");
  });

  it("[PROOF-30] after the close it keeps the task from being DONE, and reopens nothing", () => {
    const given = required();
    run(given, 0);
    given.call("tasks_close_step", close);
    run(given, 1);
    expect(given.step("s:0").done).toBe(true);
    expect(given.refusal("tasks_complete", {}).code).toBe("PROOF_FAILED");
  });

  it("[PROOF-30] where proof is only wished for, closing says that it failed", () => {
    const given = givenTask("a");
    given.call("tasks_define", { path: "s:0", proof: { tests: "warn" } });
    run(given, 1);
    expect(given.call("tasks_close_step", close).warnings).toMatchObject([{ code: "PROOF_FAILED" }]);
  });

  it("[PROOF-32] output that was captured with exit code 0 backs its claim alone; bare lines do not", () => {
    const given = required();
    run(given, 0);
    expect(given.call("tasks_close_step", close).warnings).toEqual([]);
    const bare = required();
    bare.call("tasks_evidence_capture", { path: "s:0", checks: ["CMD: npm test"], checkpoint: "tests" });
    expect(bare.call("tasks_close_step", close).warnings).toMatchObject([{ code: "PROOF_WEAK" }]);
  });
});
