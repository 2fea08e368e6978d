/** Runs the stages of a packet. It decides nothing that the log does not say, so the next one goes on where this one is killed. */
import { namedTime, worded } from "../message.ts";
import type { Signal } from "../global_types.ts";
import { checkNamed, FUNCTION, MILLISECONDS, OBJECT, oneOf, SIGNAL, TEXT } from "../engine/core/input/named_options.ts";
import type { Expected } from "../engine/core/input/named_options.ts";
import { internalsOf } from "../engine/groups/internals.ts";
import type { PacketAccess } from "../engine/packet/packet_access.ts";
import { unwrap } from "../engine/entity/unwrap.ts";
import type { Workspace } from "../engine/workspace.ts";
import type { Warning } from "../errors.ts";
import { TaskfoldError } from "../errors.ts";
import { withStorageErrors } from "../files/storage_error.ts";
import { sleep } from "../runtime.ts";
import { otherConfig } from "../rules/packet/config_for.ts";
import { plannedStage, stageRunning } from "../rules/packet/packet_of.ts";
import { configDigest } from "../rules/packet/plan.ts";
import { retriesByItself } from "../rules/packet/triage.ts";
import { attemptsOf, openAttempts, partsOfStage } from "../state/packet.ts";
import type { JsonObject } from "../state/json.ts";
import { ACCEPTANCE_MODES } from "../state/packet_config.ts";
import type { PacketConfig } from "../state/packet_config.ts";
import type { NextAction } from "../state/packet_next.ts";
import { acceptanceCommands, nextAction } from "../state/packet_next.ts";
import { configToRun, isPlannedWith } from "./run_config.ts";
import { KeptGroup } from "./kept_group.ts";
import { KeptLog } from "./kept_log.ts";
import { ServantProcess } from "./servant_process.ts";
import type { PacketRunEvent, StageOutcome } from "./packet_run_event.ts";
import type { AllowCommands, AttemptOptions } from "./stage_attempt.ts";
import { StageAttempt } from "./stage_attempt.ts";
import type { StageExecutor } from "./stage_executor.ts";
import { remedy, TASKFOLD } from "../remedy.ts";

export interface PacketRunOptions {
  /** Id of the task that carries the packet. */
  task: string;
  /** One attempt of this stage, whatever stands before it. Left out: all stages until the packet is done or stops. */
  stage?: string;
  /** The configuration that the workspace was opened with, unless the packet was planned with this one. */
  config?: PacketConfig;
  /**
   * Whether the acceptance commands may run. They come from the manifest or from a model: `brief`, `manifest` or `both` says whose. Default
   * false; true is as the configuration says.
   */
  allowCommands?: AllowCommands;
  /** All that servants and commands get. Default: the environment of this process. */
  environment?: Readonly<Record<string, string | undefined>>;
  /** The executor of a stage. Default: the command of the servant's configuration. */
  executor?: StageExecutor;
  /** Ends the stage that runs; it is recorded as interrupted. */
  signal?: Signal;
  /** Told in order, while the run goes on. An error that it throws ends the run as a crash would. */
  on?: (event: PacketRunEvent) => void;
  /** Milliseconds before the first retry of a transient failure; each further one waits twice as long. Default 1000. */
  retryPauseMs?: number;
}

export interface PacketRun {
  task: string;
  /**
   * `done`: every stage is. `passed`: the one stage that was asked for. `failed`: the last attempt, and it is not repeated. `stopped`: a
   * budget is used up, or the next stage needs leave to run commands. `aborted`: by the caller.
   */
  outcome: "done" | "passed" | "failed" | "stopped" | "aborted";
  /** Attempts of this run, in order. */
  stages: StageOutcome[];
  /** Attempts that an earlier dispatcher left without an end. */
  interrupted: { stage: string; attempt: number; by: string; started_at: string }[];
  next: NextAction;
  paid_calls_used: number;
  paid_call_budget: number;
  warnings: Warning[];
}

const OPTIONS: Record<keyof PacketRunOptions, Expected> = {
  task: TEXT,
  stage: TEXT,
  config: OBJECT,
  allowCommands: oneOf(true, false, ...ACCEPTANCE_MODES),
  environment: OBJECT,
  executor: OBJECT,
  signal: SIGNAL,
  on: FUNCTION,
  retryPauseMs: MILLISECONDS,
};

