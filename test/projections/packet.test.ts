import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { packetFiles } from "../../src/projections/packet/index.ts";
import { FAILURE_CLASSES, STAGES, type Attempt, type Packet } from "../../src/state/packet.ts";
import { anyText } from "../support/random_story.ts";
import {
  failedPacket,
  SAFE_IMPL,
  someAttempt,
  someFailure,
  someManifest,
  somePacket,
  someStage,
} from "../support/some_packet.ts";
import { runsOf, SWEEP } from "../support/sweep.ts";

const TS = "2026-02-18T12:01:30.750Z";
const SUMMARY = "outputs/_summary.md";

const file = (packet: Packet, path: string): string | undefined => packetFiles(packet).get(path);
const summaryOf = (packet: Packet): string => file(packet, SUMMARY)!;

/** As other programs count them, Python's splitlines included. */
const linesIn = (text: string): number => text.split(LINE_ENDS).length - 1;
// oxlint-disable-next-line no-control-regex -- separators that a reader may take for line ends
const LINE_ENDS = /\r\n|[\n\r\v\f\u001c-\u001e\u0085\u2028\u2029]/;

/** What the packet's own state folds into; the manifest is a page of its own. */
const pathsOf = (packet: Packet): string[] =>
  [...packetFiles(packet).keys()].filter((path) => path !== "manifest.yaml").toSorted();

const numbered = (count: number): string[] => Array.from({ length: count }, (_, i) => `line ${i}`);

function files(lines: number): NonNullable<Attempt["ended"]>["files"] {
  const one = { path: "outputs/x", size: 1, sha256: "0".repeat(64), lines };
  return { out: one, err: one };
}

/** The implementation failed in its gate after the brief passed. */
const FAILED = failedPacket(
  someFailure("codex_impl", {
    attempt: 2,
    class: "scope_violation",
    exit_code: 0,
    gate: "failed",
    reasons: ["one", "two", "three", "four", "five"],
    suggested_actions: ["Take back the changes.", "Widen the scope.", "Third."],
  }),
  2,
  {
    attempts: [
      someAttempt("gemini_brief", 1, { files: files(120) }),
      someAttempt("codex_impl", 1, { how: "interrupted", exit_code: null, duration_sec: null, end: null }),
      someAttempt("codex_impl", 2, {
        how: "failed",
        files: files(300),
        stderr: { head: numbered(20), tail: numbered(20) },
      }),
    ],
    paid_calls_used: 3,
  },
);

