/** One attempt of a stage: started, run, and ended by calls of the packet's tools, so that the log alone says what happened. */
import type { PacketAccess } from "../engine/packet/packet_access.ts";
import { inputWarnings } from "../engine/packet/packet_files.ts";
import { internalsOf } from "../engine/groups/internals.ts";
import { isFromSystem } from "../engine/entity/reply.ts";
import { unwrap } from "../engine/entity/unwrap.ts";
import type { Workspace } from "../engine/workspace.ts";
import type { Warning } from "../errors.ts";
import { isRetryable, TaskfoldError } from "../errors.ts";
import { readRegular } from "../files/atomic.ts";
import { storageError } from "../files/storage_error.ts";
import { plannedStage } from "../rules/packet/packet_of.ts";
import type { Failure, Packet, PlannedStage, StageFile } from "../state/packet.ts";
import { attemptFile, attemptsOf, partsOfStage, promptFile, STAGE_FILES, stageFile } from "../state/packet.ts";
import { acceptanceMode, acceptanceOf, failedCommand } from "../state/packet_next.ts";
import type { AcceptanceCommand } from "../state/packet_next.ts";
import { artifactFile, lastLineOf } from "../state/packet_output.ts";
import type { AcceptanceMode, PacketConfig } from "../state/packet_config.ts";
import { commandOf } from "./argv.ts";
import { AttemptChanges } from "./attempt_changes.ts";
import { KeptGroup } from "./kept_group.ts";
import { KeptLog } from "./kept_log.ts";
import { tailOf } from "./progress.ts";
import { redactionOf } from "./redaction.ts";
import type { PacketRunEvent, StageOutcome } from "./packet_run_event.ts";
import { ARGUMENT_BYTES } from "./stage_executor.ts";
import type { StageExecutor, StageRequest, StageRun } from "./stage_executor.ts";
import type { CommandResult } from "./stage_facts.ts";
import { commandResults, diffFit, shownPaths } from "./stage_facts.ts";
import type { DiffFit } from "./work_tree.ts";

export interface AttemptOptions {
  config: PacketConfig;
  executor: StageExecutor;
  /** False: none runs. True: as the configuration says. */
  allowCommands: AllowCommands;
  environment: Readonly<Record<string, string>>;
  on: (event: PacketRunEvent) => void;
  signal?: AbortSignal | undefined;
}

/** Facts for `packet_stage_finish` besides how the servant ended. */
interface GateFacts {
  changed_paths: string[];
  refused?: string;
  applies?: DiffFit;
  acceptance?: CommandResult[];
  commands?: AcceptanceMode;
}

/** Whether acceptance commands run, and whose where the brief names its own. */
export type AllowCommands = boolean | AcceptanceMode;

export class StageAttempt {
  readonly #workspace: Workspace;
  readonly #access: PacketAccess;
  readonly #options: AttemptOptions;
  readonly #stage: string;
  readonly #group: KeptGroup;
  readonly #log: KeptLog;
  readonly #warnings: Warning[] = [];
  /** Of its start; before that there is none. */
  #run: string | undefined;

  constructor(workspace: Workspace, access: PacketAccess, stage: string, options: AttemptOptions) {
    this.#workspace = workspace;
    this.#access = access;
    this.#stage = stage;
    this.#options = options;
    this.#group = new KeptGroup(access);
    this.#log = new KeptLog(workspace, access);
  }

