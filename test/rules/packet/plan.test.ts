import { describe, expect, it } from "vitest";
import { BUILT_IN_CONFIG } from "../../../src/rules/packet/built_in_config.ts";
import { configDigest, resolvePlan } from "../../../src/rules/packet/plan.ts";
import type { Manifest, PacketPlan } from "../../../src/state/packet.ts";
import { INTENTS } from "../../../src/state/packet_config.ts";
import { manifest } from "../../support/packet.ts";
import { configOf, pipelineFile, servantFile } from "../../support/packet_config.ts";

type Routing = Manifest["routing"];

function resolved(routing: Routing, config = BUILT_IN_CONFIG, budgets = manifest().budgets) {
  const answer = resolvePlan({ ...manifest(), routing, budgets }, config);
  if ("errors" in answer) throw new Error(JSON.stringify(answer.errors));
  return answer;
}

function planOf(routing: Routing, config = BUILT_IN_CONFIG): PacketPlan {
  return resolved(routing, config).plan;
}

const stagesOf = (routing: Routing): string[] => planOf(routing).stages.map(({ stage }) => stage);

describe("stages of an intent", () => {
  it.each<[Routing["intent"], string[]]>([
    ["safe_impl", ["gemini_brief", "codex_impl", "codex_verify", "gemini_review"]],
    ["one_shot_impl", ["gemini_brief", "copilot_runbook", "codex_verify"]],
    ["design_only", ["gemini_brief", "gemini_test_design", "gemini_review"]],
    ["review_only", ["gemini_review"]],
    ["review_cross", ["gemini_review", "codex_review", "copilot_review_consolidate"]],
    [
      "post_impl_review",
      [
        "gemini_review",
        "gemini_test_design",
        "gemini_static_verify",
        "codex_review",
        "codex_test_impl",
        "codex_verify",
      ],
    ],
  ])("[PACKET-16] %s", (intent, stages) => {
    const plan = planOf({ intent });
    expect(plan.stages.map(({ stage }) => stage)).toEqual(stages);
    expect(plan.profile).toBe(intent);
    for (const { stage, tool, role } of plan.stages) expect(`${tool}_${role}`).toBe(stage);
  });

  it("[PACKET-16] of all intents together are these ten", () => {
    const planned = new Set(INTENTS.flatMap((intent) => stagesOf({ intent })));
    expect([...planned].toSorted()).toEqual([
      "codex_impl",
      "codex_review",
      "codex_test_impl",
      "codex_verify",
      "copilot_review_consolidate",
      "copilot_runbook",
      "gemini_brief",
      "gemini_review",
      "gemini_static_verify",
      "gemini_test_design",
    ]);
  });
});

describe("the profile", () => {
  it("[PACKET-17] is that of an explicit mode", () => {
    const mode = (options: Record<string, string>, intent: Routing["intent"]): string =>
      planOf({ intent, pipeline: { options } }).profile;
    expect(mode({ impl_mode: "one_shot" }, "safe_impl")).toBe("one_shot_impl");
    expect(mode({ impl_mode: "safe" }, "design_only")).toBe("safe_impl");
    expect(mode({ review_mode: "codex_only" }, "post_impl_review")).toBe("codex_only");
    expect(mode({ review_mode: "cross" }, "review_only")).toBe("review_cross");
    expect(mode({ timeout_mode: "enforce" }, "review_only")).toBe("review_only");
  });

  it("[PACKET-17] is the explicit one before that of a mode, and then has its own mode", () => {
    const { plan } = resolved({
      intent: "safe_impl",
      pipeline: { profile: "design_only", options: { impl_mode: "one_shot" } },
    });
    expect(plan.profile).toBe("design_only");
    expect(plan.options).toEqual({ impl_mode: "safe", timeout_mode: "wait_done" });
    expect(plan.from?.profile).toBe("manifest.yaml: routing.pipeline.profile");
    expect(planOf({ intent: "review_only", pipeline: { profile: "strict_review" } }).stages).toHaveLength(3);
  });

  it("[PACKET-14] has to be configured where a mode asks for it", () => {
    const config = structuredClone(BUILT_IN_CONFIG);
    delete config.groups.impl.profiles["one_shot_impl"];
    const answer = resolvePlan(
      { ...manifest(), routing: { intent: "safe_impl", pipeline: { options: { impl_mode: "one_shot" } } } },
      config,
    );
    expect(answer).toMatchObject({ errors: [{ field: "routing.pipeline.options.impl_mode", reason: "profile" }] });
  });
});

