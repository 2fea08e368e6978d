import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { TaskfoldError } from "../../../src/errors.ts";
import { isTaskfoldError } from "../../../src/errors.ts";
import type { Draft } from "../../../src/events/define.ts";
import { archivePacket } from "../../../src/rules/packet/archive_packet.ts";
import { definePacket } from "../../../src/rules/packet/define_packet.ts";
import { BUILT_IN_CONFIG } from "../../../src/rules/packet/built_in_config.ts";
import { finishStage } from "../../../src/rules/packet/finish_stage.ts";
import type { FinishInput } from "../../../src/rules/packet/finish_stage.ts";
import type { FileFact } from "../../../src/state/file_fact.ts";
import { packetOf, plannedStage, refuseBusy, refuseTaken, running } from "../../../src/rules/packet/packet_of.ts";
import { promptOf } from "../../../src/rules/packet/prompt_of.ts";
import { reviewInputs, reviewManifest } from "../../../src/rules/packet/review_manifest.ts";
import { setInput, setInputs } from "../../../src/rules/packet/set_input.ts";
import { filesOfStage, startStage } from "../../../src/rules/packet/start_stage.ts";
import { filesOfInterrupted, interruptStage, reopenStage, resetBudget } from "../../../src/rules/packet/stop_stage.ts";
import type { Subject } from "../../../src/state/entity.ts";
import type { Packet } from "../../../src/state/packet.ts";
import { Branches } from "../../support/branches.ts";
import { creation } from "../../support/logs.ts";
import { someAttempt, someFailure, someManifest, somePacket, someStage } from "../../support/some_packet.ts";

const log = new Branches();
log.op([], "agent:a", creation("A sentence."));

function subjectOf(packet: Packet | null): Subject {
  return { id: "TASK-001", workspace: "acme/repo", head: "h", entity: { ...log.entity(), packet } };
}
const withPacket = (change: Partial<Packet> = {}, stages?: readonly string[]): Subject =>
  subjectOf(somePacket(change, stages));
const noProcess = () => undefined;
const holder = () => ({ pid: 7 });

function refused(run: () => unknown): TaskfoldError {
  try {
    run();
  } catch (e) {
    if (isTaskfoldError(e)) return e;
    throw e;
  }
  throw new Error("expected a refusal");
}

const payload = ([draft]: readonly Draft[]): Record<string, unknown> => draft!.payload;
const RUNS = someAttempt("codex_impl", 1, null);
const DONE = { gemini_brief: "2026-02-18T11:00:00.000Z" };
const SPENT = { paid_calls_used: 10 };
const FAILED = {
  failures: { codex_impl: someFailure("codex_impl") },
  signatures: {
    [someFailure("codex_impl").signature]: { count: 3, class: "transient", first_seen: "a", last_seen: "b" },
  },
} as Partial<Packet>;

