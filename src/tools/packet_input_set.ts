import { preconditions } from "./common.ts";
import { packetOf } from "../rules/packet/packet_of.ts";
import { setInput } from "../rules/packet/set_input.ts";
import { object, orNull, text } from "../state/schema.ts";
import { changeTool } from "./change_tool.ts";
import { ofPacket, packetReply, packetTarget } from "./packet_common.ts";

export const packetInputSet = changeTool({
  name: "packet_input_set",
  title: "Set an input of a packet",
  doc: "Set user_request.md, context_pack.md or an attachment, whole, or take it away; secrets are masked before they reach the log.",
  input: object({
    ...packetTarget,
    path: text({
      minLength: 1,
      maxLength: 200,
      description: "user_request.md, context_pack.md or attachments/<name>.",
    }),
    text: orNull(text()),
    ...preconditions,
  }),
  output: object(ofPacket),
  examples: [{ workspace: "acme/repo", task: "TASK-001", path: "user_request.md", text: "Read the config once.\n" }],
  kinds: ["task"],
  masks: (input, ctx) => setInput(packetOf(ctx().subject), input.path, input.text),
  decide: (input, ctx) => ({ drafts: setInput(packetOf(ctx.subject), input.path, input.text) }),
  reply: (_input, ctx) => ({ result: packetReply(ctx) }),
});
