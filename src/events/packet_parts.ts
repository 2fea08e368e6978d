/** Pieces of the packet's payloads, and the one way in which they change the packet. */
import type { Entity } from "../state/entity.ts";
import { derivedHex, wholeHex } from "../state/derived_hex.ts";
import type { Attempt, Packet, StageFile } from "../state/packet.ts";
import { DIGEST_POLICIES, ROLES_OF, stageFile, STAGES } from "../state/packet.ts";
import { ACCEPTANCE_MODES, INTENTS, SERVANTS, TIMEOUT_MODES, GROUPS } from "../state/packet_config.ts";
import type { Infer } from "../state/schema.ts";
import { boolean, integer, list, oneOf, openObject, optional, orNull, record, text } from "../state/schema.ts";
import type { Fact } from "./define.ts";
import type { Writer } from "./writer.ts";

export const stage = oneOf(STAGES);
export const timeoutMode = oneOf(TIMEOUT_MODES);
/** Hex digits of the hash of the event that started the attempt. */
export const run = text({ pattern: "^(?:[0-9a-f]{8}|[0-9a-f]{20}|[0-9a-f]{64})$" });
/** Whether the name of an attempt has 20 hex digits of its event's hash; left out by older releases, which took 8. */
export const longIds = optional(boolean());
export const count = integer({ minimum: 0 });

export const manifest = openObject({
  task_id: text(),
  goal: text(),
  routing: openObject({
    intent: oneOf(INTENTS),
    model: optional(openObject({ gemini: optional(text()), codex: optional(text()), copilot: optional(text()) })),
    pipeline: optional(
      openObject({
        profile: optional(text()),
        flags: optional(record(boolean())),
        options: optional(record(text())),
      }),
    ),
  }),
  scope: openObject({ allow: list(text()), deny: list(text()) }),
  acceptance: openObject({ commands: list(text()), criteria: list(text()) }),
  budgets: openObject({ retry_budget: count, paid_call_budget: count, max_wallclock_sec: count }),
  context: openObject({ digest_policy: oneOf(DIGEST_POLICIES) }),
  security: optional(
    openObject({ redaction_patterns: optional(list(text())), forbidden_paths: optional(list(text())) }),
  ),
});

const ROLES = [...new Set(SERVANTS.flatMap((tool) => [...ROLES_OF[tool]]))];

export const plan = openObject({
  group: text(),
  profile: text(),
  flags: record(boolean()),
  options: record(text()),
  stages: list(
    openObject({
      stage,
      tool: oneOf(SERVANTS),
      role: oneOf(ROLES),
      model: text(),
      timeout_sec: count,
      timeout_mode: timeoutMode,
      paid: boolean(),
      transient_exit_codes: list(integer()),
      from: openObject({ stage: text(), model: text(), timeout_sec: text(), servant: optional(text()) }),
    }),
  ),
  from: optional(
    openObject({
      profile: text(),
      flags: record(text()),
      options: record(text()),
      removed: list(openObject({ stage, flag: text(), from: text() })),
    }),
  ),
  config_sha256: text(),
  config_folder: optional(orNull(text())),
});

const servant = openObject({
  tool: oneOf(SERVANTS),
  default_model: text(),
  allowed_models: list(text()),
  purpose_models: record(text()),
  paid: boolean(),
  timeout_sec: count,
  transient_exit_codes: list(integer()),
});
const group = openObject({
  flags: list(text()),
  options: record(list(text())),
  profiles: record(
    openObject({
      stages: list(stage),
      flags: record(boolean()),
      options: record(text()),
      stage_models: record(text()),
    }),
  ),
  /** Which acceptance commands run if a caller allows them and does not say. */
  acceptance: optional(oneOf(ACCEPTANCE_MODES)),
});
/** Parts of the manifest, as they were when an attempt began. */
export const judgedBy = openObject({
  scope: openObject({ allow: list(text()), deny: list(text()) }),
  /** Acceptance commands of the manifest. */
  manifest: list(text()),
  /** Those of the brief; null: it named none. */
  brief: orNull(list(text())),
});

const intent = openObject({ group: oneOf(GROUPS), profile: text() });

/** A configuration without its programs: what is in a log is planned with, and never run. */
export const config = openObject({
  servants: openObject({ gemini: servant, codex: servant, copilot: servant }),
  groups: openObject({ impl: group, review: group }),
  intents: openObject({
    safe_impl: intent,
    one_shot_impl: intent,
    design_only: intent,
    review_only: intent,
    review_cross: intent,
    post_impl_review: intent,
  }),
  origins: record(text()),
});

/** A file beside the log, from the entity's folder on. */
export const file = openObject({ path: text(), size: count, sha256: text(), lines: count });
export type FilePayload = Infer<typeof file>;
/** The files that an attempt left, by their kinds. */
export const stageFiles = openObject({
  out: optional(file),
  err: optional(file),
  "compose.log": optional(file),
  "wrapper.log": optional(file),
});

/** The name of the attempt that an event begins, as ids of evidence are derived (EVID-4). */
export function runOf(attempts: readonly Attempt[], hash: string, isLong: boolean): string {
  const hex = derivedHex(hash, isLong);
  return attempts.some((one) => one.run === hex) ? wholeHex(hash) : hex;
}

/** Changes what is given of the packet; nothing where there is none. */
export function changePacket(
  entity: Entity,
  w: Writer,
  { ts }: Pick<Fact, "ts">,
  change: (packet: Packet) => Partial<Packet>,
): void {
  const { packet } = entity;
  if (packet) w.writeUntracked(entity, "packet", { ...packet, ...change(packet), updated_at: ts });
}

/** The attempts with this one changed; those of another branch may bear the same number, but not the same run. */
export function withAttempt(
  attempts: readonly Attempt[],
  id: string,
  change: (attempt: Attempt) => Attempt,
): Attempt[] {
  return attempts.map((one) => (one.run === id ? change(one) : one));
}

/**
 * The attempts with this end of one. The first end counts. If another branch called it interrupted before its result came, the files of the
 * result stay named: a servant was paid for them.
 */
export function withEnd(
  attempts: readonly Attempt[],
  run: string,
  ended: NonNullable<Attempt["ended"]>,
  index: number,
): Attempt[] {
  return withAttempt(attempts, run, (before) => {
    const { ops } = before;
    const one = ops ? { ...before, ops: { ...ops, ends: [...ops.ends, index] } } : before;
    if (one.ended && one.ended.how !== "interrupted") return one;
    const merged = {
      ...one,
      ended: one.ended ? { ...one.ended, files: { ...ended.files, ...one.ended.files } } : ended,
    };
    const latest = attempts.findLast(({ stage: name }) => name === one.stage);
    return latest === before ? merged : asEarlier(merged);
  });
}

/** The files of an attempt under the names that they have from the next attempt on. */
export function asEarlier(attempt: Attempt): Attempt {
  const { ended, stage: name, attempt: n } = attempt;
  if (!ended) return attempt;
  const files = Object.entries(ended.files).map(([kind, one]) => [
    kind,
    { ...one, path: stageFile(name, kind as StageFile, n) },
  ]);
  return { ...attempt, ended: { ...ended, files: Object.fromEntries(files) } };
}
