import type { AcceptanceResult, Attempt, Packet } from "../../state/packet.ts";
import { toSecond } from "../../to_second.ts";
import { visible } from "./visible.ts";

/** `<stage>.<tool>.meta.json` and, of stages that ran acceptance commands, `<stage>.artifact.md` (PACKET-83, PACKET-82). */
export function stageFiles({ attempts, plan }: Packet): Map<string, string> {
  const files = new Map<string, string>();
  const latest = new Map(attempts.map(({ stage, attempt }) => [stage, attempt]));
  for (const one of attempts) {
    if (!one.ended) continue;
    const planned = plan.stages.find(({ stage }) => stage === one.stage);
    const tool = planned?.tool ?? one.stage.slice(0, one.stage.indexOf("_"));
    const older = latest.get(one.stage) === one.attempt ? "" : `.${one.attempt}`;
    files.set(`outputs/${one.stage}.${tool}${older}.meta.json`, json(metaOf(one, one.ended, tool)));
    if (one.stage.endsWith("_verify") && one.ended.acceptance.length > 0) {
      files.set(`outputs/${one.stage}${older}.artifact.md`, artifact(one, one.ended));
    }
  }
  return files;
}

type Ended = NonNullable<Attempt["ended"]>;

function metaOf(attempt: Attempt, ended: Ended, tool: string): object {
  const start = ended.start ?? toSecond(attempt.started_at);
  return {
    stage: attempt.stage,
    tool,
    exit_code: ended.exit_code,
    start,
    end: ended.end ?? toSecond(ended.ts),
    duration_sec: ended.duration_sec,
    prompt_sha256: attempt.prompt_sha256,
    attempt: attempt.attempt,
    model: attempt.model,
    result: ended.how,
    timed_out: ended.timed_out,
    timeout_sec: attempt.timeout_sec,
    timeout_mode: attempt.timeout_mode,
  };
}

/** JSON as other programs of the packet write it, with a line feed at the end. */
export function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`.toWellFormed();
}

function artifact({ stage, attempt }: Attempt, { ts, acceptance }: Ended): string {
  const head = `# Acceptance commands\n\n- stage: ${stage}\n- attempt: ${attempt}\n- time: ${toSecond(ts)}\n`;
  return `${head}${acceptance.map(resultText).join("")}`.toWellFormed();
}

const COMMAND_CODE_POINTS = 300;

function resultText({ command, exit_code, timed_out, duration_sec, excerpt }: AcceptanceResult, i: number): string {
  const lines = excerpt.split(/\r\n|\n|\r/).map((line) => visible(line, Number.POSITIVE_INFINITY));
  const fence = fenceAround(lines);
  const end = timed_out ? `${exit_code} (out of time)` : String(exit_code);
  return (
    `\n## Command ${i + 1}: ${codeSpan(visible(command, COMMAND_CODE_POINTS))}\n\n` +
    `${fence}\n${lines.join("\n")}\n${fence}\n\nExit code: ${end}\nDuration: ${duration_sec} s\n`
  );
}

/** Longer than any run of backticks in the text. */
function fenceAround(lines: readonly string[]): string {
  return "`".repeat(Math.max(3, longestRun(lines.join("\n")) + 1));
}

function codeSpan(text: string): string {
  const ticks = "`".repeat(longestRun(text) + 1);
  return ticks.length === 1 ? `\`${text}\`` : `${ticks} ${text} ${ticks}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}
