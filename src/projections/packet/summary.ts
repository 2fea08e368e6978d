import { openAttempts, partsOfStage } from "../../state/packet.ts";
import { advisedFolder, OWN_CONFIG_FOLDER } from "../../state/packet_config.ts";
import { shellQuote } from "../../state/shell_quote.ts";
import {
  acceptanceCommands,
  type AcceptanceCommand,
  acceptanceOf,
  currentFailure,
  failedCommand,
  isStopped,
  nextAction,
  retriesOf,
  type NextAction,
} from "../../state/packet_next.ts";
import type { AcceptanceResult, Attempt, Failure, Packet, PlannedStage } from "../../state/packet.ts";
import { isMaskedFormOf } from "../../state/packet_masks.ts";
import { toSecond } from "../../to_second.ts";
import { artifactFile, lastLineOf } from "../../state/packet_output.ts";
import { visible } from "./visible.ts";
import { counted } from "../../state/counted.ts";

const MAX_LINES = 80;
/** 20 lines of the beginning, 20 of the end, and the line between them. */
const EXCERPT_LINES = 41;
const LINE_CODE_POINTS = 200;
const MAX_STAGES = 12;
const MAX_REASONS = 4;
const MAX_COMMANDS = 6;
const MAX_ACTIONS = 2;
const ALLOW_COMMANDS = " --allow-commands";

/**
 * `outputs/_summary.md`: everything that a caller needs who reads no other file, in at most 80 lines, the excerpts last
 * (PACKET-86).
 */
export function summary(packet: Packet): string {
  const next = nextAction(packet);
  const failure = currentFailure(packet);
  const head = [
    ...titleLines(packet, next),
    ...section("Stages", stageLines(packet)),
    ...section("Budgets", budgetLines(packet, failure)),
    ...commandSection(packet),
    ...(failure ? section("Current failure", failureLines(packet, failure, next)) : []),
    ...section("Next action", nextLines(packet, next)),
  ];
  const excerpt = failure ? excerptLines(packet, failure, MAX_LINES - head.length) : [];
  const lines = [...head, ...excerpt].map((line) => visible(line, LINE_CODE_POINTS));
  return `${lines.join("\n")}\n`;
}

function section(title: string, lines: readonly string[]): string[] {
  return ["", `## ${title}`, ...lines];
}

/** Each command, who named it, and what came of it. A log of an older version does not say which commands an attempt began with. */
function commandSection(packet: Packet): string[] {
  const run = packet.attempts.findLast(({ stage, commands }) => commands && partsOfStage(stage).role === "verify");
  if (!run) return [];
  const results = run.ended?.acceptance ?? [];
  const named = acceptanceOf(packet, "both", run);
  const lines = named.map(({ command, from }) => {
    const result = results.find((one) => one.from === from && isMaskedFormOf(one.command, command));
    return `- of the ${from}, ${result ? `exit code ${result.exit_code}` : "not run"}: ${result?.command ?? command}`;
  });
  const more = lines.length - MAX_COMMANDS;
  return section("Acceptance commands", [
    ...lines.slice(0, MAX_COMMANDS),
    ...(more > 0 ? [`- more commands: ${more}, in ${artifactFile(run.stage)}`] : []),
    ...(isOverridden(named, results)
      ? ["- ACCEPTANCE_OVERRIDDEN: no command of the manifest ran, so no step is proved"]
      : []),
  ]);
}

function isOverridden(named: readonly AcceptanceCommand[], results: readonly AcceptanceResult[]): boolean {
  const isOwn = ({ from }: Pick<AcceptanceResult, "from">): boolean => from === "manifest";
  return results.length > 0 && named.some(isOwn) && !results.some(isOwn);
}

function titleLines(packet: Packet, next: NextAction): string[] {
  const { manifest, plan, updated_at } = packet;
  return [
    `# Task Packet ${manifest.task_id}`,
    "",
    `- goal: ${manifest.goal}`,
    `- routing: intent ${manifest.routing.intent}, profile ${plan.profile} (${plan.group})`,
    `- status: ${statusOfPacket(packet, next)}`,
    `- updated: ${toSecond(updated_at)}`,
  ];
}

