import { packetOf } from "../rules/packet/packet_of.ts";
import { boolean, object, optional, orNull, record, text } from "../state/schema.ts";
import type { JsonObject } from "../state/schema.ts";
import { fromFocus, maxChars, readOnly, taskBlock } from "./common.ts";
import { fitBudget } from "../views/budget.ts";
import { PACKET_PLAN_CUTS } from "../views/cuts.ts";
import { readTool } from "./read_tool.ts";
import * as out from "./output.ts";
import { packetTarget, plannedStages, planSources } from "./packet_common.ts";

export const packetPlan = readTool({
  name: "packet_plan",
  title: "Show a packet's plan",
  doc: "The stages that the manifest resolves to, with model and time limit, and where each value comes from.",
  input: object({ ...packetTarget, max_chars: maxChars, read_only: readOnly }),
  output: out.cuttable({
    ...out.ofTask,
    group: text(),
    profile: text(),
    flags: record(boolean()),
    options: record(text()),
    stages: plannedStages,
    from: optional(planSources),
    config_sha256: text(),
    config_folder: optional(orNull(text())),
  }),
  examples: [{ workspace: "acme/repo", task: "TASK-001" }],
  target: "entity",
  kinds: ["task"],
  reply: (input, ctx) => {
    const whole = {
      ...taskBlock(ctx.subject),
      ...fromFocus(ctx),
      ...(packetOf(ctx.subject).plan as unknown as JsonObject),
    };
    return fitBudget(whole, input.max_chars, PACKET_PLAN_CUTS);
  },
});