const CASES: Record<string, () => unknown> = {
  "a task without a packet": () => packetOf(subjectOf(null)),
  "a stage that the plan has not": () => plannedStage(withPacket(), "gpt_x".padEnd(100, "x")),
  "a stage that does not run": () => running(withPacket(), "codex_impl"),
  "a stage that was interrupted": () =>
    running(
      withPacket({ attempts: [someAttempt("codex_impl", 1, { how: "interrupted", reason: "no time" })] }),
      "codex_impl",
    ),
  "a stage that failed and does not run": () =>
    running(withPacket({ attempts: [someAttempt("codex_impl", 1, { how: "failed", reason: "x" })] }), "codex_impl"),
  "a packet that a process runs": () => refuseBusy(withPacket(), holder),
  "a packet with an attempt under way": () => refuseBusy(withPacket({ attempts: [RUNS] }), noProcess),
  "an attempt of a process": () => refuseTaken(withPacket(), { ...RUNS, dispatched: true }, holder),
  "start of a stage that runs": () => startStage(withPacket({ attempts: [RUNS] }), { stage: "codex_impl" }, new Set()),
  "start of a stage that is done": () => startStage(withPacket({ done: DONE }), { stage: "gemini_brief" }, new Set()),
  "start of a stage that costs too much": () => startStage(withPacket(SPENT), { stage: "codex_impl" }, new Set()),
  "start of a stage that failed too often": () => startStage(withPacket(FAILED), { stage: "codex_impl" }, new Set()),
  "start with a prompt that is too long": () =>
    startStage(withPacket({}, ["other"]), { stage: "other", max_prompt_bytes: 10 }, new Set()),
  "start with too many commands": () =>
    startStage(withPacket({ override: Array(101).fill("a") }), { stage: "codex_verify" }, new Set()),
  "end of a stage that another process runs": () =>
    finish(withPacket({ attempts: [{ ...RUNS, dispatched: true }] }), {}, { dispatcher: holder }),
  "interruption of a stage that another process runs": () =>
    interruptStage(
      withPacket({ attempts: [{ ...RUNS, dispatched: true }] }),
      { stage: "codex_impl", reason: "so" },
      {
        dispatcher: holder,
        files: new Map(),
      },
    ),
  "reopening of a stage that is to be done": () => reopenStage(withPacket(), "codex_impl", "so"),
  "reopening of a stage that runs": () => reopenStage(withPacket({ attempts: [RUNS] }), "codex_impl", "so"),
  "a fifty-first attachment": () =>
    setInput(
      somePacket({ inputs: Array.from({ length: 50 }, (_, i) => inputOf(`attachments/${i}`, "x")) }),
      "attachments/new",
      "x",
    ),
  "fifty-one attachments at once": () =>
    setInputs(
      somePacket(),
      Array.from({ length: 51 }, (_, i) => ({ path: `attachments/${i}`, text: "x" })),
    ),
  "an input of another name": () => setInput(somePacket(), "../x", "x"),
  "a manifest of another task": () =>
    definePacket(subjectOf(null), someManifest({ task_id: "TASK-002" }), BUILT_IN_CONFIG),
  "a manifest with three faults": () =>
    definePacket(subjectOf(null), { ...someManifest(), goal: 1, scope: 1, context: 1 }, BUILT_IN_CONFIG),
  "a manifest with many faults": () => definePacket(subjectOf(null), {}, BUILT_IN_CONFIG),
  "a manifest that is no map": () => definePacket(subjectOf(null), "text", BUILT_IN_CONFIG),
};

function inputOf(path: string, text: string): Packet["inputs"][number] {
  return { path, text, sha256: "0", source: "user", redactions: {} } as unknown as Packet["inputs"][number];
}

function finish(
  subject: Subject,
  input: Partial<FinishInput>,
  found: Partial<{
    dispatcher: typeof holder;
    files: ReadonlyMap<string, FileFact>;
    texts: ReadonlyMap<string, string>;
  }> = {},
) {
  return finishStage(
    subject,
    { stage: "codex_impl", exit_code: 0, ...input },
    {
      by: "agent:ada",
      now: "2026-01-01T00:00:00.000Z",
      dispatcher: noProcess,
      files: new Map(),
      texts: new Map(),
      ...found,
    },
  );
}

const present = (size: number): FileFact => ({ state: "present", size, sha256: `s${size}`, lines: 1 });

