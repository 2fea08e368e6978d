/** Built-in beginnings for plans and tasks (TPL rules). A template is data; its tasks go the way of any creation. */
import { TaskfoldError } from "../errors.ts";
import type { Kind } from "../state/entity.ts";
import type { StepInput } from "./add_steps.ts";

export interface Template {
  id: string;
  kind: Kind;
  title: string;
  description: string;
  /** Checklist of a plan. */
  plan_steps?: readonly string[];
  /** Steps of a task. */
  steps?: readonly StepInput[];
}

export const TEMPLATES: readonly Template[] = [
  {
    id: "basic-plan",
    kind: "plan",
    title: "Basic plan",
    description: "Three items: know what is wanted, make it, show that it is so.",
    plan_steps: ["Say what is wanted and how it will be told", "Make it in small tasks", "Show that it is so"],
  },
  {
    id: "principal-plan",
    kind: "plan",
    title: "Principal plan",
    description: "Nine items for work that is dear to get wrong: from the question to what was learnt.",
    plan_steps: [
      "State the problem, and what is not part of it",
      "Write the contract: what will hold afterwards",
      "List what is unknown, and find out the worst of it first",
      "Compare at least two ways and choose one, with reasons",
      "Cut the work into tasks that can be checked alone",
      "Build, the riskiest part first",
      "Verify with proofs that others can repeat",
      "Roll out, with a way back",
      "Hand over, and write down what was learnt",
    ],
  },
  {
    id: "basic-task",
    kind: "task",
    title: "Basic task",
    description: "Three steps: the goal, the work, the check.",
    steps: [
      {
        title: "Make the goal clear",
        success_criteria: ["A reader can tell whether the goal is reached"],
        tests: ["The criteria of the next steps follow from the goal"],
      },
      {
        title: "Do the work",
        success_criteria: ["The goal is reached", "Nothing that worked before is broken"],
        tests: ["The project's own checks pass"],
      },
      {
        title: "Verify and write down",
        success_criteria: ["The result was looked at as its user will see it", "The change is documented"],
        tests: ["The documented steps were followed once from the start"],
      },
    ],
  },
  {
    id: "principal-task",
    kind: "task",
    title: "Principal task",
    description: "Five steps for work that is dear to get wrong; the fourth closes only with proof of its tests.",
    steps: [
      {
        title: "Frame the problem",
        success_criteria: ["Goal, limits and what is not part of it are written down", "The worst risk is named"],
        tests: ["A newcomer can say the goal in one sentence"],
      },
      {
        title: "Design",
        success_criteria: ["At least two ways were compared", "The choice and its price are written down"],
        tests: ["The design answers every criterion of the frame"],
      },
      {
        title: "Implement",
        success_criteria: ["The design is built, or where it was left is written down"],
        tests: ["The project's own checks pass", "New behaviour has tests that fail without it"],
      },
      {
        title: "Verify with proofs",
        success_criteria: ["Each criterion of the frame is shown to hold"],
        tests: ["Commands and links that show it are attached"],
        proof: { tests: "require" },
      },
      {
        title: "Roll out and hand over",
        success_criteria: ["It is in use, with a way back", "An agent that takes over knows what is open"],
        tests: ["The way back was tried"],
      },
    ],
  },
];

/** The template of that id and kind: UNKNOWN_ID, or INVALID_INPUT when it makes the other kind. */
export function templateOf(id: string, kind: Kind | undefined, workspace: string): Template {
  const template = TEMPLATES.find((one) => one.id === id);
  const fitting = TEMPLATES.filter((one) => kind === undefined || one.kind === kind).map((one) => one.id);
  if (template && (kind === undefined || template.kind === kind)) return template;
  throw new TaskfoldError(
    template ? "INVALID_INPUT" : "UNKNOWN_ID",
    template
      ? `Expected a template for a ${kind}, found ${id}, which is for a ${template.kind}.`
      : `Expected the id of a template, found ${JSON.stringify(id.slice(0, 80))}.`,
    {
      recovery: `For a ${kind ?? "plan or task"} there are ${fitting.join(" and ")}.`,
      suggestions: [{ tool: "tasks_templates_list", args: { workspace }, reason: "See what each template holds." }],
    },
  );
}
