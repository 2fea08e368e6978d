import type { CommandDefinition } from "../command/define.ts";
import { AT, FOCUS, MAX_CHARS } from "../command/values.ts";

export const command = (): CommandDefinition => ({
  name: "handoff",
  description: "what is done, what remains and what may go wrong",
  arguments: [FOCUS],
  options: [AT, MAX_CHARS],
  isPlain: true,
  tools: ["tasks_handoff"],
  run: async (session, [id]: [string?], options) =>
    (await import("../handoff.ts")).handoff(session, session.meant(id), options),
});
