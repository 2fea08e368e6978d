import { checkpointNames } from "../command/checkpoint_names.ts";
import type { CommandDefinition } from "../command/define.ts";
import { argument, option } from "../command/define.ts";
import { STEP_HELP } from "../command/values.ts";

export const command = (): CommandDefinition => ({
  name: "run",
  group: "everyday",
  description: "run a command and keep its output and exit code as evidence; the exit code is that of the command",
  usage: "[options] <id> [step] -- <command...>",
  arguments: [
    argument(
      "[words...]",
      `an id, ${STEP_HELP} (default: the only open one); behind --, the command and its arguments`,
      { completes: ["ids", "steps"] },
    ),
  ],
  options: [
    option("--for <checkpoints>", "what it proves: a list of checkpoints", {
      parse: checkpointNames,
      default: ["tests"],
    }),
    option(
      "--test <test>",
      "the declared test that it is for, by its text or its place from 0 (default: the one that is this command)",
    ),
    option("--close", "if it passed, confirm criteria and tests too, and close the step"),
  ],
  run: async (session, [words]: [string[]], options, { behindDashes }) => {
    const at = words.length - behindDashes;
    return (await import("../run_command.ts")).runCommand(session, words.slice(0, at), words.slice(at), options);
  },
});
