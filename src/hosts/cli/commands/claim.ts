import { onPlace } from "../command/call_words.ts";
import type { CommandDefinition } from "../command/define.ts";
import { option } from "../command/define.ts";
import { expected, ID, STEP } from "../command/values.ts";

export const command = (): CommandDefinition => ({
  name: "claim",
  group: "everyday",
  description: "take a step or a whole task to work on; without an id the next ready step",
  arguments: [{ ...ID, name: "[id]" }, STEP],
  options: [
    option("--for <time>", "how long: 30m, 2h, or seconds (default: 15m)", { parse: duration }),
    option("--next", "the next ready step of this plan or task"),
    option("--whole", "with --next or without an id: the whole task that the step is of"),
  ],
  words: { assign: "", start: "" },
  tools: ["tasks_claim"],
  calls: {
    tasks_claim: onPlace(),
    tasks_claim_next: (args) => {
      const id = args.id();
      return id === undefined ? [] : [id, "--next"];
    },
  },
  run: async (session, [id, step]: [string?, string?], options) =>
    (await import("../write.ts")).claim(session, session.meant(id), step, options),
});

const UNITS: Record<string, number> = { "": 1, s: 1, m: 60, h: 3600, d: 86_400 };

function duration(text: string): number {
  const [, digits, unit = ""] = /^([1-9][0-9]{0,6})([smhd]?)$/.exec(text) ?? [];
  if (digits !== undefined) return Number(digits) * UNITS[unit]!;
  throw expected("a time such as 30m, 2h or a number of seconds");
}
