import type { Attempt, Failure, Manifest, Packet, PlannedStage, Role } from "../../src/state/packet.ts";
import type { Servant } from "../../src/state/packet_config.ts";

/** A manifest that asks for little; `change` overrides whole blocks of it. */
export function someManifest(change: Partial<Manifest> = {}): Manifest {
  return {
    task_id: "TASK-001",
    goal: "Write a parser",
    routing: { intent: "safe_impl" },
    scope: { allow: ["src/", "test"], deny: ["src/secret"] },
    acceptance: { commands: ["npm test"], criteria: ["every sample parses"] },
    budgets: { retry_budget: 2, paid_call_budget: 10, max_wallclock_sec: 600 },
    context: { digest_policy: "off" },
    ...change,
  };
}

export function someStage(stage: string, change: Partial<PlannedStage> = {}): PlannedStage {
  const at = stage.indexOf("_");
  return {
    stage,
    tool: stage.slice(0, at) as Servant,
    role: stage.slice(at + 1) as Role,
    model: "m-1",
    timeout_sec: 600,
    timeout_mode: "enforce",
    paid: true,
    transient_exit_codes: [124],
    from: { stage: "profile", model: "default", timeout_sec: "servant" },
    ...change,
  };
}

export const SAFE_IMPL = ["gemini_brief", "codex_impl", "codex_verify", "gemini_review"];

export function somePacket(change: Partial<Packet> = {}, stages: readonly string[] = SAFE_IMPL): Packet {
  const fresh = {
    manifest: someManifest(),
    plan: {
      group: "impl",
      profile: "safe_impl",
      flags: {},
      options: {},
      stages: stages.map((stage) => someStage(stage)),
      config_sha256: "0".repeat(64),
    },
    inputs: [],
    attempts: [],
    done: {},
    paid_calls_used: 0,
    signatures: {},
    failures: {},
    override: null,
    removed_inputs: [],
    archived: false,
    updated_at: "2026-02-18T12:00:00.123Z",
  };
  return { ...fresh, ...change };
}

/** An attempt that ended; one that runs with null. */
export function someAttempt(
  stage: string,
  attempt: number,
  ended: Partial<NonNullable<Attempt["ended"]>> | null = {},
): Attempt {
  const began: Attempt = {
    run: "0a1b2c3d",
    stage,
    attempt,
    model: "m-1",
    timeout_sec: 600,
    timeout_mode: "enforce",
    paid: true,
    prompt_sha256: "ab".repeat(32),
    started_at: "2026-02-18T12:00:00.250Z",
    by: "agent:ada",
  };
  if (ended === null) return began;
  return {
    ...began,
    ended: {
      how: "passed",
      ts: "2026-02-18T12:01:30.750Z",
      exit_code: 0,
      timed_out: false,
      start: "2026-02-18T12:00:00Z",
      end: "2026-02-18T12:01:30Z",
      duration_sec: 90,
      files: {},
      stderr: { head: [], tail: [] },
      acceptance: [],
      reason: null,
      ...ended,
    },
  };
}

export function someFailure(stage: string, change: Partial<Failure> = {}): Failure {
  return {
    stage,
    attempt: 1,
    class: "transient",
    signature: "sig:0123456789abcdef",
    exit_code: 1,
    gate: "not_judged",
    reasons: ["Expected the tool to end with exit code 0; found 1."],
    normalized: "connection refused",
    suggested_actions: ["Retry the stage.", "Check the network."],
    ts: "2026-02-18T12:01:30.750Z",
    ...change,
  };
}

/** A packet whose stage failed `count` times in one way. */
export function failedPacket(failure: Failure, count: number, change: Partial<Packet> = {}): Packet {
  const { signature, class: kind, stage, ts } = failure;
  return somePacket({
    done: Object.fromEntries(
      SAFE_IMPL.slice(0, SAFE_IMPL.indexOf(stage)).map((one) => [one, "2026-02-18T11:00:00.000Z"]),
    ),
    attempts: [
      someAttempt(stage, failure.attempt, {
        how: "failed",
        exit_code: failure.exit_code,
        stderr: { head: ["connection refused"], tail: [] },
      }),
    ],
    failures: { [stage]: failure },
    signatures: { [signature]: { count, class: kind, first_seen: ts, last_seen: ts } },
    paid_calls_used: count,
    ...change,
  });
}
