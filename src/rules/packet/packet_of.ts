/** The begin of packet tools: they find the packet, and a stage of its plan. */
import { TaskfoldError } from "../../errors.ts";
import type { Subject } from "../../state/entity.ts";
import type { Attempt, Packet, PlannedStage } from "../../state/packet.ts";
import { sortedJson } from "../../state/json.ts";
import { attemptsOf, openAttempts, runningAttempt } from "../../state/packet.ts";
import type { LookForDispatcher } from "../../state/packet_next.ts";
import { preOrder } from "../../state/tree.ts";
import { oneLine } from "../phrase.ts";
import type { CallTarget } from "../suggest.ts";
import { callOn } from "../suggest.ts";
import { namedTime, worded } from "../../message.ts";
import type { Wording } from "../../message.ts";
import { remedy, TASKFOLD, toolName } from "../../remedy.ts";

/** NO_PACKET where the task carries none. */
export function packetOf({ id, entity: { packet } }: Subject): Packet {
  if (packet) return packet;
  throw new TaskfoldError(
    "NO_PACKET",
    `Expected a task that carries a packet; ${id} carries none.`,
    remedy`packet_define gives it one; ${TASKFOLD} packet create makes one of a manifest.`,
  );
}

/** INVALID_INPUT for a stage that the plan has not. */
export function plannedStage(subject: Subject, stage: string): PlannedStage {
  const { stages } = packetOf(subject).plan;
  const planned = stages.find((one) => one.stage === stage);
  if (planned) return planned;
  throw new TaskfoldError(
    "INVALID_INPUT",
    `Expected a stage of this packet: ${stages.map((one) => one.stage).join(", ")}; found ${JSON.stringify(stage.slice(0, 80))}.`,
    {
      ...remedy`The manifest's routing chooses the stages; ${toolName("packet_plan")} shows them.`,
      suggestions: [callOn(subject, "packet_plan", {}, "see the stages")],
      details: { stages: stages.map((one) => one.stage) },
    },
  );
}

/** The plan may have lost its stage since. INVALID_INPUT for no stage of the plan, STAGE_NOT_RUNNING where none is under way. */
export function running(subject: Subject, stage: string, run?: string): Attempt {
  const packet = packetOf(subject);
  const attempt = runningAttempt(packet, stage, run);
  if (attempt) return attempt;
  plannedStage(subject, stage);
  const of = attemptsOf(packet, stage);
  const last = of.find((one) => one.run === run) ?? of.at(-1);
  const why =
    last?.ended?.how === "interrupted" ? ` Attempt ${last.attempt} was interrupted: ${last.ended.reason}.` : "";
  throw new TaskfoldError(
    "STAGE_NOT_RUNNING",
    `Expected ${stage} to run; no attempt of it is under way${run === undefined ? "" : ` by the name ${oneLine(run, 80)}`}.${why}`,
    runningAttempt(packet, stage)
      ? {
          recovery: "Another attempt of the stage is under way, by another name: look before you end it.",
          suggestions: [callOn(subject, "packet_show", {}, "see the attempts")],
        }
      : {
          recovery: "Start it first.",
          suggestions: [callOn(subject, "packet_stage_start", { stage }, `start ${stage}`)],
        },
  );
}

/**
 * The attempt that an actor ends. STAGE_NOT_RUNNING without its name where that may be another one than he began (PACKET-422): it is judged by
 * what was in effect at its own start. A dispatcher names its own.
 */
export function endedBy(
  subject: Subject,
  { stage, run }: { stage: string; run?: string | undefined },
  actor: string,
): Attempt {
  const attempt = running(subject, stage, run);
  const before = attemptsOf(packetOf(subject), stage).findLast(
    (one) =>
      one.attempt < attempt.attempt &&
      !one.dispatched &&
      !one.imported &&
      ((one.ended?.how === "interrupted" && !isOneTo(actor, one, attempt)) ||
        (one.by === actor && attempt.by !== actor)),
  );
  if (run !== undefined || !before) return attempt;
  const how = before.ended
    ? `${before.ended.how}${before.ended.reason === null ? "" : ` (${oneLine(before.ended.reason, 200)})`}`
    : "under way";
  throw new TaskfoldError(
    "STAGE_NOT_RUNNING",
    worded`Expected run to name the attempt of ${stage} that ends, found none. Attempt ${before.attempt} by ${before.by} is ${how}; attempt ${attempt.attempt} by ${attempt.by}, whose run is ${attempt.run}, is under way since ${namedTime(attempt.started_at)}.`,
    {
      ...remedy`Give the run that ${toolName("packet_stage_start")} said when you began the attempt.`,
      suggestions: [callOn(subject, "packet_show", {}, "see the attempts")],
      details: { run: attempt.run, attempt: attempt.attempt, by: attempt.by, before: before.run },
    },
  );
}

