import { preconditions } from "./common.ts";
import { consolidateAttachments } from "../rules/packet/review_files.ts";
import { plannedStage } from "../rules/packet/packet_of.ts";
import { filesOfStage, startStage } from "../rules/packet/start_stage.ts";
import { partsOfStage, promptFile, stageFile, STAGES } from "../state/packet.ts";
import { integer, list, object, optional, text } from "../state/schema.ts";
import { defineTool } from "./define.ts";
import { ofPacket, packetReply, packetStage, packetTarget } from "./packet_common.ts";

const VERIFY_ARTIFACT = "outputs/codex_verify.artifact.md";

export const packetStageStart = defineTool({
  name: "packet_stage_start",
  title: "Start a stage of a packet",
  doc: "Begin an attempt of a stage: its prompt is composed and written, and a paid one is paid for; end it with packet_stage_finish.",
  input: object({
    ...packetTarget,
    stage: packetStage,
    model: optional(text({ minLength: 1, maxLength: 200, description: "Default: the one of the plan." })),
    argv: optional(list(text(), { maxItems: 200, description: "What is started, without the prompt." })),
    env: optional(list(text(), { maxItems: 200, description: "Names of environment variables." })),
    ...preconditions,
  }),
  output: object({
    ...ofPacket,
    run: text(),
    attempt: integer(),
    prompt: object({ path: text(), sha256: text() }),
  }),
  examples: [{ workspace: "acme/repo", task: "TASK-001", stage: "gemini_brief" }],
  effect: "write",
  target: "entity",
  kinds: ["task"],
  files: ({ stage }) => (STAGES.includes(stage) ? filesOfStage(stage) : []),
  texts: ({ stage }) =>
    stage.endsWith("_review_consolidate") ? [...STAGES.map((one) => stageFile(one, "out")), VERIFY_ARTIFACT] : [],
  decide: (input, ctx) => {
    const { role } = partsOfStage(plannedStage(ctx.subject, input.stage).stage);
    const present = new Set([...ctx.files].flatMap(([path, fact]) => (fact.state === "present" ? [path] : [])));
    const outputs = STAGES.flatMap((stage) => {
      const output = ctx.texts.get(stageFile(stage, "out"));
      return output === undefined ? [] : [{ stage, text: output }];
    });
    const more =
      role === "review_consolidate" ? consolidateAttachments(outputs, ctx.texts.get(VERIFY_ARTIFACT) ?? null) : [];
    return startStage(ctx.subject, input, present, more);
  },
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
