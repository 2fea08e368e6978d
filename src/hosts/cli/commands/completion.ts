import type { CommandDefinition } from "../command/define.ts";
import { argument } from "../command/define.ts";

export const command = (): CommandDefinition => ({
  name: "completion",
  group: "everyday",
  description: "a script that completes commands, options, ids and steps: source <(taskfold completion bash)",
  arguments: [argument("<shell>", "", { choices: ["bash", "zsh", "fish"] })],
  run: async (_, [shell]: [string]) => (await import("../completion.ts")).completion(shell),
});
