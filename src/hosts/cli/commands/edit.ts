import type { CommandDefinition } from "../command/define.ts";
import { onStep, onWhole } from "../command/call_words.ts";
import { option } from "../command/define.ts";
import {
  collect,
  CONFIRM_HELP,
  confirmOthers,
  FILES_HELP,
  ID,
  PROOF_HELP,
  proofModes,
  STEP,
  yesNoOrPlan,
} from "../command/values.ts";

export const command = (): CommandDefinition => ({
  name: "edit",
  group: "everyday",
  description:
    "change a plan, a task or a step; a plan or task without options in the editor that VISUAL or EDITOR names",
  arguments: [ID, STEP],
  options: [
    option("--title <text>"),
    option("--description <text>", "what it is about"),
    option("--context <text>", "what the next worker has to know"),
    option("--priority <word>", "LOW, MEDIUM, HIGH or another word"),
    option("--tag <tag>", "replaces the tags; may be repeated; '' for none", { parse: collect }),
    option("--depends-on <id>", "replaces what has to be DONE before; may be repeated; '' for none", {
      parse: collect,
      completes: "ids",
    }),
    option("--complete-when-done <word>", "yes, no, or plan for what its plan says; of a plan: for it and its tasks", {
      parse: yesNoOrPlan,
    }),
    option("--contract <text>", "of a plan: what it promises"),
    option("--criteria <text>", "of a step: replaces its criteria; may be repeated", { parse: collect }),
    option("--test <text>", "of a step: replaces its tests; may be repeated", { parse: collect }),
    option("--proof <modes>", `of a step, or of a plan for its new steps: ${PROOF_HELP}`, { parse: proofModes }),
    option("--confirm <checkpoints>", `of a step: ${CONFIRM_HELP}; '' for none`, { parse: confirmOthers }),
    option("--files <path>", `of a step: ${FILES_HELP}; '' for none`, { parse: collect }),
  ],
  words: { dep: "--depends-on", modify: "", update: "" },
  tools: ["tasks_edit", "tasks_patch"],
  calls: {
    tasks_edit: onWhole((args) => [
      ...["title", "description", "context", "priority", "contract"].flatMap((name) => args.option(name)),
      ...args.repeated("tags", "tag"),
      ...args.repeated("depends_on", "depends-on"),
      ...[true, false].flatMap((flag) =>
        args.has("complete_when_done", flag) ? ["--complete-when-done", flag ? "yes" : "no"] : [],
      ),
    ]),
    tasks_define: onStep((args) => [
      ...args.option("title"),
      ...args.repeated("success_criteria", "criteria"),
      ...args.repeated("tests", "test"),
      ...args.repeated("files"),
    ]),
  },
  run: async (session, [id, step]: [string, string?], options) =>
    (await import("../edit.ts")).edit(session, session.meant(id), step, options),
});
