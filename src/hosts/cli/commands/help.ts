import type { CommandDefinition } from "../command/define.ts";
import { argument } from "../command/define.ts";

type Names = [name?: string, inner?: string];

export const command = (): CommandDefinition => ({
  name: "help",
  description: "help on a command, or on a topic: start, ids, steps, proof, claims, agents, trackers, merge, scripts",
  arguments: [
    argument("[topic]", "", { completes: "topics" }),
    argument("[command]", "of a command that has some", { completes: "topics" }),
  ],
  answer: ([name, inner]: Names, { help }) =>
    name === undefined ? help() : ((inner === undefined ? undefined : help(name, inner)) ?? help(name)),
  run: async (session, [name]: [string], _, { commands }) =>
    (await import("../help_topics.ts")).topic(
      session,
      name,
      commands().map((one) => one.name),
    ),
});