const RETRY_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Runs a packet in this process until it is done or stops. STAGE_RUNNING where another process does; BUDGET_EXHAUSTED,
 * ALREADY_DONE or CONTENT_TOO_LARGE where nothing could be started. If the disk refuses what a run keeps: READ_ONLY, STORAGE_FULL or STORAGE_FAILED (PACKET-401).
 */
export async function runPacket(workspace: Workspace, given: PacketRunOptions): Promise<PacketRun> {
  const options = checkNamed(
    "runPacket",
    given,
    OPTIONS,
    'runPacket(workspace, { task: "TASK-001", allowCommands: true })',
  );
  await internalsOf(workspace).fetchPacket(options.task);
  const access = internalsOf(workspace).packetAccess(options.task);
  if (options.stage !== undefined) plannedStage(access.subject(), options.stage);
  const lock = access.hold();
  try {
    return await withStorageErrors("run the packet", () => new Dispatcher(workspace, access, options).run());
  } finally {
    lock.release();
  }
}

class Dispatcher {
  readonly #workspace: Workspace;
  readonly #access: PacketAccess;
  readonly #options: PacketRunOptions;
  readonly #attempt: AttemptOptions;
  readonly #kept: KeptLog;
  readonly #stages: StageOutcome[] = [];
  readonly #warnings: Warning[] = [];