describe("files of a packet", () => {
  it("[PACKET-82] are those of the state, and no more", () => {
    expect(pathsOf(somePacket())).toEqual([SUMMARY, "state/stats.json"]);
    const inputs = ["user_request.md", "context_pack.md", "attachments/git.diff"].map((path) => ({
      path,
      text: `## Goal\n${path}\n`,
      sha256: "0".repeat(64),
      source: "user" as const,
    }));
    const packet: Packet = {
      ...FAILED,
      inputs,
      override: ["npm test"],
      manifest: someManifest({ context: { digest_policy: "aggressive" } }),
    };
    expect(pathsOf(packet)).toEqual([
      "done/gemini_brief.done",
      "inputs/attachments/git.diff",
      "inputs/context_pack.digest.md",
      "inputs/context_pack.md",
      "inputs/user_request.md",
      "outputs/_summary.md",
      "outputs/codex_impl.codex.1.meta.json",
      "outputs/codex_impl.codex.meta.json",
      "outputs/gemini_brief.gemini.meta.json",
      "state/acceptance.commands.override",
      "state/last_failure.json",
      "state/stats.json",
    ]);
    expect(file(packet, "inputs/context_pack.digest.md")).toBe("# Context Pack Digest\n\n## Goal\ncontext_pack.md\n");
    expect(file(packet, "inputs/attachments/git.diff")).toBe("## Goal\nattachments/git.diff\n");
  });

  it("[PACKET-82] are the same bytes for the same state, in whatever order its keys come", () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed);
      if (typeof value !== "object" || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .toReversed()
          .map(([key, one]) => [key, reversed(one)]),
      );
    };
    const packet = {
      ...FAILED,
      done: { gemini_brief: TS, codex_review: TS, copilot_review: TS },
      signatures: {
        ...FAILED.signatures,
        "sig:00": { count: 1, class: "auth" as const, first_seen: TS, last_seen: TS },
      },
    };
    expect(packetFiles(reversed(packet) as Packet)).toEqual(packetFiles(packet));
    expect(packetFiles(structuredClone(packet))).toEqual(packetFiles(packet));
  });

  it("[PACKET-82] a marker has the time at which its stage was completed", () => {
    expect(file(FAILED, "done/gemini_brief.done")).toBe("2026-02-18T11:00:00Z\n");
  });

  it("[PACKET-83] meta.json has the keys that other programs read, then more", () => {
    expect(file(FAILED, "outputs/gemini_brief.gemini.meta.json")).toBe(`{
  "stage": "gemini_brief",
  "tool": "gemini",
  "exit_code": 0,
  "start": "2026-02-18T12:00:00Z",
  "end": "2026-02-18T12:01:30Z",
  "duration_sec": 90,
  "prompt_sha256": "${"ab".repeat(32)}",
  "attempt": 1,
  "model": "m-1",
  "result": "passed",
  "timed_out": false,
  "timeout_sec": 600,
  "timeout_mode": "enforce"
}
`);
  });

  it("[PACKET-83] a stage that runs again keeps the meta.json of each attempt under its number", () => {
    const attempts = [...FAILED.attempts, someAttempt("codex_impl", 3, null)];
    const paths = pathsOf({ ...FAILED, attempts }).filter((path) => path.includes("codex_impl"));
    expect(paths).toEqual(["outputs/codex_impl.codex.1.meta.json", "outputs/codex_impl.codex.2.meta.json"]);
    expect(JSON.parse(file(FAILED, "outputs/codex_impl.codex.1.meta.json")!)).toMatchObject({
      exit_code: null,
      end: "2026-02-18T12:01:30Z",
      duration_sec: null,
      result: "interrupted",
    });
  });

  it("[PACKET-82] artifact.md shows each acceptance command", () => {
    const result = { exit_code: 0, timed_out: false, duration_sec: 1.5 };
    const acceptance = [
      { ...result, command: "npm test", excerpt: "ok\u001b[0m\n```\ndone" },
      { ...result, command: "echo `x`\n# y", excerpt: "", exit_code: 124, timed_out: true },
    ];
    const packet = somePacket({ attempts: [someAttempt("codex_verify", 1, { acceptance })] });
    expect(file(packet, "outputs/codex_verify.artifact.md")).toBe(`# Acceptance commands

- stage: codex_verify
- attempt: 1
- time: 2026-02-18T12:01:30Z

## Command 1: \`npm test\`

\`\`\`\`
ok\u241b[0m
\`\`\`
done
\`\`\`\`

Exit code: 0
Duration: 1.5 s

## Command 2: \`\` echo \`x\`\u240a# y \`\`

\`\`\`

\`\`\`

Exit code: 124 (out of time)
Duration: 1.5 s
`);
    const again = { ...packet, attempts: [...packet.attempts, someAttempt("codex_verify", 2, null)] };
    expect(file(again, "outputs/codex_verify.artifact.md")).toBeUndefined();
    expect(file(again, "outputs/codex_verify.1.artifact.md")).toContain("npm test");
  });

  it("[PACKET-85] stats.json has its keys from the beginning", () => {
    expect(file(somePacket(), "state/stats.json")).toBe(
      '{\n  "paid_calls_used": 0,\n  "stages_completed": [],\n  "signatures": {}\n}\n',
    );
    expect(JSON.parse(file(FAILED, "state/stats.json")!)).toEqual({
      paid_calls_used: 3,
      stages_completed: ["gemini_brief"],
      signatures: {
        "sig:0123456789abcdef": {
          count: 2,
          class: "scope_violation",
          first_seen: "2026-02-18T12:01:30Z",
          last_seen: "2026-02-18T12:01:30Z",
        },
      },
    });
    const done = { codex_review: TS, gemini_review: TS, codex_impl: TS };
    expect(JSON.parse(file(somePacket({ done }), "state/stats.json")!)).toMatchObject({
      stages_completed: ["codex_impl", "gemini_review", "codex_review"],
    });
  });

  it("[PACKET-85] last_failure.json has the keys that other programs read, then more", () => {
    expect(file(FAILED, "state/last_failure.json")).toBe(`{
  "class": "scope_violation",
  "signature": "sig:0123456789abcdef",
  "exit_code": 0,
  "gate_result": "scope_violation",
  "suggested_actions": [
    "Take back the changes.",
    "Widen the scope.",
    "Third."
  ],
  "stage": "codex_impl",
  "attempt": 2,
  "time": "2026-02-18T12:01:30Z",
  "reasons": [
    "one",
    "two",
    "three",
    "four",
    "five"
  ]
}
`);
    const result = (change: Parameters<typeof someFailure>[1]): unknown =>
      JSON.parse(file(failedPacket(someFailure("codex_impl", change), 1), "state/last_failure.json")!).gate_result;
    expect([result({}), result({ gate: "passed" }), result({ gate: "failed" })]).toEqual([
      "other_failure",
      "pass",
      "contract_violation",
    ]);
  });

  it("[PACKET-85] the override has one command a line, and a shell reads it as it was meant", () => {
    const command = "printf '%s' \"a\\b\"\nprintf \"'c'\"";
    const text = file(somePacket({ override: ["npm test", command] }), "state/acceptance.commands.override")!;
    const [first, second, end, ...rest] = text.split("\n");
    expect([first, end, rest]).toEqual(["npm test", "", []]);
    expect(execFileSync("bash", ["-c", second!], { encoding: "utf8" })).toBe("a\\b'c'");
  });
});

