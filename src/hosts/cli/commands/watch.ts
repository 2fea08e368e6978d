import type { CommandDefinition } from "../command/define.ts";

export const command = (): CommandDefinition => ({
  name: "watch",
  group: "everyday",
  description: "on a terminal a live list of open tasks; else a line for each event, until Ctrl-C",
  run: async (session) => (await import("../watch.ts")).watch(session),
});
