import type { CommandDefinition } from "../command/define.ts";
import { option } from "../command/define.ts";

const init = (): CommandDefinition => ({
  name: "init",
  description: "make the shared log, or join it: publish what it lacks and take in what it has",
  options: [
    option("--workspace <id>", "the workspace, for a folder that is bound to none yet"),
    option("--replicas <n>", "how many servers of the cluster keep it: 1, 3 or 5", { parse: (text) => Number(text) }),
  ],
  run: async (session, _, options) => (await import("../shared.ts")).init(session, options),
});

const status = (): CommandDefinition => ({
  name: "status",
  description: "how far this machine is, and which plans and tasks are not in step",
  run: async (session) => (await import("../shared.ts")).status(session),
});

const sync = (): CommandDefinition => ({
  name: "sync",
  description: "take in what is new there, and publish what is new here, by git for instance",
  options: [
    option("--blobs", "fetch captured output and files of packets, too: all that events name and this machine lacks"),
  ],
  run: async (session, _, options) => (await import("../shared.ts")).sync(session, options),
});

const verify = (): CommandDefinition => ({
  name: "verify",
  description:
    "compare the shared log with the logs of this machine, line by line, and read the files that they name there",
  options: [
    option(
      "--restore",
      "put files there that the shared log lacks, or has with other bytes, and that this machine has",
    ),
  ],
  run: async (session, _, options) => (await import("../shared.ts")).verify(session, options),
});

const leave = (): CommandDefinition => ({
  name: "leave",
  description: "forget how far this machine is; files and shared log stay as they are",
  run: async (session) => (await import("../shared.ts")).leave(session),
});

export const command = (): CommandDefinition => ({
  name: "shared",
  description: "a workspace that several machines write through NATS JetStream (--shared, TASKFOLD_SHARED)",
  commands: [init(), status(), sync(), verify(), leave()],
});
