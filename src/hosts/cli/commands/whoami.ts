import type { CommandDefinition } from "../command/define.ts";

export const command = (): CommandDefinition => ({
  name: "whoami",
  group: "everyday",
  description: "who acts, where, and what that person has claimed",
  isPlain: true,
  run: async (session) => (await import("../work.ts")).whoami(session),
});
