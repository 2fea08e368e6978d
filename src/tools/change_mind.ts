import { changeMind, presentText, readMind, sectionPaths } from "../rules/change_mind.ts";
import { boolean, integer, object, optional, orNull, text } from "../state/schema.ts";
import { selector } from "../state/selector.ts";
import { sectionOf, sectionPath, TASKDOC_PACKAGE } from "../state/taskdoc.ts";
import type { TaskdocTarget } from "../state/taskdoc.ts";
import { taskdocPolicyCopy } from "../state/taskdoc_policy.ts";
import { preconditions, target, taskBlock, workspace } from "./common.ts";
import { changeTool } from "./change_tool.ts";
import * as out from "./output.ts";

export const changeMindTool = changeTool({
  name: "change_mind",
  title: "Replace a section of the Taskdoc",
  doc:
    "Replace exactly one section of the Taskdoc of a plan or task, whole; it starts nothing else and all see it at once.\n\n" +
    taskdocPolicyCopy("en").trimEnd(),
  input: object({
    workspace,
    ...target,
    selector: text({
      description:
        "goals, constraints or progress without category; contracts, acceptance, grants, runbook, decisions or risks in bearinmind; else a name of your own.",
    }),
    category: optional(
      selector(
        text({
          description: "bearinmind, or a name of your own such as ux.checklists: letters, digits, _ - and single dots.",
        }),
      ),
    ),
    content: optional(
      text({ description: "The whole new text, kept exactly; at most 256 KiB. Required unless clear." }),
    ),
    clear: optional(boolean({ description: "true empties the section on purpose; then without content." })),
    previous_content_hash: optional(
      text({
        maxLength: 200,
        description: "Refuse unless the section still has this SHA-256 (hex), as an earlier answer gave it.",
      }),
    ),
    ...preconditions,
  }),
  output: object({
    ...out.ofTask,
    category: orNull(text()),
    selector: text(),
    path: text(),
    bytes: integer(),
    sha256: text(),
    previous_sha256: text(),
    event: out.event,
  }),
  examples: [
    { workspace: "acme/repo", task: "TASK-001", selector: "progress", content: "- [x] grammar\n- [ ] parser\n" },
    {
      workspace: "acme/repo",
      task: "TASK-001",
      category: "bearinmind",
      selector: "grants",
      content: "- Allowed: the sandbox.\n- Not allowed: production.\n",
    },
    { workspace: "acme/repo", task: "TASK-001", category: "ux", selector: "checklist", clear: true },
  ],
  explainInvalidInput: (input) => void readMind(input),
  facts: (input) => ({ files: sectionPaths(input) }),
  seen: (input, subject) => {
    // An ill call has its own code, whatever else was written meanwhile.
    const { target } = readMind(input);
    return presentText(sectionOf(subject.entity.taskdoc, target));
  },
  decide: (input, ctx) => ({ drafts: changeMind(ctx.subject, input, ctx.files) }),
  reply: (_input, ctx) => {
    // The caller has the text; it does not come back in the answer.
    const [{ content, category = null, selector = null, sha256 = null, previous_sha256 = null, ...event }] =
      ctx.events as [(typeof ctx.events)[0]];
    const target = { category, selector } as TaskdocTarget;
    return {
      result: {
        ...taskBlock(ctx.subject),
        category,
        selector,
        path: `${TASKDOC_PACKAGE}/${sectionPath(target)}`,
        bytes: Buffer.byteLength(content as string),
        sha256,
        previous_sha256,
        event,
      },
    };
  },
});
