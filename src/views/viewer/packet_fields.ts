/** Fields of a packet by the words that pages have for them, to tell the changes of an op. */
import type { Attempt, Failure, Packet } from "../../state/packet.ts";
import { STAGE_FILES } from "../../state/packet.ts";
import type { Json } from "../../state/json.ts";

type Fields = [field: string, value: Json][];

/** Fields of `packet`. Attempts that `other` has as they are here are left out: a long loop of retries may stand in both. */
export function packetFields(packet: Packet, other: Packet | null): Fields {
  const { manifest, plan, inputs, attempts, done, failures, override, paid_calls_used } = packet;
  const { intent, model, pipeline } = manifest.routing;
  const { retry_budget, paid_call_budget, max_wallclock_sec } = manifest.budgets;
  const known = new Set(other?.attempts);
  return [
    ["goal", manifest.goal],
    ["intent", intent],
    ["model", pairs(model)],
    ["profile", plan.profile],
    ["flags", pairs(plan.flags)],
    ["options", pairs(pipeline?.options)],
    ["stages", plan.stages.map(({ stage, model: used, timeout_sec }) => `${stage} (${used}, ${timeout_sec} s)`)],
    ["allow", manifest.scope.allow],
    ["deny", manifest.scope.deny],
    ["commands", manifest.acceptance.commands],
    ["digest_policy", manifest.context.digest_policy],
    ["forbidden_paths", manifest.security?.forbidden_paths ?? []],
    ["redaction_patterns", manifest.security?.redaction_patterns ?? []],
    ["config_sha256", plan.config_sha256.slice(0, 12)],
    ["success_criteria", manifest.acceptance.criteria],
    ["override", override],
    ["retry_budget", retry_budget],
    ["paid_call_budget", paid_call_budget],
    ["max_wallclock_sec", max_wallclock_sec],
    ["paid_calls", paid_calls_used],
    ...inputs.map(({ path, text }): Fields[number] => [`inputs/${path}`, text]),
    ...Object.entries(done).map(([stage, ts]): Fields[number] => [`${stage} done_at`, ts]),
    ...attempts.flatMap((one) => (known.has(one) ? [] : attemptFields(one))),
    ...Object.values(failures).flatMap((one) => (other?.failures[one.stage] === one ? [] : failureFields(one))),
  ];
}

/** The label that fields of an attempt have before their names. */
export function attemptLabel({ stage, attempt }: Pick<Attempt, "stage" | "attempt">): string {
  return `${stage} ${attempt}`;
}

function attemptFields(one: Attempt): Fields {
  const { ended, model, timeout_sec, timeout_mode, paid, imported, reopened } = one;
  const fields: Record<string, Json> = {
    model,
    timeout_sec,
    timeout_mode,
    paid: paid || null,
    imported: imported ?? null,
    reopened: reopened ?? null,
    how: ended?.how ?? null,
    exit_code: ended?.exit_code ?? null,
    timed_out: ended?.timed_out || null,
    duration_sec: ended?.duration_sec ?? null,
    reason: ended?.reason ?? null,
    acceptance: (ended?.acceptance ?? []).map(({ command, exit_code }) => `${command}: ${exit_code}`),
    stderr: [...(ended?.stderr.head ?? []), ...(ended?.stderr.tail ?? [])],
    // The next attempt of the stage moves them to other paths.
    files: STAGE_FILES.flatMap((kind) => {
      const file = ended?.files[kind];
      return file ? [`${kind} (${file.size} B, ${file.sha256.slice(0, 12)})`] : [];
    }),
  };
  return Object.entries(fields).map(([name, value]) => [`${attemptLabel(one)} ${name}`, value]);
}

function failureFields(one: Failure): Fields {
  const fields: Record<string, Json> = {
    class: one.class,
    gate: one.gate,
    reasons: one.reasons,
    suggested_actions: one.suggested_actions,
  };
  return Object.entries(fields).map(([name, value]) => [`${attemptLabel(one)} ${name}`, value]);
}

function pairs(of: object = {}): string[] {
  return Object.entries(of).map(([name, value]) => `${name}: ${String(value)}`);
}
