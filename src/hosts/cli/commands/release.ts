import type { Make } from "../command/call_words.ts";
import type { CommandDefinition } from "../command/define.ts";
import { option } from "../command/define.ts";
import { ID, STEP, WHY } from "../command/values.ts";

const words: Make = (args) => {
  const id = args.id();
  const step = id === undefined ? undefined : args.step();
  const place = [id, step].filter((word) => word !== undefined);
  return [...place, ...(args.has("force", true) ? ["--force"] : []), ...args.option("reason")];
};

export const command = (): CommandDefinition => ({
  name: "release",
  group: "everyday",
  description: "give a claim back",
  arguments: [{ ...ID, name: "[id]", help: `${ID.help} (default: your only claim)` }, STEP],
  options: [option("--force", "end the claim of another; needs --reason"), WHY],
  words: { stop: "" },
  tools: ["tasks_release"],
  calls: {
    tasks_release: words,
  },
  run: async (session, [id, step]: [string?, string?], options) =>
    (await import("../write.ts")).release(session, session.meant(id), step, options),
});
