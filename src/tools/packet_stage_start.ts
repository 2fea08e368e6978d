import { preconditions } from "./common.ts";
import { attachmentsFor, CONSOLIDATED_FILES } from "../rules/packet/review_files.ts";
import { plannedStage } from "../rules/packet/packet_of.ts";
import type { Started, StartInput } from "../rules/packet/start_stage.ts";
import { filesOfStage, startStage } from "../rules/packet/start_stage.ts";
import { partsOfStage, promptFile, STAGES } from "../state/packet.ts";
import { boolean, integer, list, object, optional, text } from "../state/schema.ts";
import type { DecideContext } from "./decide_context.ts";
import { changeTool } from "./change_tool.ts";
import { ofPacket, packetReply, packetStage, packetTarget } from "./packet_common.ts";

export const packetStageStart = changeTool({
  name: "packet_stage_start",
  title: "Start a stage of a packet",
  doc: "Begin an attempt of a stage: its prompt is written, and a paid one is paid for; end its run with packet_stage_finish.",
  input: object({
    ...packetTarget,
    stage: packetStage,
    model: optional(text({ minLength: 1, maxLength: 200, description: "Default: the plan's." })),
    argv: optional(list(text(), { maxItems: 200, description: "The command, without the prompt." })),
    env: optional(list(text(), { maxItems: 1000, description: "Names of environment variables." })),
    dispatched: optional(boolean({ description: "For packet run." })),
    work_tree: optional(text({ maxLength: 300, description: "For packet run." })),
    max_prompt_bytes: optional(integer({ minimum: 0, description: "A longer prompt is refused." })),
    ...preconditions,
  }),
  output: object({
    ...ofPacket,
    run: text(),
    attempt: integer(),
    prompt: object({ path: text(), sha256: text() }),
  }),
  examples: [{ workspace: "acme/repo", task: "TASK-001", stage: "gemini_brief" }],
  kinds: ["task"],
  facts: ({ stage }) => ({
    files: STAGES.includes(stage) ? filesOfStage(stage) : [],
    texts: stage.endsWith("_review_consolidate") ? [...CONSOLIDATED_FILES] : [],
  }),
  masks: (input, ctx) => started(input, ctx()),
  decide: (input, ctx) => started(input, ctx),
  reply: (input, ctx) => {
    const [started] = ctx.events;
    const prompt = started?.["prompt"] as { path: string; sha256: string } | null | undefined;
    const attempt = ctx.subject.entity.packet!.attempts.findLast((one) => one.stage === input.stage);
    return {
      result: packetReply(ctx, {
        run: attempt?.run ?? "",
        attempt: attempt?.attempt ?? 0,
        prompt: { path: prompt?.path ?? promptFile(input.stage), sha256: prompt?.sha256 ?? "" },
      }),
    };
  },
});

function started(input: StartInput, { subject, files, texts }: DecideContext): Started {
  const { role } = partsOfStage(plannedStage(subject, input.stage).stage);
  const present = new Set([...files].flatMap(([path, fact]) => (fact.state === "present" ? [path] : [])));
  return startStage(
    subject,
    input,
    present,
    attachmentsFor(role, (path) => texts.get(path)),
  );
}