function statusOfPacket(packet: Packet, next: NextAction): string {
  if (packet.archived) return "archived";
  if (openAttempts(packet).length > 0) return "running";
  if (isStopped(next)) return "blocked";
  return next.because === "done" ? "done" : "open";
}

function stageLines(packet: Packet): string[] {
  const shown = packet.plan.stages.slice(0, MAX_STAGES);
  const lines = shown.map((stage) => stageLine(packet, stage));
  const left = packet.plan.stages.length - shown.length;
  return left > 0 ? [...lines, `- more stages in the plan: ${left}`] : lines;
}

function stageLine(packet: Packet, { stage, model }: PlannedStage): string {
  const last = packet.attempts.findLast((one) => one.stage === stage);
  return [`- ${stage}: ${statusOf(packet, stage, last)}`, ...(last ? attemptFacts(last) : [`model ${model}`])].join(
    ", ",
  );
}

function statusOf({ done }: Packet, stage: string, last: Attempt | undefined): string {
  if (last && !last.ended) return Object.hasOwn(done, stage) ? "done, running again" : "running";
  if (Object.hasOwn(done, stage)) return "done";
  if (last?.ended?.how === "passed") return "reopened";
  return last?.ended?.how ?? "pending";
}

function attemptFacts({ attempt, ended, started_at }: Attempt): string[] {
  if (!ended) return [`attempt ${attempt}`, `since ${toSecond(started_at)}`];
  const lines = ended.files.out?.lines;
  return [
    `attempt ${attempt}`,
    `exit code ${ended.exit_code ?? "none"}${ended.timed_out ? " (out of time)" : ""}`,
    ...(ended.duration_sec === null ? [] : [`${ended.duration_sec} s`]),
    ...(lines === undefined ? [] : [`${counted(lines, "line")} of output`]),
  ];
}

function budgetLines(packet: Packet, failure: Failure | null): string[] {
  const { retry_budget, paid_call_budget, max_wallclock_sec } = packet.manifest.budgets;
  const { count, most } = failure ? retriesOf(packet, failure) : { count: 0, most: retry_budget };
  const retries = failure
    ? `${Math.max(0, count - 1)} of ${most} retries used for ${failure.signature}`
    : `${counted(most, "retry", "retries")} for one signature`;
  return [
    `- paid_call_budget: ${packet.paid_calls_used} of ${paid_call_budget} paid calls used`,
    `- retry_budget: ${retries}`,
    `- max_wallclock_sec: ${max_wallclock_sec} s for one run`,
  ];
}

function failureLines(packet: Packet, failure: Failure, next: NextAction): string[] {
  const { stage, attempt, ts, signature, exit_code, gate, reasons, suggested_actions } = failure;
  // Beside "allowed: no", a retry is no advice.
  const actions = next.allowed
    ? suggested_actions
    : suggested_actions.filter((action) => !/(?<!not )\bretry\b/i.test(action));
  const more = reasons.length - MAX_REASONS;
  return [
    `- stage: ${stage}, attempt ${attempt}, ${toSecond(ts)}`,
    `- class: ${failure.class}, signature: ${signature}`,
    `- exit_code: ${exit_code ?? "none"}, gate: ${gate}`,
    ...reasons.slice(0, MAX_REASONS).map((reason) => `- reason: ${reason}`),
    ...(more > 0 ? [`- more reasons: ${more}, in state/last_failure.json`] : []),
    ...commandFailed(packet, failure),
    ...actions.slice(0, MAX_ACTIONS).map((action) => `- suggested: ${action}`),
    `- files: outputs/${stage}.*`,
  ];
}

/** Returns the output of the command, and the call that helps where the work that it judges is wrong. */
function commandFailed(packet: Packet, failure: Failure): string[] {
  const failed = failedCommand(packet, failure);
  if (!failed) return [];
  const { result, judges } = failed;
  const reopen = `taskfold packet reopen ${packet.manifest.task_id} ${judges} --reason REASON`;
  return [
    `- output: ${lastLineOf(result.excerpt)} (all of it: ${artifactFile(failure.stage)})`,
    ...(judges === null ? [] : [`- if the work of ${judges} is wrong: ${reopen}, then run`]),
  ];
}

