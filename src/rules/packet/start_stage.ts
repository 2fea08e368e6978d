/** Starting a stage: what it costs is paid here, so that no crash forgets it (PACKET-122). */
import { createHash } from "node:crypto";
import type { Warning } from "../../errors.ts";
import { TaskfoldError } from "../../errors.ts";
import type { Draft } from "../../events/define.ts";
import { stageStarted } from "../../events/stage.started.ts";
import type { Subject } from "../../state/entity.ts";
import type { Budget, Packet, PlannedStage } from "../../state/packet.ts";
import { attemptsOf, promptFile, runningAttempt, STAGE_FILES, stageFile } from "../../state/packet.ts";
import { acceptanceCommands, retriesOf } from "../../state/packet_next.ts";
import { PACKET_LIMITS } from "../../state/packet_schema.ts";
import { counted } from "../../state/counted.ts";
import { sentence } from "../phrase.ts";
import { callOn } from "../suggest.ts";
import { packetOf, plannedStage, stageRunning } from "./packet_of.ts";
import type { PromptAttachment } from "./prompt.ts";
import { promptOf } from "./prompt_of.ts";

export interface StartInput {
  stage: string;
  /** The command that the caller starts, its prompt left out; nothing where it runs the model itself. */
  argv?: readonly string[];
  /** Names of environment variables. */
  env?: readonly string[];
  model?: string;
  dispatched?: boolean;
  work_tree?: string;
  max_prompt_bytes?: number;
}

export interface Started {
  drafts: Draft[];
  contents: ({ path: string; bytes: Uint8Array } | { path: string; from: string })[];
  warnings: Warning[];
}

/** Files that an attempt before this one may have left under the names of the latest. */
export function filesOfStage(stage: string): string[] {
  return STAGE_FILES.map((file) => stageFile(stage, file));
}

/** STAGE_RUNNING, ALREADY_DONE, BUDGET_EXHAUSTED or CONTENT_TOO_LARGE. `present`: those of `filesOfStage` that are there. */
export function startStage(
  subject: Subject,
  input: StartInput,
  present: ReadonlySet<string>,
  more: readonly PromptAttachment[] = [],
): Started {
  const packet = packetOf(subject);
  const planned = plannedStage(subject, input.stage);
  const { stage } = planned;
  refuseRunning(subject, packet, stage);
  refuseDone(subject, packet, stage);
  refuseSpent(subject, packet, planned);
  refuseCommands(packet, planned);
  const before = attemptsOf(packet, stage).length;
  const { text, redactions } = promptOf(packet, stage, more);
  const bytes = Buffer.from(text);
  refuseLarge(stage, bytes.length, input.max_prompt_bytes);
  const prompt = {
    path: promptFile(stage),
    size: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    lines: text.split("\n").length - 1,
  };
  const earlier = STAGE_FILES.filter((file) => present.has(stageFile(stage, file)));
  return {
    drafts: [
      stageStarted.draft({
        stage,
        attempt: before + 1,
        model: input.model ?? planned.model,
        timeout_sec: planned.timeout_sec,
        timeout_mode: planned.timeout_mode,
        paid: planned.paid,
        argv: [...(input.argv ?? [])],
        env: [...(input.env ?? [])].toSorted(),
        prompt,
        redactions,
        config_sha256: packet.plan.config_sha256,
        ...(input.dispatched ? { dispatched: true } : {}),
        ...(input.work_tree === undefined ? {} : { work_tree: input.work_tree }),
        judged_by: {
          scope: packet.manifest.scope,
          manifest: packet.manifest.acceptance.commands,
          brief: packet.override,
        },
        long_ids: true,
        message: sentence(`Started stage ${stage}, attempt ${before + 1}`),
      }),
    ],
    contents: [
      ...earlier.map((file) => ({ path: stageFile(stage, file, Math.max(before, 1)), from: stageFile(stage, file) })),
      { path: prompt.path, bytes },
    ],
    warnings: outOfOrder(packet, stage),
  };
}

function refuseRunning(subject: Subject, packet: Packet, stage: string): void {
  const attempt = runningAttempt(packet, stage);
  if (attempt) throw stageRunning(subject, attempt);
}

function refuseDone(subject: Subject, packet: Packet, stage: string): void {
  const done = packet.done[stage];
  if (done === undefined) return;
  throw new TaskfoldError("ALREADY_DONE", `Expected ${stage} to be open; it is done since ${done}.`, {
    recovery: "Reopen it to run it again.",
    suggestions: [
      callOn(subject, "packet_stage_reopen", { stage, reason: "it has to be done again" }, `reopen ${stage}`),
    ],
  });
}

/** The packet's money first: a retry costs it, too. */
function refuseSpent(subject: Subject, packet: Packet, { stage, paid }: PlannedStage): void {
  const { paid_call_budget } = packet.manifest.budgets;
  if (paid && packet.paid_calls_used >= paid_call_budget)
    throw spent(
      subject,
      "paid_call_budget",
      `${packet.paid_calls_used} of ${counted(paid_call_budget, "paid call")} used`,
    );
  const failure = packet.failures[stage];
  if (!failure) return;
  const { count, most } = retriesOf(packet, failure);
  if (count > most)
    throw spent(
      subject,
      "retry_budget",
      `${stage} failed ${counted(count, "time")} with ${failure.signature}, and ${counted(most, "retry is", "retries are")} allowed`,
    );
}

/** CONTENT_TOO_LARGE for a prompt that the servant would not take: nothing is paid for it. */
function refuseLarge(stage: string, bytes: number, most = Infinity): void {
  if (bytes <= most) return;
  throw new TaskfoldError(
    "CONTENT_TOO_LARGE",
    `Expected a prompt of at most ${most} bytes for ${stage}, found ${bytes}.`,
    {
      recovery:
        "Set prompt to stdin or file in the servant's configuration, set digest_policy to aggressive, or take attachments away.",
      details: { bytes, allowed: most },
    },
  );
}

/** CONTENT_TOO_LARGE for more commands than the end of the stage could record: nothing is paid for it. */
function refuseCommands(packet: Packet, { stage, role }: PlannedStage): void {
  const { length } = acceptanceCommands(packet);
  const most = PACKET_LIMITS.commands;
  if (role !== "verify" || length <= most) return;
  throw new TaskfoldError(
    "CONTENT_TOO_LARGE",
    `Expected at most ${most} commands to verify ${stage}, found ${length}.`,
    {
      recovery: "Put several into a script, and name the script as one command.",
      details: { commands: length, allowed: most },
    },
  );
}

function spent(subject: Subject, kind: Budget, found: string): TaskfoldError {
  return new TaskfoldError("BUDGET_EXHAUSTED", `Expected room in ${kind}; ${found}.`, {
    recovery: "Raise the budget in the manifest, or let it count from zero again.",
    suggestions: [
      callOn(subject, "packet_budget_reset", { kind, reason: "the owner allows it" }, "let it count from zero again"),
    ],
    details: { kind },
  });
}

function outOfOrder({ plan, done }: Packet, stage: string): Warning[] {
  const at = plan.stages.findIndex((one) => one.stage === stage);
  const open = plan.stages.slice(0, at).filter((one) => done[one.stage] === undefined);
  if (open.length === 0) return [];
  const names = open.map((one) => one.stage).join(", ");
  return [
    {
      code: "STAGE_ORDER",
      message: `${stage} runs although ${names} ${open.length === 1 ? "stands before it and is" : "stand before it and are"} not done.`,
    },
  ];
}
