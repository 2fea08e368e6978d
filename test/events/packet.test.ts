import { describe, expect, it } from "vitest";
import { EVENTS } from "../../src/events/index.ts";
import { Writer } from "../../src/events/writer.ts";
import { sha256 } from "../../src/log/canonical.ts";
import { derivedHex } from "../../src/state/derived_hex.ts";
import type { Packet } from "../../src/state/packet.ts";
import { Branches } from "../support/branches.ts";
import { creation } from "../support/logs.ts";
import { SAFE_IMPL, someAttempt, someFailure, someManifest, somePacket } from "../support/some_packet.ts";

const log = new Branches();
log.op([], "agent:a", creation("A sentence."));
const FACT = { hash: sha256("event"), ts: "2026-03-01T00:00:00.000Z", by: "agent:ben" };
const T = "2026-02-18T11:00:00.000Z";

/** The packet after one event, without the time of its change. */
function after(type: string, payload: object, before: Partial<Packet> | null = {}): Partial<Packet> | null {
  const entity = { ...log.entity(), packet: before === null ? null : somePacket(before) };
  EVENTS[type]!.apply(entity, payload as never, FACT as never, new Writer(), [], { index: 9, saw: () => true });
  if (!entity.packet) return null;
  const { updated_at, ...packet } = entity.packet;
  expect(updated_at).toBe(FACT.ts);
  return packet;
}

const RUNS = someAttempt("codex_impl", 1, null);
const OTHER = { ...someAttempt("codex_impl", 1, null), run: "ffffffff" };
const ended = (how: "failed" | "passed" | "interrupted" = "failed") => ({ ...someAttempt("codex_impl", 1, { how }) });
const at = { stage: "codex_impl", run: RUNS.run };
const file = (path: string) => ({ path, size: 1, sha256: "s", lines: 1 });
const signed = (count: number) => ({
  "sig:0123456789abcdef": { count, class: "transient" as const, first_seen: T, last_seen: T },
});

