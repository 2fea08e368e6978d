import type { CommandDefinition } from "../command/define.ts";
import { option } from "../command/define.ts";
import { count } from "../command/values.ts";

export const command = (): CommandDefinition => ({
  name: "prime",
  group: "everyday",
  description: "what an agent has to know at its start: open work, what is mine, the rules, and the first calls",
  options: [
    option("--max-chars <n>", "at most so many characters", { parse: count }),
    option(
      "--hook [form]",
      "as JSON for the start hook of a client (default: of Claude Code, Codex and Gemini CLI), and always exit code 0",
      { choices: ["cursor", "copilot"] },
    ),
    option(
      "--stop-hook [form]",
      "as a stop hook (default: of Claude Code and Codex): keeps an agent at work while a call is missing; always exit code 0",
      { choices: ["cursor"] },
    ),
  ],
  isPlain: true,
  run: async (session, _, options) => (await import("../prime.ts")).prime(session, options),
});
