import type { CommandDefinition } from "../command/define.ts";
import { option } from "../command/define.ts";
import { proofModes } from "../command/values.ts";

export const command = (): CommandDefinition => ({
  name: "init",
  group: "everyday",
  description: "bind this folder to a workspace id and write .coco",
  options: [
    option(
      "--workspace <id>",
      "the id, such as acme/repo (default: from the git remote origin, else the folder's name)",
    ),
    option("--ids <kind>", "TASK-001, or TASK-001-k3f9, which two branches never take both", {
      choices: ["sequential", "suffixed"],
    }),
    option("--lock <kind>", "locks of the system, or of lock files where it has none (default: os where it loads)", {
      choices: ["os", "lockfile"],
    }),
    option("--rename <id>", "give a bound folder another id; no log changes"),
    option("--proof <modes>", "what steps need proof of from now on: require, or tests=warn,docs=require", {
      parse: proofModes,
    }),
    option("--yes", "ask nothing on a terminal: take the options, and for the rest the defaults"),
    option("--overview", "also write .coco/README.md, an overview that rebuild and resolve keep up to date"),
  ],
  run: async (session, _, options) => (await import("../init.ts")).init(session, options),
});
