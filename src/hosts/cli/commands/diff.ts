import type { CommandDefinition } from "../command/define.ts";
import { argument, option } from "../command/define.ts";
import { addressBelow } from "../command/values.ts";

export const command = (): CommandDefinition => ({
  name: "diff",
  description: "what changed in plans and tasks between two commits, in sentences",
  arguments: [
    argument("[from]", "a branch, a tag or a commit (default: HEAD)"),
    argument("[to]", "the same (default: the work tree)"),
  ],
  options: [
    option("--merge-base", "from the commit that both came from, as a review of a branch wants it"),
    option("--markdown", "for a comment: what users wrote is code and nothing else"),
    option("--links <address>", "link files and evidence in Markdown: where the files of TO stand on the web", {
      parse: addressBelow,
    }),
  ],
  run: async (session, [from, to]: [string?, string?], options) =>
    (await import("../diff.ts")).diff(session, from, to, options),
});
