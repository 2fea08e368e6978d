/** The configuration that holds where the caller gives no file for it. */
import type { Intent, PacketConfig, Profile } from "../../state/packet_config.ts";

const IMPL_FLAGS = { enable_brief: true, enable_verify: true, enable_review: true };
const REVIEW_FLAGS = { enable_verify: true, enable_review: true };
const SAFE = { impl_mode: "safe", timeout_mode: "wait_done" };
const CROSS = { review_mode: "cross", timeout_mode: "wait_done" };

const REVIEW_CROSS = ["gemini_review", "codex_review", "copilot_review_consolidate"];

export const BUILT_IN_CONFIG: PacketConfig = {
  servants: {
    gemini: {
      tool: "gemini",
      command: ["gemini", "--model", "{model}"],
      prompt: "stdin",
      default_model: "pro",
      allowed_models: [
        "auto",
        "pro",
        "flash",
        "flash-lite",
        "gemini-2.5-pro",
        "gemini-2.5-flash",
        "gemini-2.5-flash-lite",
        "gemini-3-pro-preview",
      ],
      purpose_models: { static_verify: "flash" },
      paid: true,
      timeout_sec: 600,
      transient_exit_codes: [13, 124],
    },
    codex: {
      tool: "codex",
      command: ["codex", "exec", "--model", "{model}", "-"],
      prompt: "stdin",
      default_model: "gpt-5.3-codex",
      allowed_models: ["gpt-5.3-codex", "gpt-5.2-codex", "gpt-5-codex", "gpt-5.3-codex-spark"],
      purpose_models: { review: "gpt-5.2-codex" },
      paid: true,
      timeout_sec: 600,
      transient_exit_codes: [13, 124],
    },
    copilot: {
      tool: "copilot",
      command: ["copilot", "--model", "{model}", "-p"],
      prompt: "argument",
      default_model: "claude-sonnet-4-6",
      allowed_models: [
        "auto",
        "claude-sonnet-4-6",
        "claude-opus-4-6",
        "claude-sonnet-4-5",
        "claude-opus-4-5",
        "gpt-5-codex",
        "gpt-5.2-codex",
        "gpt-5.1-codex",
        "gpt-5.1-codex-mini",
      ],
      purpose_models: { review: "claude-opus-4-6" },
      paid: true,
      timeout_sec: 600,
      transient_exit_codes: [33, 124],
    },
  },
  groups: {
    impl: {
      flags: Object.keys(IMPL_FLAGS),
      options: { impl_mode: ["safe", "one_shot"], timeout_mode: ["enforce", "wait_done"] },
      profiles: {
        safe_impl: profile(["gemini_brief", "codex_impl", "codex_verify", "gemini_review"], IMPL_FLAGS, SAFE),
        one_shot_impl: profile(
          ["gemini_brief", "copilot_runbook", "codex_verify"],
          { ...IMPL_FLAGS, enable_review: false },
          { ...SAFE, impl_mode: "one_shot" },
        ),
        design_only: profile(
          ["gemini_brief", "gemini_test_design", "gemini_review"],
          { ...IMPL_FLAGS, enable_verify: false },
          SAFE,
        ),
      },
    },
    review: {
      flags: Object.keys(REVIEW_FLAGS),
      options: { review_mode: ["codex_only", "cross"], timeout_mode: ["enforce", "wait_done"] },
      profiles: {
        review_only: profile(["gemini_review"], { ...REVIEW_FLAGS, enable_verify: false }, CROSS),
        review_cross: profile(REVIEW_CROSS, REVIEW_FLAGS, CROSS),
        post_impl_review: profile(
          [
            "gemini_review",
            "gemini_test_design",
            "gemini_static_verify",
            "codex_review",
            "codex_test_impl",
            "codex_verify",
          ],
          REVIEW_FLAGS,
          CROSS,
        ),
        codex_only: profile(["codex_review", "codex_verify"], REVIEW_FLAGS, { ...CROSS, review_mode: "codex_only" }),
        strict_review: profile(REVIEW_CROSS, REVIEW_FLAGS, CROSS),
      },
    },
  },
  intents: {
    safe_impl: own("impl", "safe_impl"),
    one_shot_impl: own("impl", "one_shot_impl"),
    design_only: own("impl", "design_only"),
    review_only: own("review", "review_only"),
    review_cross: own("review", "review_cross"),
    post_impl_review: own("review", "post_impl_review"),
  },
  origins: {},
};

/** Stage models are left to the servants, so that a file that allows other models fits every profile. */
function profile(stages: string[], flags: Record<string, boolean>, options: Record<string, string>): Profile {
  return { stages, flags, options, stage_models: {} };
}

function own<G extends "impl" | "review">(group: G, intent: Intent): { group: G; profile: string } {
  return { group, profile: intent };
}
