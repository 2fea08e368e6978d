/** `taskfold packet compose`, `start`, `finish`, `next`, `reopen` and `reset-budget`: one stage, or one step of it. */
import { internalsOf } from "../../../engine/groups/internals.ts";
import { relative, resolve } from "node:path";
import type { Reply } from "../../../engine/entity/reply.ts";
import { okReply } from "../../../engine/entity/reply.ts";
import { EXIT } from "../../../errors.ts";
import { composeStage } from "../../../runner/compose_stage.ts";
import type { AllowCommands } from "../../../runner/stage_attempt.ts";
import { finishByHand, startByHand } from "../../../runner/stage_by_hand.ts";
import type { CliResult } from "../cli_result.ts";
import { packetCall, packetOption, refusalOf } from "./packet.ts";
import { configOf } from "./files.ts";
import type { ConfigOption } from "./files.ts";
import { sentences } from "../text/layout.ts";
import { replyText, warningsText } from "../text/reply_text.ts";
import { safeLine } from "../text/safe_text.ts";
import type { Session } from "../session.ts";
import { plain } from "../taskdoc.ts";

export function compose(session: Session, task: string, stage: string, options: ConfigOption): Promise<CliResult> {
  return session.within(
    async (workspace) => {
      await internalsOf(workspace).fetchPacket(task);
      const { warnings, ...composed } = composeStage(workspace, task, stage);
      const path = relative(session.io.cwd, resolve(workspace.root, composed.path));
      return {
        exit: EXIT.ok,
        json: okReply("packet_compose", plain({ ...composed, path }), warnings, []),
        human: () => ({ out: `${safeLine(path)}\n`, err: warningsText(warnings, session) }),
      };
    },
    packetOption(configOf(session, options)),
  );
}

interface StartOptions extends ConfigOption {
  model?: string;
}

export function start(session: Session, task: string, stage: string, options: StartOptions): Promise<CliResult> {
  const { config: _config, ...given } = options;
  return session.within(
    async (workspace) => {
      const input = { task, stage, ...given };
      const reply = await startByHand(workspace, input);
      if (!reply.success) return refusalOf(session, workspace, reply, input);
      const { run, attempt, prompt } = reply.result as unknown as {
        run: string;
        attempt: number;
        prompt: { path: string };
      };
      const { folder } = internalsOf(workspace).packetAccess(task);
      const path = relative(session.io.cwd, resolve(folder, prompt.path));
      const lines = [`${stage} started, attempt ${attempt}, run ${run}.`, `Prompt: ${path}`];
      return resultInLines(session, reply, EXIT.ok, lines);
    },
    { ...packetOption(configOf(session, options)) },
  );
}

interface FinishOptions extends ConfigOption {
  exitCode: number;
  run?: string;
  out?: string;
  err?: string;
  timedOut?: boolean;
  allowCommands?: AllowCommands;
}

export function finish(session: Session, task: string, stage: string, options: FinishOptions): Promise<CliResult> {
  const { exitCode, run, out, err, timedOut, allowCommands = false } = options;
  return session.within(
    async (workspace) => {
      const reply = await finishByHand(workspace, {
        task,
        stage,
        exit_code: exitCode,
        ...(run === undefined ? {} : { run }),
        ...(out === undefined ? {} : { out }),
        ...(err === undefined ? {} : { err }),
        from: session.io.cwd,
        ...(timedOut === undefined ? {} : { timed_out: timedOut }),
        allowCommands,
        environment: given(session.io.env),
      });
      if (!reply.success) return refusalOf(session, workspace, reply, { task, stage, exit_code: exitCode });
      const { passed, reasons } = reply.result as unknown as { passed: boolean; reasons: string[] };
      const { next } = reply.result as unknown as { next: { action: string } };
      const lines = [
        `${stage} ${passed ? "passed" : "failed"}.`,
        ...reasons.map((reason) => `  ${reason}`),
        `Next: ${next.action}`,
      ];
      return resultInLines(session, reply, passed ? EXIT.ok : EXIT.refused, lines);
    },
    { ...packetOption(configOf(session, options)) },
  );
}

function given(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

interface Next {
  stage: string | null;
  action: string;
  allowed: boolean;
  because: string | null;
}

export function next(session: Session, task: string, options: ConfigOption): Promise<CliResult> {
  return packetCall(session, "packet_next", { task }, configOf(session, options), (reply) => {
    const { action, allowed, because } = reply.result as unknown as Next;
    const why = because === null ? "" : ` (${allowed ? "" : "not allowed: "}${because})`;
    return resultInLines(session, reply, EXIT.ok, [`${action}${why}`]);
  });
}

interface ReasonOption extends ConfigOption {
  reason: string;
}

export function reopen(session: Session, task: string, stage: string, options: ReasonOption): Promise<CliResult> {
  const input = { task, stage, reason: options.reason };
  return packetCall(session, "packet_stage_reopen", input, configOf(session, options), (reply) =>
    resultOf(session, reply),
  );
}

export function resetBudget(session: Session, task: string, kind: string, options: ReasonOption): Promise<CliResult> {
  const input = { task, kind, reason: options.reason };
  return packetCall(session, "packet_budget_reset", input, configOf(session, options), (reply) =>
    resultOf(session, reply),
  );
}

function resultOf(session: Session, reply: Reply): CliResult {
  return { exit: EXIT.ok, json: reply, human: () => replyText(reply, session) };
}

function resultInLines(session: Session, reply: Reply, exit: number, lines: readonly string[]): CliResult {
  const human = () => ({
    out: sentences(
      lines.map((line) => `${line.startsWith("  ") ? "  " : ""}${safeLine(line.trim())}\n`).join(""),
      session.columns,
    ),
    err: warningsText(reply.warnings, session),
  });
  return { exit, json: reply, human };
}
