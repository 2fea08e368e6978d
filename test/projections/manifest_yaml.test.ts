import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { manifestYaml } from "../../src/projections/packet/index.ts";
import { DIGEST_POLICIES } from "../../src/state/packet.ts";
import { INTENTS } from "../../src/state/packet_config.ts";
import type { Manifest } from "../../src/state/packet.ts";
import { fullManifest, manifest } from "../support/packet.ts";
import { anyText } from "../support/random_story.ts";
import { runsOf, SWEEP } from "../support/sweep.ts";

/** Names of members that a manifest does not know, as people write them. */
const OTHER_KEYS = fc.constantFrom("owner", "a b", "on", "y", "010", "~", "null", 'q"x', "_x", "X", "é", "# c", "- d");

describe("manifest.yaml", () => {
  it("[PACKET-8] has one item a line and every text in quotes", () => {
    expect(manifestYaml({ ...fullManifest(), context: { digest_policy: "off" } })).toBe(`task_id: "TASK-001"
goal: "Parse every sample"
routing:
  intent: "safe_impl"
  model:
    gemini: "flash"
    codex: "gpt-5.2-codex"
    copilot: "auto"
  pipeline:
    profile: "safe_impl"
    flags:
      enable_brief: true
      enable_review: false
    options:
      impl_mode: "safe"
      timeout_mode: "enforce"
scope:
  allow:
    - "src/"
    - "test/"
  deny:
    - "src/generated/"
acceptance:
  commands:
    - "npm test"
  criteria:
    - "every sample parses"
budgets:
  retry_budget: 2
  paid_call_budget: 10
  max_wallclock_sec: 900
context:
  digest_policy: "off"
security:
  redaction_patterns:
    - "internal-[0-9]+"
  forbidden_paths:
    - ".env"
    - "secrets/"
`);
  });

  it("[PACKET-8] [PACKET-1] is the same object to readers of YAML 1.1 and of 1.2", SWEEP, () => {
    const text = fc.oneof(
      anyText,
      fc.constantFrom("off", "no", "1e3", "010", "~", "<<", "2026-01-01", "a: b", "- x", "12:30"),
    );
    const texts = fc.array(text, { maxLength: 4 });
    const { otherValue } = fc.letrec<{ otherValue: unknown }>((tie) => ({
      otherValue: fc.oneof(
        { maxDepth: 3 },
        fc.oneof(text, fc.boolean(), fc.integer(), fc.constant(null)),
        fc.array(tie("otherValue"), { maxLength: 3 }),
        fc.dictionary(OTHER_KEYS, tie("otherValue"), { maxKeys: 3 }),
      ),
    }));
    const any: fc.Arbitrary<Manifest> = fc
      .record({
        goal: text,
        intent: fc.constantFrom(...INTENTS),
        allow: texts,
        commands: texts,
        patterns: texts,
        flags: fc.dictionary(fc.constantFrom("enable_brief", "enable_review"), fc.boolean()),
        count: fc.nat(),
        digest_policy: fc.constantFrom(...DIGEST_POLICIES),
        others: fc.dictionary(OTHER_KEYS, otherValue, { maxKeys: 3 }),
      })
      .map(({ goal, intent, allow, commands, patterns, flags, count, digest_policy, others }) => ({
        ...manifest(),
        ...others,
        goal,
        routing: { intent, pipeline: { flags, options: {} } },
        scope: { allow, deny: [] },
        acceptance: { commands, criteria: commands },
        budgets: { retry_budget: count, paid_call_budget: 0, max_wallclock_sec: 1 },
        context: { digest_policy },
        security: { redaction_patterns: patterns },
      }));
    fc.assert(
      fc.property(any, (value) => {
        const written = manifestYaml(value);
        const wellFormed = JSON.parse(JSON.stringify(value), (_key, member: unknown) =>
          typeof member === "string" ? member.toWellFormed() : member,
        ) as unknown;
        for (const version of ["1.1", "1.2"] as const) expect(parse(written, { version })).toEqual(wellFormed);
      }),
      runsOf(300),
    );
  });
});
