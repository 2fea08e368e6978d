import type { CommandDefinition } from "../command/define.ts";
import { AT, FOCUS, MAX_CHARS } from "../command/values.ts";

export const command = (): CommandDefinition => ({
  name: "radar",
  description: "now, why, verify, next and blockers of a plan or task",
  arguments: [FOCUS],
  options: [AT, MAX_CHARS],
  isPlain: true,
  run: async (session, [id]: [string?], options) =>
    (await import("../radar.ts")).radar(session, session.meant(id), options),
});
