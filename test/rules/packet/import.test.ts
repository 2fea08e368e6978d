import { describe, expect, it } from "vitest";
import { BUILT_IN_CONFIG } from "../../../src/rules/packet/built_in_config.ts";
import type { ForeignPacket, ForeignRun } from "../../../src/rules/packet/import_packet.ts";
import { importPacket, isSameFailure, newSignatures } from "../../../src/rules/packet/import_packet.ts";
import { withoutOlder } from "../../../src/rules/packet/older_files.ts";
import type { Packet, Signature } from "../../../src/state/packet.ts";
import { failedPacket, someAttempt, someFailure, someManifest, somePacket } from "../../support/some_packet.ts";

const NOW = "2026-02-20T00:00:00.000Z";
const T = "2026-02-18T11:00:00.000Z";
const input = (path: string, text: string) =>
  ({ path, text, sha256: "0", source: "user", redactions: {} }) as unknown as Packet["inputs"][number];

function folder(change: Partial<ForeignPacket> = {}): ForeignPacket {
  return {
    manifest: someManifest(),
    inputs: [],
    markers: [],
    runs: [],
    paid_calls_used: 0,
    signatures: {},
    last_failure: null,
    override: null,
    has_override: false,
    stages_completed: [],
    ...change,
  };
}

function run(stage: string, change: Partial<ForeignRun> = {}): ForeignRun {
  return {
    stage,
    exit_code: 0,
    model: null,
    start: null,
    end: null,
    duration_sec: null,
    prompt_sha256: null,
    files: [],
    ...change,
  };
}

function taken(
  packet: Packet | null,
  from: Partial<ForeignPacket>,
  options: { own?: boolean; unread?: string[]; behind?: boolean } = {},
) {
  const subject = { id: "TASK-001", workspace: "w", entity: { kind: "task", packet } } as never;
  const { own = packet !== null, unread = [], behind = false } = options;
  const found = importPacket(subject, folder(from), {
    config: BUILT_IN_CONFIG,
    now: NOW,
    own,
    unread: new Set(unread),
    behind,
  });
  return {
    events: found.drafts.map(({ type, payload }) => (type === "packet.defined" ? { type } : { type, ...payload })),
    contents: found.contents.map(({ path, bytes }) => `${path}: ${Buffer.from(bytes).toString()}`),
    took: found.took,
    left: found.left,
  };
}

const out = (text: string, path = "outputs/x.out") => ({ kind: "out" as const, path, text });
const signature = (change: Partial<Signature> = {}): Signature =>
  ({ count: 1, class: "transient", first_seen: T, last_seen: T, ...change }) as Signature;

const CASES: Record<string, () => ReturnType<typeof taken>> = {
  "a packet that is as it was": () => taken(somePacket(), {}),
  "another manifest": () => taken(somePacket(), { manifest: someManifest({ goal: "Another goal" }) }),
  "an input that is new, one that is other, one that is the same": () =>
    taken(somePacket({ inputs: [input("user_request.md", "x"), input("attachments/a", "a")] }), {
      inputs: [
        { path: "user_request.md", text: "x" },
        { path: "attachments/a", text: "b" },
        { path: "context_pack.md", text: "c" },
      ],
    }),
  "markers with a time and without one": () =>
    taken(somePacket({ done: { codex_impl: T } }), {
      markers: [
        { stage: "gemini_brief", at: T },
        { stage: "codex_verify", at: null },
        { stage: "codex_impl", at: NOW },
        { stage: "other_stage", at: null },
      ],
      stages_completed: ["gemini_brief", "codex_verify", "codex_impl"],
    }),
  "runs, one of them tried before": () =>
    taken(null, {
      runs: [
        run("codex_impl", { exit_code: 1, model: "m-9", files: [out("first")] }),
        run("codex_impl", { start: "s", end: "e", duration_sec: 5, prompt_sha256: "p", files: [out("second")] }),
        run("no_stage"),
      ],
      markers: [{ stage: "codex_impl", at: T }],
      stages_completed: null,
    }),
  "runs of a stage that the log knows": () =>
    taken(somePacket({ attempts: [someAttempt("codex_impl", 1)] }), { runs: [run("codex_impl"), run("codex_verify")] }),
  "counts that are other": () =>
    taken(somePacket(), {
      paid_calls_used: 3,
      signatures: { "sig:a": signature() },
      last_failure: someFailure("codex_impl"),
      override: ["make check"],
      has_override: true,
    }),
  "a failure of a stage that is done, and one that is none of the plan": () => {
    const known = taken(somePacket({ done: { codex_impl: T } }), {
      last_failure: someFailure("codex_impl"),
      markers: [{ stage: "codex_impl", at: T }],
      stages_completed: ["codex_impl"],
    });
    const unknown = taken(somePacket(), { last_failure: someFailure("no_stage") });
    return { ...known, left: unknown.left, events: [...known.events, ...unknown.events] };
  },
  "what a person deleted": () =>
    taken(
      somePacket({
        inputs: [input("user_request.md", "x")],
        done: { codex_impl: T, gemini_brief: T },
        override: ["a"],
      }),
      {
        stages_completed: ["codex_impl"],
      },
    ),
  "what a crash may have lost": () =>
    taken(
      somePacket({ inputs: [input("user_request.md", "x")], done: { codex_impl: T }, override: ["a"] }),
      { stages_completed: ["codex_impl"] },
      { behind: true },
    ),
  "what could not be read": () =>
    taken(
      somePacket({
        inputs: [input("user_request.md", "x"), input("attachments/a", "x")],
        done: { codex_impl: T },
        override: ["a"],
      }),
      { stages_completed: ["codex_impl"] },
      { unread: ["inputs/user_request.md", "inputs/attachments", "done", "state/acceptance.commands.override"] },
    ),
  "a folder without stats": () =>
    taken(somePacket({ inputs: [input("user_request.md", "x")], done: { codex_impl: T } }), { stages_completed: null }),
  "an override that is there and says nothing": () => taken(somePacket({ override: ["a"] }), { has_override: true }),
  "stages that markers and stats tell otherwise": () =>
    taken(null, {
      markers: [
        { stage: "codex_impl", at: T },
        { stage: "x", at: T },
      ],
      stages_completed: ["gemini_brief", "y"],
    }),
};

