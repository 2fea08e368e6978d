/** A manifest that is right, and ways to change one member of it. */
import type { Manifest } from "../../src/state/packet.ts";

export function manifest(): Manifest {
  return {
    task_id: "TASK-001",
    goal: "Parse every sample",
    routing: { intent: "safe_impl" },
    scope: { allow: ["src/", "test/"], deny: ["src/generated/"] },
    acceptance: { commands: ["npm test"], criteria: ["every sample parses"] },
    budgets: { retry_budget: 2, paid_call_budget: 10, max_wallclock_sec: 900 },
    context: { digest_policy: "auto" },
  };
}

/** All members that a manifest may have. */
export function fullManifest(): Manifest {
  return {
    ...manifest(),
    routing: {
      intent: "safe_impl",
      model: { gemini: "flash", codex: "gpt-5.2-codex", copilot: "auto" },
      pipeline: {
        profile: "safe_impl",
        flags: { enable_brief: true, enable_review: false },
        options: { impl_mode: "safe", timeout_mode: "enforce" },
      },
    },
    security: { redaction_patterns: ["internal-[0-9]+"], forbidden_paths: [".env", "secrets/"] },
  };
}

/** The value with the member at `path` set, or removed where `to` is undefined. */
export function withMember(value: object, path: readonly (string | number)[], to: unknown): object {
  const copy = structuredClone(value) as Record<string | number, unknown>;
  let at = copy;
  for (const key of path.slice(0, -1)) {
    at[key] ??= {};
    at = at[key] as Record<string | number, unknown>;
  }
  if (to === undefined) delete at[path.at(-1)!];
  else at[path.at(-1)!] = to;
  return copy;
}