describe("flags", () => {
  const without = (flag: string, intent: Routing["intent"]): string[] =>
    stagesOf({ intent, pipeline: { flags: { [flag]: false } } });

  it("[PACKET-17] remove the stages that they name", () => {
    expect(without("enable_brief", "safe_impl")).toEqual(["codex_impl", "codex_verify", "gemini_review"]);
    expect(without("enable_verify", "safe_impl")).toEqual(["gemini_brief", "codex_impl", "gemini_review"]);
    expect(without("enable_review", "safe_impl")).toEqual(["gemini_brief", "codex_impl", "codex_verify"]);
    expect(without("enable_verify", "post_impl_review")).toEqual([
      "gemini_review",
      "gemini_test_design",
      "codex_review",
      "codex_test_impl",
    ]);
    expect(without("enable_review", "post_impl_review")).toEqual([
      "gemini_test_design",
      "gemini_static_verify",
      "codex_test_impl",
      "codex_verify",
    ]);
  });

  it("[PACKET-17] remove review_consolidate with the reviews, and never the last stage", () => {
    const all = {
      ...manifest(),
      routing: { intent: "review_cross" as const, pipeline: { flags: { enable_review: false } } },
    };
    expect(resolvePlan(all, BUILT_IN_CONFIG)).toMatchObject({
      errors: [{ field: "routing.pipeline.flags", reason: "empty" }],
    });
  });

  it("[PACKET-17] add no stage", () => {
    const on = { enable_verify: true, enable_review: true };
    expect(stagesOf({ intent: "review_only", pipeline: { flags: on } })).toEqual(["gemini_review"]);
    expect(planOf({ intent: "review_only", pipeline: { flags: on } }).flags).toEqual(on);
  });

  it("[PACKET-21] say which stage they removed, and where they stand", () => {
    const { plan } = resolved({ intent: "safe_impl", pipeline: { flags: { enable_brief: false } } });
    expect(plan.from?.removed).toEqual([
      { stage: "gemini_brief", flag: "enable_brief", from: "manifest.yaml: routing.pipeline.flags.enable_brief" },
    ]);
    expect(plan.from?.flags["enable_review"]).toBe("built-in pipeline impl: profiles.safe_impl.flags.enable_review");
  });
});

