/** `taskfold packet run`: progress on stderr while it runs, what came of it on stdout. */
import { okReply } from "../../../engine/entity/reply.ts";
import type { Workspace } from "../../../engine/workspace.ts";
import { EXIT } from "../../../errors.ts";
import { runPacket } from "../../../runner/dispatcher.ts";
import type { PacketRun } from "../../../runner/dispatcher.ts";
import { nodeRuntime } from "../../../node_runtime.ts";
import type { AllowCommands } from "../../../runner/stage_attempt.ts";
import { StageProgress } from "../../../runner/progress.ts";
import type { PacketRunEvent } from "../../../runner/packet_run_event.ts";
import type { CliResult } from "../cli_result.ts";
import { packetOption } from "./packet.ts";
import { configOf } from "./files.ts";
import type { ConfigOption } from "./files.ts";
import { sentences } from "../text/layout.ts";
import { warningsText } from "../text/reply_text.ts";
import { safeLine } from "../text/safe_text.ts";
import type { Session } from "../session.ts";
import { plain } from "../taskdoc.ts";
import { counted } from "../../../state/counted.ts";

export interface RunOptions extends ConfigOption {
  stage?: string;
  allowCommands?: AllowCommands;
  progress?: number;
}

const INTERVAL_SEC = 10;

export function run(session: Session, task: string, options: RunOptions): Promise<CliResult> {
  const config = configOf(session, options);
  return session.within(async (workspace) => outcome(session, await runShown(session, workspace, task, options)), {
    ...packetOption(config),
  });
}

/** Runs a packet with its progress on stderr, until it ends or the person stops it. */
export async function runShown(
  session: Session,
  workspace: Workspace,
  task: string,
  { stage, allowCommands = false, progress: interval }: Omit<RunOptions, "config">,
): Promise<PacketRun> {
  const { io, json } = session;
  const stopping = io.interruption?.();
  // A program that reads the one document of --json wants nothing beside it, unless it says so.
  const isQuiet = json && interval === undefined;
  const progress = new Progress(session, task, interval ?? INTERVAL_SEC);
  try {
    return await runPacket(workspace, {
      task,
      ...(stage === undefined ? {} : { stage }),
      allowCommands,
      environment: io.env,
      ...(stopping ? { signal: stopping.signal } : {}),
      ...(isQuiet ? {} : { on: (event) => progress.tell(event) }),
    });
  } finally {
    progress.end();
    stopping?.end();
  }
}

/** Events of a run, as lines for a person. */
class Progress {
  readonly #progress: StageProgress;
  readonly #task: string;
  readonly #write: (text: string) => void;

  constructor({ io }: Session, task: string, interval_sec: number) {
    this.#task = task;
    this.#write = (text) => io.stderr(text);
    this.#progress = new StageProgress({
      write: this.#write,
      isTerminal: io.terminal !== undefined,
      columns: io.terminal?.columns ?? (() => 80),
      interval_sec,
      runtime: nodeRuntime,
    });
  }

  tell(event: PacketRunEvent): void {
    if (event.type === "started") this.#progress.started(event.stage);
    else if (event.type === "interrupted")
      this.#write(
        `${event.stage}: attempt ${event.attempt} was left without an end and is recorded as interrupted; changes since it began count as its own\n`,
      );
    else if (event.type === "command")
      this.#progress.say(`${event.runs ? "runs" : "not run"}, of the ${event.from}: ${event.command}`);
    else if (event.type === "commands_left_out")
      this.#write(
        `${event.stage}: ${counted(event.count, "acceptance command does", "acceptance commands do")} not run without --allow-commands\n`,
      );
    else this.#ended(event);
  }

  end(): void {
    this.#progress.stop();
  }

  #ended({
    outcome: { stage, outcome, class: kind, reasons },
    tail,
  }: Extract<PacketRunEvent, { type: "ended" }>): void {
    if (outcome === "passed") return this.#progress.completed();
    const [first = outcome, ...others] = reasons;
    if (outcome === "interrupted") return this.#progress.interrupted(first);
    const files = `files: .coco/tasks/${this.#task}/outputs/${stage}.*`;
    this.#progress.failed(kind === null ? first : `${kind}: ${first}`, [...others, ...tail, files]);
  }
}

function outcome(session: Session, ran: PacketRun): CliResult {
  const { warnings, ...result } = ran;
  const isGood = ran.outcome === "done" || ran.outcome === "passed";
  return {
    exit: isGood ? EXIT.ok : EXIT.refused,
    json: okReply("packet_run", plain(result), warnings, []),
    human: () => ({ out: runText(ran, session.columns), err: warningsText(warnings, session) }),
  };
}

export function runText(
  { task, outcome: how, stages, next, paid_calls_used, paid_call_budget }: PacketRun,
  wide?: number,
): string {
  const last = stages.at(-1);
  const at = how === "done" || !last ? "" : ` at ${last.stage}${last.class === null ? "" : ` (${last.class})`}`;
  const lines = [
    `${task}: ${how}${at}. ${paid_calls_used} of ${paid_call_budget} paid calls are used.`,
    ...(how === "done" ? [] : [`Next: ${next.action}`]),
  ];
  const summary = safeLine(`Summary: .coco/tasks/${task}/outputs/_summary.md`);
  return `${sentences(lines.map((line) => `${safeLine(line)}\n`).join(""), wide)}${summary}\n`;
}