describe("the events of a packet", () => {
  it("[PACKET-130] change nothing where there is no packet, and no attempt that is not theirs", () => {
    const failed = { ...at, class: "gate", signature: "sig:a", reasons: [] };
    for (const [type, payload] of [
      ["stage.failed", failed],
      ["stage.passed", at],
      ["packet.archived", { archived: true, dropped: [] }],
      ["packet.input_set", { path: "user_request.md", text: "x", sha256: "s", source: "user" }],
    ] as const)
      expect(after(type, payload, null), type).toBeNull();
    expect(after("stage.failed", failed, { attempts: [OTHER] })).toMatchObject({
      attempts: [OTHER],
      signatures: {},
      failures: {},
    });
    for (const type of ["stage.finished", "stage.interrupted"])
      expect(after(type, { ...at, reason: "x" }, { attempts: [OTHER, ended()] })).toMatchObject({
        attempts: [OTHER, ended()],
      });
  });

  it("[PACKET-82] an attempt starts with what was told of it, and is paid for if its stage is", () => {
    const earlier = someAttempt("codex_impl", 1, { files: { out: file("now.out") } as never });
    const payload = {
      stage: "codex_impl",
      attempt: 2,
      model: "m",
      timeout_sec: 5,
      timeout_mode: "enforce",
      paid: true,
    };
    const attempts = [earlier, someAttempt("codex_verify", 1, { files: { out: file("x.out") } as never })];
    const packet = after("stage.started", payload, { attempts, paid_calls_used: 3 })!;
    expect([packet.paid_calls_used, packet.attempts!.length, packet.attempts![1]]).toEqual([4, 3, attempts[1]]);
    expect(packet.attempts![0]!.ended!.files.out!.path).toContain(".1.");
    expect(packet.attempts![2]).toEqual({
      ...payload,
      run: derivedHex(FACT.hash, false),
      prompt_sha256: null,
      scope: someManifest().scope,
      started_at: FACT.ts,
      by: FACT.by,
    });
    const more = { ...payload, paid: false, prompt: { sha256: "p" }, dispatched: true, work_tree: "w" };
    const told = after("stage.started", more, { paid_calls_used: 3 })!;
    expect(told.paid_calls_used).toBe(3);
    expect(told.attempts![0]).toMatchObject({ prompt_sha256: "p", dispatched: true, work_tree: "w" });
    expect(after("stage.started", payload, { attempts: [RUNS] })!.attempts![0]).toEqual(RUNS);
  });

  it("[PACKET-422] an attempt has 20 digits of its event's hash, 8 of an older release, and all where another has these", () => {
    const hex = Buffer.from(FACT.hash, "base64url").toString("hex");
    const started = {
      stage: "codex_impl",
      attempt: 1,
      model: "m",
      timeout_sec: 5,
      timeout_mode: "enforce",
      paid: true,
    };
    const imported = { stage: "codex_impl", done_at: null, ran: true, files: {} };
    for (const [type, payload] of [
      ["stage.started", started],
      ["stage.imported", imported],
    ] as const) {
      for (const [digits, long_ids] of [
        [20, true],
        [8, undefined],
      ] as const) {
        const named = { ...payload, ...(long_ids ? { long_ids } : {}) };
        expect(after(type, named)!.attempts!.map(({ run }) => run)).toEqual([hex.slice(0, digits)]);
        const taken = { ...RUNS, run: hex.slice(0, digits) };
        expect(after(type, named, { attempts: [taken] })!.attempts!.map(({ run }) => run)).toEqual([taken.run, hex]);
      }
    }
  });

  it("[PACKET-126] [PACKET-82] an attempt ends failed, then passed if the gate lets it through", () => {
    const end = {
      exit_code: 3,
      timed_out: true,
      start: "s",
      end: "e",
      duration_sec: 4,
      files: { out: file("a") },
      stderr: { head: ["x"], tail: [] },
      acceptance: [],
    };
    const finished = after("stage.finished", { ...at, ...end }, { attempts: [OTHER, RUNS] })!;
    expect(finished.attempts).toEqual([
      OTHER,
      { ...RUNS, ended: { ...end, how: "failed", ts: FACT.ts, reason: null } },
    ]);
    const failures = { codex_impl: someFailure("codex_impl"), codex_verify: someFailure("codex_verify") };
    const passed = after("stage.passed", at, { attempts: [ended(), OTHER], failures, done: { gemini_brief: T } })!;
    expect(passed.attempts).toEqual([ended("passed"), OTHER]);
    expect([passed.done, Object.keys(passed.failures!)]).toEqual([
      { gemini_brief: T, codex_impl: FACT.ts },
      ["codex_verify"],
    ]);
    expect(after("stage.passed", at, { attempts: [ended("interrupted")] })!.attempts).toEqual([ended("interrupted")]);
    expect(after("stage.passed", at, { attempts: [RUNS] })!.attempts).toEqual([RUNS]);
  });

  it("[PACKET-130] the first end of an attempt counts, and one that is told after the next attempt began has its number", () => {
    const end = { exit_code: 0, files: { out: file("outputs/codex_impl.codex.out"), err: file("e") }, stderr: {} };
    const ends = (attempts: Packet["attempts"]) =>
      after("stage.finished", { ...at, ...end }, { attempts })!.attempts!.map((one) => one.ended);
    const interrupted = { ...ended("interrupted").ended!, files: { err: file("own") } };
    expect(ends([OTHER, { ...RUNS, ended: interrupted }])).toEqual([
      undefined,
      { ...interrupted, files: { out: end.files.out, err: file("own") } },
    ]);
    expect(ends([ended("passed")])).toEqual([ended("passed").ended]);
    const [first] = ends([RUNS, { ...OTHER, attempt: 2 }]);
    expect(Object.values(first!.files).map(({ path }) => path)).toEqual([
      "outputs/codex_impl.codex.1.out",
      "outputs/codex_impl.codex.1.err",
    ]);
  });

  it("[PACKET-82] a failure is counted by its signature, and stands until its stage is done", () => {
    const { ts: _ts, stage: _stage, attempt: _attempt, ...failure } = someFailure("codex_impl");
    const payload = { ...at, ...failure };
    const packet = after("stage.failed", payload, { attempts: [ended(), OTHER] })!;
    expect(packet.failures).toEqual({ codex_impl: { ...failure, stage: "codex_impl", attempt: 1, ts: FACT.ts } });
    const counted = { count: 1, class: "transient", first_seen: FACT.ts, last_seen: FACT.ts };
    expect(packet.signatures).toEqual({ [failure.signature]: counted });
    expect(packet.attempts!.map((one) => one.ended?.reason)).toEqual([failure.reasons[0], undefined]);
    const again = after(
      "stage.failed",
      { ...payload, reasons: [] },
      { attempts: [ended()], signatures: signed(2), done: { codex_impl: T } },
    )!;
    expect(again.signatures).toEqual({ [failure.signature]: { ...counted, count: 3, first_seen: T } });
    expect([again.failures, again.attempts![0]!.ended!.reason]).toEqual([{}, "transient"]);
    expect(after("stage.failed", payload, { attempts: [RUNS] })!.attempts).toEqual([RUNS]);
  });

  it("[PACKET-128] an interrupted attempt says why, and names the files that it left", () => {
    const interrupted = (more: object) =>
      after("stage.interrupted", { ...at, reason: "no time", ...more }, { attempts: [OTHER, RUNS] })!.attempts;
    const end = {
      how: "interrupted",
      ts: FACT.ts,
      exit_code: null,
      timed_out: false,
      start: null,
      end: null,
      duration_sec: null,
      files: {},
      stderr: { head: [], tail: [] },
      acceptance: [],
      reason: "no time",
    };
    expect(interrupted({})).toEqual([OTHER, { ...RUNS, ended: end }]);
    expect(interrupted({ files: { out: file("a") } })).toEqual([
      OTHER,
      { ...RUNS, ended: { ...end, files: { out: file("a") } } },
    ]);
  });

  it("[PACKET-128] a stage that is opened again puts its ended attempts aside", () => {
    const attempts = [ended(), RUNS, someAttempt("codex_verify", 1)];
    const packet = after(
      "stage.reopened",
      { stage: "codex_impl", reason: "x" },
      { attempts, done: { codex_impl: T, gemini_brief: T } },
    )!;
    expect(packet.done).toEqual({ gemini_brief: T });
    expect(packet.attempts).toEqual([{ ...ended(), reopened: true }, RUNS, attempts[2]]);
  });

  it("[PACKET-193] a run of another program is an attempt that nothing was paid for, and its marker makes the stage done", () => {
    const payload = {
      stage: "codex_impl",
      done_at: null,
      ran: true,
      exit_code: 1,
      model: "m",
      start: "s",
      end: "e",
      duration_sec: 2,
      prompt_sha256: "p",
      files: { out: file("a") },
    };
    const failures = { codex_impl: someFailure("codex_impl"), codex_verify: someFailure("codex_verify") };
    const before = {
      attempts: [someAttempt("codex_impl", 1, { files: { out: file("b") } as never }), someAttempt("codex_verify", 1)],
      failures,
    };
    const failed = after("stage.imported", payload, before)!;
    expect([failed.done, failed.failures]).toEqual([{}, failures]);
    expect(failed.attempts![0]!.ended!.files.out!.path).not.toBe("b");
    expect(failed.attempts![1]).toEqual(before.attempts[1]);
    const attempt = {
      run: derivedHex(FACT.hash, false),
      stage: "codex_impl",
      attempt: 2,
      model: "m",
      timeout_sec: 0,
      timeout_mode: "wait_done",
      paid: false,
      prompt_sha256: "p",
      started_at: "s",
      by: FACT.by,
      imported: true,
      ended: {
        how: "failed",
        ts: FACT.ts,
        exit_code: 1,
        timed_out: false,
        start: "s",
        end: "e",
        duration_sec: 2,
        files: payload.files,
        stderr: { head: [], tail: [] },
        acceptance: [],
        reason: null,
      },
    };
    expect(failed.attempts![2]).toEqual(attempt);
    const done = after("stage.imported", { ...payload, start: null, done_at: T }, { failures })!;
    expect([done.done, Object.keys(done.failures!)]).toEqual([{ codex_impl: T }, ["codex_verify"]]);
    expect(done.attempts).toEqual([
      { ...attempt, attempt: 1, started_at: FACT.ts, ended: { ...attempt.ended, how: "passed", ts: T, start: null } },
    ]);
    expect(after("stage.imported", { ...payload, ran: false, done_at: T })).toMatchObject({
      attempts: [],
      done: { codex_impl: T },
    });
  });

  it("[PACKET-193] counts of another program take the place of ours where it told them", () => {
    const { normalized: _none, ...failure } = someFailure("codex_impl");
    const none = { paid_calls_used: null, signatures: null, last_failure: null };
    const before = { paid_calls_used: 2, signatures: signed(1), failures: {} };
    expect(after("packet.imported", none, before)).toMatchObject(before);
    expect(after("packet.imported", { ...none, paid_calls_used: 0 }, before)).toMatchObject({
      ...before,
      paid_calls_used: 0,
    });
    expect(after("packet.imported", { ...none, signatures: signed(7) }, before)).toMatchObject({
      ...before,
      signatures: signed(7),
    });
    expect(after("packet.imported", { ...none, last_failure: failure }, before)!.failures).toEqual({
      codex_impl: { ...failure, normalized: "" },
    });
    expect(
      after("packet.imported", { ...none, last_failure: failure }, { ...before, done: { codex_impl: T } })!.failures,
    ).toEqual({});
  });

  it("[PACKET-121] inputs stand by their names, and one that was taken away is known to be", () => {
    const input = (path: string, text: string | null) => ({
      path,
      text,
      sha256: text === null ? null : `s${text}`,
      source: "user" as const,
    });
    const set = (path: string, text: string | null, before: Partial<Packet>) => {
      const { inputs, removed_inputs } = after("packet.input_set", { ...input(path, text), redactions: {} }, before)!;
      return [inputs!.map((one) => `${one.path} ${one.text}`), removed_inputs];
    };
    const before = {
      inputs: [input("attachments/b", "b"), input("user_request.md", "u")] as Packet["inputs"],
      removed_inputs: ["attachments/a", "x"],
    };
    expect(set("attachments/a", "a", before)).toEqual([
      ["attachments/a a", "attachments/b b", "user_request.md u"],
      ["x"],
    ]);
    expect(set("attachments/b", "c", before)).toEqual([
      ["attachments/b c", "user_request.md u"],
      ["attachments/a", "x"],
    ]);
    expect(set("attachments/b", null, before)).toEqual([
      ["user_request.md u"],
      ["attachments/a", "x", "attachments/b"],
    ]);
    expect(set("attachments/a", null, before)).toEqual([
      ["attachments/b b", "user_request.md u"],
      ["x", "attachments/a"],
    ]);
  });

  it("[PACKET-122] a budget that counts from zero leaves the other as it was", () => {
    const before = { paid_calls_used: 4, signatures: signed(3) };
    expect(after("packet.budget_reset", { kind: "paid_call_budget" }, before)).toMatchObject({
      paid_calls_used: 0,
      signatures: signed(3),
    });
    expect(after("packet.budget_reset", { kind: "retry_budget" }, before)).toMatchObject({
      paid_calls_used: 4,
      signatures: signed(0),
    });
  });

  it("[PACKET-79] [PACKET-120] commands of a brief and manifests take the place of those before", () => {
    expect(after("packet.override_set", { commands: ["a"], run: null })!.override).toEqual(["a"]);
    expect(after("packet.override_set", { commands: null, run: null }, { override: ["a"] })!.override).toBeNull();
    const defined = { manifest: someManifest({ goal: "new" }), plan: somePacket({}, SAFE_IMPL.slice(0, 1)).plan };
    const { updated_at: _at, ...fresh } = somePacket();
    expect(after("packet.defined", defined, null)).toEqual({ ...fresh, ...defined });
    expect(after("packet.defined", defined, { paid_calls_used: 3, done: { codex_impl: T } })).toMatchObject({
      ...defined,
      paid_calls_used: 3,
      done: { codex_impl: T },
    });
  });

  it("[PACKET-180] an archive marks the outputs that it left out, and those alone", () => {
    const attempts = [someAttempt("codex_impl", 1, { files: { out: file("a"), err: file("b") } as never }), RUNS];
    const packet = after("packet.archived", { archived: true, dropped: ["b"] }, { attempts })!;
    expect(packet.attempts![0]!.ended!.files).toEqual({ out: file("a"), err: { ...file("b"), dropped: true } });
    expect([packet.attempts![1], packet.archived]).toEqual([RUNS, true]);
    expect(after("packet.archived", { archived: false, dropped: [] }, { attempts, archived: true })).toMatchObject({
      attempts,
      archived: false,
    });
  });
});