describe("calls on a packet", () => {
  it("[ERR-1] [PACKET-120] [PACKET-122] [PACKET-128] are refused with what was expected, what was found and how to go on", async () => {
    const texts = Object.entries(CASES).map(([name, run]) => {
      const { code, message, recovery, suggestions, details } = refused(run);
      return `## ${name}\n\n${JSON.stringify({ code, message, recovery, suggestions, details }, null, 2)}\n`;
    });
    await expect(texts.join("\n")).toMatchFileSnapshot("../../data/packet/refusals.md");
  });

  it("[PACKET-122] are taken at the very limits", () => {
    const start = (change: Partial<Packet>, stage = "codex_impl") =>
      startStage(withPacket(change), { stage }, new Set()).drafts.length;
    const { signature } = someFailure("codex_impl");
    const counted = (count: number) => ({
      ...FAILED,
      signatures: { [signature]: { ...FAILED.signatures![signature]!, count } },
    });
    expect([
      start({ paid_calls_used: 9 }),
      start(counted(2)),
      start({ override: Array(100).fill("a") }, "codex_verify"),
    ]).toEqual([1, 1, 1]);
    const free = subjectOf({
      ...somePacket(SPENT),
      plan: { ...somePacket().plan, stages: [someStage("codex_impl", { paid: false })] },
    });
    expect(startStage(free, { stage: "codex_impl" }, new Set()).drafts).toHaveLength(1);
    const fifty = Array.from({ length: 50 }, (_, i) => ({ path: `attachments/${i}`, text: "x" }));
    expect(setInputs(somePacket(), fifty)).toHaveLength(50);
    const inputs = fifty.map(({ path, text }) => inputOf(path, text));
    expect(setInput(somePacket({ inputs }), "attachments/7", "y")).toHaveLength(1);
    expect(
      setInputs(somePacket({ inputs: [...inputs, inputOf("attachments/50", "x")] }), [
        { path: "user_request.md", text: "x" },
      ]),
    ).toHaveLength(1);
  });

  it("[PACKET-128] go on where no process and no attempt stands in the way", () => {
    expect(() => refuseBusy(withPacket(), noProcess)).not.toThrow();
    expect(() => refuseBusy(subjectOf(null), holder)).not.toThrow();
    expect(() => refuseTaken(withPacket(), RUNS, holder)).not.toThrow();
    expect(() => refuseTaken(withPacket(), { ...RUNS, dispatched: true }, noProcess)).not.toThrow();
  });
});

describe("the start of a stage", () => {
  it("[PACKET-122] [PACKET-123] names the attempt, what it runs and its prompt", () => {
    const subject = withPacket({ done: DONE, attempts: [someAttempt("codex_impl", 1, { how: "failed" })] });
    const input = {
      stage: "codex_impl",
      argv: ["codex", "x"],
      env: ["B", "A"],
      model: "m-2",
      dispatched: true,
      work_tree: "abc",
    };
    const { drafts, contents, warnings } = startStage(subject, input, new Set(filesOfStage("codex_impl").slice(0, 1)));
    const [earlier, prompt] = contents as [{ path: string; from: string }, { path: string; bytes: Uint8Array }];
    expect(filesOfStage("codex_impl")).toContain(earlier.from);
    expect(payload(drafts)).toMatchObject({
      stage: "codex_impl",
      attempt: 2,
      model: "m-2",
      argv: ["codex", "x"],
      env: ["A", "B"],
      dispatched: true,
      work_tree: "abc",
      prompt: {
        path: prompt.path,
        size: prompt.bytes.length,
        sha256: createHash("sha256").update(prompt.bytes).digest("hex"),
        lines: Buffer.from(prompt.bytes).toString().split("\n").length - 1,
      },
      message: "Started stage codex_impl, attempt 2.",
    });
    expect(earlier.path).toContain(".1.");
    expect(warnings).toEqual([]);
  });

  it("[PACKET-122] leaves out what its caller did not say, and warns of stages before it", () => {
    const { drafts, warnings } = startStage(withPacket(), { stage: "codex_verify" }, new Set());
    expect(payload(drafts)).toMatchObject({ attempt: 1, model: "m-1", argv: [], env: [] });
    expect(Object.keys(payload(drafts))).not.toEqual(expect.arrayContaining(["dispatched"]));
    expect(Object.keys(payload(drafts))).not.toEqual(expect.arrayContaining(["work_tree"]));
    const message = (subject: Subject, stage: string) => startStage(subject, { stage }, new Set()).warnings;
    expect(warnings).toEqual([
      {
        code: "STAGE_ORDER",
        message: "codex_verify runs although gemini_brief, codex_impl stand before it and are not done.",
      },
    ]);
    expect(message(withPacket({ done: DONE }), "codex_verify")).toEqual([
      { code: "STAGE_ORDER", message: "codex_verify runs although codex_impl stands before it and is not done." },
    ]);
  });
});