function nextLines(packet: Packet, next: NextAction): string[] {
  const commands = commandLines(packet, next);
  const because = next.because === null ? "" : `because: ${next.because}`;
  // Beside "archive", "no" would read as if that were forbidden.
  const allowed = next.stage === null ? "" : `allowed: ${next.allowed ? "yes" : "no"}`;
  return [
    `- next_action: ${next.action}`,
    `- ${[allowed, because].filter((text) => text !== "").join(", ")}`,
    ...commands,
    ...(commands.at(-1)!.endsWith(ALLOW_COMMANDS) ? [permissionLine(packet)] : []),
  ];
}

/** While a dispatcher runs a stage, a run is refused: the first command tells whether the dispatcher is there. */
function commandLines(packet: Packet, next: NextAction): string[] {
  const command = commandOf(packet, next);
  if (packet.archived || openAttempts(packet).at(-1)?.dispatched !== true) return [`- command: ${command}`];
  return [
    `- command: taskfold packet next ${packet.manifest.task_id}`,
    `- command if the dispatcher is gone: ${command}`,
  ];
}

function permissionLine(packet: Packet): string {
  const file = packet.override === null ? "manifest.yaml" : "state/acceptance.commands.override";
  return `- --allow-commands: lets the acceptance commands of ${file} run (${commandsToRun(packet)}); the verifying stage needs it`;
}

function commandOf(packet: Packet, next: NextAction): string {
  const id = packet.manifest.task_id;
  const open = openAttempts(packet).at(-1);
  if (packet.archived) return `taskfold packet restore ${id}`;
  if (next.because === "done") return `taskfold packet archive ${id}`;
  if (isStopped(next)) {
    return `taskfold packet reset-budget ${id} ${next.because} --reason REASON`;
  }
  if (!open || open.dispatched) return `taskfold packet run ${id}${configOption(packet)}${commandsOption(packet)}`;
  const isVerify = partsOfStage(open.stage).role === "verify";
  const permission = isVerify ? commandsOption(packet) : "";
  return `taskfold packet finish ${id} ${open.stage} --exit-code CODE --out FILE${permission}`;
}

/** A run with another configuration than that of the plan is refused. */
function configOption({ plan: { config_folder } }: Packet): string {
  if (config_folder === undefined || config_folder === OWN_CONFIG_FOLDER) return "";
  return ` --config ${shellQuote(advisedFolder(config_folder) ?? "DIR")}`;
}

function commandsOption(packet: Packet): string {
  return commandsToRun(packet) > 0 ? ALLOW_COMMANDS : "";
}

/** Acceptance commands that a stage still waits for. */
function commandsToRun(packet: Packet): number {
  const open = packet.plan.stages.some(({ stage, role }) => role === "verify" && !Object.hasOwn(packet.done, stage));
  return open ? acceptanceCommands(packet).length : 0;
}

/** As indented code, which no text inside it can end. */
function excerptLines({ attempts }: Packet, failure: Failure, room: number): string[] {
  const run = attempts.find(({ stage, attempt }) => stage === failure.stage && attempt === failure.attempt);
  const { head = [], tail = [] } = run?.ended?.stderr ?? {};
  const most = Math.min(EXCERPT_LINES, room - 2);
  const shown = excerptOf(head, tail, run?.ended?.files.err?.lines ?? head.length + tail.length, most);
  return shown.length === 0
    ? []
    : section(
        `stderr of ${failure.stage}`,
        shown.map((line) => `    ${line}`),
      );
}

/** The end says more than the beginning, so it keeps the odd line. */
function excerptOf(head: readonly string[], tail: readonly string[], count: number, most: number): string[] {
  if (most < 3 || head.length + tail.length === 0) return [];
  const half = Math.min(20, Math.floor((most - 1) / 2));
  const first = head.slice(0, half);
  const last = tail.slice(-Math.min(20, most - 1 - first.length));
  const left = Math.max(count, head.length + tail.length) - first.length - last.length;
  return left > 0 ? [...first, `... ${counted(left, "line")} left out ...`, ...last] : [...first, ...last];
}
