import type { CommandDefinition } from "../command/define.ts";
import { argument, option } from "../command/define.ts";

const install = (): CommandDefinition => ({
  name: "install",
  description: "let git join logs and fold files anew in merges, rebases, picks and stashes of this clone",
  options: [option("--hooks", "also hooks that keep the folded files of each commit right")],
  run: async (session, _, options) => (await import("../git/install.ts")).install(session, options),
});

const uninstall = (): CommandDefinition => ({
  name: "uninstall",
  description: "take out what install put into this clone",
  run: async (session) => (await import("../git/install.ts")).uninstall(session),
});

const status = (): CommandDefinition => ({
  name: "status",
  description: "what of it is installed, and what git cannot do by it",
  run: async (session) => (await import("../git/install.ts")).status(session),
});

const run = (): CommandDefinition => ({
  name: "run",
  description:
    "run git while all writers of .coco wait, so that it copies and resets nothing half; the exit code is git's",
  usage: "[options] -- <arguments of git...>",
  arguments: [argument("[words...]", "behind --, what git is to do: stash, reset --hard, checkout, rebase")],
  run: async (session, [words]: [string[]], _, { behindDashes }) =>
    (await import("../git/run.ts")).runGit(session, words, behindDashes),
});

/** Git alone calls it. */
const mergeDriver = (): CommandDefinition => ({
  name: "merge-driver",
  isHidden: true,
  arguments: ["<kind>", "<base>", "<ours>", "<theirs>", "<path>"].map((name) => argument(name)),
  run: async (session, [kind, base, ours, theirs, path]: [string, string, string, string, string]) =>
    (await import("../git/driver.ts")).mergeDriver(session, kind, { base, ours, theirs, path }),
});

/** The hooks alone call it. */
const hook = (): CommandDefinition => ({
  name: "hook",
  isHidden: true,
  arguments: [argument("<name>"), argument("[args...]")],
  run: async (session, [name, args]: [string, string[]]) =>
    (await import("../git/driver.ts")).hook(session, name, args),
});

export const command = (): CommandDefinition => ({
  name: "git",
  description: "what git itself runs in this clone when it merges .coco",
  commands: [install(), uninstall(), status(), run(), mergeDriver(), hook()],
});
