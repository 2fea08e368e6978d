import { defineStep } from "../rules/define_step.ts";
import { besideClaims, stepCall } from "../rules/suggest.ts";
import { MODES_LISTED } from "../state/proof_modes.ts";
import { boolean, object, optional } from "../state/schema.ts";
import {
  lines,
  stepDependsOn,
  preconditions,
  proof,
  stepOfCall,
  stepReply,
  stepSelector,
  stepToChange,
  target,
  title,
  workspace,
} from "./common.ts";
import { changeTool } from "./change_tool.ts";
import * as out from "./output.ts";

export const tasksDefine = changeTool({
  name: "tasks_define",
  title: "Define a step",
  doc: "Set what a step asks for; new criteria and tests have to be confirmed again.",
  input: object({
    workspace,
    ...target,
    ...stepSelector,
    title: optional(title),
    success_criteria: optional(lines("Replaces the criteria.")),
    tests: optional(lines("Replaces the tests.")),
    blockers: optional(lines("Replaces the blockers.")),
    depends_on: stepDependsOn,
    packet: optional(boolean({ description: "Only the task's packet proves its tests." })),
    proof: optional({ ...proof, description: `Proof modes: ${MODES_LISTED}.` }),
    confirm: optional(lines("Checkpoints that another actor confirms.")),
    files: optional(lines("Paths it is about: changes make proof stale.")),
    ...preconditions,
  }),
  output: object(out.ofStep),
  examples: [
    { workspace: "acme/repo", task: "TASK-001", path: "s:0", tests: ["npm test", "npm run check"] },
    { workspace: "acme/repo", task: "TASK-001", step_id: "STEP-0A1B2C3D", blockers: [], proof: { tests: "require" } },
  ],
  kinds: ["task"],
  decide: (input, ctx) => ({ drafts: defineStep(ctx.subject, stepToChange(input, ctx), input) }),
  reply: (_input, ctx) => {
    const step = stepOfCall(ctx);
    return {
      result: stepReply(ctx),
      suggestions: step && !step.done ? besideClaims(ctx.subject, [stepCall(ctx.subject, step)], ctx) : [],
    };
  },
});