describe("the prompt of a stage", () => {
  const inputs = [
    inputOf("context_pack.md", "# Pack\n"),
    inputOf("user_request.md", "Do it.\n"),
    inputOf("attachments/a.md", "of a\n"),
  ];

  it("[PACKET-123] has the inputs of its packet and what earlier stages left", () => {
    const { text, redactions } = promptOf(somePacket({ inputs }), "codex_impl", [{ name: "b.md", text: "of b\n" }]);
    for (const part of [
      "BEGIN CONTEXT PACK ---\n# Pack",
      "Do it.",
      "ATTACHMENT: a.md ---\nof a",
      "ATTACHMENT: b.md ---\nof b",
    ])
      expect(text).toContain(part);
    expect(text).not.toContain("user_request.md ---");
    expect(redactions).toEqual({});
    expect(promptOf(somePacket(), "codex_impl").text).toContain("Write a parser");
    expect(promptOf(somePacket(), "codex_impl").text).not.toContain("BEGIN CONTEXT PACK");
  });

  it("[PACKET-123] masks secrets in each of its parts, and counts them", () => {
    const key = `ghp_${"a1B2".repeat(9)}`;
    const secret = ["context_pack.md", "user_request.md", "attachments/a.md"].map((path) => inputOf(path, `${key}\n`));
    const { text, redactions } = promptOf(somePacket({ inputs: secret }), "codex_impl", [{ name: "b.md", text: key }]);
    expect(text).not.toContain(key);
    expect(Object.values(redactions)).toEqual([4]);
  });
});

describe("the end of an attempt", () => {
  const running = (stage = "codex_impl", change: Partial<Packet> = {}) =>
    withPacket({ attempts: [someAttempt(stage, 1, null)], ...change });

  it("[PACKET-126] names the files that the servant left, and says what the gate found", () => {
    const files = new Map([
      ["outputs/codex_impl.out", present(3)],
      ...filesOfStage("codex_impl").map((path, i): [string, FileFact] => [path, present(i)]),
    ]);
    const { drafts, contents, warnings } = finish(
      running(),
      { exit_code: 3, start: "a", end: "b", duration_sec: 4 },
      { files },
    );
    expect(payload(drafts)).toMatchObject({ exit_code: 3, timed_out: false, start: "a", end: "b", duration_sec: 4 });
    expect(Object.keys(payload(drafts)["files"] as object)).toEqual(["out", "err", "compose.log", "wrapper.log"]);
    // Each file stays where it is, and is synced there (PACKET-125).
    expect(contents).toEqual(filesOfStage("codex_impl").map((path) => ({ path, from: path })));
    expect([warnings, drafts.map(({ type }) => type)]).toEqual([[], ["stage.finished", "stage.failed"]]);
    expect(drafts[1]!.payload).toMatchObject({ exit_code: 3, gate: "not_judged", stage: "codex_impl" });
  });

  it("[PACKET-126] writes what its caller hands over, and keeps both ends of what it said", () => {
    const err = Array.from({ length: 50 }, (_, i) => `line ${i}`).join("\n");
    const { drafts, contents } = finish(running(), { out: "text", err: `${err}\n`, exit_code: 1 });
    expect(contents.map((one) => [one.path, "bytes" in one ? Buffer.from(one.bytes).toString() : one.from])).toEqual([
      [filesOfStage("codex_impl")[0], "text"],
      [filesOfStage("codex_impl")[1], `${err}\n`],
    ]);
    const ends = (text: string) => payload(finish(running(), { err: text, exit_code: 1 }).drafts)["stderr"];
    const lines = err.split("\n");
    expect(payload(drafts)["stderr"]).toEqual({ head: lines.slice(0, 20), tail: lines.slice(-20) });
    expect(ends(lines.slice(0, 30).join("\r\n"))).toEqual({ head: lines.slice(0, 20), tail: lines.slice(20, 30) });
    expect(ends("a\rb\n\n")).toEqual({ head: ["a", "b", ""], tail: [] });
    expect(ends("")).toEqual({ head: [], tail: [] });
  });

  it("[PACKET-126] signs a failure by what the tool said, and by the reasons of the gate where it said nothing", () => {
    const normalized = (input: Partial<FinishInput>) =>
      finish(running(), { exit_code: 1, ...input }).drafts.at(-1)!.payload["normalized"];
    expect(normalized({ err: "connection refused\n" })).toContain("connection refused");
    expect(normalized({ err: " \n" })).toContain("exit code");
    expect(normalized({ exit_code: 0, out: "no diff", err: "connection refused" })).not.toContain("connection refused");
  });

  it("[PACKET-126] records each command that ran as evidence, with both ends of what it printed", () => {
    const long = `${"a".repeat(3000)}${"b".repeat(3000)}`;
    const acceptance = [
      { command: "npm test", exit_code: 1, stdout: long, stderr: "err", timed_out: true, duration_sec: 9 },
      { command: "npm run lint", exit_code: 0 },
    ];
    const { drafts } = finish(running("codex_verify"), { stage: "codex_verify", out: "x", acceptance });
    const half = 1980;
    expect(payload(drafts)["acceptance"]).toEqual([
      {
        command: "npm test",
        exit_code: 1,
        timed_out: true,
        duration_sec: 9,
        excerpt: `${"a".repeat(half)}\n[...]\n${"b".repeat(half - 4)}\nerr`,
        from: "manifest",
      },
      { command: "npm run lint", exit_code: 0, timed_out: false, duration_sec: 0, excerpt: "" },
    ]);
    expect(drafts[1]).toMatchObject({
      type: "evidence.captured",
      payload: {
        items: [
          { command: "npm test", exit_code: 1 },
          { command: "npm run lint", exit_code: 0 },
        ],
      },
    });
    const exact = "x".repeat(4000);
    const excerpt = (stdout: string) =>
      (
        payload(
          finish(running("codex_verify"), {
            stage: "codex_verify",
            acceptance: [{ command: "a", exit_code: 0, stdout }],
          }).drafts,
        )["acceptance"] as { excerpt: string }[]
      )[0]!.excerpt;
    expect([excerpt(exact) === exact, excerpt(`${exact}x`).length]).toEqual([true, 2 * half + 7]);
  });

  it("[PACKET-126] captures more commands than one capture takes in several", () => {
    const acceptance = Array.from({ length: 41 }, (_, i) => ({ command: `test ${i}`, exit_code: 0 }));
    const { drafts } = finish(running("codex_verify"), { stage: "codex_verify", acceptance });
    const captures = drafts.filter(({ type }) => type === "evidence.captured");
    expect(captures.map(({ payload: { items } }) => (items as unknown[]).length)).toEqual([20, 20, 1]);
  });
});

