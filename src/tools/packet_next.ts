import { readOnly } from "./common.ts";
import { packetOf } from "../rules/packet/packet_of.ts";
import { callOn } from "../rules/suggest.ts";
import { object } from "../state/schema.ts";
import { nextAction } from "../state/packet_next.ts";
import { readTool } from "./read_tool.ts";
import { packetNext as ofNext, packetTarget } from "./packet_common.ts";

export const packetNext = readTool({
  name: "packet_next",
  title: "Next action of a packet",
  doc: "The stage that is due, what to do with it, whether that is allowed, and what stands in the way.",
  input: object({ ...packetTarget, read_only: readOnly }),
  output: ofNext,
  examples: [{ workspace: "acme/repo", task: "TASK-001" }],
  target: "entity",
  kinds: ["task"],
  reply: (_input, ctx) => {
    const next = nextAction(packetOf(ctx.subject), ctx.beside?.dispatcher);
    const { stage, allowed, because } = next;
    const suggestions =
      stage === null || !allowed
        ? []
        : because === "interrupted"
          ? [callOn(ctx.subject, "packet_show", {}, "see what was interrupted")]
          : [callOn(ctx.subject, "packet_stage_start", { stage }, `start ${stage}`)];
    return { result: { ...next }, suggestions };
  },
});