describe("models and limits of time", () => {
  const profile = {
    stages: ["codex_impl", "codex_verify", "codex_review"],
    stage_models: { codex_verify: "gpt-5.2-codex" },
  };
  const config = configOf({
    "servant/codex.yaml": { ...servantFile(), purpose_models: { impl: "gpt-5.2-codex" }, timeout_sec: 300 },
    "pipeline/impl.yaml": { ...pipelineFile(), profiles: { safe_impl: profile } },
  });

  it("[PACKET-17] are of the stage, else of the role, else the default, and the manifest's before all", () => {
    expect(
      planOf({ intent: "safe_impl" }, config).stages.map(({ stage, model, from }) => [stage, model, from.model]),
    ).toEqual([
      ["codex_impl", "gpt-5.2-codex", "servant/codex.yaml: purpose_models.impl"],
      ["codex_verify", "gpt-5.2-codex", "pipeline/impl.yaml: profiles.safe_impl.stage_models.codex_verify"],
      ["codex_review", "gpt-5.3-codex", "servant/codex.yaml: default_model"],
    ]);
    for (const { model, from } of planOf({ intent: "safe_impl", model: { codex: "gpt-5.3-codex" } }, config).stages)
      expect([model, from.model]).toEqual(["gpt-5.3-codex", "manifest.yaml: routing.model.codex"]);
  });

  it("[PACKET-17] are allowed ones, also when the configuration has changed since the manifest was taken", () => {
    const old = { ...manifest(), routing: { intent: "safe_impl" as const, model: { codex: "gpt-5-codex" } } };
    expect(resolvePlan(old, BUILT_IN_CONFIG)).toHaveProperty("plan");
    expect(resolvePlan(old, config)).toMatchObject({ errors: [{ field: "routing.model.codex", reason: "model" }] });
  });

  it.each([
    ["enforce", 900, 300, "servant/codex.yaml: timeout_sec"],
    ["enforce", 200, 200, "manifest.yaml: budgets.max_wallclock_sec"],
    ["enforce", 300, 300, "manifest.yaml: budgets.max_wallclock_sec"],
    ["wait_done", 900, 900, "manifest.yaml: budgets.max_wallclock_sec"],
    ["wait_done", 200, 200, "manifest.yaml: budgets.max_wallclock_sec"],
  ])("[PACKET-17] with %s and %i seconds are %i", (timeout_mode, max_wallclock_sec, seconds, from) => {
    const routing = { intent: "safe_impl" as const, pipeline: { options: { timeout_mode } } };
    const [stage] = resolved(routing, config, { ...manifest().budgets, max_wallclock_sec }).plan.stages;
    expect([stage?.timeout_mode, stage?.timeout_sec, stage?.from.timeout_sec]).toEqual([timeout_mode, seconds, from]);
  });

  it("[PACKET-17] are those of wait_done where neither manifest nor profile says a mode", () => {
    expect(planOf({ intent: "safe_impl" }, config).stages[0]?.timeout_mode).toBe("wait_done");
  });

  it("[PACKET-21] say where they come from, and so does the profile", () => {
    const { plan } = resolved({ intent: "safe_impl" });
    expect(plan.stages[0]?.from).toEqual({
      stage: "built-in pipeline impl: profiles.safe_impl.stages",
      model: "built-in servant gemini: default_model",
      timeout_sec: "manifest.yaml: budgets.max_wallclock_sec",
      servant: "built-in servant gemini",
    });
    expect(planOf({ intent: "safe_impl" }, config).stages[0]?.from.servant).toBe("servant/codex.yaml");
    expect(plan.from?.profile).toBe("built-in pipeline impl: intents.safe_impl");
    expect(planOf({ intent: "safe_impl" }, config).from?.profile).toBe("pipeline/impl.yaml: intents.safe_impl");
    expect(plan.stages[1]).toMatchObject({ paid: true, transient_exit_codes: [13, 124] });
  });
});

describe("the digest of a configuration", () => {
  it("[PACKET-384] is of what it says, and not of the order or the names of its files", () => {
    const one = configOf({ "servant/codex.yaml": servantFile(), "pipeline/impl.yaml": pipelineFile() });
    const reversed = Object.fromEntries(Object.entries(servantFile()).toReversed());
    const two = configOf({ "a/pipeline/x.yaml": pipelineFile(), "a/servant/y.yml": reversed });
    const other = configOf({
      "servant/codex.yaml": { ...servantFile(), paid: false },
      "pipeline/impl.yaml": pipelineFile(),
    });
    expect(configDigest(one)).toMatch(/^[0-9a-f]{64}$/);
    expect(configDigest(two)).toBe(configDigest(one));
    expect(configDigest(other)).not.toBe(configDigest(one));
    expect(planOf({ intent: "safe_impl" }, one).config_sha256).toBe(configDigest(one));
  });
});
