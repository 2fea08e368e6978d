/** The proof that a packet gives for the steps that name it: the acceptance commands pass (PACKET-218). */
import type { AcceptanceResult, Attempt, Packet } from "./packet.ts";
import { attemptsOf, partsOfStage } from "./packet.ts";
import { isMaskedFormOf } from "./packet_masks.ts";

/** Whether a stage that runs the acceptance commands is done, and its newest attempt ran those in effect and saw each of them pass. */
export function isAccepted(packet: Packet | null): boolean {
  if (!packet) return false;
  const { commands } = packet.manifest.acceptance;
  return Object.keys(packet.done).some((stage) => {
    const ended = isVerifying(stage) ? newestJudged(attemptsOf(packet, stage)) : undefined;
    // A reason: another branch ended the same attempt, and there it failed.
    return ended?.how === "passed" && ended.reason === null && havePassed(ended.acceptance, commands, packet.override);
  });
}

/** Whether it is a stage whose gate asks for a result of each acceptance command. */
export function isVerifying(stage: string): boolean {
  return partsOfStage(stage).role === "verify";
}

/** Of attempts that no reopening has put aside. Branches are replayed one after the other, so the last in the list may be earlier. */
function newestJudged(attempts: readonly Attempt[]): Attempt["ended"] {
  let newest: Attempt["ended"];
  for (const { ended, reopened } of attempts) {
    if (!ended || ended.how === "interrupted" || reopened) continue;
    if (newest === undefined || ended.ts >= newest.ts) newest = ended;
  }
  return newest;
}

/**
 * The manifest's own commands have to be among the results: a brief is the text of a model. Where it has none, those of the brief count. The log
 * has results under masked commands, and the manifest has the commands.
 */
function havePassed(
  results: readonly AcceptanceResult[],
  own: readonly string[],
  brief: readonly string[] | null,
): boolean {
  const commands = own.length > 0 ? own : (brief ?? []);
  const all = results.every(({ exit_code, timed_out }) => exit_code === 0 && !timed_out);
  return (
    all &&
    commands.length > 0 &&
    commands.every((command) => results.some((result) => isMaskedFormOf(result.command, command)))
  );
}