describe("an attempt that is given up", () => {
  it("[PACKET-128] names what it left, also what it was still writing", () => {
    const [out, err] = filesOfStage("codex_impl") as [string, string];
    const names = filesOfInterrupted(withPacket({ attempts: [RUNS] }), "codex_impl");
    expect(names.slice(0, 4)).toEqual([out, `${out}.partial`, err, `${err}.partial`]);
    const files = new Map<string, FileFact>([
      [out, { state: "missing" }],
      [`${out}.partial`, present(5)],
      [err, present(6)],
      [`${err}.partial`, present(7)],
    ]);
    const given = (found: ReadonlyMap<string, FileFact>) =>
      interruptStage(
        withPacket({ attempts: [RUNS] }),
        { stage: "codex_impl", reason: "no time" },
        {
          dispatcher: noProcess,
          files: found,
        },
      );
    const { drafts, contents } = given(files);
    expect(payload(drafts)).toEqual({
      stage: "codex_impl",
      run: RUNS.run,
      reason: "no time",
      files: {
        out: { path: out, size: 5, sha256: "s5", lines: 1 },
        err: { path: err, size: 6, sha256: "s6", lines: 1 },
      },
      message: "Stage codex_impl was interrupted: no time.",
    });
    expect(contents).toEqual([
      { path: out, from: `${out}.partial` },
      { path: err, from: err },
    ]);
    expect(payload(given(new Map()).drafts)).not.toHaveProperty("files");
  });

  it("[PACKET-128] a stage begins anew that is done, failed or was interrupted", () => {
    const reopened = (change: Partial<Packet>) => payload(reopenStage(withPacket(change), "codex_impl", "so"));
    const expected = { stage: "codex_impl", reason: "so", message: "Reopened stage codex_impl: so." };
    expect(reopened({ done: { codex_impl: "t" } })).toEqual(expected);
    expect(reopened({ done: { codex_impl: "t" }, attempts: [RUNS] })).toEqual(expected);
    for (const how of ["failed", "interrupted"] as const)
      expect(reopened({ attempts: [someAttempt("codex_impl", 1, { how })] })).toEqual(expected);
    const passed = { attempts: [someAttempt("codex_impl", 1, { how: "failed" }), someAttempt("codex_impl", 2)] };
    expect(refused(() => reopened(passed)).code).toBe("NOT_DONE");
  });

  it("[PACKET-122] a budget counts from zero, and says how much was used", () => {
    const reset = (kind: "paid_call_budget" | "retry_budget", change: Partial<Packet>) =>
      payload(resetBudget(withPacket(change), kind, "so"));
    expect(reset("paid_call_budget", { ...FAILED, paid_calls_used: 4 })).toMatchObject({
      kind: "paid_call_budget",
      used: 4,
      reason: "so",
    });
    expect(reset("retry_budget", { ...FAILED, paid_calls_used: 4 })).toMatchObject({ used: 3 });
    expect(reset("retry_budget", {})).toMatchObject({ used: 0 });
  });

  it("[PACKET-180] the archive leaves out outputs as its policy says, and none twice", () => {
    const file = (path: string, size: number, dropped?: boolean) => ({
      path,
      size,
      sha256: "s",
      lines: 1,
      ...(dropped ? { dropped } : {}),
    });
    const attempts = [
      someAttempt("codex_impl", 1, { files: { out: file("a", 10), err: file("b", 0) } as never }),
      someAttempt("codex_impl", 2, { files: { out: file("c", 11), err: file("d", 99, true) } as never }),
    ];
    const dropped = (outputs: "keep" | "drop" | number) =>
      payload(archivePacket(withPacket({ attempts }), outputs, noProcess));
    expect(dropped("keep")).toMatchObject({ archived: true, dropped: [], message: "Archived the packet." });
    expect(dropped("drop")).toMatchObject({
      dropped: ["a", "b", "c"],
      message: "Archived the packet without 3 outputs.",
    });
    expect(dropped(10)).toMatchObject({ dropped: ["c"], message: "Archived the packet without 1 output." });
    expect(refused(() => archivePacket(withPacket({ attempts: [RUNS] }), "keep", noProcess)).code).toBe(
      "STAGE_RUNNING",
    );
  });
});

