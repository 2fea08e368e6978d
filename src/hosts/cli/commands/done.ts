import type { Make } from "../command/call_words.ts";
import { onStep } from "../command/call_words.ts";
import { checkpointNames } from "../command/checkpoint_names.ts";
import type { CommandDefinition } from "../command/define.ts";
import { option } from "../command/define.ts";
import { ID, stepOr, WHY } from "../command/values.ts";

const confirm: Make = (args) => {
  const names = args.checkpoints();
  return names === undefined ? undefined : ["--confirm", names];
};

/** Calls that close a step, for a person who asked for that. */
const CLOSERS = new Set(["tasks_done", "tasks_close_step"]);

export const command = (): CommandDefinition => ({
  name: "done",
  group: "everyday",
  description: "close a step, or complete a task that has no open step",
  arguments: [ID, stepOr("the only open one")],
  options: [
    option("--confirm <checkpoints>", "gate (criteria and tests), all, or a list: criteria,tests", {
      parse: checkpoints,
      completes: "confirmations",
    }),
    option("--force", "pass a block or open steps below; needs --reason"),
    { ...WHY, help: "why it is forced" },
  ],
  words: { close: "", finish: "" },
  tools: ["tasks_progress"],
  calls: {
    tasks_close_step: onStep(confirm),
    tasks_done: onStep(),
    tasks_progress: onStep((args) => (args.has("force", true) ? ["--force", ...args.option("reason")] : undefined)),
    // The same command confirms the checkpoints first.
    tasks_verify: (args, intent) => (CLOSERS.has(intent) ? onStep(confirm)(args, intent) : undefined),
  },
  run: async (session, [id, step]: [string, string?], options) =>
    (await import("../write.ts")).done(session, session.meant(id), step, options),
});

/** Checkpoints as the tools take them. */
function checkpoints(text: string): "gate" | "all" | Record<string, true> {
  if (text === "gate" || text === "all") return text;
  return Object.fromEntries(checkpointNames(text).map((name) => [name, true]));
}