  constructor(workspace: Workspace, access: PacketAccess, options: PacketRunOptions) {
    const { disk, now, runtime } = access;
    this.#workspace = workspace;
    this.#access = access;
    this.#options = options;
    this.#kept = new KeptLog(workspace, access);
    this.#attempt = {
      config: configToRun(access, options.config, options.environment ?? process.env),
      executor: options.executor ?? new ServantProcess({ disk, runtime, now }),
      allowCommands: options.allowCommands ?? false,
      environment: environmentOf(options.environment ?? process.env),
      on: options.on ?? (() => undefined),
      signal: options.signal,
    };
  }

  async run(): Promise<PacketRun> {
    this.#warnings.push(...(await this.#kept.restore()));
    // First: what runs no longer keeps its stage in the plan.
    const interrupted = await this.#endLeft();
    await this.#planAnew();
    const { stage } = this.#options;
    const outcome = stage === undefined ? await this.#runAll() : await this.#runOne(stage);
    const packet = this.#access.packet();
    return {
      task: this.#access.id,
      outcome,
      stages: this.#stages,
      interrupted,
      next: this.#next(),
      paid_calls_used: packet.paid_calls_used,
      paid_call_budget: packet.manifest.budgets.paid_call_budget,
      warnings: [...this.#warnings, ...this.#stages.flatMap(({ warnings }) => warnings)],
    };
  }

  async #runOne(stage: string): Promise<PacketRun["outcome"]> {
    if (this.#lacksPermission(stage)) return "stopped";
    const { outcome } = await this.#tryStage(stage);
    return outcome === "interrupted" ? "aborted" : outcome;
  }

  async #runAll(): Promise<PacketRun["outcome"]> {
    for (;;) {
      const { stage, allowed } = this.#next();
      // A dispatcher that was killed after its last event left files behind that event, and no change of this run repairs them.
      if ((stage === null || !allowed) && this.#stages.length === 0)
        await this.#workspace.repair.rebuild(this.#access.id);
      if (stage === null) return "done";
      if (!allowed) return this.#stopped();
      if (this.#lacksPermission(stage)) return "stopped";
      const outcome = await this.#tryStage(stage);
      if (outcome.outcome === "interrupted") return "aborted";
      if (outcome.outcome === "failed" && !(await this.#mayRetry(outcome)))
        return this.#isStopped() ? "stopped" : "failed";
    }
  }

  /** Without its commands a verifying stage fails, so it is not paid for. The report of a review is worth it, once. */
  #lacksPermission(stage: string): boolean {
    const packet = this.#access.packet();
    const count = acceptanceCommands(packet).length;
    const isReport = packet.manifest.routing.intent === "post_impl_review" && attemptsOf(packet, stage).length === 0;
    if (this.#attempt.allowCommands || partsOfStage(stage).role !== "verify" || count === 0 || isReport) return false;
    this.#attempt.on({ type: "commands_left_out", stage, count });
    this.#warnings.push({
      code: "COMMANDS_NOT_ALLOWED",
      message: `Expected leave to run the acceptance commands of ${stage} (${count}); the run stops before that stage.`,
      ...remedy`Allow them: ${TASKFOLD} packet run with --allow-commands, or allowCommands: true. If a brief named its own, --allow-commands manifest and both say whose run.`,
    });
    return true;
  }

  /** A run that has started nothing is refused. */
  #stopped(): "stopped" {
    const subject = this.#access.subject();
    const [open] = openAttempts(subject.entity.packet);
    if (open) throw stageRunning(subject, open);
    if (this.#stages.length === 0) throw notAllowed(this.#access.id, this.#next());
    return "stopped";
  }

  async #tryStage(stage: string): Promise<StageOutcome> {
    const outcome = await new StageAttempt(this.#workspace, this.#access, stage, this.#attempt).run();
    this.#stages.push(outcome);
    return outcome;
  }

  /**
   * Only what may pass by itself is tried again without a change, and only while the budgets last. A failure whose text is new each
   * time has a signature of its own each time, so the attempts of this run count, too.
   */
  async #mayRetry({ class: kind, stage }: StageOutcome): Promise<boolean> {
    if (kind === null || !retriesByItself(kind) || !this.#next().allowed) return false;
    const failures = this.#stages.filter((one) => one.stage === stage).length;
    if (failures > this.#access.packet().manifest.budgets.retry_budget) return false;
    const ms = (this.#options.retryPauseMs ?? RETRY_MS) * 2 ** (failures - 1);
    const { signal } = this.#options;
    await sleep(this.#access.runtime, Math.min(ms, LONGEST_PAUSE_MS), signal);
    return signal?.aborted !== true;
  }

  #isStopped(): boolean {
    const { allowed, because } = this.#next();
    return !allowed && because === "paid_call_budget";
  }

  /**
   * This process alone may run the packet: the dispatcher of an attempt without an end is gone, and its servants must be, too. An
   * attempt that no dispatcher started is its caller's.
   */
  async #endLeft(): Promise<PacketRun["interrupted"]> {
    const { id } = this.#access;
    await new KeptGroup(this.#access).end();
    const left = openAttempts(this.#access.packet()).filter(({ dispatched }) => dispatched);
    for (const { stage, run, attempt, by, started_at } of left) {
      const reason = "a run began while it had no end: its dispatcher is gone";
      unwrap(await this.#workspace.call("packet_stage_interrupt", { ...this.#target(), stage, run, reason }));
      this.#attempt.on({ type: "interrupted", stage, attempt });
      this.#warnings.push({
        code: "ATTEMPT_INTERRUPTED",
        ...worded`Attempt ${attempt} of ${stage}, which ${by} started at ${namedTime(started_at)}, had no end and is recorded as interrupted.`,
        ...remedy`A paid call of the attempt stays paid. Changes of the work tree since it began count as its own. If they are the work of others, take them out before the next run: ${TASKFOLD} packet reopen ${id} ${stage} --reason REASON`,
      });
    }
    if (openAttempts(this.#access.packet()).length === 0) this.#kept.drop();
    return left.map(({ stage, attempt, by, started_at }) => ({ stage, attempt, by, started_at }));
  }

  /** A packet that was planned with another configuration is planned anew, or it would run what it does not say. */
  async #planAnew(): Promise<void> {
    const { config } = this.#attempt;
    const { id, packet } = this.#access;
    if (isPlannedWith(packet(), config)) return;
    const manifest = packet().manifest as unknown as JsonObject;
    const reply = await this.#workspace.call("packet_define", { ...this.#target(), manifest });
    unwrap(reply);
    this.#warnings.push(...reply.warnings.filter(({ code }) => code === "PACKET_PLANNED_ANEW"));
    // The files may have changed since they were read and trusted.
    if (!isPlannedWith(packet(), config)) throw otherConfig(id, packet(), configDigest(config));
  }

  #next(): NextAction {
    return nextAction(this.#access.packet(), () => undefined);
  }

  #target() {
    return { workspace: this.#workspace.id ?? "", task: this.#access.id };
  }
}

function notAllowed(task: string, { stage, action, because }: NextAction): TaskfoldError {
  const kind = because === "paid_call_budget" ? because : "retry_budget";
  return new TaskfoldError("BUDGET_EXHAUSTED", `Expected room in ${kind} for ${stage}; it is used up.`, {
    recovery: `This would help: ${action}.`,
    suggestions: [
      {
        tool: "packet_budget_reset",
        args: { task, kind, reason: "<fill: why it may go on>" },
        reason: "let it count from zero again",
      },
    ],
    details: { kind },
  });
}

/** Names that a program can be given. */
function environmentOf(given: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && /^[^=\0]+$/.test(entry[0]),
    ),
  );
}