describe("the packet of a review", () => {
  const goal = (context_pack: string) => reviewManifest({ context_pack, impl_report: "" })["goal"];
  const HEAD = "Review the implementation";

  it.each([
    ["", HEAD],
    ["# A parser\n", `${HEAD}: A parser`],
    ["# A parser\n## 1. Goal\n\n  It parses.  \n", `${HEAD}: It parses.`],
    ["# A parser\r\n### goal\r\nIt parses.\r\n", `${HEAD}: It parses.`],
    ["# A parser\n## Goal\n# Next\n", `${HEAD}: A parser`],
    ["# A parser\n## Goals\nIt parses.\n", `${HEAD}: A parser`],
    ["# A parser\n#### Goal\nIt parses.\n", `${HEAD}: A parser`],
    ["text\n# #1 A parser\n", `${HEAD}: #1 A parser`],
    ["## Goal", HEAD],
  ])("[PACKET-212] takes its goal from %j", (pack, expected) => {
    expect(goal(pack)).toBe(expected);
  });

  it("[PACKET-212] has few calls, all paths unless some are named, and both texts as inputs", () => {
    const given = { context_pack: "# P\n", impl_report: "done\n" };
    expect(reviewManifest(given)).toMatchObject({
      routing: { intent: "post_impl_review" },
      scope: { allow: ["."], deny: [] },
      budgets: { retry_budget: 2, paid_call_budget: 12, max_wallclock_sec: 900 },
      context: { digest_policy: "off" },
    });
    expect(reviewManifest({ ...given, goal: "g", allow: ["src"] })).toMatchObject({
      goal: "g",
      scope: { allow: ["src"], deny: [] },
    });
    expect(reviewInputs(given)).toMatchObject({ "context_pack.md": "# P\n", "attachments/impl_report.md": "done\n" });
    expect(Object.keys(reviewInputs(given))).toHaveLength(3);
  });
});
