import type { CommandDefinition } from "../command/define.ts";
import { LIMIT, planOption } from "../command/values.ts";

export const command = (): CommandDefinition => ({
  name: "ready",
  group: "everyday",
  description: "steps that can be taken up now, the most urgent first",
  options: [planOption("only of this plan"), LIMIT],
  isPlain: true,
  words: { next: "" },
  run: async (session, _, options) => (await import("../work.ts")).ready(session, options),
});
