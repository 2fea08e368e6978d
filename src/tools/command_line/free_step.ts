/** The call by which `taskfold run` asks, before a command starts, whether its run may be recorded on a step. No call of agents, as `show` is none. */
import { refuseHeld } from "../../rules/lease.ts";
import { stepOrWhole } from "../../rules/step_of.ts";
import { object, text } from "../../state/schema.ts";
import { stepSelector, target, workspace } from "../common.ts";
import { readTool } from "../read_tool.ts";

export const freeStepTool = readTool({
  name: "free_step",
  title: "Whether a step is free",
  doc: "Refuse as every change does while another actor holds the step.",
  input: object({ workspace, ...target, ...stepSelector }),
  output: object({ workspace: text() }),
  examples: [{ workspace: "acme/repo", task: "TASK-001", path: "s:0" }],
  target: "entity",
  reply: (input, ctx) => {
    const { subject, by, now, workspace } = ctx;
    refuseHeld(subject, stepOrWhole(subject, input), { by, now });
    return { result: { workspace } };
  },
});