describe("what an attempt is judged by", () => {
  const draft = (type: string, payload: object) => ({ type, payload: { message: "A sentence.", ...payload } });
  const defined = (...allow: string[]) =>
    draft("packet.defined", {
      manifest: { ...someManifest(), scope: { allow, deny: [] } },
      plan: somePacket({}).plan,
    });
  const judged_by = { scope: { allow: ["src/"], deny: [] }, manifest: [], brief: null };
  const started = (more: object = { judged_by }) =>
    draft("stage.started", {
      stage: "codex_impl",
      attempt: 1,
      model: "m",
      timeout_sec: 5,
      timeout_mode: "enforce",
      paid: true,
      argv: [],
      env: [],
      prompt: null,
      redactions: {},
      config_sha256: "c",
      ...more,
    });
  const widest = draft("packet.imported", { paid_calls_used: 0, signatures: null, last_failure: null });
  const reset = draft("packet.budget_reset", { kind: "paid_call_budget", used: 1, reason: "more" });
  const override = draft("packet.override_set", { commands: ["true"], run: null });
  const reopened = draft("stage.reopened", { stage: "codex_impl", reason: "again" });
  const imported = draft("stage.imported", {
    stage: "codex_verify",
    done_at: T,
    ran: false,
    exit_code: null,
    model: "m",
    start: null,
    end: null,
    duration_sec: null,
    prompt_sha256: null,
    files: {},
  });

  /** A packet that was defined, and an attempt of it upon that. */
  function begun(start = started()) {
    const branches = new Branches();
    const root = branches.op([], "agent:a", creation("A sentence."), defined("src/"));
    const first = branches.op([root], "agent:a", start);
    const run = derivedHex(first.events[0]!.hash, false);
    const interrupted = draft("stage.interrupted", { stage: "codex_impl", run, reason: "killed" });
    return { branches, root, first, interrupted };
  }

  it("[PACKET-411] is not changed by an event whose writer saw the attempt begin and not end", () => {
    const { branches, first } = begun();
    const before = branches.entity().packet!;
    const held = [defined("."), reset, widest, override, imported, reopened];
    for (const one of held) branches.op([branches.ops.at(-1)!], "agent:b", one);
    expect([first.events.length, branches.entity().packet]).toEqual([1, before]);
    const reason = "an attempt of the packet was under way";
    expect(branches.fold().noEffect.map(({ type, reason: why }) => [type, why])).toEqual(
      held.map(({ type }) => [type, reason]),
    );
  });

  it.each(["the end first", "the change first"])(
    "[PACKET-411] is changed by one of another branch, and by one that saw an end: %s",
    (order) => {
      const { branches, root, first, interrupted } = begun();
      const end = (): void => void branches.op([first], "agent:a", interrupted);
      if (order === "the end first") end();
      // This one saw the start, and the end on the other branch is none that it saw.
      const blind = branches.op([first], "agent:b", defined("blind"));
      if (order !== "the end first") end();
      expect(branches.entity().packet!.manifest.scope.allow).toEqual(["src/"]);
      const beside = branches.op([root], "agent:c", defined("beside"));
      expect(branches.entity().packet!.manifest.scope.allow).toEqual(["beside"]);
      const ended = branches.ops.find(({ events }) => events[0]!.type === "stage.interrupted")!;
      branches.op([blind, ended, beside], "agent:d", defined("."));
      expect(branches.entity().packet!.manifest.scope.allow).toEqual(["."]);
    },
  );

  it("[PACKET-411] is changed by the end of a brief beside another stage, and where an older release began the attempt", () => {
    const { branches, first } = begun();
    const brief = branches.op([first], "agent:a", {
      ...started(),
      payload: { ...started().payload, stage: "gemini_brief" },
    });
    const run = derivedHex(brief.events[0]!.hash, false);
    const at = { stage: "gemini_brief", run };
    const finished = draft("stage.finished", {
      ...at,
      exit_code: 0,
      timed_out: false,
      start: null,
      end: null,
      duration_sec: null,
      files: {},
      stderr: { head: [], tail: [] },
      acceptance: [],
    });
    const own = { ...override, payload: { ...override.payload, run } };
    branches.op([brief], "agent:a", finished, draft("stage.passed", { ...at, checks: [] }), own);
    expect([branches.entity().packet!.override, branches.fold().noEffect]).toEqual([["true"], []]);
    const old = begun(started({}));
    old.branches.op([old.first], "agent:b", defined("."));
    expect(old.branches.entity().packet!.manifest.scope.allow).toEqual(["."]);
  });
});
