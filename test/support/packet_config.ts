/** The two configuration files of the documentation, as values. */
import type { PacketConfig } from "../../src/state/packet_config.ts";
import { readConfig } from "../../src/rules/packet/read_config.ts";

export function servantFile(): object {
  return {
    tool: "codex",
    command: ["codex", "exec", "--model", "{model}", "-"],
    prompt: "stdin",
    default_model: "gpt-5.3-codex",
    allowed_models: ["gpt-5.3-codex", "gpt-5.2-codex"],
    purpose_models: { impl: "gpt-5.3-codex" },
    paid: true,
    timeout_sec: 600,
    transient_exit_codes: [13, 124],
  };
}

export function pipelineFile(): object {
  return {
    group: "impl",
    flags: ["enable_brief", "enable_verify", "enable_review"],
    options: { impl_mode: ["safe", "one_shot"], timeout_mode: ["enforce", "wait_done"] },
    profiles: {
      safe_impl: {
        stages: ["gemini_brief", "codex_impl", "codex_verify", "gemini_review"],
        flags: { enable_brief: true },
        options: { impl_mode: "safe" },
        stage_models: {},
      },
    },
    intents: { safe_impl: "safe_impl", one_shot_impl: "one_shot_impl", design_only: "design_only" },
  };
}

/** The configuration of these files, by their paths; it has to be right. */
export function configOf(files: Record<string, object>): PacketConfig {
  const { config, errors } = readConfig(Object.entries(files).map(([path, value]) => ({ path, value })));
  if (config === null) throw new Error(JSON.stringify(errors));
  return config;
}
