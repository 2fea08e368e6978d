import { generateReport } from "../rules/generate_report.ts";
import { LIMITS } from "../state/limits.ts";
import { AGENT_STATUSES } from "../state/report.ts";
import { either, list, object, oneOf, optional, text } from "../state/schema.ts";
import { lines, preconditions, printed, target, taskBlock, title, workspace } from "./common.ts";
import { changeTool } from "./change_tool.ts";
import * as out from "./output.ts";

const conclusion = either(
  text({ description: "The conclusion." }),
  object({ text: text(), evidence: optional(list(text(), { maxItems: LIMITS.reportItems })) }),
);

const agent = object({
  instance: text({ minLength: 1, description: "Name of the agent, such as w1 for agent:w1." }),
  status: optional(oneOf(AGENT_STATUSES)),
  summary: optional(text()),
  conclusions: optional(
    list(conclusion, { maxItems: LIMITS.reportItems, description: "With the evidence they rest on." }),
  ),
  questions: optional(lines("Open questions.")),
  next_actions: optional(lines("Next actions.")),
});

export const tasksReport = changeTool({
  name: "tasks_report",
  title: "Write the joined summary",
  doc: "Report the outcome of a plan or task, agent by agent, into shared/reports/joined-summary.md. Parts that are not given come from the steps closed, the proof and the decisions.",
  input: object({
    workspace,
    ...target,
    title: optional(title),
    summary: optional(text({ description: "The outcome in all." })),
    agents: optional(
      list(agent, {
        maxItems: LIMITS.recentActors,
        description: "Replaces, member by member, what is known of an agent.",
      }),
    ),
    ...preconditions,
  }),
  output: object({ ...out.ofTask, file: text(), ...out.happened }),
  examples: [
    { workspace: "acme/repo", task: "TASK-001" },
    {
      workspace: "acme/repo",
      task: "TASK-001",
      summary: "The parser is done, the importer waits.",
      agents: [{ instance: "w1", status: "success", conclusions: ["Every sample parses."], next_actions: ["review"] }],
    },
  ],
  decide: (input, ctx) => ({ drafts: generateReport(ctx.subject, input) }),
  reply: (_input, ctx) => ({
    result: { ...taskBlock(ctx.subject), file: "shared/reports/joined-summary.md", ...printed(ctx) },
  }),
});
