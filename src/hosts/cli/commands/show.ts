import { onWhole } from "../command/call_words.ts";
import { option } from "../command/define.ts";
import type { CommandDefinition } from "../command/define.ts";
import { FOCUS } from "../command/values.ts";

export const command = (): CommandDefinition => ({
  name: "show",
  group: "everyday",
  description: "one page: what it is, steps, claims, notes and evidence",
  arguments: [FOCUS],
  options: [option("--full", "also the end of a long description")],
  isPlain: true,
  words: { get: "", info: "" },
  tools: ["tasks_radar", "tasks_resume"],
  calls: { tasks_radar: onWhole(), tasks_resume: onWhole() },
  run: async (session, [id]: [string?], options) =>
    (await import("../show.ts")).show(session, session.meant(id), options),
});
