/** The proof that a packet gives for the steps that name it: the acceptance commands pass (PACKET-218). */
import type { Entity } from "./entity.ts";
import type { AcceptanceResult, Attempt, Packet } from "./packet.ts";
import { attemptsOf, partsOfStage } from "./packet.ts";
import { isMaskedFormOf } from "./packet_masks.ts";
import type { AcceptanceCommand } from "./packet_next.ts";

/**
 * The degree of the packet's proof: `captured` if Taskfold started each command itself. Null where no stage that runs the acceptance
 * commands is done. Its newest attempt has to have run those in effect, and each of them has to have passed. `brief`: the manifest has no command, and
 * those of a brief passed. That is the text of a model, so it closes no step from now on; a step that it closed stays closed.
 */
export function acceptedDegree(packet: Packet | null): "brief" | "claimed" | "captured" | null {
  if (!packet) return null;
  const proofs = provingAttempts(packet);
  if (proofs.length === 0) return null;
  const isBriefs = packet.manifest.acceptance.commands.length === 0;
  if (isBriefs && proofs.every(({ commands }) => commands !== undefined)) return "brief";
  return proofs.some(isCaptured) ? "captured" : "claimed";
}

/**
 * The runs of the packet that its proof of that degree rests on: ids of evidence, one list for each command. None where an older release ended the
 * attempt, since its log does not say which evidence is of it.
 */
export function acceptingRuns({ packet, evidence, facts }: Entity): string[][] {
  const ends = new Set(
    (packet ? provingAttempts(packet) : []).filter(isCaptured).flatMap(({ ops }) => ops?.ends ?? []),
  );
  const runs = new Map<string, string[]>();
  for (const { id, sources } of evidence) {
    const { captured, op } = facts.get(id) ?? {};
    const run = sources.find((source) => source.type === "commandExecution");
    if (captured && run && op !== undefined && ends.has(op))
      runs.set(run.command, [...(runs.get(run.command) ?? []), id]);
  }
  return [...runs.values()];
}

/** The newest attempt of each verifying stage that is done, if it ran the commands in effect and each of them passed. */
function provingAttempts(packet: Packet): Attempt[] {
  return Object.keys(packet.done).flatMap((stage) => {
    const newest = isVerifying(stage) ? newestJudged(attemptsOf(packet, stage)) : undefined;
    const ended = newest?.ended;
    // A reason: another branch ended the same attempt, and there it failed.
    const isPassed = ended?.how === "passed" && ended.reason === null;
    return isPassed && havePassed(ended.acceptance, askedOf(packet, newest!)) ? [newest!] : [];
  });
}

function isCaptured({ ended }: Attempt): boolean {
  return ended?.acceptance.every(({ captured }) => captured === true) ?? false;
}

/** Whether it is a stage whose gate asks for a result of each acceptance command. */
export function isVerifying(stage: string): boolean {
  return partsOfStage(stage).role === "verify";
}

/** The stage of the plan that ran the acceptance commands and is done. */
export function verifiedIn({ done, plan }: Packet): string | undefined {
  return plan.stages.find(({ stage }) => isVerifying(stage) && Object.hasOwn(done, stage))?.stage;
}

/** Of attempts that no reopening has put aside. Branches are replayed one after the other, so the last in the list may be earlier. */
function newestJudged(attempts: readonly Attempt[]): Attempt | undefined {
  let newest: Attempt | undefined;
  for (const attempt of attempts) {
    const { ended, reopened } = attempt;
    if (!ended || ended.how === "interrupted" || reopened) continue;
    if (newest === undefined || ended.ts >= newest.ended!.ts) newest = attempt;
  }
  return newest;
}

/** The manifest's own commands. Those of the brief where the manifest has none, and where an older release ran them (PACKET-408). */
function askedOf({ manifest, override }: Packet, { commands }: Attempt): AcceptanceCommand[] {
  const own = manifest.acceptance.commands;
  const isBriefs = override !== null && (own.length === 0 || commands === undefined);
  return (isBriefs ? override : own).map((command) => ({ command, from: isBriefs ? "brief" : "manifest" }));
}

/** The log has results under masked commands, and the manifest has the commands. A brief may write a mask itself. */
function havePassed(results: readonly AcceptanceResult[], asked: readonly AcceptanceCommand[]): boolean {
  const isOf = (result: AcceptanceResult, { command, from }: AcceptanceCommand): boolean =>
    result.command === command || ((result.from ?? from) === from && isMaskedFormOf(result.command, command));
  return (
    results.every(({ exit_code, timed_out }) => exit_code === 0 && !timed_out) &&
    asked.length > 0 &&
    asked.every((one) => results.some((result) => isOf(result, one)))
  );
}
