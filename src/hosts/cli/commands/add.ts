import type { JsonObject } from "../../../index.ts";
import { StepOptions } from "../step_options.ts";
import type { CommandDefinition } from "../command/define.ts";
import { argument, option } from "../command/define.ts";
import {
  CONFIRM_HELP,
  confirmOthers,
  FILES_HELP,
  LISTED,
  planOption,
  PROOF_HELP,
  proofModes,
} from "../command/values.ts";

const INTO = "steps";

export const command = (): CommandDefinition => ({
  name: "add",
  group: "everyday",
  description: "make a task; criteria and tests belong to the step before them",
  arguments: [argument("[title...]", "asked for on a terminal when left out")],
  options: [
    ...LISTED,
    planOption("the plan that it belongs to"),
    option("--step <title>", "a step of it, in order", {
      into: INTO,
      parse: (title, before?: StepOptions) => (before ?? new StepOptions()).step(title),
    }),
    option("--criteria <text>", "what must be so for the step to count as done", {
      into: INTO,
      parse: (text, before?: StepOptions) => (before ?? new StepOptions()).criteria(text),
    }),
    option("--test <text>", "how that is checked", {
      into: INTO,
      parse: (text, before?: StepOptions) => (before ?? new StepOptions()).test(text),
    }),
    option("--ordered", "each step waits for the one before"),
    option("--proof <modes>", PROOF_HELP, {
      into: INTO,
      parse: (text, before?: StepOptions) => (before ?? new StepOptions()).proof(proofModes(text)),
    }),
    option("--confirm <checkpoints>", CONFIRM_HELP, {
      into: INTO,
      parse: (text, before?: StepOptions) => (before ?? new StepOptions()).confirm(confirmOthers(text)),
    }),
    option("--files <path>", FILES_HELP, {
      into: INTO,
      parse: (text, before?: StepOptions) => (before ?? new StepOptions()).files(text),
    }),
  ],
  words: { create: "", new: "" },
  kinds: ["issue", "task"],
  tools: ["tasks_create"],
  calls: {
    tasks_create: (args) => {
      const title = args.take("title");
      return title !== undefined && args.has("kind", "task") ? [title] : undefined;
    },
  },
  run: async (session, [title]: [string[]], { steps, ...options }: JsonObject & { steps?: StepOptions }) =>
    (await import("../add.ts")).add(session, "task", title, options, steps ?? new StepOptions()),
});
