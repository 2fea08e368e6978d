import type { CommandDefinition } from "../command/define.ts";
import { option } from "../command/define.ts";

export const command = (): CommandDefinition => ({
  name: "status",
  group: "everyday",
  description: "what is yours, what waits for a decision, conflicts, drift, and what is ready",
  options: [option("--all", "look for conflicts, obstacles and drift in every plan and task")],
  isPlain: true,
  words: { stats: "" },
  run: async (session, _, options) => (await import("../work.ts")).status(session, options),
});