/**
 * Whether an actor began both, and the gate judges both alike: then nothing follows from which of them he means. By the name alone a servant that bears
 * it would end an attempt of his under wider terms.
 */
function isOneTo(actor: string, before: Attempt, attempt: Attempt): boolean {
  const terms = ({ scope, commands }: Attempt): string | undefined => scope && sortedJson([scope, commands ?? null]);
  const [was, is] = [terms(before), terms(attempt)];
  return before.by === actor && attempt.by === actor && is !== undefined && was === is;
}

/** STAGE_RUNNING while a process runs the packet, or an attempt is under way; nothing where there is no packet. */
export function refuseBusy(subject: Subject, dispatcher: LookForDispatcher): void {
  if (!subject.entity.packet) return;
  const holder = dispatcher();
  if (holder) throw packetHeld(subject.id, holder);
  const [open] = openAttempts(subject.entity.packet);
  if (open) throw stageRunning(subject, open);
}

/** STAGE_RUNNING while an attempt is under way: its gate is judged by what it began with, and so is the next one (PACKET-408). */
export function refuseWhileRunning(subject: Subject, dispatcher: LookForDispatcher): void {
  const [open] = openAttempts(subject.entity.packet);
  if (!open) return;
  const holder = open.dispatched ? dispatcher() : undefined;
  if (!holder) throw stageRunning(subject, open);
  throw new TaskfoldError(
    "STAGE_RUNNING",
    `Expected ${open.stage} to be at rest; process ${holder.pid} runs attempt ${open.attempt} of it.`,
    {
      recovery: "Change the packet when the attempt has ended: what it is judged by stays as it was at its start.",
      suggestions: [callOn(subject, "packet_next", {}, "see whether it still runs")],
      details: { pid: holder.pid, run: open.run, stage: open.stage, attempt: open.attempt },
    },
  );
}

/** Steps that the packet has to prove while an attempt is under way. */
export function stepsUnderWay({ entity }: Subject): string[] {
  if (openAttempts(entity.packet).length === 0) return [];
  return [...preOrder(entity.children)].filter(({ packet }) => packet).map(({ id }) => id);
}

/** STAGE_RUNNING where a change took one of these steps away from the packet, by whatever event. `subject`: after the change. */
export function refuseTakenAway(subject: Subject, steps: readonly string[], dispatcher: LookForDispatcher): void {
  if (steps.length === 0 || openAttempts(subject.entity.packet).length === 0) return;
  const left = new Set(stepsUnderWay(subject));
  if (steps.some((id) => !left.has(id))) refuseWhileRunning(subject, dispatcher);
}

/** STAGE_RUNNING for an attempt that a dispatcher runs in another process: that process alone ends it. */
export function refuseTaken(subject: Subject, { dispatched }: Attempt, dispatcher: LookForDispatcher): void {
  const holder = dispatched ? dispatcher() : undefined;
  if (holder) throw packetHeld(subject.id, holder);
}

/** `holder`: undefined where the process that runs the packet is not known. */
export function packetHeld(
  id: string,
  holder: { pid: number } | undefined,
  since: Wording | string = "",
): TaskfoldError {
  const who = holder ? `process ${holder.pid}` : "another process";
  return new TaskfoldError(
    "STAGE_RUNNING",
    worded`Expected the packet of ${id} to be at rest; ${who} runs it${since}.`,
    {
      recovery: "Wait for it, or end that process: what it runs ends with it, and the next run goes on from there.",
      ...(holder ? { details: { pid: holder.pid } } : {}),
    },
  );
}

export function stageRunning(subject: CallTarget, { run, stage, attempt, by, started_at }: Attempt): TaskfoldError {
  return new TaskfoldError(
    "STAGE_RUNNING",
    worded`Expected ${stage} to be at rest; attempt ${attempt} by ${by} is under way since ${namedTime(started_at)}.`,
    {
      recovery: "Wait for it, or give it up if no process and no caller will end it.",
      suggestions: [
        callOn(
          subject,
          "packet_stage_interrupt",
          { stage, reason: "no process and no caller will end it" },
          "give the attempt up if no process and no caller will end it",
        ),
      ],
      details: { run, stage, attempt, by, started_at },
    },
  );
}