  async run(): Promise<StageOutcome> {
    const planned = plannedStage(this.#access.subject(), this.#stage);
    const changes = AttemptChanges.before(this.#access, this.#stage);
    const { run, attempt, warnings } = await this.#start(planned, changes.seen);
    this.#run = run;
    this.#log.keep();
    changes.begin(run);
    const outcome = await this.#carryOut(planned, attempt, changes).finally(() => this.#group.drop());
    changes.end(outcome.outcome === "passed");
    return { ...outcome, warnings: [...warnings, ...this.#warnings, ...outcome.warnings] };
  }

  /** From here on the attempt is paid for. */
  async #start(
    planned: PlannedStage,
    work_tree: string,
  ): Promise<{ run: string; attempt: number; warnings: Warning[] }> {
    const { stage, model } = planned;
    const redact = redactionOf(this.#access.packet());
    const { prompt } = this.#servant(planned);
    const reply = await this.#workspace.call("packet_stage_start", {
      ...this.#target(),
      argv: commandOf(this.#request(planned)).map(redact),
      env: Object.keys(this.#options.environment),
      model,
      dispatched: true,
      work_tree,
      ...(prompt === "argument" ? { max_prompt_bytes: ARGUMENT_BYTES } : {}),
    });
    const { run, attempt } = unwrap(reply);
    this.#options.on({ type: "started", stage, attempt, model, timeout_sec: planned.timeout_sec });
    return { run, attempt, warnings: [...reply.warnings, ...inputWarnings(this.#access)] };
  }

  async #carryOut(planned: PlannedStage, attempt: number, changes: AttemptChanges): Promise<StageOutcome> {
    const packet = this.#access.packet();
    let run: StageRun;
    let facts: GateFacts;
    let look = (): void => changes.look();
    try {
      const onEnded = (): void => void (look = outcomeOf(look));
      run = await this.#options.executor.run({ ...this.#filled(planned, packet), onEnded }, this.#options.signal);
      look();
      if (run.aborted) return await this.#interrupted(attempt, "its dispatcher was told to stop");
      await this.#putLogBack();
      facts = { ...(await this.#gateFacts(packet, run, changes)), ...changes.notKnown(packet) };
      if (this.#options.signal?.aborted)
        return await this.#interrupted(attempt, "its dispatcher was told to stop while the acceptance commands ran");
    } catch (e) {
      if (!changes.isSeen) look = outcomeOf(look);
      await this.#interrupted(attempt, `it could not be run: ${whyNot(e)}`);
      // Where the look failed, the one of the start stays for the next attempt.
      if (changes.isSeen) changes.end(false);
      throw e;
    }
    const { exit_code, timed_out, duration_sec } = run;
    const reply = await this.#finish(run, facts);
    const { passed, reasons } = unwrap(reply);
    const failure = passed ? undefined : this.#access.packet().failures[this.#stage];
    const outcome: StageOutcome = {
      stage: this.#stage,
      attempt,
      outcome: passed ? "passed" : "failed",
      exit_code,
      timed_out,
      duration_sec,
      class: failure?.class ?? null,
      signature: failure?.signature ?? null,
      reasons,
      warnings: reply.warnings,
    };
    this.#options.on({ type: "ended", outcome, tail: failure ? this.#outputOf(failure) : [] });
    return outcome;
  }

  /** An end that is refused for what it says is recorded without it: an open attempt would be paid for again by each run. */
  async #finish({ exit_code, timed_out, start, end, duration_sec }: StageRun, facts: GateFacts) {
    const ended = { ...this.#running(), exit_code, timed_out };
    const all = { ...ended, start, end, duration_sec, ...facts };
    await this.#putLogBack();
    const reply = await internalsOf(this.#workspace).finishStage(all);
    if (reply.success) this.#log.drop();
    if (reply.success || isRetryable(reply.error.code)) return reply;
    const refused = reply.error.message;
    const recorded = await this.#workspace.call("packet_stage_finish", { ...ended, refused });
    if (recorded.success) this.#log.drop();
    return recorded.success ? recorded : reply;
  }

  /** Acceptance commands may come from a model, too: what they change counts as what the servant changed. */
  async #gateFacts(packet: Packet, run: StageRun, changes: AttemptChanges): Promise<GateFacts> {
    const applies = diffFit(this.#access, this.#stage, this.#run);
    const ran = await this.#acceptance(packet, run);
    if (ran?.acceptance.length) {
      changes.look();
      await this.#putLogBack();
    }
    return { changed_paths: shownPaths(changes.paths, packet), ...(applies ? { applies } : {}), ...ran };
  }

  async #acceptance(packet: Packet, { exit_code, timed_out }: StageRun) {
    if (partsOfStage(this.#stage).role !== "verify" || exit_code !== 0 || timed_out) return undefined;
    const { allowCommands, environment, on, signal } = this.#options;
    const mode = allowCommands === true || allowCommands === false ? acceptanceMode(packet) : allowCommands;
    const attempt = attemptsOf(packet, this.#stage).find((one) => one.run === this.#run);
    const commands = acceptanceOf(packet, mode, attempt);
    const count = commands.length;
    if (!allowCommands && count > 0) on({ type: "commands_left_out", stage: this.#stage, count });
    if (!allowCommands) return undefined;
    const redact = redactionOf(packet);
    const tell = ({ command, from }: AcceptanceCommand, runs: boolean): void =>
      on({ type: "command", stage: this.#stage, command: redact(command), from, runs });
    const shown = mode === "manifest" ? acceptanceOf(packet, "brief", attempt) : [];
    for (const one of shown) if (one.from === "brief") tell(one, false);
    const onGroup = (group: number): void => this.#group.keep(group);
    const onCommand = (command: AcceptanceCommand): void => tell(command, true);
    const options = { commands, environment, onGroup, onCommand };
    return { commands: mode, acceptance: await commandResults(this.#access, packet, options, signal) };
  }

  async #interrupted(attempt: number, why: string): Promise<StageOutcome> {
    const reason = why.slice(0, 500).toWellFormed();
    await this.#putLogBack();
    unwrap(await this.#workspace.call("packet_stage_interrupt", { ...this.#running(), reason }));
    this.#log.drop();
    const outcome: StageOutcome = {
      stage: this.#stage,
      attempt,
      outcome: "interrupted",
      exit_code: null,
      timed_out: false,
      duration_sec: null,
      class: null,
      signature: null,
      reasons: [reason],
      warnings: [],
    };
    this.#options.on({ type: "ended", outcome, tail: [] });
    return outcome;
  }

  /** Without its start in the log, the end of an attempt is refused, and what it paid is forgotten. */
  async #putLogBack(): Promise<void> {
    this.#warnings.push(...(await this.#log.restore()));
  }

  /** Of a tool that failed, the end of its log; of an acceptance command, one line. */
  #outputOf(failure: Failure): string[] {
    if (failure.gate === "not_judged") return this.#tail();
    const failed = failedCommand(this.#access.packet(), failure);
    if (!failed) return [];
    const { id } = this.#access;
    const help = `If the work of ${failed.judges} is wrong: taskfold packet reopen ${id} ${failed.judges} --reason REASON`;
    return [
      `${lastLineOf(failed.result.excerpt)} (all of it: .coco/tasks/${id}/${artifactFile(failure.stage)})`,
      ...(failed.judges === null ? [] : [help]),
    ];
  }

  /** Of its stderr; where it said nothing, of its stdout. */
  #tail(): string[] {
    const { disk, folder } = this.#access;
    const files = this.#files();
    const [err, out] = (["err", "out"] as const).map((file) => tailOf(disk, `${folder}/${files[file]}`));
    return err!.length > 0 ? err! : out!;
  }

  /** With the prompt that the start wrote. */
  #filled(planned: PlannedStage, packet: Packet): StageRequest {
    const { disk, folder } = this.#access;
    const request = this.#request(planned);
    const bytes = readRegular(disk, `${folder}/${request.prompt.path}`);
    if (!bytes)
      throw new TaskfoldError("STORAGE_FAILED", `Expected the prompt at ${request.prompt.path}, but it is not there.`, {
        recovery: "Run the stage again: its start writes the prompt.",
      });
    return {
      ...request,
      prompt: { ...request.prompt, text: bytes.toString("utf8") },
      redact: redactionOf(packet),
      compose_log: `Composed ${request.prompt.path}: ${bytes.length} bytes.\n`,
    };
  }

  #request({ stage, tool, role, model, timeout_sec }: PlannedStage): StageRequest {
    const { command, prompt } = this.#servant({ tool });
    const { folder, layout } = this.#access;
    return {
      stage,
      role,
      model,
      command,
      prompt: { text: "", mode: prompt, path: promptFile(stage) },
      task_dir: folder,
      cwd: layout.root,
      environment: this.#options.environment,
      limits: { wallclock_sec: timeout_sec },
      files: this.#files(),
      compose_log: "",
      filesAtEnd: () => this.#files(),
      onGroup: (group) => this.#group.keep(group),
    };
  }

  /** As they are named now. A servant may have taken the log back to before the start. */
  #files(): StageRequest["files"] {
    const packet = this.#access.packet();
    const attempt = attemptsOf(packet, this.#stage).find(({ run }) => run === this.#run);
    const nameOf = (file: StageFile): string =>
      attempt ? attemptFile(packet, attempt, file) : stageFile(this.#stage, file);
    return Object.fromEntries(STAGE_FILES.map((file) => [file, nameOf(file)])) as Record<StageFile, string>;
  }

  #servant({ tool }: Pick<PlannedStage, "tool">) {
    return this.#options.config.servants[tool];
  }

  /** Its own attempt, whatever a merge brought meanwhile. */
  #running() {
    return { ...this.#target(), ...(this.#run === undefined ? {} : { run: this.#run }) };
  }

  #target() {
    return { workspace: this.#workspace.id ?? "", task: this.#access.id, stage: this.#stage };
  }
}

/** Calls it now; the outcome is given, or thrown, where it is asked for. */
function outcomeOf<T>(call: () => T): () => T {
  try {
    const value = call();
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

/** The message of the system names paths of this machine, which the log is not to know. */
function whyNot(e: unknown): string {
  if (isFromSystem(e)) return storageError(e, "run the stage").message;
  return e instanceof Error ? e.message : String(e);
}
