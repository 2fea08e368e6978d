import { packetOf } from "../rules/packet/packet_of.ts";
import { jsonObject, object, optional, orNull, list, text } from "../state/schema.ts";
import type { JsonObject } from "../state/schema.ts";
import { fitBudget } from "../views/budget.ts";
import { PACKET_SHOW_CUTS } from "../views/cuts.ts";
import { nextAction } from "../state/packet_next.ts";
import { fromFocus, maxChars, readOnly, taskBlock } from "./common.ts";
import { readTool } from "./read_tool.ts";
import * as out from "./output.ts";
import { blockOf, packetBlock, packetNext, packetTarget } from "./packet_common.ts";

export const packetShow = readTool({
  name: "packet_show",
  title: "Show a packet",
  doc: "The manifest, the stages with their state, the budgets, the last failure and what comes next.",
  input: object({ ...packetTarget, max_chars: maxChars, read_only: readOnly }),
  output: out.cuttable({
    ...out.ofTask,
    packet: packetBlock,
    next: packetNext,
    manifest: optional(jsonObject()),
    inputs: list(object({ path: text(), sha256: text(), source: text() })),
    override: orNull(list(text())),
  }),
  examples: [{ workspace: "acme/repo", task: "TASK-001" }],
  target: "entity",
  kinds: ["task"],
  reply: (input, ctx) => {
    const packet = packetOf(ctx.subject);
    const whole = {
      ...taskBlock(ctx.subject),
      ...fromFocus(ctx),
      packet: blockOf(packet),
      next: nextAction(packet, ctx.beside?.dispatcher),
      manifest: packet.manifest as unknown as JsonObject,
      inputs: packet.inputs.map(({ path, sha256, source }) => ({ path, sha256, source })),
      override: packet.override,
    };
    return fitBudget(whole, input.max_chars, PACKET_SHOW_CUTS);
  },
});