describe("the import of a packet's folder", () => {
  it("[PACKET-193] [PACKET-196] takes in what the log does not have", async () => {
    const texts = Object.entries(CASES).map(([name, take]) => `## ${name}\n\n${JSON.stringify(take(), null, 2)}\n`);
    await expect(texts.join("\n")).toMatchFileSnapshot("../../data/packet/imports.md");
  });

  it("[PACKET-193] signatures and failures that say the same to the second are the same", () => {
    const [late, next] = ["2026-02-18T11:00:00.900Z", "2026-02-18T11:00:01.000Z"];
    const of = (change: Partial<Signature>) => newSignatures({ a: signature() }, { a: signature(change) });
    expect([of({}), of({ first_seen: late, last_seen: late }), newSignatures({}, null)]).toEqual([null, null, null]);
    for (const change of [{ count: 2 }, { class: "gate" }, { first_seen: next }, { last_seen: next }])
      expect(of(change as Partial<Signature>)).toEqual({ a: signature(change as Partial<Signature>) });
    expect(newSignatures({ a: signature() }, {})).toEqual({});
    expect(newSignatures({ a: signature() }, { a: signature({ first_seen: late }), b: signature() })).toEqual({
      a: signature(),
      b: signature(),
    });
    const name = { stage: "s", signature: "x", ts: T };
    const same = (change: object) => isSameFailure(name, { ...name, ...change });
    expect([same({}), same({ ts: late }), same({ ts: next }), same({ stage: "t" }), same({ signature: "y" })]).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it("[PACKET-196] takes nothing of a file that says what the log said before", () => {
    const failure = someFailure("codex_impl");
    const failed = failedPacket(failure, 1);
    const before = somePacket({
      manifest: someManifest({ goal: "before" }),
      inputs: [input("user_request.md", "before")],
      done: { gemini_brief: T },
      override: ["before"],
    });
    const present = somePacket({ inputs: [input("user_request.md", "now")], paid_calls_used: 5, override: ["now"] });
    const old = folder({
      manifest: before.manifest,
      inputs: [
        { path: "user_request.md", text: "before" },
        { path: "context_pack.md", text: "new" },
      ],
      markers: [
        { stage: "gemini_brief", at: "2026-02-18T11:00:00.500Z" },
        { stage: "codex_impl", at: T },
        { stage: "gemini_review", at: null },
      ],
      last_failure: failure,
      override: ["before"],
    });
    const { packet, left } = withoutOlder(old, [before, failed, present]);
    expect(left.map(({ path }) => path)).toEqual([
      "state/stats.json",
      "manifest.yaml",
      "inputs/user_request.md",
      "done/gemini_brief.done",
      "state/last_failure.json",
      "state/acceptance.commands.override",
    ]);
    expect(packet).toEqual({
      ...old,
      manifest: present.manifest,
      inputs: [{ path: "context_pack.md", text: "new" }],
      markers: old.markers.slice(1),
      paid_calls_used: null,
      signatures: null,
      last_failure: null,
      override: null,
    });
    expect(withoutOlder(old, [])).toEqual({ packet: old, left: [] });
    const fresh = folder({
      manifest: someManifest({ goal: "new" }),
      paid_calls_used: 9,
      override: ["new"],
      last_failure: someFailure("codex_verify"),
    });
    expect(withoutOlder(fresh, [before, present])).toEqual({ packet: fresh, left: [] });
    const same = folder({ paid_calls_used: 5, override: ["now"], inputs: [{ path: "user_request.md", text: "now" }] });
    expect(withoutOlder(same, [{ ...present, updated_at: T }, present])).toEqual({ packet: same, left: [] });
  });
});
