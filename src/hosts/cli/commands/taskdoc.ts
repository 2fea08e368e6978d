import type { CommandDefinition } from "../command/define.ts";
import { argument, option } from "../command/define.ts";
import { AT, count, FOCUS, LIMIT, SOME_ID } from "../command/values.ts";

const show = (): CommandDefinition => ({
  name: "show",
  description: "as it is put before agents; what does not belong in its package is told on stderr",
  arguments: [FOCUS],
  options: [
    option("--lang <language>", "of the heading and the words around", { choices: ["en", "zh"] }),
    option("--max-bytes <n>", "at most so many bytes; what was cut is said", { parse: count }),
    AT,
  ],
  run: async (session, [id]: [string?], options) =>
    (await import("../taskdoc.ts")).show(session, session.meant(id), options),
});

const history = (): CommandDefinition => ({
  name: "history",
  description: "every text it ever had, newest first, with who wrote it when",
  arguments: [FOCUS],
  options: [
    option("--section <name>", "one section: goals, or ux/checklist"),
    LIMIT,
    option("--before <revision>", "only what came before it", { parse: count }),
  ],
  run: async (session, [id]: [string?], options) =>
    (await import("../taskdoc.ts")).history(session, session.meant(id), options),
});

const adoptEdits = (): CommandDefinition => ({
  name: "adopt-edits",
  description: "show what a person changed in its files, and take it in as that person's change (--by human:NAME)",
  arguments: [SOME_ID],
  options: [option("--dry-run", "show it and change nothing")],
  run: async (session, [id]: [string], options) =>
    (await import("../taskdoc.ts")).adoptEdits(session, session.meant(id), options),
});

const importFile = (): CommandDefinition => ({
  name: "import",
  description: "take in a Taskdoc of the old form, one Markdown file; fills empty sections only and leaves the file",
  arguments: [argument("<file>", "from the current folder"), FOCUS],
  options: [option("--dry-run", "show what would go where and change nothing")],
  run: async (session, [file, id]: [string, string?], options) =>
    (await import("../taskdoc_import.ts")).importFile(session, file, session.meant(id), options),
});

export const command = (): CommandDefinition => ({
  name: "taskdoc",
  description: "the Taskdoc of a plan or task: what agents have before them",
  commands: [show(), history(), adoptEdits(), importFile()],
});
