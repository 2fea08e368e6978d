import type { CommandDefinition } from "../command/define.ts";
import { argument, option } from "../command/define.ts";
import { collect, count, STEP_HELP } from "../command/values.ts";
import { SIGNING_KEY } from "./sign.ts";

export const command = (): CommandDefinition => ({
  name: "prove",
  description: "run the declared tests of steps in a clean work tree of a commit, and keep each run as evidence",
  usage: "[options] [id [step...]]...",
  arguments: [
    argument("[words...]", `ids, and behind an id steps of it, each ${STEP_HELP} (default: what the branch changes)`, {
      completes: ["ids", "steps"],
    }),
  ],
  options: [
    option("--git-base <ref>", "the tasks that changed since the branch left this one (default: the base branch)"),
    option("--at <commit>", "the commit whose files are tested", { default: "HEAD" }),
    option("--allow-commands", "run them; without it the command lists what would run, and runs nothing"),
    option("--prepare <command>", "run this before each test, such as npm ci; it is no evidence (can be repeated)", {
      parse: collect,
    }),
    option("--sign", "sign the runs that pass, and nothing else"),
    { ...SIGNING_KEY, help: `with --sign: ${SIGNING_KEY.help}` },
    option("--timeout <seconds>", "for each command", { parse: count, default: 3600 }),
  ],
  run: async (session, [words = []]: [string[]?], options) =>
    (await import("../prove.ts")).prove(session, words, options),
});
