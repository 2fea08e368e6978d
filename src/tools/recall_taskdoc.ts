import { readRecall, recallTaskdoc } from "../rules/recall_taskdoc.ts";
import { object, text } from "../state/schema.ts";
import { taskdocPolicyCopy } from "../state/taskdoc_policy.ts";
import { fitBudget } from "../views/budget.ts";
import { RECALL_CUTS } from "../views/cuts.ts";
import { sectionBlock } from "../views/taskdoc_sections.ts";
import { fromFocus, maxChars, readOnly, target, taskBlock, workspace } from "./common.ts";
import { readTool } from "./read_tool.ts";
import * as out from "./output.ts";
import * as view from "./output_views.ts";

export const recallTaskdocTool = readTool({
  name: "recall_taskdoc",
  title: "Read a section of the Taskdoc",
  doc:
    "Read one section of the Taskdoc of a plan or task that stands in a category; goals, constraints and progress are in the context already.\n\n" +
    taskdocPolicyCopy("en").trimEnd(),
  input: object({
    workspace,
    ...target,
    category: text({ description: "bearinmind, or the category of an extra section." }),
    selector: text({ description: "Name of the section in it." }),
    max_chars: maxChars,
    read_only: readOnly,
  }),
  output: out.cuttable({ ...out.ofTask, ...view.section }),
  examples: [{ workspace: "acme/repo", task: "TASK-001", category: "ux", selector: "checklist" }],
  target: "entity",
  explainInvalidInput: (input) => void readRecall(input),
  reply: (input, ctx) => {
    const section = recallTaskdoc(ctx.subject, input);
    const whole = { ...taskBlock(ctx.subject), ...fromFocus(ctx), ...sectionBlock(ctx.subject.entity, section) };
    return fitBudget(whole, input.max_chars, RECALL_CUTS);
  },
});
