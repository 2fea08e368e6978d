/** The packet in README.md: its stages, and what they used up. */
import { shorten } from "../state/code_points.ts";
import type { Entity } from "../state/entity.ts";
import type { Packet } from "../state/packet.ts";
import { attemptsOf, stageState } from "../state/packet.ts";
import { currentFailure } from "../state/packet_next.ts";
import { inline } from "./markdown.ts";
import { toSecond } from "./to_second.ts";

/** Nothing where the task carries no packet. */
export function packetSection({ packet }: Entity): string {
  if (!packet) return "";
  const { manifest, plan, paid_calls_used: used } = packet;
  const failure = currentFailure(packet);
  const { paid_call_budget, retry_budget } = manifest.budgets;
  return [
    `- goal: ${inline(shorten(manifest.goal, 400))}\n`,
    `- intent: \`${manifest.routing.intent}\`, profile ${inline(plan.profile)}\n`,
    `- paid calls: ${used} of ${paid_call_budget}, retries of one failure: at most ${retry_budget}\n`,
    failure === null
      ? ""
      : `- last failure: ${failure.stage}, ${failure.class}: ${inline(shorten(failure.reasons[0] ?? failure.signature, 400))}\n`,
    packet.archived ? "- archived\n" : "",
    `- what a caller reads: [outputs/_summary.md](outputs/_summary.md)\n`,
    "\n| stage | model | state | attempts | exit code | done |\n| --- | --- | --- | --- | --- | --- |\n",
    ...plan.stages.map(({ stage, model }) => row(packet, stage, model)),
  ].join("");
}

function row(packet: Packet, stage: string, model: string): string {
  const attempts = attemptsOf(packet, stage);
  const code = attempts.at(-1)?.ended?.exit_code ?? null;
  const done = packet.done[stage];
  const cells = [
    stage,
    inline(model),
    stageState(packet, stage),
    String(attempts.length),
    code === null ? "" : String(code),
    done === undefined ? "" : toSecond(done),
  ];
  return `| ${cells.join(" | ")} |\n`;
}
