import type { Failure, Packet } from "../../state/packet.ts";
import { toSecond } from "../../to_second.ts";
import { json } from "./stage_files.ts";

/** Stages that are done in the order of the plan, then those that the plan does not name. */
export function stagesDone({ plan, done }: Packet): string[] {
  const planned = plan.stages.map(({ stage }) => stage).filter((stage) => Object.hasOwn(done, stage));
  const others = Object.keys(done).filter((stage) => !planned.includes(stage));
  return [...new Set(planned), ...others.toSorted()];
}

/** `state/stats.json`, with every key from the beginning (PACKET-85). */
export function stats(packet: Packet): string {
  const signatures = Object.entries(packet.signatures).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return json({
    paid_calls_used: packet.paid_calls_used,
    stages_completed: stagesDone(packet),
    signatures: Object.fromEntries(
      signatures.map(([signature, { count, class: kind, first_seen, last_seen }]) => [
        signature,
        { count, class: kind, first_seen: toSecond(first_seen), last_seen: toSecond(last_seen) },
      ]),
    ),
  });
}

/** `state/last_failure.json`: the keys that other programs read, then the stage, the attempt and the time. */
export function lastFailure(failure: Failure): string {
  return json({
    class: failure.class,
    signature: failure.signature,
    exit_code: failure.exit_code,
    gate_result: gateResult(failure),
    suggested_actions: failure.suggested_actions,
    stage: failure.stage,
    attempt: failure.attempt,
    time: toSecond(failure.ts),
    reasons: failure.reasons,
  });
}

/** In the words of other programs: what the gate said, or that the tool did not get that far. */
function gateResult({ gate, class: kind }: Failure): string {
  if (gate === "passed") return "pass";
  if (gate === "not_judged") return "other_failure";
  return kind === "scope_violation" ? "scope_violation" : "contract_violation";
}

/** `state/acceptance.commands.override`: one command a line, so that one with line breaks is wrapped. */
export function overrideFile(commands: readonly string[]): string {
  return commands.map((command) => `${/[\r\n]/.test(command) ? wrapped(command) : command}\n`).join("");
}

function wrapped(command: string): string {
  const escapes: Record<string, string> = { "\n": "\\n", "\r": "\\r" };
  return `bash -c $'${command.replace(/[\\'\n\r]/g, (character) => escapes[character] ?? `\\${character}`)}'`;
}