describe("summary", () => {
  it("[PACKET-86] says all that a caller needs who reads nothing else", async () => {
    await expect(summaryOf(FAILED)).toMatchFileSnapshot("../data/packet/failed.md");
    await expect(summaryOf(somePacket())).toMatchFileSnapshot("../data/packet/new.md");
    const done = Object.fromEntries(SAFE_IMPL.map((stage) => [stage, TS]));
    const attempts = SAFE_IMPL.map((stage) => someAttempt(stage, 1, { files: files(10) }));
    await expect(summaryOf(somePacket({ done, attempts, paid_calls_used: 4 }))).toMatchFileSnapshot(
      "../data/packet/done.md",
    );
    await expect(summaryOf(failedPacket(someFailure("codex_impl"), 3, { paid_calls_used: 3 }))).toMatchFileSnapshot(
      "../data/packet/retries_used_up.md",
    );
  });

  it("[PACKET-86] has its parts in order", () => {
    const heads = summaryOf(FAILED).match(/^#.*$/gm);
    expect(heads).toEqual([
      "# Task Packet TASK-001",
      "## Stages",
      "## Budgets",
      "## Current failure",
      "## Next action",
      "## stderr of codex_impl",
    ]);
  });

  it("[PACKET-86] tells the states of a stage apart", () => {
    const state = (change: Partial<Packet>): string =>
      /^- gemini_brief: ([^,]*(?:, running again)?)/m.exec(summaryOf(somePacket(change)))![1]!;
    const ran = (how: "passed" | "failed" | "interrupted"): Attempt[] => [someAttempt("gemini_brief", 1, { how })];
    expect(state({})).toBe("pending");
    expect(state({ attempts: [someAttempt("gemini_brief", 1, null)] })).toBe("running");
    expect(state({ attempts: ran("failed") })).toBe("failed");
    expect(state({ attempts: ran("interrupted") })).toBe("interrupted");
    expect(state({ attempts: ran("passed") })).toBe("reopened");
    expect(state({ attempts: ran("passed"), done: { gemini_brief: TS } })).toBe("done");
    expect(state({ done: { gemini_brief: TS } })).toBe("done");
  });

  it("[PACKET-86] names the command that carries the next action out", () => {
    const command = (packet: Packet): string => /^- command: (.*)$/m.exec(summaryOf(packet))![1]!;
    expect(command(somePacket())).toBe("taskfold packet run TASK-001 --allow-commands");
    expect(command(somePacket({ paid_calls_used: 10 }))).toBe(
      "taskfold packet reset-budget TASK-001 paid_call_budget --reason REASON",
    );
    expect(command(somePacket({}, []))).toBe("taskfold packet archive TASK-001");
    const open = someAttempt("gemini_brief", 1, null);
    expect(command(somePacket({ attempts: [{ ...open, dispatched: true }] }))).toBe("taskfold packet next TASK-001");
    expect(command(somePacket({ attempts: [open] }))).toBe(
      "taskfold packet finish TASK-001 gemini_brief --exit-code CODE --out FILE",
    );
    expect(command(somePacket({ attempts: [someAttempt("codex_verify", 1, null)] }))).toBe(
      "taskfold packet finish TASK-001 codex_verify --exit-code CODE --out FILE --allow-commands",
    );
    expect(command(somePacket({ archived: true }))).toBe("taskfold packet restore TASK-001");
  });

  it("[PACKET-69] [regression PACKET-323] gives no leave to run while a dispatcher may be running", () => {
    const text = summaryOf(somePacket({ attempts: [{ ...someAttempt("gemini_brief", 1, null), dispatched: true }] }));
    expect(text.split("## Next action\n")[1]!.split("\n").slice(0, 4)).toEqual([
      "- next_action: wait for gemini_brief; if its dispatcher is gone, resume interrupted gemini_brief",
      "- allowed: no",
      "- command: taskfold packet next TASK-001",
      "- command if the dispatcher is gone: taskfold packet run TASK-001 --allow-commands",
    ]);
  });

  it("[regression PACKET-265] names what the command needs: the configuration, and leave to run commands", () => {
    const command = (packet: Packet): string[] =>
      /^- command: .*(?:\n- --.*)?$/m.exec(summaryOf(packet))![0].split("\n");
    const { plan } = somePacket();
    const of = (config_folder: string | null, change: Partial<Packet> = {}): string[] =>
      command(somePacket({ plan: { ...plan, config_folder }, ...change }));
    expect(of("../my configs")).toEqual([
      "- command: taskfold packet run TASK-001 --config '../my configs' --allow-commands",
      "- --allow-commands: lets the acceptance commands of manifest.yaml run (1); the verifying stage needs it",
    ]);
    expect(of(null, { override: ["a", "b"] })).toEqual([
      "- command: taskfold packet run TASK-001 --config DIR --allow-commands",
      "- --allow-commands: lets the acceptance commands of state/acceptance.commands.override run (2); the verifying stage needs it",
    ]);
    for (const change of [{ done: { codex_verify: TS } }, { override: [] }])
      expect(of("../configs", change)).toEqual(["- command: taskfold packet run TASK-001 --config ../configs"]);
  });

  it("[PACKET-386] [regression PACKET-265] names no folder of the repository: to name it is to trust it", () => {
    const { plan } = somePacket();
    expect(summaryOf(somePacket({ plan: { ...plan, config_folder: "tools/evil" } }))).toContain(
      "- command: taskfold packet run TASK-001 --config DIR --allow-commands\n",
    );
    expect(summaryOf(somePacket({ plan: { ...plan, config_folder: "configs" } }))).toContain(
      "- command: taskfold packet run TASK-001 --allow-commands\n",
    );
  });

  it("[PACKET-85] does not show a failure of a stage that is done since", () => {
    const packet = { ...FAILED, done: { gemini_brief: TS, codex_impl: TS } };
    expect(summaryOf(packet)).not.toContain("failure");
    expect(file(packet, "state/last_failure.json")).toBeUndefined();
  });

  it("[PACKET-86] shows 41 lines of stderr at most, and how many it left out", () => {
    const excerpt = summaryOf(FAILED).split("## stderr of codex_impl\n")[1]!.trimEnd().split("\n");
    expect(excerpt).toHaveLength(41);
    expect([excerpt[0], excerpt[19], excerpt[20], excerpt[21], excerpt[40]]).toEqual([
      "    line 0",
      "    line 19",
      "    ... 260 lines left out ...",
      "    line 0",
      "    line 19",
    ]);
    const short = structuredClone(FAILED);
    Object.assign(short.attempts[2]!.ended!, { stderr: { head: ["a"], tail: [] }, files: files(1) });
    expect(summaryOf(short)).toMatch(/## stderr of codex_impl\n {4}a\n$/);
  });

  it("[PACKET-86] one of something is said as one", () => {
    const packet = { ...FAILED, attempts: [someAttempt("gemini_brief", 1, { files: files(1) })] };
    expect(summaryOf(packet)).toContain(", 1 line of output\n");
    const { budgets } = someManifest();
    const manifest = someManifest({ budgets: { ...budgets, retry_budget: 1 } });
    expect(summaryOf(somePacket({ manifest }))).toContain("- retry_budget: 1 retry for one signature\n");
  });

  it("[PACKET-86] writes out what a terminal would obey", () => {
    const packet = structuredClone(FAILED);
    packet.manifest.goal = "one\n# two\u2028three\u0007\u202e";
    packet.attempts[2]!.ended!.stderr = { head: ["\u001b[2J\rx\ty", "z".repeat(500)], tail: ["```", "## no heading"] };
    const text = summaryOf(packet);
    expect(text).toContain("- goal: one\u240a# two<U+2028>three\u2407<U+202E>\n");
    expect(text).toContain("    \u241b[2J\u240dx  y\n");
    expect(text).toContain("\n    ```\n    ## no heading\n");
    for (const line of text.split("\n")) expect(Array.from(line).length).toBeLessThanOrEqual(200);
  });

  it("[PACKET-86] gives up excerpts before anything else, and lists twelve stages", () => {
    const stages = [...STAGES, ...STAGES, ...STAGES].map((stage) => someStage(stage));
    const text = summaryOf({ ...FAILED, plan: { ...FAILED.plan, stages } });
    expect(linesIn(text)).toBe(80);
    expect(text).toContain("- more stages in the plan: 21\n");
    expect(text).toMatch(/\n {4}\.\.\. \d+ lines left out \.\.\.\n(?: {4}line \d+\n)+ {4}line 19\n$/);
  });

  it("[PACKET-86] fits 80 lines, whatever is in the packet, and cuts nothing but excerpts", SWEEP, () => {
    const lines = fc.array(fc.oneof(anyText, fc.constantFrom("\u0085", "\r\n\r\n", "\v\f", "x".repeat(5000))), {
      maxLength: 30,
    });
    const ended = fc.record({
      how: fc.constantFrom("passed" as const, "failed" as const, "interrupted" as const),
      exit_code: fc.option(fc.integer()),
      duration_sec: fc.option(fc.nat()),
      timed_out: fc.boolean(),
      stderr: fc.record({ head: lines, tail: lines }),
      files: fc.constantFrom({}, files(0), files(10_000_000)),
    });
    const story = fc.record({
      stages: fc.array(fc.constantFrom(...STAGES), { maxLength: 30 }),
      attempts: fc.array(fc.tuple(fc.constantFrom(...STAGES), fc.integer({ min: 1, max: 4 }), fc.option(ended)), {
        maxLength: 12,
      }),
      ended,
      done: fc.uniqueArray(fc.constantFrom(...STAGES)),
      goal: anyText,
      paid: fc.nat({ max: 20 }),
      reasons: lines,
      actions: lines,
      stage: fc.constantFrom(...STAGES),
      kind: fc.constantFrom(...FAILURE_CLASSES),
      count: fc.nat({ max: 5 }),
      failed: fc.boolean(),
    });
    fc.assert(
      fc.property(story, (s) => {
        const failure = someFailure(s.stage, {
          class: s.kind,
          reasons: s.reasons,
          suggested_actions: s.actions,
          gate: "failed",
        });
        const packet = failedPacket(failure, s.count, {
          manifest: someManifest({ goal: s.goal }),
          plan: { ...somePacket().plan, stages: s.stages.map((stage) => someStage(stage)) },
          attempts: [
            someAttempt(s.stage, failure.attempt, s.ended),
            ...s.attempts.map(([stage, attempt, end]) => someAttempt(stage, attempt, end)),
          ],
          done: Object.fromEntries(s.done.map((stage) => [stage, TS])),
          paid_calls_used: s.paid,
          failures: s.failed ? { [s.stage]: failure } : {},
        });
        const text = summaryOf(packet);
        expect(linesIn(text)).toBe(text.split("\n").length - 1);
        expect(linesIn(text)).toBeLessThanOrEqual(80);
        expect(text.isWellFormed()).toBe(true);
        for (const line of ["- paid_call_budget: ", "- retry_budget: ", "- next_action: ", "- command: "]) {
          expect(text).toContain(`\n${line}`);
        }
        expect(text).toMatch(/^- (?:allowed: (?:yes|no)|because: done)/m);
        const shown = text.includes(`\n- class: ${s.kind}, signature: sig:0123456789abcdef\n`);
        expect(shown).toBe(s.failed && !s.done.includes(s.stage));
        const excerpt = text.split(/^## stderr of .*\n/m)[1] ?? "";
        expect(excerpt.split("\n").length - 1).toBeLessThanOrEqual(41);
      }),
      runsOf(500),
    );
  });
});
